package geo;
class Near { Square of() { return null; }
//           ^ -> src/main/java/geo/Square.java#Square
  void run() { of().scaled(1); }
  //                ^ -> src/main/java/geo/Shape.java#Shape.scaled
}
