package use
import "example.org/app/sub/lib"
func f() { lib.Do() }
//             ^ -> sub/lib/lib.go#Do
