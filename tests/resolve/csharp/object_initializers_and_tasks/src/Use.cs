using System.Threading.Tasks;
using System.Collections.Generic;
using Geo.Plane;
record Point(int X, Shape Shape);
class Use {
  async Task<Shape> Load() { await Task.Delay(1); return null; }
  async Task Run(List<Shape> shapes, object any, Point point) {
    var made = new Square { Name = "x" };
    //             ^ -> src/Shape.cs#Geo.Plane.Square
    //                      ^ -> src/Shape.cs#Geo.Plane.Shape.Name
    made.Area();
    //   ^ -> src/Shape.cs#Geo.Plane.Square.Area
    (await Load()).Area();
    //             ^ -> src/Shape.cs#Geo.Plane.Shape.Area
    foreach (var shape in shapes) shape.Area();
    //                                  ^ -> src/Shape.cs#Geo.Plane.Shape.Area
    if (any is Shape found) found.Area();
    //         ^ -> src/Shape.cs#Geo.Plane.Shape
    //                            ^ -> src/Shape.cs#Geo.Plane.Shape.Area
    point.Shape.Area();
    //          ^ -> src/Shape.cs#Geo.Plane.Shape.Area
    (any as Square).Area();
    //      ^ -> src/Shape.cs#Geo.Plane.Square
    //              ^ -> src/Shape.cs#Geo.Plane.Square.Area
  }
}
