package lib_test
import "example.org/app/lib"
func f() {
	lib.Open()
	//  ^ -> lib/lib.go#Open
	lib.Hidden()
	//  ^ -> lib/in_test.go#Hidden
	hidden()
 // <- nothing
	helper()
 // <- lib/more_test.go#helper
}
