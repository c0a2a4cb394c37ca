"""The bindings and members that a value flow reaches, with the part of the value that each gets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from codeplane.facts.ir import (
    DictExpr,
    Expr,
    FlowKind,
    IndexExpr,
    LabelledExpr,
    ListExpr,
    LiteralExpr,
    NameExpr,
    PairExpr,
    ParenExpr,
    PatternExpr,
    SplatExpr,
    StringExpr,
    TupleExpr,
    UnionExpr,
    UnknownExpr,
    ValueFlow,
)


class FieldStep(NamedTuple):
    """A part of an object that a pattern names."""

    type: int
    """Node of the type that the pattern destructures, or of the pattern if it does not name one."""
    position: int
    name: str


Step = int | FieldStep
"""Position in a list (-1 - n: the rest from position n), or a field of an object."""


class Inflow(NamedTuple):
    """A value that reaches a binding or a member."""

    kind: FlowKind
    source: int
    steps: tuple[Step, ...] = ()
    """Path to the part of the source that is assigned."""
    container: int | None = None
    """Node of the IndexExpr whose container the value is put into."""
    target: int = 0
    """Node of the binding or member."""

    def is_whole(self, kind: FlowKind) -> bool:
        """True for a flow of this kind that is neither destructured nor put into a container."""
        return self.kind is kind and not self.steps and self.container is None


def flow_targets(exprs: Sequence[Expr], flow: ValueFlow) -> Iterator[tuple[int, Inflow]]:
    """Nodes that a flow assigns to, each with what it gets."""
    return _targets(exprs, flow.target, flow.kind, flow.source)


def _targets(exprs: Sequence[Expr], node: int, kind: FlowKind, source: int) -> Iterator[tuple[int, Inflow]]:
    match exprs[node]:
        case TupleExpr(parts) | ListExpr(parts):
            for number, part in enumerate(parts):
                yield from _parts(exprs, part, kind, source, (number,))
        case IndexExpr(value):
            while isinstance(inner := exprs[value], IndexExpr):
                value = inner.value
            yield value, Inflow(kind, source, container=node, target=value)
        case ParenExpr(value):
            yield from _targets(exprs, value, kind, source)
        case UnionExpr(parts):
            for part in parts:
                yield from _targets(exprs, part, kind, source)
        case PatternExpr() | DictExpr():
            yield from _parts(exprs, node, kind, source, ())
        case _:
            yield node, Inflow(kind, source, target=node)


def _parts(
    exprs: Sequence[Expr], node: int, kind: FlowKind, source: int, steps: tuple[Step, ...]
) -> Iterator[tuple[int, Inflow]]:
    match exprs[node]:
        case TupleExpr(parts) | ListExpr(parts):
            for number, part in enumerate(parts):
                if _is_rest(exprs, part):
                    return
                yield from _parts(exprs, part, kind, source, (*steps, number))
        case PatternExpr(type_, parts):
            for number, part in enumerate(parts):
                if _is_rest(exprs, part):
                    return
                inner = exprs[part]
                name = inner.name if isinstance(inner, NameExpr | LabelledExpr) else ""
                target = inner.value if isinstance(inner, LabelledExpr) else part
                yield from _parts(exprs, target, kind, source, (*steps, FieldStep(type_, number, name)))
        case DictExpr(parts):
            yield node, Inflow(kind, source, steps)
            for number, part in enumerate(parts):
                yield from _entries(exprs, part, kind, source, steps, FieldStep(node, number, ""))
        case ParenExpr(value):
            yield from _parts(exprs, value, kind, source, steps)
        case UnionExpr(parts):
            for part in parts:
                yield from _parts(exprs, part, kind, source, steps)
        case SplatExpr(value):
            last = steps[-1]
            rest = -1 - last if isinstance(last, int) else last
            yield from _parts(exprs, value, kind, source, (*steps[:-1], rest))
        case IndexExpr() | UnknownExpr():
            return
        case _:
            yield node, Inflow(kind, source, steps, target=node)


def _entries(
    exprs: Sequence[Expr], node: int, kind: FlowKind, source: int, steps: tuple[Step, ...], step: FieldStep
) -> Iterator[tuple[int, Inflow]]:
    """One part of a pattern that destructures an object by its keys."""
    match exprs[node]:
        case PairExpr(key, value):
            name = key_text(exprs[key])
            if name is not None:
                yield from _parts(exprs, value, kind, source, (*steps, step._replace(name=name)))
        case NameExpr() as expr:
            yield node, Inflow(kind, source, (*steps, step._replace(name=expr.name)))
        case ParenExpr(value) if isinstance(exprs[value], NameExpr):
            yield from _entries(exprs, value, kind, source, steps, step)
        case SplatExpr(value):
            yield from _parts(exprs, value, kind, source, (*steps, -1 - step.position))


def key_text(key: Expr) -> str | None:
    """Name of a key that is not computed."""
    match key:
        case NameExpr():
            return key.name
        case StringExpr():
            return key.text
        case LiteralExpr():
            return key.number or None
    return None


def _is_rest(exprs: Sequence[Expr], node: int) -> bool:
    expr = exprs[node]
    return isinstance(expr, LiteralExpr) and expr.type_name == "rest"
