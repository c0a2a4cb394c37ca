package use
import "example.org/app/lib"
func f() { lib.Do() }
//             ^ -> nothing
