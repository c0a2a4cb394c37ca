package app
func open() {}
type H struct{ fd int }
