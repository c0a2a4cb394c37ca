package app
type Closer interface {
	Close() error
}
type File interface {
	Closer
	Open(name string) File
}
type file struct{}
func (file) Close() error { return nil }
