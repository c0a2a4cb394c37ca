package org.example;

import java.util.Map.Entry;
import java.util.ArrayList;
import static java.lang.Math.max;

/** Three namespaces, overloads, and what inheritance leaves open. */
class Members {
    int size;
    int only;

    int size() {
        return size;
        //     ^ -> 9
    }

    int twice() {
        return size() + size + Size.value;
        //     ^ -> 12
        //              ^ -> 9
        //                     ^ -> 25
        //                          ^ member
    }

    static class Size {
        static int value;
        Size size;
        // ^ -> 25
    }

    void over(int one) {
        // ^ -> 31 ?
    }

    void over(String one) {
        over(1);
        // ^ -> 31 ?
        max(1, only());
    //  ^ import java.lang.Math max
        //     ^ unknown
    }

    class Inner {
        int size() {
            return hashCode() + over(only);
            //     ^ member_call
            //                  ^ -> 31 ?
            //                       ^ -> 10
        }
    }

    class Child extends Members {
        //              ^ -> 8
        int own;

        // A member type of one of these names may be inherited.
        Entry go(ArrayList list) {
    //  ^ import java.util.Map Entry
            own = only;
        //  ^ -> 54
            //    ^ -> 10 ?
            go(null);
        //  ^ -> 57 ?
            return list;
            //     ^ -> 57
        }
    }

    class Generic<T extends Entry> extends ArrayList<T> {
        //                  ^ import java.util.Map Entry
        //                                 ^ import java.util ArrayList
        //                                           ^ -> 69
        T kept;
    //  ^ -> 69
        Size size;
    //  ^ -> 25 ?
    }

    Object anonymous(final int limit) {
        return new Object() {
            int seen = limit;
            //         ^ -> 79 ?

            public String toString() {
                return text(seen) + limit;
                //     ^ -> 90 ?
                //          ^ -> 81
            }

            String text(int number) {
                return Members.this.size + outer.new Size().value;
                //     ^ -> 8 ?
                //                  ^ member
                //                                   ^ member
            }
        };
    }

    enum State {
        ON, OFF;

        State flip() {
    //  ^ -> 99
            return this == ON ? OFF : State.valueOf(name());
            //             ^ -> 100
            //                        ^ -> 99
            //                              ^ member_call
            //                                      ^ member_call
        }
    }
}
