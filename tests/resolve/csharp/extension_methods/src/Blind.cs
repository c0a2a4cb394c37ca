using Geo.Plane;
class Blind { void Run(Square square) { square.Twice(); } }
//                                             ^ -> nothing
