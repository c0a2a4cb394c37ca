package app;
import geo.*;
import static geo.Shape.*;
class Star { Shape shape = UNIT; }
//           ^ -> src/main/java/geo/Shape.java#Shape
//                         ^ -> src/main/java/geo/Shape.java#Shape.UNIT
