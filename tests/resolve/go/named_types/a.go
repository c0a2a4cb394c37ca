package app
type Node struct{ key int }
func (n Node) Show() {}
type Nodes []*Node
func (ns Nodes) Sort() Nodes { return ns }
type Index map[Node]Nodes
type Make func(int) (*Node, error)
func (m Make) Twice() {}
type Copy Node
type Same = Node
type Flag int
func (f Flag) On() {}
const (
	A Flag = iota
	B // two
	// three
	C
)
