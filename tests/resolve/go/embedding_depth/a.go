package app
import (
	"io"
	"example.org/app/base"
)
type Deep struct{ id, far int }
func (Deep) Close() {}
func (Deep) Write() {}
type Mid struct{ Deep }
type Outer struct {
	Mid
	*base.Base
	//    ^ -> base/base.go#Base
}
type Twice struct {
	Deep
	Other
}
type Other struct{ id int }
type Foreign struct {
	io.Writer
	Mid
}
