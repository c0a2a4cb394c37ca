using System;
using System.Collections.Generic;
using static System.Math;
using Text = System.Text;
using Numbers = System.Collections.Generic.List<int>;
using Pair = (int Left, int Right);

namespace Example.Shapes
{
    /// <summary>
    /// A shape, see <see cref="Circle"/> and <paramref name="other"/>.
    /// <para>Second paragraph.</para>
    /// </summary>
    /// <remarks>Not shown.</remarks>
    [Serializable, Obsolete("use [another]")]
    public abstract partial class Shape<T> : IComparable<Shape<T>> where T : struct
    //                            ^ def class Example.Shapes.Shape
    {
        private readonly int width = 1, height;
        //                   ^ def field Example.Shapes.Shape.width
        //                              ^ def field Example.Shapes.Shape.height
        public const double Tau = 2 * PI;
        //                  ^ def constant Example.Shapes.Shape.Tau
        //                            ^ unknown
        public event EventHandler? Changed;
        //                         ^ def field Example.Shapes.Shape.Changed

        public event EventHandler Moved { add { Changed += value; } remove { } }
        //                        ^ def property Example.Shapes.Shape.Moved

        [Text.Name(Kind = 1)]
        //         ^ label
        public string Name { get; protected set; } = "";
        //            ^ def property Example.Shapes.Shape.Name

        public int Width
        {
            get => width;
            //     ^ -> 19
            init { width = value; }
            //     ^ -> 19
            //             ^ name
        }

        protected internal Numbers this[int index] => new Numbers { index };
        //                 ^ import System.Collections.Generic List
        //                                                          ^ -> 45

        public static Shape<T> operator +(Shape<T> one, Shape<T> two) => one;
        //            ^ type
        //                                                               ^ -> 49

        public static explicit operator int(Shape<T> shape) => shape.width;
        //                                                     ^ -> 53
        //                                                           ^ member

        ~Shape() { }

        protected Shape() : this(1) { }

        protected Shape(int width) => this.width = width;
        //        ^ def constructor Example.Shapes.Shape.Shape
        //                                         ^ -> 61

        /** <summary>The area &amp; more.</summary> */
        public abstract double Area();
        //                     ^ def method Example.Shapes.Shape.Area

        int IComparable<Shape<T>>.CompareTo(Shape<T>? other) => 0;
        //                        ^ def method Example.Shapes.Shape.CompareTo

        private protected virtual U Convert<U>(T from, ref U into, params U[] rest) where U : T
        {
            U Local<V>(V only) => into;
            // ^ def function Example.Shapes.Shape.Convert.Local
            //                    ^ -> 72
            return rest.Length > 0 ? Local(from) : into;
            //     ^ -> 72
            //                       ^ -> 74
        }

        enum Kind : byte
        {
            Round = 1,
            [Text.Name]
            Square = Round + 1,
            // ^ def enum_member Example.Shapes.Shape.Kind.Square
            //       ^ -> 84
        }
    }

    public record Circle(string Label, [property: Text.Name] double Radius) : Shape<int>, IDisposable
    //            ^ def record Example.Shapes.Circle
    //                          ^ def property Example.Shapes.Circle.Label
    {
        public override double Area() => PI * Radius * Radius;
        //                                    ^ -> 92 ?
        void IDisposable.Dispose() { }
    }

    public readonly record struct Point(int X, int Y);

    internal interface ISized<in K> : IComparable<K>
    {
        int Size { get; }
        void Resize(int size) => Resize(size, 1);
        void Resize(int size, int step);
    }

    public delegate TResult Maker<out TResult>(string name);
    //                      ^ def type Example.Shapes.Maker

    namespace Inner
    //        ^ member
    {
        static class Extensions
        {
            internal static int Twice(this int number) => number * 2;
            //                                            ^ -> 118
            static Pair Both(Point point) => (point.X, point.Y);
            //     ^ import (int Left, int Right) (int Left, int Right)
            //               ^ -> 101 ?
        }
    }
}
