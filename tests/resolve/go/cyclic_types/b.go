package app
func f(a A, c C, e E, g G[int]) {
	_ = a.x
	//    ^ -> nothing
	_ = c.x
	//    ^ -> nothing
	_ = e.x
	//    ^ -> nothing
	_ = g.x
	//    ^ -> nothing
	_ = v.x
	//    ^ -> nothing
	for range c {
	}
}
