package geo;
class Made {
  Object a = new Square(1, 2);
  //             ^ -> src/main/java/geo/Square.java#Square, src/main/java/geo/Square.java#Square.Square@5
  Object b = new Made();
  //             ^ -> nothing
}
