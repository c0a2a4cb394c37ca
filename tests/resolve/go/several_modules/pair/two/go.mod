module two.org/two
