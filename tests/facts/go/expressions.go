package expressions

import (
	"plugin"
	"reflect"
)

type point struct{ x, y int }

type table map[string]int

var x, key = 1, "k"

var literals = []any{
	point{x: x, y: 2},
	//    ^ label
	//       ^ -> 12
	&point{x, x},
	//     ^ -> 12
	map[string]int{key: x},
	//             ^ -> 12
	[...]int{x: x},
	//       ^ -> 12
	[]int{x: 1},
	//    ^ -> 12
	table{key: x},
	//    ^ label
	[]point{{x: x}},
	//       ^ label
	//          ^ -> 12
	map[point]int{{x: x}: x},
	//             ^ label
	//                ^ -> 12
	struct{ x int }{x: x},
	//      ^ member
	//              ^ label
	//                 ^ -> 12
}

func generic[T any](value T) T { return value }

func calls(handlers []func(int), value any) {
	handlers[x](x)
//^ -> 42
	//       ^ -> 12
	//          ^ -> 12
	handlers[x]()
//^ call
	generic[int](x)
//^ -> 40
	generic[int]()
//^ call
	go generic(value.(point).x)
	// ^ call
	//                ^ type
	//                       ^ member
	func(x int) { _ = x }(x)
	//                ^ -> 57
	//                    ^ -> 12
	table.method(nil)
//^ name
	//    ^ member_call
	if _, ok := value.(interface{ calls() }); ok {
	//                            ^ member
		return
	}
	for _, row := range []struct {
		name string
	}{{name: "a"}} {
	// ^ label
		println(row.name)
		//          ^ member
	}
}

func dynamic(value reflect.Value, name string) {
	value.FieldByName("Title")
	value.MethodByName(name).Call(nil)
	reflect.TypeOf(value).FieldByName(`Raw`)
	plugin.Open(name)
	value.Field(0)
}
