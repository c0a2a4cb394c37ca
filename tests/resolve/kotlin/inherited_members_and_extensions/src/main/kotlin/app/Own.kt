package app
import geo.Shape
class Own : Shape("own") {
  fun run() = area()
  //          ^ -> src/main/kotlin/geo/Shape.kt#Shape.area
  fun later() = object : Shape("inner") { fun more() = area() }
  //                                                   ^ -> src/main/kotlin/geo/Shape.kt#Shape.area
  fun built() = StringBuilder().apply { area() }
  //                                    ^ -> nothing
}
fun Shape.half() = area()
//                 ^ -> src/main/kotlin/geo/Shape.kt#Shape.area
