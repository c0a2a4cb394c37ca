class Tests { Square square; }
//            ^ -> src/Shape.cs#Geo.Plane.Square
