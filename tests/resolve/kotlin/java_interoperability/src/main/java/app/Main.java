package app;
import geo.Shape;
//         ^ -> src/main/kotlin/geo/Shape.kt#Shape
class Main {
  double run(Shape shape) {
    return shape.area();
    //           ^ -> src/main/kotlin/geo/Shape.kt#Shape.area
  }
}
