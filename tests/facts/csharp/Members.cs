using Timer = System.Threading.Timer;
using System;

namespace Example.Members
{
    // What inheritance and other parts leave open.
    class Plain
    {
        static int count;
        Color Color { get; }
        // ^ -> 98

        int Count() => count;
        //             ^ -> 9

        void Call(Action handler)
        {
            Count();
            // ^ -> 13
            handler();
            // ^ -> 16
            Over(1);
            // ^ -> 41 ?
            ToString();
            // ^ member_call
            Missing();
            // ^ unknown
            Select(Count);
            //     ^ -> 13
            Plain.count = 1;
            // ^ -> 7
            var red = Color.Red;
            //        ^ -> 10 ?
            Timer timer = null;
            // ^ import System.Threading Timer
            Generic<int>(count);
            // ^ -> 43
            //           ^ -> 9
        }

        void Over(int one) { }
        void Over(string one) { }
        void Generic<T>(T one) { }

        class Nested
        {
            int Deep() => count + new Plain().Count();
            //            ^ -> 9
            //                        ^ -> 7
        }
    }

    class Child : Plain
    //            ^ -> 7
    {
        int own;

        int Count()
        {
            own = count;
        //  ^ -> 56
            //    ^ unknown
            Nested nested = null;
            // ^ unknown
            Other(null);
            // ^ -> 71 ?
            return Count();
            //     ^ -> 58 ?
        }

        void Other(Color color) { }
        //         ^ -> 98 ?
    }

    class Sized : ISized
    {
        public int Size() => Size() + Run(null);
        //                   ^ -> 77
        //                            ^ -> 80
        int Run(Color color) => 0;
        //      ^ -> 98
        int ISized.Hidden() => Hidden();
        //                     ^ unknown
    }

    partial class Part<TItem>
    {
        TItem kept;
        // ^ -> 86
        int Get() => Get();
        //           ^ -> 90 ?
        Color color;
        // ^ -> 98 ?
    }

    interface ISized { int Size(); int Hidden(); }

    enum Color { Red, Green = Red }
    //                        ^ -> 98

    class Service(Timer clock, int limit) : Plain(limit), ISized
    //                                            ^ -> 101
    {
        private readonly Timer clock = clock;
        //                             ^ -> 104 ?
        private int twice = limit * 2;
        //                  ^ -> 101 ?
    }

    struct Vector(int x)
    {
        public int X => x;
        //              ^ -> 110
    }
}
