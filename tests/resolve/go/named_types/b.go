package app
func f(ns Nodes, by Index, m Make, c Copy, s Same, ch <-chan Node) {
	ns.Sort()[0].Show()
	// ^ -> a.go#Nodes.Sort
	//           ^ -> a.go#Node.Show
	for _, n := range ns {
		n.Show()
		//^ -> a.go#Node.Show
	}
	for k, v := range by {
		k.Show()
		//^ -> a.go#Node.Show
		v.Sort()
		//^ -> a.go#Nodes.Sort
	}
	for n := range ch {
		n.Show()
		//^ -> a.go#Node.Show
	}
	if n, ok := by[Node{}]; ok {
		n.Sort()
		//^ -> a.go#Nodes.Sort
	}
	n, err := m(1)
	n.Show()
	//^ -> a.go#Node.Show
	err.Show()
	//  ^ -> nothing
	m.Twice()
	//^ -> a.go#Make.Twice
	_ = c.key
	//    ^ -> a.go#Node.key
	c.Show()
	//^ -> nothing
	s.Show()
	//^ -> a.go#Node.Show
	C.On()
	//^ -> a.go#Flag.On
	(A | B).On()
	//      ^ -> a.go#Flag.On
	(<-ch).Show()
	//     ^ -> a.go#Node.Show
	ns = append(ns, ns[1:]...)
	append(ns, nil).Sort()
	//              ^ -> a.go#Nodes.Sort
	x := new(Node)
	x.Show()
	//^ -> a.go#Node.Show
	make(Nodes, 3).Sort()
	//             ^ -> a.go#Nodes.Sort
}
