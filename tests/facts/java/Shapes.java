/*
 * Definitions of every kind, with their documentation.
 */
package org.example.shapes;

/**
 * A shape with {@code List<T>} of &gt; 2 corners, see {@link Registry#find(String)} or the
 * {@linkplain Registry registry}. Area is <b>never</b> negative.
 * <p>Not in the first paragraph.
 *
 * @param <T> the unit
 */
@Deprecated(since = "a (very) old private \"version\"")
@Audited
public abstract sealed class Shapes<T extends Comparable<T>> permits Shapes.Square {
    //                       ^ def class Shapes
    //                                                   ^ -> 15
    static final int MAX = 10, MIN = MAX - 9;
    //               ^ def field Shapes.MAX
    //                         ^ def field Shapes.MIN
    //                               ^ -> 18

    @Audited
    @Named("unit of (measure)")
    protected T unit;
    //        ^ -> 15
    //          ^ def field Shapes.unit
    private int[] corners[] = {{MIN}};

    static {
        int start = MAX;
        register(start);
        //       ^ -> 31
    }

    {
        int start = MIN;
        register(start);
        //       ^ -> 37
    }

    /** Makes one. */
    protected Shapes(T unit) {
        //    ^ def constructor Shapes.Shapes
        this.unit = unit;
        //   ^ member
        //          ^ -> 43
    }

    @Audited public abstract double area();
    //                              ^ def method Shapes.area

    /**
     * {@inheritDoc}
     *
     * @return nothing
     */
    public static <A extends B, B> A register(@Named("p") final int corner, A... rest) throws IllegalStateException {
        //                   ^ -> 58
        //                                 ^ def method Shapes.register
        return rest[corner];
        //     ^ -> 58
        //          ^ -> 58
    }

    private static final @Audited class Hidden {
        //                              ^ def class Shapes.Hidden
        int depth;
    }

    static non-sealed class Square extends Shapes<Integer> {
        //                  ^ def class Shapes.Square
        Square() {
        // ^ def constructor Shapes.Square.Square
            super(1);
        }

        @Override
        public double area() {
            class Local {
                // ^ def class Shapes.Square.area.Local
                double side = MAX;
            }
            return new Local().side;
            //         ^ -> 80
            //                 ^ member
        }
    }
}

/** Kinds of corner. */
enum Corner implements Rounded {
    /** Right angle. */
    RIGHT(90) {
        @Override
        public int degrees() {
            //     ^ def method Corner.RIGHT.degrees
            return 90;
        }
    },
    @Named("acute") ACUTE(45);
    //              ^ def enum_member Corner.ACUTE

    private final int degrees;
    static final Corner FIRST = RIGHT;
    //           ^ -> 92 ?
    //                          ^ -> 94

    Corner(int degrees) {
    // ^ def constructor Corner.Corner
        this.degrees = degrees;
    }

    public int degrees() {
        return degrees;
        //     ^ -> 104
    }
}

/**
 * A point.
 *
 * @param x across
 */
record Point<N>(@Named("x") N x, int... rest) implements Comparable<Point<N>> {
    // ^ def record Point
    //                      ^ -> 125
    //                        ^ def property Point.x
    static int made;

    Point {
    // ^ def constructor Point.Point
        made += rest.length;
        //      ^ -> 125
    }

    Point(N x) {
        this(x, made);
        //   ^ -> 137
    }

    N twice() {
        return x();
        //     ^ -> 125 ?
    }
}

record Plain(Point<String> corner) {
    //       ^ -> 125
    Object again() {
        return corner() == corner;
        //     ^ -> 148
        //                 ^ -> 148
    }
}

interface Rounded {
    int RADIUS = 3;
    //  ^ def field Rounded.RADIUS

    default int radius() {
        return scaled(RADIUS);
        //     ^ -> 167
        //            ^ -> 158
    }

    private static int scaled(int by) {
        //             ^ def method Rounded.scaled
        return by;
    }

    int degrees();
}

@interface Audited {
    //     ^ def annotation Audited
    String value() default "none";
    //     ^ def method Audited.value

    int LEVEL = 1;

    enum Depth { DEEP }
    //   ^ def enum Audited.Depth
}
