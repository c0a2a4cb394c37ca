package app
import geo.Shape
fun blind(shape: Shape) { shape.twice() }
//                              ^ -> nothing
