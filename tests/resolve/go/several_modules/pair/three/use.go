package use
import "one.org/one/lib"
func f() { lib.Do() }
//             ^ -> nothing
