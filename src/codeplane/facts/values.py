"""Where the values of a file come from, as plain numbers: a table of values and what becomes of them.

Made by `facts.flow`, kept in a file's sketch, read by whoever resolves.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple


class Of(IntEnum):
    """Kinds of values. What the three numbers of a node mean stands beside each; `list` is an index of Flow.lists."""

    UNKNOWN = 0
    NAME = 1
    """binding + 1, text, reference"""
    MEMBER = 2
    """node, text, reference"""
    CALL = 3
    """node, list of arguments, reference that stands for what is called or -1"""
    NEW = 4
    """the same, of a type"""
    ITEM = 5
    """node, list of keys"""
    SAME = 6
    """node"""
    AWAIT = 7
    """node"""
    EITHER = 8
    """list"""
    LIST = 9
    TUPLE = 10
    DICT = 11
    PAIR = 12
    """key node, value node"""
    CAST = 13
    """node, type node"""
    FUNCTION = 14
    """scope"""
    TEXT = 15
    """a literal text: text"""
    LITERAL = 16
    """text: name of the type"""
    LABELLED = 17
    """node, text, reference or -1"""
    SPLAT = 18
    """node"""
    SPLAT_KEYS = 19
    """node"""
    THIS = 20
    """scope"""
    SUPER = 21
    """scope"""
    OWN = 22
    """scope: the type that a method belongs to"""
    HERE = 23
    """scope, 0 for the module that it lies in, 1 for the one around that, 2 for the outermost"""
    PATTERN = 24
    """node of a type, list of parts: takes an object of it apart"""
    TRY = 25
    """node: what is left of it if it is no failure"""


class Into(IntEnum):
    """What becomes of values: kind, then three numbers."""

    ASSIGN = 0
    """to node, from node"""
    DECLARE = 1
    """to node, type node"""
    FOR = 2
    WITH = 3
    CATCH = 4
    NARROW = 5
    """to node, type node"""
    RETURN = 6
    """scope, node"""
    YIELD = 7
    YIELD_FROM = 8
    RETURNS = 9
    """scope, type node"""
    BASE = 10
    """definition, node"""
    DECORATOR = 11
    """definition, node"""
    RAISE = 12
    """scope, node"""
    BOUND = 13
    """to node, type node: a type variable and what it is at least"""
    EXTENDS = 14
    """scope, type node: members of another type"""
    CONFORMS = 15
    """scope, node: a base that the type gets there"""
    FIELDS = 16
    """definition, tuple of types: its parts without names"""


class Passing(IntEnum):
    PLAIN = 0
    REST = 1
    KEYS = 2
    SELF = 3


class Param(NamedTuple):
    scope: int
    bind: int
    name: int
    how: int
    type: int
    """Node, or -1."""
    default: int


class Flow(NamedTuple):
    """Nodes are numbered; node 0 is the unknown value."""

    nodes: Sequence[Sequence[int]] = ((0, 0, 0, 0),)
    """(kind, three numbers)"""
    lists: Sequence[Sequence[int]] = ()
    texts: Sequence[str] = ()
    into: Sequence[Sequence[int]] = ()
    params: Sequence[Sequence[int]] = ()
    owners: Sequence[Sequence[int]] = ()
    """(scope, definition that it is the body of)"""
    calls: Sequence[Sequence[int]] = ()
    """(node, scope, line, column) of every call, in the order in which they stand"""
    places: Sequence[Sequence[int]] = ()
    """(node, scope) of names that nothing binds, where they stand in a scope that has ways of its own to see names"""


NO_FLOW = Flow()
