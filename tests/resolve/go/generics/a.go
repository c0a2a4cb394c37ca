package app
type Item struct{ id int }
func (i Item) Show() {}
type Shower interface{ Show() }
type Stack[T any] struct {
	items []T
	next *Stack[T]
	make func() T
}
func (s *Stack[E]) Pop() (E, bool) { return s.items[0], true }
//                                            ^ -> #Stack.items
type Pair[K comparable, V any] struct {
	Key K
	Value V
}
func NewStack[T any](items ...T) *Stack[T] { return nil }
func Map[T, U any](in []T, f func(T) U) []U { return nil }
func First[S ~[]E, E any](s S) E { return s[0] }
func Show[T Shower](t T) {
	t.Show()
	//^ -> #Shower.Show
}
type Items []Item
