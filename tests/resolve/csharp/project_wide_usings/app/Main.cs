class Main { Square square; }
//           ^ -> src/Shape.cs#Geo.Plane.Square
