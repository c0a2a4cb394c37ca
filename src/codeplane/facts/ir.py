"""Typed intermediate representation of one file: expressions, flows and parameters.

`facts.flow` writes the packed form (`PackedFlow`, plain numbers that serialize cheaply); `decode_exprs` and
`decode_flows` turn it into typed values. No other module knows what the numbers mean, except `facts.interface`, which
hashes them. Nodes are numbered within their file; an expression refers to others by these numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import NamedTuple


class ExprKind(IntEnum):
    """Tag of an expression in the packed form."""

    UNKNOWN = 0
    NAME = 1
    MEMBER = 2
    CALL = 3
    NEW = 4
    INDEX = 5
    PAREN = 6
    AWAIT = 7
    UNION = 8
    LIST = 9
    TUPLE = 10
    DICT = 11
    PAIR = 12
    CAST = 13
    FUNCTION = 14
    STRING = 15
    LITERAL = 16
    LABELLED = 17
    SPLAT = 18
    SPLAT_KEYS = 19
    THIS = 20
    SUPER = 21
    CLASS_LITERAL = 22
    CASE = 23
    DOC_TYPE = 30
    TYPE_ARGUMENTS = 40
    TYPEOF = 41
    INDEXED_ACCESS = 42
    KEYOF = 43
    CONDITIONAL = 44
    SELF_TYPE = 60
    MODULE = 61
    PATTERN = 62
    TRY = 63


class FlowKind(IntEnum):
    """Kind of a flow; the three groups are the three NamedTuples of `Flow`."""

    ASSIGN = 0
    DECLARE = 1
    FOR = 2
    WITH = 3
    CATCH = 4
    NARROW = 5
    RETURN = 6
    YIELD = 7
    YIELD_FROM = 8
    RETURN_TYPE = 9
    BASE = 10
    DECORATOR = 11
    RAISE = 12
    BOUND = 13
    WITHIN = 14
    PARTIAL = 15
    RECEIVER = 16
    MIXIN = 30
    EXTENDED = 31
    TYPE = 40
    VALUE = 41
    STATIC = 42
    ACCESSOR = 43
    CALL_OPERATOR = 44
    CONSTRUCTOR = 45
    TYPE_PARAMETER = 50
    IMPL = 60
    CONFORMS = 61
    POSITIONAL_FIELDS = 62


class ParameterKind(IntEnum):
    PLAIN = 0
    REST = 1
    KEYS = 2
    SELF = 3
    RESULT = 4
    TYPE = 10


class ModuleLevel(IntEnum):
    """Module that a path starts at, relative to the enclosing one."""

    CURRENT = 0
    PARENT = 1
    ROOT = 2


class Parameter(NamedTuple):
    scope: int
    binding: int
    name: str
    kind: int
    """A `ParameterKind`."""
    type: int
    """Node, or -1."""
    default: int
    pattern: int = -1
    """Node of the destructuring pattern of a parameter without a name; `binding` is -1 then."""


class PackedFlow(NamedTuple):
    """Packed expressions and flows of a file. Node 0 is the unknown expression."""

    nodes: Sequence[Sequence[int]] = ((0, 0, 0, 0),)
    """(ExprKind, three numbers)"""
    lists: Sequence[Sequence[int]] = ()
    texts: Sequence[str] = ()
    into: Sequence[Sequence[int]] = ()
    """(FlowKind, two numbers)"""
    params: Sequence[Sequence[int]] = ()
    """Fields of `Parameter`; the name is an index into `texts`."""
    owners: Sequence[Sequence[int]] = ()
    """(scope, definition that it is the body of)"""
    calls: Sequence[Sequence[int]] = ()
    """(node, scope, line, column) of every call, in source order"""
    ambient: Sequence[Sequence[int]] = ()
    """(node, scope, usage) of names that are looked up by their position: possible inherited members, in languages
    that name these without a receiver, and names that the file does not bind, where the language looks those up by
    scope"""
    windows: Sequence[Sequence[int]] = ()
    """(node of a name, list of targets, list of targets) for reads that see only some of the assigned values: names
    that are assigned what it can see, 0 for parameters; and items of its container that were certainly put last"""


NO_FLOW = PackedFlow()


# --- expressions; `reference` is the ordinal of an identifier, -1 for none


class UnknownExpr(NamedTuple):
    pass


class NameExpr(NamedTuple):
    binding: int | None
    name: str
    reference: int


class MemberExpr(NamedTuple):
    receiver: int
    name: str
    reference: int


class CallExpr(NamedTuple):
    callee: int
    arguments: Sequence[int]
    reference: int
    """Identifier of the callee."""


class NewExpr(NamedTuple):
    callee: int
    """Node of the type."""
    arguments: Sequence[int]
    reference: int


class IndexExpr(NamedTuple):
    """An element of a container, or a type with type arguments."""

    value: int
    keys: Sequence[int]


class ParenExpr(NamedTuple):
    value: int


class AwaitExpr(NamedTuple):
    value: int


class UnionExpr(NamedTuple):
    parts: Sequence[int]


class ListExpr(NamedTuple):
    parts: Sequence[int]


class TupleExpr(NamedTuple):
    parts: Sequence[int]


class DictExpr(NamedTuple):
    parts: Sequence[int]


class PairExpr(NamedTuple):
    key: int
    value: int


class CastExpr(NamedTuple):
    value: int
    type: int


class FunctionExpr(NamedTuple):
    scope: int
    key: int
    """Node of its name as a member, or 0."""


class StringExpr(NamedTuple):
    text: str


class LiteralExpr(NamedTuple):
    type_name: str
    number: str = ""
    """Digits of an integer literal."""


class LabelledExpr(NamedTuple):
    """A keyword argument, or a labelled part of a pattern."""

    value: int
    name: str
    reference: int


class SplatExpr(NamedTuple):
    value: int


class SplatKeysExpr(NamedTuple):
    value: int


class ThisExpr(NamedTuple):
    scope: int
    is_exact: bool
    """An instance of the enclosing class, never of a subclass."""


class SuperExpr(NamedTuple):
    scope: int


class ClassLiteralExpr(NamedTuple):
    """A type as a value (`Shape.class`)."""

    type: int


class CaseExpr(NamedTuple):
    """A constant that a value is compared with: a member of the type of the value, or a plain name."""

    value: int
    name: str
    reference: int


class DocTypeExpr(NamedTuple):
    """A type written in a doc comment."""

    text: str
    scope: int


class TypeArgumentsExpr(NamedTuple):
    """Explicit type arguments of a call; the first of its arguments."""

    parts: Sequence[int]


class TypeofExpr(NamedTuple):
    value: int


class IndexedAccessExpr(NamedTuple):
    """Type of a member of a type (`T["name"]`)."""

    type: int
    key: int
    reference: int


class KeyofExpr(NamedTuple):
    type: int


class ConditionalExpr(NamedTuple):
    """Branches of a conditional type; the condition is not evaluated."""

    parts: Sequence[int]


class SelfTypeExpr(NamedTuple):
    """The type that a method belongs to."""

    scope: int


class ModuleExpr(NamedTuple):
    scope: int
    level: int
    """A `ModuleLevel`."""


class PatternExpr(NamedTuple):
    """Destructures an object of a type."""

    type: int
    parts: Sequence[int]


class TryExpr(NamedTuple):
    """The success value of a result."""

    value: int


Expr = (
    UnknownExpr
    | NameExpr
    | MemberExpr
    | CallExpr
    | NewExpr
    | IndexExpr
    | ParenExpr
    | AwaitExpr
    | UnionExpr
    | ListExpr
    | TupleExpr
    | DictExpr
    | PairExpr
    | CastExpr
    | FunctionExpr
    | StringExpr
    | LiteralExpr
    | LabelledExpr
    | SplatExpr
    | SplatKeysExpr
    | ThisExpr
    | SuperExpr
    | ClassLiteralExpr
    | CaseExpr
    | DocTypeExpr
    | TypeArgumentsExpr
    | TypeofExpr
    | IndexedAccessExpr
    | KeyofExpr
    | ConditionalExpr
    | SelfTypeExpr
    | ModuleExpr
    | PatternExpr
    | TryExpr
)


# --- flows: where the value of an expression goes


class ValueFlow(NamedTuple):
    """ASSIGN, FOR, WITH: from a value; DECLARE, CATCH, NARROW, BOUND: from a type."""

    kind: FlowKind
    target: int
    """Node of a name, member or pattern."""
    source: int


class ScopeFlow(NamedTuple):
    """RETURN, YIELD, YIELD_FROM, RETURN_TYPE, RAISE: of a function. WITHIN: package of a scope, as a StringExpr.
    IMPL: type that a scope adds members to; CONFORMS: base that the type gets there. ACCESSOR: the function runs when
    the member of its name is read or written; CALL_OPERATOR when an instance is called; CONSTRUCTOR when one is made.
    """

    kind: FlowKind
    scope: int
    source: int


class DefinitionFlow(NamedTuple):
    """BASE, MIXIN: base class; EXTENDED: members of the class object. DECORATOR, TYPE, VALUE, TYPE_PARAMETER.
    RECEIVER: type that an extension is called on. POSITIONAL_FIELDS: tuple of types. PARTIAL, STATIC: flags."""

    kind: FlowKind
    definition: int
    """Negative scope for a class without a name."""
    source: int


Flow = ValueFlow | ScopeFlow | DefinitionFlow

VALUE_FLOWS = frozenset(
    {
        FlowKind.ASSIGN,
        FlowKind.DECLARE,
        FlowKind.FOR,
        FlowKind.WITH,
        FlowKind.CATCH,
        FlowKind.NARROW,
        FlowKind.BOUND,
    }
)
DEFINITION_FLOWS = frozenset(
    {
        FlowKind.BASE,
        FlowKind.MIXIN,
        FlowKind.EXTENDED,
        FlowKind.DECORATOR,
        FlowKind.TYPE,
        FlowKind.VALUE,
        FlowKind.STATIC,
        FlowKind.TYPE_PARAMETER,
        FlowKind.PARTIAL,
        FlowKind.RECEIVER,
        FlowKind.POSITIONAL_FIELDS,
    }
)

_FLOW_TYPES: dict[int, tuple[FlowKind, type[ValueFlow] | type[ScopeFlow] | type[DefinitionFlow]]] = {
    int(kind): (
        kind,
        ValueFlow if kind in VALUE_FLOWS else DefinitionFlow if kind in DEFINITION_FLOWS else ScopeFlow,
    )
    for kind in FlowKind
}


def decode_flows(packed: PackedFlow) -> list[Flow]:
    found: list[Flow] = []
    for number, a, b in packed.into:
        kind, flow = _FLOW_TYPES[number]
        found.append(flow(kind, a, b))
    return found


_UNKNOWN = UnknownExpr()
_Decoder = Callable[[int, int, int, Sequence[str], Sequence[Sequence[int]]], Expr]
_DECODERS: dict[int, _Decoder] = {
    ExprKind.UNKNOWN: lambda a, b, c, texts, lists: _UNKNOWN,
    ExprKind.NAME: lambda a, b, c, texts, lists: NameExpr(a - 1 if a else None, texts[b], c),
    ExprKind.MEMBER: lambda a, b, c, texts, lists: MemberExpr(a, texts[b], c),
    ExprKind.CALL: lambda a, b, c, texts, lists: CallExpr(a, lists[b], c),
    ExprKind.NEW: lambda a, b, c, texts, lists: NewExpr(a, lists[b], c),
    ExprKind.INDEX: lambda a, b, c, texts, lists: IndexExpr(a, lists[b]),
    ExprKind.PAREN: lambda a, b, c, texts, lists: ParenExpr(a),
    ExprKind.AWAIT: lambda a, b, c, texts, lists: AwaitExpr(a),
    ExprKind.UNION: lambda a, b, c, texts, lists: UnionExpr(lists[a]),
    ExprKind.LIST: lambda a, b, c, texts, lists: ListExpr(lists[a]),
    ExprKind.TUPLE: lambda a, b, c, texts, lists: TupleExpr(lists[a]),
    ExprKind.DICT: lambda a, b, c, texts, lists: DictExpr(lists[a]),
    ExprKind.PAIR: lambda a, b, c, texts, lists: PairExpr(a, b),
    ExprKind.CAST: lambda a, b, c, texts, lists: CastExpr(a, b),
    ExprKind.FUNCTION: lambda a, b, c, texts, lists: FunctionExpr(a, b),
    ExprKind.STRING: lambda a, b, c, texts, lists: StringExpr(texts[a]),
    ExprKind.LITERAL: lambda a, b, c, texts, lists: LiteralExpr(texts[a], texts[b - 1] if b else ""),
    ExprKind.LABELLED: lambda a, b, c, texts, lists: LabelledExpr(a, texts[b], c),
    ExprKind.SPLAT: lambda a, b, c, texts, lists: SplatExpr(a),
    ExprKind.SPLAT_KEYS: lambda a, b, c, texts, lists: SplatKeysExpr(a),
    ExprKind.THIS: lambda a, b, c, texts, lists: ThisExpr(a, bool(b)),
    ExprKind.SUPER: lambda a, b, c, texts, lists: SuperExpr(a),
    ExprKind.CLASS_LITERAL: lambda a, b, c, texts, lists: ClassLiteralExpr(a),
    ExprKind.CASE: lambda a, b, c, texts, lists: CaseExpr(a, texts[b], c),
    ExprKind.DOC_TYPE: lambda a, b, c, texts, lists: DocTypeExpr(texts[a], b),
    ExprKind.TYPE_ARGUMENTS: lambda a, b, c, texts, lists: TypeArgumentsExpr(lists[a]),
    ExprKind.TYPEOF: lambda a, b, c, texts, lists: TypeofExpr(a),
    ExprKind.INDEXED_ACCESS: lambda a, b, c, texts, lists: IndexedAccessExpr(a, b, c),
    ExprKind.KEYOF: lambda a, b, c, texts, lists: KeyofExpr(a),
    ExprKind.CONDITIONAL: lambda a, b, c, texts, lists: ConditionalExpr(lists[a]),
    ExprKind.SELF_TYPE: lambda a, b, c, texts, lists: SelfTypeExpr(a),
    ExprKind.MODULE: lambda a, b, c, texts, lists: ModuleExpr(a, b),
    ExprKind.PATTERN: lambda a, b, c, texts, lists: PatternExpr(a, lists[b]),
    ExprKind.TRY: lambda a, b, c, texts, lists: TryExpr(a),
}


def decode_exprs(packed: PackedFlow) -> list[Expr]:
    texts, lists = packed.texts, packed.lists
    return [_DECODERS[kind](a, b, c, texts, lists) for kind, a, b, c in packed.nodes]


def decode_params(packed: PackedFlow) -> list[Parameter]:
    return [Parameter(scope, binding, packed.texts[name], *rest) for scope, binding, name, *rest in packed.params]
