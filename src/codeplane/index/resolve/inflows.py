"""Types that flow into bindings and attributes: declarations, assignments, loops, patterns and parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from codeplane.facts import ir
from codeplane.facts.ir import FlowKind, ParameterKind
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.flow_targets import Inflow
from codeplane.index.resolve.queries import FieldPattern, Operator, ReceiverKind
from codeplane.index.resolve.types import (
    NOTHING,
    TOP,
    ClassType,
    DictType,
    External,
    Instance,
    ListType,
    ParamType,
    Top,
    TupleType,
    Type,
    Types,
    dict_of,
    list_of,
    literals,
    one,
    union,
    wrap_parameter,
)

if TYPE_CHECKING:
    from codeplane.index.resolve.evaluator import Evaluator


def inflow_types(evaluator: Evaluator, file: FileScope, inflows: Sequence[Inflow]) -> Types:
    """Types that flow into a binding or attribute; a declaration overrides the rest."""
    declared = union(
        evaluator.named_type(file, inflow.source) for inflow in inflows if inflow.is_whole(FlowKind.DECLARE)
    )
    if declared:
        return declared
    found = NOTHING
    for inflow in inflows:
        kind = inflow.kind
        is_value = kind is not FlowKind.DECLARE and kind is not FlowKind.NARROW and kind is not FlowKind.BOUND
        if is_value or inflow.steps or inflow.container is not None:
            found |= _flow(evaluator, file, inflow)
    return found


def types_in_window(evaluator: Evaluator, file: FileScope, bind: int, node: int) -> Types:
    """Types of a name at a place that sees only some of the values of its binding."""
    visible, items = file.windows[node]
    known = file.into_bind(bind)
    seen = [inflow for inflow in known if inflow.kind is FlowKind.DECLARE or inflow.target in visible]
    found = inflow_types(evaluator, file, seen)
    if 0 in visible:
        found |= param_types(evaluator, file, bind)
    for target in items:
        for inflow in known:
            if inflow.target == target and inflow.container is not None:
                types = _source_types(evaluator, file, inflow.kind, inflow.source)
                found = _put(found, _key_path(evaluator, file, inflow.container), types)
    return found


def _put(container: Types, path: Sequence[Sequence[str | int]], types: Types) -> Types:
    """Replace an item of dicts; without one key, and in other containers, it is one more."""
    dicts = [value for value in container if isinstance(value, DictType)]
    if len(path[0]) != 1 or not dicts:
        return container | _wrap(path, types)
    (key,) = path[0]
    found: set[Type] = set(container.difference(dicts))
    for value in dicts:
        entries = dict(value.entries)
        entries[key] = _put(entries.get(key, NOTHING), path[1:], types) if len(path) > 1 else types
        found.add(dict_of(entries, value.rest))
    return frozenset(found)


def _wrap(path: Sequence[Sequence[str | int]], types: Types) -> Types:
    """Containers with an item under a path of keys."""
    for keys in reversed(path):
        if keys:
            types = one(dict_of(dict.fromkeys(keys, types), NOTHING))
        else:
            types = frozenset({dict_of({}, types), list_of(types)})
    return types


def _key_path(evaluator: Evaluator, file: FileScope, node: int) -> list[list[str | int]]:
    """Literal keys of an item, the outermost container first."""
    path: list[list[str | int]] = []
    while isinstance(expr := file.exprs[node], ir.IndexExpr):
        path.insert(0, [key for part in expr.keys for key in literals(evaluator.infer(file, part))])
        node = expr.value
    return path


def _flow(evaluator: Evaluator, file: FileScope, inflow: Inflow) -> Types:
    types = _source_types(evaluator, file, inflow.kind, inflow.source)
    if inflow.container is not None:
        return _wrap(_key_path(evaluator, file, inflow.container), types)
    for step in inflow.steps:
        if not isinstance(step, int):
            pattern = FieldPattern(file.path, step)
            resolver = evaluator.resolver(file)
            types = union(resolver.apply_operator(pattern, value) for value in types or one(External("")))
            continue
        if step < 0:
            return one(list_of(union(evaluator.elements(value) for value in types)))
        types = union(_item(evaluator, value, step) for value in types)
    return types


def _source_types(evaluator: Evaluator, file: FileScope, kind: FlowKind, node: int) -> Types:
    if kind is FlowKind.FOR:
        resolver = evaluator.resolver(file)
        return union(resolver.apply_operator(Operator.LOOP, value) for value in evaluator.infer(file, node))
    if kind is FlowKind.WITH:
        return union(_enter(evaluator, value) for value in evaluator.infer(file, node))
    if kind in (FlowKind.CATCH, FlowKind.DECLARE):
        return evaluator.named_type(file, node)
    return evaluator.infer(file, node)


def _item(evaluator: Evaluator, value: Type, position: int) -> Types:
    if isinstance(value, TupleType):
        return value.items[position] if position < len(value.items) else NOTHING
    return evaluator.elements(value)


def param_types(evaluator: Evaluator, file: FileScope, bind: int) -> Types:
    place = file.param_of_bind.get(bind)
    if place is None:
        return NOTHING
    scope, number = place
    param = file.params[scope][number]
    definition = file.owner.get(scope)
    parent = file.defs[definition].parent if definition is not None else None
    resolver = evaluator.resolver(file)
    is_first = number == 0 and param.kind == ParameterKind.PLAIN
    if is_first and parent is not None and file.defs[parent].kind in resolver.traits.class_kinds:
        kind = resolver.traits.receiver_kind(file, definition or 0)
        if kind is ReceiverKind.CLASS:
            return one(ClassType(file.path, parent, scope))
        if kind is ReceiverKind.INSTANCE:
            declared = evaluator.named_type(file, param.type) if param.type >= 0 else NOTHING
            return declared or one(Instance(file.path, parent, scope))
    found = one(ParamType(file.path, scope, number))
    if param.type >= 0:
        declared = evaluator.named_type(file, param.type)
        if declared:
            return wrap_parameter(declared, param.kind) | found
    found |= evaluator.arguments.get((file.path, scope, number), NOTHING)
    if param.default >= 0:
        found |= evaluator.infer(file, param.default)
    return found


def _enter(evaluator: Evaluator, value: Type) -> Types:
    if isinstance(value, Instance):
        return evaluator.resolver_at(value.path).apply_operator(Operator.ENTER, value)
    if isinstance(value, Top):
        return TOP
    return value.items if isinstance(value, ListType) else NOTHING
