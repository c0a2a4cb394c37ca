"""Contextual typing: the types that an expression should have, as the code around it says."""

from __future__ import annotations

from codeplane.facts import ir
from codeplane.facts.ir import FlowKind
from codeplane.index.resolve.flow_targets import Inflow
from codeplane.index.resolve.types import (
    NOTHING,
    Callback,
    ClassType,
    ContainerMethod,
    External,
    Function,
    Instance,
    LiteralType,
    ObjectLiteral,
    TupleType,
    Type,
    TypeLiteral,
    Types,
    one,
    union,
)
from codeplane.languages.javascript.resolver.builtins import callback_arguments, expected_argument
from codeplane.languages.javascript.resolver.calls import (
    argument_types,
    constructors,
    infer_arguments,
    parameter_types,
    results,
    signatures,
)
from codeplane.languages.javascript.resolver.members import apply_known, member, members
from codeplane.languages.javascript.resolver.overloads import select_overloads
from codeplane.languages.javascript.resolver.queries import TsQueries
from codeplane.languages.javascript.resolver.source_file import InDefault, InExpr, InFlow, InLabel, SourceFile
from codeplane.languages.javascript.resolver.types import awaited, elements

_COMPONENTS = frozenset({"FC", "FunctionComponent", "ComponentType", "VFC", "SFC"})
"""React types of components; their first argument is the type of the attributes."""


def expected_types(ts: TsQueries, file: SourceFile, node: int) -> Types:
    match file.places.get(node):
        case InExpr() as place:
            return _expected_in_expr(ts, file, node, place)
        case InLabel() as place:
            return members(ts, attribute_types(ts, file, place.call), place.name).types
        case InDefault() as place:
            return ts.type_of(file.path, file.params[place.scope][place.position].type)
        case InFlow() as place:
            return _expected_in_flow(ts, file, place)
    return NOTHING


def _expected_in_expr(ts: TsQueries, file: SourceFile, node: int, place: InExpr) -> Types:
    match file.exprs[place.parent]:
        case ir.ParenExpr() | ir.UnionExpr():
            return ts.expected(file.path, place.parent)
        case ir.CastExpr() as cast:
            return ts.type_of(file.path, cast.type)
        case ir.PairExpr() as pair:
            return _expected_of_pair(ts, file, place.parent, pair)
        case ir.DictExpr():
            return _expected_of_method(ts, file, node, place.parent)
        case ir.ListExpr() | ir.TupleExpr():
            return union(_item_types(value, place.position) for value in ts.expected(file.path, place.parent))
        case ir.CallExpr() | ir.NewExpr():
            return _expected_argument(ts, file, place.parent, place.position)
    return NOTHING


def _item_types(value: Type, index: int) -> Types:
    if isinstance(value, TupleType):
        return value.items[index] if index < len(value.items) else NOTHING
    return elements(one(value))


def _expected_of_pair(ts: TsQueries, file: SourceFile, node: int, pair: ir.PairExpr) -> Types:
    place, key = file.places.get(node), file.key_text(pair.key)
    if not isinstance(place, InExpr) or not isinstance(file.exprs[place.parent], ir.DictExpr) or key is None:
        return NOTHING
    expected = ts.expected_literal(file.path, place.parent)
    found = members(ts, expected, key).types
    for value in expected:
        if isinstance(value, External) and value.name == "Record" and len(value.arguments) > 1:
            found |= value.arguments[1]
    return found


def _expected_of_method(ts: TsQueries, file: SourceFile, node: int, literal: int) -> Types:
    """Return the expected types of a method of an object literal."""
    expr = file.exprs[node]
    owner = file.owner.get(expr.scope) if isinstance(expr, ir.FunctionExpr) else None
    if owner is None:
        return NOTHING
    return members(ts, ts.expected_literal(file.path, literal), file.defs[owner].name).types


