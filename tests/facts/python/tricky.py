from __future__ import annotations

import a.b
import a.c
try:
    import json
except ImportError:
    json = None

__all__ = ["Point", "make"]
__all__ += ["later"]

print(a.b, a.c)
#     ^ -> 3
print(json)
#     ^ -> 6 ?


class Point[T](Base):
    """Where."""

    x = y = 0
    #   ^ def field Point.y
    table = {key: value for key, value in pairs}
    #        ^ -> 24
    x: T
    #  ^ -> 19

    class Inner:
        # ^ def class Point.Inner
        def method(self, x=x):
            # ^ def method Point.Inner.method
            #              ^ -> 95
            return x, self.x, Inner
            #      ^ -> 31
            #              ^ member
            #                 ^ unknown

    @staticmethod
    @decorate(Inner, key=make)
    #         ^ -> 29
    #                    ^ -> 53
    def build(): ...

    @property
    def size(self): ...

    @size.setter
    # ^ -> 46 ?
    def size(self, value): ...


def make(kind: Point) -> Point:
    # ^ def function make
    #          ^ -> 19
    match kind:
        case Point(x=0, y=found) if found:
            # ^ -> 19
            #             ^ -> 57
            return found
        case [first, *rest]:
            return first, rest
            #      ^ -> 61
            #             ^ -> 61
        case {"k": value, **others} as whole:
            return value, others, whole
            #      ^ -> 65
            #                     ^ -> 65
        case a.b.CONST | None:
            pass
    def later(): return kind
    #                   ^ -> 53
    for i, (j, [k, *l]) in []: print(i, j, k, l)
    #                                ^ -> 73
    #                                         ^ -> 73
    with ctx() as (m, n), other as o: print(m, o)
    #                                       ^ -> 76
    total += 1
    # ^ -> 78
    del total
    return [w for w in lambda q, *r: (q, r, w)]
    #                                 ^ -> 81
    #                                       ^ unknown


if True:
    def conditional(): return 1
else:
    def conditional(): return 2
conditional()
# ^ -> 87 ?
getattr(a, "name"); setattr(a, "x" + b, 1); eval("1"); globals()["G"]; __import__(a)
type Alias[K] = dict[K, Point]
#    ^ def type Alias
x = 1; x += 1; (yy := x)
#               ^ -> 95
#                     ^ -> 95
async def gen():
    async for item in gen():
        yield item
        #     ^ -> 99
    return (lambda: item)()
