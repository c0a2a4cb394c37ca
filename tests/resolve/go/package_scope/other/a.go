package other
func f() { New() }
//         ^ -> nothing
