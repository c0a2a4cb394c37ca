package geo;
public class Square extends Shape {
//                          ^ -> src/main/java/geo/Shape.java#Shape
  public Square(int side) { sides = 4; }
  //                        ^ -> src/main/java/geo/Shape.java#Shape.sides
  public Square(int a, int b) {}
  public double area() { return sides; }
}
