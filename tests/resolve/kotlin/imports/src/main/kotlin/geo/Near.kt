package geo
fun near(shapes: Shape = Origin.shape()) {
//                       ^ -> src/main/kotlin/geo/Shape.kt#Origin
  shapes.twice()
  //     ^ -> src/main/kotlin/geo/Shape.kt#twice
  describe(shapes)
//^ -> src/main/kotlin/geo/Shape.kt#describe@16
}
