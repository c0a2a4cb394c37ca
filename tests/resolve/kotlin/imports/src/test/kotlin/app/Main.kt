package app
import geo.Shape
//         ^ -> src/main/kotlin/geo/Shape.kt#Shape
import geo.Square as Quad
import geo.describe
import geo.Color.RED
import geo.all
import geo.twice
import geo.shape
class Main(private val held: Shape) {
//                           ^ -> src/main/kotlin/geo/Shape.kt#Shape
  fun run(any: Any) {
    val made = Quad()
    //         ^ -> src/main/kotlin/geo/Shape.kt#Square
    made.area()
    //   ^ -> src/main/kotlin/geo/Shape.kt#Square.area
    held.next?.area()
    //   ^ -> src/main/kotlin/geo/Shape.kt#Shape.next
    //         ^ -> src/main/kotlin/geo/Shape.kt#Shape.area
    Shape.unit().area()
    //    ^ -> src/main/kotlin/geo/Shape.kt#Shape.Companion.unit
    //           ^ -> src/main/kotlin/geo/Shape.kt#Shape.area
    describe(made)
//  ^ -> src/main/kotlin/geo/Shape.kt#describe@16
    describe(made, 1)
//  ^ -> src/main/kotlin/geo/Shape.kt#describe@17
    all.area()
//  ^ -> src/main/kotlin/geo/Shape.kt#all
    //  ^ -> src/main/kotlin/geo/Shape.kt#Shape.area
    made.twice().area()
    //   ^ -> src/main/kotlin/geo/Shape.kt#twice
    //           ^ -> src/main/kotlin/geo/Shape.kt#Shape.area
    "x".shape()
    //  ^ -> src/main/kotlin/geo/Shape.kt#shape
    any.twice()
    //  ^ -> nothing
    (any as Quad).area()
    //            ^ -> src/main/kotlin/geo/Shape.kt#Square.area
    println(RED)
    //      ^ -> src/main/kotlin/geo/Shape.kt#Color.RED
  }
}
