package base
type Base struct{ Name string }
func (b *Base) Close() {}
