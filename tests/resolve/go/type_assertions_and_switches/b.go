package app
func f(x Any) {
	if v, ok := x.(*A); ok {
		_ = v.a
		//    ^ -> a.go#A.a
	}
	x.(B).b = 1
	//    ^ -> a.go#B.b
	x.(error).Is()
	//        ^ -> nothing
	switch v := x.(type) {
	case *A:
		_ = v.a
		//    ^ -> a.go#A.a
	case B:
		_ = v.b
		//    ^ -> a.go#B.b
		_ = v.a
		//    ^ -> nothing
	case nil, error:
		v.Is()
		//^ -> a.go#Any.Is
	default:
		v.Is()
		//^ -> a.go#Any.Is
	}
}
