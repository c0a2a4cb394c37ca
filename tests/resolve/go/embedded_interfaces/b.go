package app
func f(x File) {
	x.Open("").Close()
	//^ -> a.go#File.Open
	//         ^ -> a.go#Closer.Close
	var c Closer = file{}
	c.Close()
	//^ -> a.go#Closer.Close
	g := func(c Closer) Closer { return c }
	g(nil).Close()
	//     ^ -> a.go#Closer.Close
}
