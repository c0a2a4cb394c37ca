"""Overloads: which of several declarations of one function a call runs."""

from __future__ import annotations

from collections.abc import Iterable

from codeplane.facts import ir
from codeplane.facts.ir import Parameter, ParameterKind
from codeplane.index.resolve.types import (
    Callback,
    External,
    Function,
    IndexedAccessType,
    Instance,
    LiteralType,
    PickType,
    Type,
    TypeLiteral,
    Types,
    TypeVar,
)
from codeplane.languages.javascript.resolver.queries import TsQueries
from codeplane.languages.javascript.resolver.source_file import SourceFile
from codeplane.languages.javascript.resolver.types import sort_text

_MAX_OVERLOADS = 64
"""Declarations of one function that a call is compared with."""
_DECLARATION_FILES = (".d.ts", ".d.mts", ".d.cts")
_STRINGS = (TypeVar, External, IndexedAccessType)
"""Types that a string may have, besides literals."""
_FUNCTIONS = (Function, TypeVar, External, Callback, Instance, IndexedAccessType, TypeLiteral, PickType)
"""Types that a function expression may have."""


def select_overloads(ts: TsQueries, file: SourceFile, node: int, callees: Iterable[Type]) -> list[Type]:
    """Keep, of several declarations of one function, the first that accepts the arguments of a call."""
    callees = list(callees)
    if len(callees) < 2:
        return callees
    groups: dict[object, list[Function]] = {}
    found: list[Type] = []
    for callee in callees:
        if isinstance(callee, Function):
            groups.setdefault(_overload_key(ts, callee), []).append(callee)
        else:
            found.append(callee)
    for group in groups.values():
        if len(group) > 1:
            group = sorted(group, key=lambda callee: (callee.scope, sort_text(callee)))
            if _has_body(ts, group[-1]):
                group = group[:-1]
            group = group[:_MAX_OVERLOADS]
            group = [callee for callee in group if _accepts(ts, file, node, callee)][:1] or group[:1]
        found += group
    return found


def _overload_key(ts: TsQueries, callee: Function) -> object:
    file = ts.file(callee.path)
    owner = file.owner.get(callee.scope)
    if owner is None:
        return callee.path, file.facts.summary.scopes[callee.scope][0]
    row = file.defs[owner]
    return callee.path, row.scope, row.parent, row.name


def _has_body(ts: TsQueries, callee: Function) -> bool:
    file = ts.file(callee.path)
    owner = file.owner.get(callee.scope)
    if owner is None or callee.path.endswith(_DECLARATION_FILES):
        return False
    parent = file.defs[owner].parent
    return file.defs[owner].kind == "function" or (parent is not None and file.defs[parent].kind == "class")


def parameter_at(params: list[Parameter], index: int) -> Parameter | None:
    """Return the parameter that takes an argument; the last one takes the rest, if it is a rest parameter."""
    if index < len(params):
        return params[index]
    return params[-1] if params and params[-1].kind == ParameterKind.REST else None


def _accepts(ts: TsQueries, file: SourceFile, node: int, callee: Function) -> bool:
    params = ts.file(callee.path).params.get(callee.scope, [])
    arguments = file.arguments(node)
    if arguments and parameter_at(params, len(arguments) - 1) is None:
        return False
    for index, argument in enumerate(arguments):
        param = parameter_at(params, index)
        if param is not None and param.type >= 0:
            types = ts.type_of(callee.path, param.type)
            if types and _excludes(file, argument, types):
                return False
    return True


def _excludes(file: SourceFile, argument: int, types: Types) -> bool:
    """True if an argument, as it is written, cannot have any of these types."""
    match file.exprs[argument]:
        case ir.StringExpr() as expr:
            return LiteralType(expr.text) not in types and not any(isinstance(value, _STRINGS) for value in types)
        case ir.FunctionExpr():
            return not any(isinstance(value, _FUNCTIONS) for value in types)
        case ir.DictExpr():
            return all(isinstance(value, LiteralType | Function) for value in types)
    return False
