package use
import (
	"example.org/app/lib"
	other "example.org/app/lib"
	"example.org/app/go-odd"
	. "example.org/app/all"
	"elsewhere.org/lib2"
)
func f(t lib.T) {
	lib.Do()
	//  ^ -> lib/lib.go#Do
	other.Do()
	//    ^ -> lib/lib.go#Do
	strange.Say()
	//      ^ -> go-odd/odd.go#Say
	Every()
 // <- all/all.go#Every
	lib2.Do()
	//   ^ -> nothing
	_ = other.T{F: t.F}
	//        ^ -> lib/lib.go#T
	//          ^ -> lib/lib.go#T.F
}
