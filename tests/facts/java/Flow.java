package org.example;

/// Locals, and how far each of them is seen.
class Flow {
    private int item = 1;
    private Object found = null;
    private String text = "";

    int shadowing(int first) {
        item = first;
    //  ^ -> 5
        int before = item;
        //           ^ -> 5
        int item = before, next = item;
        //                        ^ -> 14
        for (int i = 0, n = item; i < n; i++) {
            //                    ^ -> 16
            next += i;
            //      ^ -> 16
        }
        for (String text : text.split(",")) {
            //             ^ -> 7
            text.trim();
            // ^ -> 21
        }
        {
            String text = "";
            text.trim();
            // ^ -> 27
        }
        return text.length() + i;
        //     ^ -> 7
        //                     ^ unknown
    }

    void closing() throws Exception {
        try (Reader text = open(); Reader two = wrap(text)) {
            //                                       ^ -> 37
            two.read();
        //  ^ -> 37
        } catch (IllegalStateException | Error problem) {
            log(text, problem);
            //  ^ -> 7
            //        ^ -> 41
        } finally {
            log(text, null);
            //  ^ -> 7
        }
        synchronized (found) {
            int held = 1;
            log(null, held);
            //        ^ -> 50
        }
        log(null, held);
        //        ^ unknown
    }

    void lambdas() {
        Runner one = text -> text.trim();
        //                   ^ -> 59
        Runner two = (a, b) -> a + b + item;
        //                     ^ -> 61
        //                             ^ -> 5
        Runner three = (final int a, String... rest) -> {
            int sum = a + rest.length;
            //        ^ -> 64
            //            ^ -> 64
            return sum;
        };
        var four = Flow::lambdas;
        //         ^ -> 4
        //               ^ member
        log(one, this::closing);
        //             ^ member
    }

    int switches(Object value, Color color) {
        switch (color) {
            case RED:
            //   ^ member
                int item = 1;
                break;
            case Color.BLUE:
            //   ^ name
                item = 2;
                // ^ -> 81
        }
        return switch (value) {
            case String text when text.isEmpty() -> text.length();
            //                    ^ -> 89
            //                                      ^ -> 89
            case Point(int x, Point(var y, _)) -> {
            //   ^ type
                int sum = x + y;
                //        ^ -> 92
                //            ^ -> 92 ?
                yield sum;
                //    ^ -> 94
            }
            default -> text.length() + item;
            //         ^ -> 7
            //                         ^ -> 5
        };
    }

    int patterns(Object value) {
        if (value instanceof String text && text.length() > 1) {
            //                              ^ -> 107
            return text.length();
            //     ^ -> 107
        } else if (value instanceof Flow text) {
            return text.item;
            //     ^ -> 111
            //          ^ member
        } else {
            text.length();
            // ^ -> 7
        }
        text.length();
        // ^ -> 7
        if (!(value instanceof Flow found)) throw new IllegalStateException(found.toString());
        //                                                                  ^ -> 6
        found.hashCode();
        // ^ -> 121
        if (!(value instanceof Flow more)) {
            return 0;
        }
        more.hashCode();
    //  ^ -> 125
        return value instanceof Point(int item, var other) || item > 0 ? item : 0;
        //                                                    ^ -> 130 ?
    }

    boolean conservative(Object value) {
        while (!(value instanceof String text)) {
            value = text;
            //      ^ -> 135 ?
        }
        return text.isEmpty();
        //     ^ -> 135 ?
    }

    boolean same(Object other) {
        return other instanceof Flow that && that.item == item;
        //                                   ^ -> 144
    }

    void labels() {
        outer:
        // ^ label
        while (true) {
            do {
                int turn = 0;
                if (turn > 1) break outer;
                //  ^ -> 153
                //                  ^ label
            } while (turn < 1);
            //       ^ unknown
            continue outer;
            //       ^ label
        }
    }

    <E> void generic(E one) {
        new Later(one);
        //  ^ -> 182
        class Later {
            final E kept = one;
            //    ^ -> 164
            //             ^ -> 164
        }
        new Later();
        //  ^ -> 167
    }

    @SuppressWarnings(value = "x")
    //                ^ label
    private void log(Object what, Object why) {
    }
}

class Later {
    Later(Object what) {
    }
}
