package app
import "sync/atomic"
func f(p atomic.Pointer[Item], all Items) {
	s := NewStack[Item]()
	x, _ := s.next.Pop()
	//        ^ -> a.go#Stack.next
	//             ^ -> a.go#Stack.Pop
	x.Show()
	//^ -> a.go#Item.Show
	s.make().Show()
	//       ^ -> a.go#Item.Show
	y, _ := NewStack(x).Pop()
	y.Show()
	//^ -> a.go#Item.Show
	q := Pair[string, Item]{Value: x}
	//                      ^ -> a.go#Pair.Value
	q.Value.Show()
	//^ -> a.go#Pair.Value
	//      ^ -> a.go#Item.Show
	Map([]int{1}, func(int) Item { return x })[0].Show()
	//                                            ^ -> a.go#Item.Show
	First(all).Show()
	//         ^ -> a.go#Item.Show
	p.Load().Show()
	//       ^ -> a.go#Item.Show
}
