package main
import "example.org/app/lib"
func main() {
	lib.Do()
	//  ^ -> lib/lib.go#Do ?
	help()
 // <- _examples/help.go#help
}
