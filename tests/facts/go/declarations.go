/*
Package shapes declares everything once.
*/
package shapes
//      ^ label

import (
	"errors"
	"sync"
)

// Limit stands alone.
const Limit = 10
//    ^ def constant Limit

const (
	// Red is the first.
	Red Color = iota
	//  ^ type

	Green
//^ def constant Green

	Blue, Cyan = iota, Limit
	//    ^ def constant Cyan
	//                 ^ -> 13

	_
)

const (
	lonely = 1
//^ def constant lonely
)

var ErrEmpty = errors.New("empty")
//  ^ def variable ErrEmpty
//             ^ import errors errors
//                    ^ member_call

var first, second = 1, Red
//         ^ def variable second
//                     ^ -> 18

var (
	third int
//^ def variable third

	_ Shape = (*Circle)(nil)
	//^ -> 69
	//          ^ -> 91
)

// Color has an underlying type.
type Color int
//   ^ def type Color

type Alias = Color
//   ^ def type Alias
//           ^ -> 55

type (
	// Visitor is declared in a group.
	Visitor func(shape Shape) (next Visitor, err error)
//^ def type Visitor
	//           ^ -> 64
	//                              ^ -> 64

	Shape interface {
//^ def interface Shape

		Named
//^ -> 84

		// Area of the whole.
		Area(scale float64) (Area float64)
//^ def method Shape.Area

		Bounds() (Shape, error)
		//        ^ -> 69
	}
)

type Named interface{ Name() string }
//                    ^ def method Named.Name

// Circle is a struct
// with a doc of two lines.
//
// And a second paragraph.
type Circle struct {
	sync.Mutex
//^ import sync sync
	//   ^ def field Circle.Mutex
	//   ^ member

	*Base
//^ def field Circle.Base
//^ -> 126

	Tree[Color]
//^ def field Circle.Tree
//^ -> 132

	// Color is called like its type.
	Color Color
//^ def field Circle.Color
	//    ^ -> 55

	x, Y int /* of the centre */
	// ^ def field Circle.Y

	style struct {
		Width [Limit]int `json:"width"`
//^ def field Circle.style.Width
		//     ^ -> 13
	}
	onDraw func(Color Color) Named
	//                ^ -> 55
	//                       ^ -> 84

	after Named
//^ def field Circle.after
}

type Base struct {
	id   int /* of the row */
	name string
}

// Tree is generic.
type Tree[T any] struct {
	left, right *Tree[T]
	//           ^ -> 132
	//                ^ -> 132

	value T
}

type Pair[K comparable, V []K] map[K]V
//   ^ def type Pair
//                          ^ -> 140
//                                 ^ -> 140
//                                   ^ -> 140

type Number interface{ ~int | Color }
//                            ^ -> 55

/*
Area of a circle.

More about it.
*/
func (c *Circle) Area(scale float64) (area float64) {
//       ^ -> 91
//               ^ def method Circle.Area

	area = c.radius() * scale
//^ -> 154
	//       ^ member_call

	return
}

func (c *Circle) radius() float64 { return radius() }
//               ^ def method Circle.radius
//                                         ^ unknown

func (t *Tree[T]) Walk(visit func(T) bool) {
//                ^ def method Tree.Walk
//       ^ -> 132
//                                ^ -> 169

	var zero T
	//       ^ -> 169

	visit(zero)
}

func (Pair[K, _]) keys() []K { return nil }
//                ^ def method Pair.keys
//                         ^ -> 180

// New has documentation above its directive.
//
//go:noinline
func New[S ~[]E, E Named](items S, more ...E) (result *Circle) {
//   ^ def function New
//            ^ -> 187
//                              ^ -> 187
//                                         ^ -> 187

	type option struct {
	//   ^ def struct New.option

		next *option
//^ def field New.option.next
		//    ^ -> 193
	}
	return &Circle{after: E(more[0])}
	//             ^ label
	//                    ^ -> 187
}

//go:linkname external runtime.external
func external(x int) (y error)
//   ^ def function external

func blank[_ any](_ int) { _ = 1 }
//         ^ unknown
//                ^ unknown
//                         ^ unknown

func init() {}
func init() {}
func _()    {}
