namespace Geo.Plane.Tests;
class Inner {
    Shape shape;
//  ^ -> src/Shape.cs#Geo.Plane.Shape
    Geo.Plane.Square square;
    //        ^ -> src/Shape.cs#Geo.Plane.Square
    void Run() { shape?.Area(); }
    //                  ^ -> src/Shape.cs#Geo.Plane.Shape.Area
}
