package app
type Face interface{ Run() }
type Impl struct{}
func (Impl) Run() {}
func two() (*Impl, error) { return nil, nil }
func named() (first *Impl, _ error) { return }
var global = Impl{}
var first, second = two()
