package use
import "one.org/one/lib"
func f() { lib.Do() }
//             ^ -> pair/one/lib/lib.go#Do
