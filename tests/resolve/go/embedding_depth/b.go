package app
func f(o *Outer, t Twice, w Foreign) {
	o.Close()
	//^ -> base/base.go#Base.Close
	_ = o.id
	//    ^ -> a.go#Deep.id
	_ = o.Base.Name
	//    ^ -> a.go#Outer.Base
	//         ^ -> base/base.go#Base.Name
	_ = o.Mid.Deep.id
	//    ^ -> a.go#Outer.Mid
	//        ^ -> a.go#Mid.Deep
	//             ^ -> a.go#Deep.id
	_ = Outer{Mid: Mid{}}
	//        ^ -> a.go#Outer.Mid
	_ = t.id
	//    ^ -> nothing
	w.Write()
	//^ -> nothing
	_ = w.far
	//    ^ -> a.go#Deep.far
}
