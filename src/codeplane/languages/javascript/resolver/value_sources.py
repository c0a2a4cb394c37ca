"""Sources of values: what flows into the names and members of one file, also through destructuring patterns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from codeplane.facts import ir
from codeplane.facts.ir import FlowKind, Parameter

_SOURCES = frozenset({FlowKind.ASSIGN, FlowKind.DECLARE, FlowKind.FOR, FlowKind.NARROW})


class Rest(Enum):
    REST = "..."
    """Step of a pattern: all that the other parts leave."""


Step = int | str | Rest
"""Index, member or rest, from a value to a part that a pattern binds."""


class FlowSource(NamedTuple):
    """A value (ASSIGN), type (DECLARE), iterated value (FOR) or class of an `instanceof` (NARROW)."""

    kind: FlowKind
    node: int
    steps: tuple[Step, ...]


class ParameterSource(NamedTuple):
    scope: int
    position: int
    steps: tuple[Step, ...]


ValueSource = FlowSource | ParameterSource


class ValueSources(NamedTuple):
    """Sources of names (by binding), object patterns and members."""

    binds: dict[int, list[ValueSource]]
    patterns: dict[int, ValueSource]
    """Object patterns by node"""
    members: dict[str, list[tuple[int, ValueSource]]]
    """Name -> (receiver, source)"""


def find_sources(
    exprs: Sequence[ir.Expr], flows: Iterable[ir.Flow], params_by_scope: Mapping[int, Sequence[Parameter]]
) -> ValueSources:
    found = ValueSources({}, {}, {})
    for flow in flows:
        if isinstance(flow, ir.ValueFlow) and flow.kind in _SOURCES:
            _bind_pattern(exprs, found, flow.target, FlowSource(flow.kind, flow.source, ()))
    for scope, params in params_by_scope.items():
        for index, param in enumerate(params):
            source = ParameterSource(scope, index, ())
            if param.pattern >= 0:
                _bind_pattern(exprs, found, param.pattern, source)
            elif param.binding >= 0:
                found.binds.setdefault(param.binding, []).append(source)
    return found


def _bind_pattern(exprs: Sequence[ir.Expr], found: ValueSources, target: int, source: ValueSource) -> None:
    match exprs[target]:
        case ir.NameExpr(binding=int(binding)):
            found.binds.setdefault(binding, []).append(source)
        case ir.MemberExpr() as expr:
            found.members.setdefault(expr.name, []).append((expr.receiver, source))
        case ir.ParenExpr() as expr:
            _bind_pattern(exprs, found, expr.value, source)
        case ir.DictExpr() as expr:
            found.patterns.setdefault(target, source)
            for part in expr.parts:
                _bind_key(exprs, found, part, source)
        case ir.ListExpr() | ir.TupleExpr() as expr:
            for index, part in enumerate(expr.parts):
                inner = exprs[part]
                if isinstance(inner, ir.SplatExpr):
                    _bind_pattern(exprs, found, inner.value, _step(source, Rest.REST))
                else:
                    _bind_pattern(exprs, found, part, _step(source, index))


def _bind_key(exprs: Sequence[ir.Expr], found: ValueSources, part: int, source: ValueSource) -> None:
    match exprs[part]:
        case ir.PairExpr() as expr:
            key = key_text(exprs[expr.key])
            if key is not None:
                _bind_pattern(exprs, found, expr.value, _step(source, key))
        case ir.NameExpr() as expr:
            _bind_pattern(exprs, found, part, _step(source, expr.name))
        case ir.ParenExpr() as expr if isinstance(exprs[expr.value], ir.NameExpr):
            _bind_key(exprs, found, expr.value, source)
        case ir.SplatExpr() as expr:
            _bind_pattern(exprs, found, expr.value, _step(source, Rest.REST))


def _step(source: ValueSource, step: Step) -> ValueSource:
    return source._replace(steps=(*source.steps, step))


def key_text(key: ir.Expr) -> str | None:
    """Return the name of a key that is not computed."""
    match key:
        case ir.NameExpr(name=name):
            return name
        case ir.StringExpr(text=text):
            return text
        case ir.LiteralExpr(number=number):
            return number or None
    return None
