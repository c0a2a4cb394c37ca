package geo;
public class Square extends Shape {
  public Square(int side) { sides = 4; }
  //                        ^ -> src/main/java/geo/Shape.java#Shape.sides
  public Square(int a, int b) {}
  public double area() { return sides; }
}
