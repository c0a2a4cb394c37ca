"""Keys of the query cache, and small values that queries and hooks exchange."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from enum import Enum
from typing import NamedTuple

from codeplane.index.resolve.flow_targets import FieldStep
from codeplane.index.resolve.types import NOTHING, Site, Type, Types


class QueryKind(Enum):
    NODE = "types of an expression"
    BINDING = "types of a binding"
    NAMED_TYPE = "instances of the type that a binding names"
    RETURN = "types that a function returns"
    ATTRIBUTE = "types of an attribute of a class"
    DEFINITION = "types of the name of a definition"
    ALIAS = "instances of the type that a definition is an alias of"
    MEMBER_SITES = "definitions of a member, inherited ones included"
    MRO = "method resolution order of a class"

    __hash__ = object.__hash__  # Enum hashes its name in Python, which is slow.


class Query(NamedTuple):
    kind: QueryKind
    path: str
    number: int
    """Node, binding, scope or definition, by the kind."""
    name: str = ""


class LanguageQuery(NamedTuple):
    """A query that a language defines for itself."""

    language: str
    compute: Callable[..., frozenset[Hashable]]
    """Takes the language's resolver and the arguments."""
    arguments: tuple[Hashable, ...]


class MemberQuery(NamedTuple):
    """Memo key of `Evaluator.member`."""

    receiver: Hashable
    name: str


class Member(NamedTuple):
    """Declarations of a member, and the types that it has."""

    sites: Sequence[Site] = ()
    types: Types = NOTHING


NO_MEMBER = Member()


class CallGroup(NamedTuple):
    """Definitions that a call may run on one receiver."""

    receiver: Type | None
    sites: tuple[Site, ...]


class CallTargets(NamedTuple):
    """Functions, classes and externals that a call runs, and the classes that it makes instances of."""

    run: Iterable[Type]
    constructed: Iterable[Type] = ()


class Link(NamedTuple):
    """Declarations that a reference refers to."""

    ref: int
    sites: tuple[Site, ...]
    tier: int


class FieldPattern(NamedTuple):
    """A pattern that takes one field of a value."""

    path: str
    step: FieldStep


class ReceiverKind(Enum):
    """First parameter of a method."""

    INSTANCE = "instance"
    CLASS = "class"
    STATIC = "static"


class Operator(Enum):
    """Operations of the language on instances, which classes define by methods."""

    ITERATE = "iterate"
    LOOP = "loop"
    """Iteration by a `for` statement, where it differs."""
    ENTER = "enter"
    INDEX = "index"
    AWAIT = "await"
