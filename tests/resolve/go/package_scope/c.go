package app
func run() {
	m := New()
	//   ^ -> a.go#New
	m.Use()
	//^ -> b.go#Mux.Use
	f := m.Use
	//     ^ -> b.go#Mux.Use
	g := (*Mux).Use
	//     ^ -> a.go#Mux
	//          ^ -> b.go#Mux.Use
	_, _ = f, g
	var n Mux
	//    ^ -> a.go#Mux
	n.path = ""
	//^ -> a.go#Mux.path
	Mux(n).Use()
	//     ^ -> b.go#Mux.Use
	_ = Limit
	//  ^ -> a.go#Limit
}
