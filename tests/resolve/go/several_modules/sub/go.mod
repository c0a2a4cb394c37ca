module example.org/app/sub
