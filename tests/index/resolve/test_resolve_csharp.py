"""C# beyond the file."""

from __future__ import annotations

from support.claims import check_claims

_SHAPES = {
    "src/Shape.cs": """namespace Geo.Plane;

public abstract class Shape //= Shape
{
    public string Name { get; set; } = ""; //= Name
    protected int _sides; //= sides
    public abstract double Area(); //= Area
    public static Shape Make(int sides) => null; //= Make
}
public class Square : Shape { //= Square
    public override double Area() => _sides; //> _sides sides
}
""",
}


def test_namespaces_and_usings() -> None:
    check_claims(
        {
            **_SHAPES,
            "src/Using.cs": """using Geo.Plane;
using static Geo.Plane.Shape;
using Alias = Geo.Plane.Square;
namespace App
{
    class Using
    {
        Shape one = Shape.Make(1); //> Shape Shape; Make Make
        Alias two; //> Alias Square
        void Run() { Make(2).Area(); two.Name = ""; } //> Make Make; Area Area; Name Name
    }
}
""",
            "src/Inner.cs": """namespace Geo.Plane.Tests;
class Inner {
    Shape shape; //> Shape Shape
    Geo.Plane.Square square; //> Square Square
    void Run() { shape?.Area(); } //> Area Area
}
""",
            "src/Outside.cs": """namespace App;
class Outside { Square square; } //> Square -
""",
        }
    )


def test_usings_of_a_project() -> None:
    check_claims(
        {
            **_SHAPES,
            "app/App.csproj": '<Project><ItemGroup><Using Include="Geo.Plane" /></ItemGroup></Project>\n',
            "app/Main.cs": "class Main { Square square; } //> Square Square\n",
            "tests/GlobalUsings.cs": "global using Geo.Plane;\n",
            "tests/Main.cs": "class Tests { Square square; } //> Square Square\n",
            "other/Main.cs": "class Other { Square square; } //> Square -\n",
        }
    )


def test_partial_types_and_numbers_of_arguments() -> None:
    check_claims(
        {
            "a/Policy.One.cs": "namespace P;\npublic partial class Policy { //= one\n  int _held; //= held\n}\n",
            "a/Policy.Two.cs": """namespace P;
public partial class Policy { //= two
  int Get() => _held; //> _held held
}
""",
            "a/Policy.Of.cs": "namespace P;\npublic class Policy<T> { public T Value { get; } } //= of\n",
            "a/Use.cs": """namespace P;
class Use {
  Policy plain; //> Policy one two
  Policy<int> some; //> Policy of
  object made = new Policy<int>(); //> Policy of
}
""",
        }
    )


def test_extension_methods() -> None:
    check_claims(
        {
            **_SHAPES,
            "src/Extensions.cs": """namespace Geo.More;
using Geo.Plane;
public static class Extensions {
  public static Shape Twice(this Shape shape) => shape; //= Twice
  public static Shape Twice(this Shape shape, int more) => shape; //= more
  public static string Cut(this string text) => text; //= Cut
}
""",
            "src/Use.cs": """using Geo.Plane;
using Geo.More;
class Use {
  void Run(Square square, string text, object other) {
    square.Twice().Area(); //> Twice Twice; Area Area
    square.Twice(2); //> Twice more
    text.Cut(); //> Cut Cut
    other.Twice(); //> Twice -
  }
}
""",
            "src/Blind.cs": """using Geo.Plane;
class Blind { void Run(Square square) { square.Twice(); } } //> Twice -
""",
        }
    )


def test_objects_and_tasks() -> None:
    check_claims(
        {
            **_SHAPES,
            "src/Use.cs": """using System.Threading.Tasks;
using System.Collections.Generic;
using Geo.Plane;
record Point(int X, Shape Shape); //= Point
class Use {
  async Task<Shape> Load() { await Task.Delay(1); return null; }
  async Task Run(List<Shape> shapes, object any, Point point) {
    var made = new Square { Name = "x" }; //> Square Square; Name Name
    made.Area(); //> Area squarearea
    (await Load()).Area(); //> Area Area
    foreach (var shape in shapes) shape.Area(); //> Area Area
    if (any is Shape found) found.Area(); //> Shape Shape; Area Area
    point.Shape.Area(); //> Area Area
    (any as Square).Area(); //> Square Square; Area squarearea
  }
}
""",
            "src/Shape.cs": _SHAPES["src/Shape.cs"].replace("//> _sides sides", "//= squarearea"),
        }
    )