def expected_literal_types(ts: TsQueries, file: SourceFile, literal: int) -> Types:
    """Return the expected types of an object literal; of several, those that its strings do not exclude."""
    # The type of another literal says nothing about this one.
    expected: Types = frozenset(
        value for value in ts.expected(file.path, literal) if not isinstance(value, ObjectLiteral)
    )
    if len(expected) < 2:
        return expected
    strings: dict[str, Types] = {}
    for part in file.parts(literal):
        pair = file.exprs[part]
        if isinstance(pair, ir.PairExpr) and isinstance(file.exprs[pair.value], ir.StringExpr | ir.MemberExpr):
            key, types = file.key_text(pair.key), ts.value(file.path, pair.value)
            if key is not None and types and all(isinstance(value, LiteralType) for value in types):
                strings[key] = types
    return frozenset(value for value in expected if not _is_excluded(ts, value, strings)) if strings else expected


def _is_excluded(ts: TsQueries, value: Type, strings: dict[str, Types]) -> bool:
    for key, given in strings.items():
        types = member(ts, value, key).types
        if types and all(isinstance(each, LiteralType) and each not in given for each in types):
            return True
    return False


def _expected_argument(ts: TsQueries, file: SourceFile, call: int, index: int) -> Types:
    found = NOTHING
    for callee in _possible_callees(ts, file, call):
        if isinstance(callee, Function):
            known = {**infer_arguments(ts, file, call, callee, from_functions=False), **dict(callee.known)}
            found |= apply_known(ts, parameter_types(ts, callee, index), known)
        elif isinstance(callee, ContainerMethod):
            passed = callback_arguments(
                callee.container, callee.name, index, lambda at: argument_types(ts, file, call, at)
            )
            found |= one(Callback(passed)) if passed is not None else NOTHING
            found |= expected_argument(callee.container, callee.name)
    return found


def _possible_callees(ts: TsQueries, file: SourceFile, call: int) -> list[Type]:
    expr = file.exprs[call]
    if not isinstance(expr, ir.NewExpr):
        return list(ts.callees(file.path, call))
    callees: list[Type] = []
    for value in ts.value(file.path, expr.callee):
        if isinstance(value, ClassType):
            callees += constructors(ts, value)
        elif isinstance(value, Instance | TypeLiteral):
            callees += signatures(ts, value, FlowKind.CONSTRUCTOR)
    return select_overloads(ts, file, call, callees)


def attribute_types(ts: TsQueries, file: SourceFile, call: int) -> Types:
    """Return the expected types of the attributes of a JSX element: the first parameter of its function."""
    expr = file.exprs[call]
    found = NOTHING
    for value in ts.value(file.path, expr.callee) if isinstance(expr, ir.CallExpr | ir.NewExpr) else ():
        match value:
            case Function():
                found |= parameter_types(ts, value, 0)
            case Instance() | TypeLiteral():
                functions = signatures(ts, value, FlowKind.CALL_OPERATOR)
                found |= union(parameter_types(ts, function, 0) for function in functions)
            case ClassType():
                found |= members(ts, ts.instances(value.path, value.definition), "props").types
            case External() if value.arguments and value.name in _COMPONENTS:
                found |= value.arguments[0]
    return found


def _expected_in_flow(ts: TsQueries, file: SourceFile, place: InFlow) -> Types:
    if place.kind is FlowKind.VALUE:
        declared = file.declared_type(place.target)
        return ts.type_of(file.path, declared) if declared is not None else NOTHING
    if place.kind is FlowKind.RETURN:
        declared = file.facts.return_type(place.target)
        if declared is not None:
            return awaited(ts.type_of(file.path, declared))
        node = file.function_node.get(place.target)
        return awaited(results(ts, ts.expected(file.path, node))) if node is not None else NOTHING
    match file.exprs[place.target]:
        case ir.NameExpr(binding=int(binding)):
            sources = [source for source in file.into_bind(binding) if isinstance(source, Inflow)]
            declared_nodes = [source.source for source in sources if source.is_whole(FlowKind.DECLARE)]
            return union(ts.type_of(file.path, node) for node in declared_nodes)
        case ir.MemberExpr() as target:
            return members(ts, ts.value(file.path, target.receiver), target.name).types
    return NOTHING
