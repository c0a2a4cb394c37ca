package app
import "example.org/app/lib"
type T struct{}
func (T) lib() {}
func f() { lib.Do() }
//         ^ -> nothing
//             ^ -> lib/lib.go#Do
