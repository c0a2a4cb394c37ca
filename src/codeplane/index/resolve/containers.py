"""Types of lists, tuples and dicts: their construction, indexing and iteration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from codeplane.facts import ir
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.queries import Operator
from codeplane.index.resolve.types import (
    NOTHING,
    TOP,
    ClassType,
    DictType,
    External,
    Instance,
    LibraryType,
    ListType,
    LiteralType,
    Top,
    TupleType,
    Type,
    Types,
    TypeVar,
    dict_of,
    list_of,
    literals,
    one,
    tuple_of,
    union,
)

if TYPE_CHECKING:
    from codeplane.index.resolve.evaluator import Evaluator


def container_type(evaluator: Evaluator, file: FileScope, expr: ir.ListExpr | ir.TupleExpr | ir.DictExpr) -> Type:
    """Type of a list, tuple or dict that the source writes out."""
    if isinstance(expr, ir.DictExpr):
        return _dict(evaluator, file, expr.parts)
    if isinstance(expr, ir.ListExpr) or any(isinstance(file.exprs[part], ir.SplatExpr) for part in expr.parts):
        return list_of(union(_items(evaluator, file, part) for part in expr.parts))
    return tuple_of([evaluator.infer(file, part) for part in expr.parts])


def _items(evaluator: Evaluator, file: FileScope, part: int) -> Types:
    expr = file.exprs[part]
    if isinstance(expr, ir.SplatExpr | ir.SplatKeysExpr):
        return union(evaluator.elements(value) for value in evaluator.infer(file, expr.value))
    return evaluator.infer(file, part)


def _dict(evaluator: Evaluator, file: FileScope, parts: Sequence[int]) -> Type:
    entries: dict[str | int, Types] = {}
    rest = NOTHING
    for part in parts:
        expr = file.exprs[part]
        if isinstance(expr, ir.PairExpr):
            keys = literals(evaluator.infer(file, expr.key))
            for key in keys:
                entries[key] = entries.get(key, NOTHING) | evaluator.infer(file, expr.value)
            rest = rest if keys else rest | evaluator.infer(file, expr.value)
        elif isinstance(expr, ir.SplatKeysExpr):
            for value in evaluator.infer(file, expr.value):
                if isinstance(value, DictType):
                    for key, types in value.entries:
                        entries[key] = entries.get(key, NOTHING) | types
                    rest |= value.rest
    return dict_of(entries, rest)


def index_types(evaluator: Evaluator, value: Type, file: FileScope, nodes: Sequence[int]) -> Types:
    """Types that a value has at the given keys."""
    match value:
        case ClassType():
            return one(value)
        case External() if not value.name.endswith("()"):
            return one(value)
        case Instance():
            return evaluator.resolver_at(value.path).apply_operator(Operator.INDEX, value)
        case Top():
            return TOP
    keys = [key for node in nodes for key in literals(evaluator.infer(file, node))]
    if isinstance(value, TupleType):
        positions = [key for key in keys if isinstance(key, int)]
        if positions:
            return union(value.items[position] for position in positions if position < len(value.items))
    elif isinstance(value, DictType):
        entries = dict(value.entries)
        return value.rest | union(entries.get(key, NOTHING) for key in keys) if keys else value.values()
    return evaluator.elements(value)


def elements(evaluator: Evaluator, value: Type) -> Types:
    """Types that iterating over a value yields."""
    match value:
        case ListType():
            return value.items
        case TupleType():
            return union(value.items)
        case DictType():
            return frozenset(LiteralType(key) for key, _ in value.entries)
        case Top():
            return TOP
        case LibraryType():
            return evaluator.resolver_of(value.language).apply_operator(Operator.ITERATE, value)
        case Instance() | ClassType() | TypeVar():
            return evaluator.resolver_at(value.path).apply_operator(Operator.ITERATE, value)
    return NOTHING
