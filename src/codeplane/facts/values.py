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
    """scope, node of its name or 0"""
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
    """scope, 1 for one of exactly that class"""
    SUPER = 21
    """scope"""
    TYPE = 22
    """type node"""
    CASE = 23
    """node, text, reference"""
    SAID = 30
    """a type in the words of a comment: text, scope"""
    TYPES = 40
    """list"""
    TYPEOF = 41
    """node"""
    LOOKUP = 42
    """type node, key node, reference or -1"""
    KEYOF = 43
    """type node"""
    CHOICE = 44
    """list"""
    OWN = 60
    """scope: the type that a method belongs to"""
    HERE = 61
    """scope, 0 for the module that it lies in, 1 for the one around that, 2 for the outermost"""
    PATTERN = 62
    """node of a type, list of parts: takes an object of it apart"""
    TRY = 63
    """node: what is left of it if it is no failure"""


class Into(IntEnum):
    """What becomes of values: kind (below 64), then two numbers."""

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
    """definition, or the negative scope of a class without a name; node, 0 for none"""
    DECORATOR = 11
    """definition, node"""
    RAISE = 12
    """scope, node"""
    BOUND = 13
    """to node, type node"""
    WITHIN = 14
    """scope, node"""
    PARTIAL = 15
    """definition"""
    RECEIVER = 16
    """definition, type node"""
    MIXED = 30
    """definition, node of what is mixed into a class"""
    EXTENDED = 31
    """definition, node of what gives members to the class itself"""
    TYPE = 40
    """definition, type node"""
    VALUE = 41
    """definition, node"""
    STATIC = 42
    """definition"""
    READS = 43
    """scope"""
    CALLED = 44
    """scope"""
    MAKES = 45
    """scope"""
    KEY = 50
    """definition, node of one of its type parameters"""
    ADDS = 60
    """scope, type node: members of a type that stand outside of it"""
    CONFORMS = 61
    """scope, node: a base that the type gets there"""
    FIELDS = 62
    """definition, tuple of types: its parts without names"""


class Passing(IntEnum):
    PLAIN = 0
    REST = 1
    KEYS = 2
    SELF = 3
    RESULT = 4
    TYPE = 10


class Param(NamedTuple):
    scope: int
    bind: int
    name: int
    how: int
    type: int
    """Node, or -1."""
    default: int
    pattern: int = -1
    """Node of what takes it apart, where it has no name; `bind` is -1 then."""


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
    loose: Sequence[Sequence[int]] = ()
    """(node, scope, usage) of names whose meaning depends on where they stand: those that may be inherited members, in
    languages that name these without an object, and those that the file does not bind, where a language looks them up
    by their place"""


NO_FLOW = Flow()
