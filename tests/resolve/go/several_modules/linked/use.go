package use
import "example.org/app/lib"
func f() { lib.Do() }
//             ^ -> lib/lib.go#Do
