module one.org/one
