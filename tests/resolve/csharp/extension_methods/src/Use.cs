using Geo.Plane;
using Geo.More;
class Use {
  void Run(Square square, string text, object other) {
    square.Twice().Area();
    //     ^ -> src/Extensions.cs#Geo.More.Extensions.Twice@4
    //             ^ -> src/Shape.cs#Geo.Plane.Shape.Area
    square.Twice(2);
    //     ^ -> src/Extensions.cs#Geo.More.Extensions.Twice@5
    text.Cut();
    //   ^ -> src/Extensions.cs#Geo.More.Extensions.Cut
    other.Twice();
    //    ^ -> nothing
  }
}
