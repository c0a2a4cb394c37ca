package app
import "os"
func f(all ...Impl) (out Face) {
	var x Face
	x = Impl{}
	x.Run()
	//^ -> a.go#Face.Run
	y := os.Args
	y = Impl{}
	y.Run()
	//^ -> nothing
	out.Run()
	//  ^ -> a.go#Face.Run
	all[0].Run()
	//     ^ -> a.go#Impl.Run
	global.Run()
	//     ^ -> a.go#Impl.Run
	first.Run()
	//    ^ -> a.go#Impl.Run
	second.Run()
	//     ^ -> nothing
	n, err := named()
	n.Run()
	//^ -> a.go#Impl.Run
	err.Run()
	//  ^ -> nothing
	a, b := Impl{}, x
	a.Run()
	//^ -> a.go#Impl.Run
	b.Run()
	//^ -> a.go#Face.Run
	func() Impl { return a }().Run()
	//                         ^ -> a.go#Impl.Run
	return nil
}
