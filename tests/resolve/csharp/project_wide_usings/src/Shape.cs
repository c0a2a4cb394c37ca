namespace Geo.Plane;

public abstract class Shape
{
    public string Name { get; set; } = "";
    protected int _sides;
    public abstract double Area();
    public static Shape Make(int sides) => null;
}
public class Square : Shape {
    public override double Area() => _sides;
    //                               ^ -> #Geo.Plane.Shape._sides
}
