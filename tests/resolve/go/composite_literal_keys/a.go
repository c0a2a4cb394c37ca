package app
type P struct{ X int }
type Line struct {
	From, To P
}
type Table map[string]int
const Key = "k"
