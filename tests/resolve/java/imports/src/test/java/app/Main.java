package app;
import geo.Shape;
//         ^ -> src/main/java/geo/Shape.java#Shape
import geo.Shape.Visitor;
//         ^ -> src/main/java/geo/Shape.java#Shape
//               ^ -> src/main/java/geo/Shape.java#Shape.Visitor
import static geo.Shape.UNIT;
//                      ^ -> src/main/java/geo/Shape.java#Shape.UNIT
import java.util.List;
class Main {
  Shape shape;
//^ -> src/main/java/geo/Shape.java#Shape
  void run(List<Shape> shapes) {
    shape.area();
    //    ^ -> src/main/java/geo/Shape.java#Shape.area
    UNIT.scaled(2).area();
//  ^ -> src/main/java/geo/Shape.java#Shape.UNIT
    //   ^ -> src/main/java/geo/Shape.java#Shape.scaled
    //             ^ -> src/main/java/geo/Shape.java#Shape.area
    for (var each : shapes) each.area();
    //                           ^ -> src/main/java/geo/Shape.java#Shape.area
    shapes.get(0).area();
    //            ^ -> src/main/java/geo/Shape.java#Shape.area
    new Visitor().visit(shape);
    //            ^ -> src/main/java/geo/Shape.java#Shape.Visitor.visit
    geo.Square square = null;
    square.area();
    //     ^ -> src/main/java/geo/Square.java#Square.area
    String text = "";
    text.length();
    //   ^ -> nothing
  }
}
