using Geo.Plane;
using static Geo.Plane.Shape;
using Alias = Geo.Plane.Square;
namespace App
{
    class Using
    {
        Shape one = Shape.Make(1);
//      ^ -> src/Shape.cs#Geo.Plane.Shape
        //                ^ -> src/Shape.cs#Geo.Plane.Shape.Make
        Alias two;
//      ^ -> src/Shape.cs#Geo.Plane.Square
        void Run() { Make(2).Area(); two.Name = ""; }
        //           ^ -> src/Shape.cs#Geo.Plane.Shape.Make
        //                   ^ -> src/Shape.cs#Geo.Plane.Shape.Area
        //                               ^ -> src/Shape.cs#Geo.Plane.Shape.Name
    }
}
