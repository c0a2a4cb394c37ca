package lib
func Do() {}
type T struct{ F int }
