"""Definitions, scopes and names of everyday Python."""

import os.path
#      ^ import os.path os.path
import sys as system
from collections.abc import Iterable as It
#    ^ unknown
#                                       ^ import collections.abc Iterable
from .sibling import *

LIMIT = 10
# ^ def variable LIMIT
LIMIT = LIMIT + 1
#       ^ -> 11


class Base:
    pass


class Shape(Base, metaclass=type):
    #       ^ -> 17
    #             ^ label
    """A shape.

    Not in the first paragraph.
    """

    sides: int = LIMIT
    # ^ def field Shape.sides

    @property
    def area(self, scale=LIMIT, *rest, unit: It = None, **options) -> "float":
        # ^ def method Shape.area
        #                ^ -> 11
        #                                    ^ import collections.abc Iterable
        """Area, scaled."""
        sides = self.sides * scale
        #            ^ member
        #                    ^ -> 33
        return helper(sides, unit=unit)
        #      ^ -> 51
        #             ^ -> 38
        #                    ^ label

    def _hidden(self):
        return sides
        #      ^ unknown


def helper(values, unit):
    # ^ def function helper
    def inner():
        nonlocal values
        values = [unit for unit in values if unit]
        #         ^ -> 55
        #                          ^ -> 51
        global COUNTER
        COUNTER = system.argv
        #         ^ -> 5
        return values

    return inner
    #      ^ -> 53


async def fetch(url, *, retry=lambda url: url):
    #     ^ def function fetch
    #                                     ^ -> 67
    async with open(url) as stream, other() as (left, right):
        for index, line in enumerate(stream):
            yield index, line, left, right
            #     ^ -> 71
            #                  ^ -> 70
    try:
        pass
    except OSError as error:
        raise error
        #     ^ -> 77
    if (found := url) is not None:
        print(found)
        #     ^ -> 80
