"""Instances of type expressions."""

from __future__ import annotations

from collections.abc import Sequence

from codeplane.facts import ir
from codeplane.index.resolve.types import (
    NOTHING,
    ClassType,
    Function,
    IndexedAccessType,
    KeyofType,
    LiteralType,
    Module,
    NamespaceObject,
    PickType,
    Site,
    SiteKind,
    TypeLiteral,
    Types,
    TypeVar,
    one,
    union,
)
from codeplane.languages.javascript.resolver.calls import results
from codeplane.languages.javascript.resolver.members import apply_known, look_up_members, members
from codeplane.languages.javascript.resolver.queries import TsQueries
from codeplane.languages.javascript.resolver.source_file import SourceFile
from codeplane.languages.javascript.resolver.types import (
    ANY,
    array,
    awaited,
    either,
    elements,
    instance,
    library,
    tuple_of,
)

_TYPE_KINDS = frozenset({"class", "interface", "enum", "type"})
_IDENTITY = frozenset({"Partial", "Required", "Readonly", "NonNullable", "Extract", "Exclude", "NoInfer", "ThisType"})
"""Utility types with the members of their first argument, or some of them."""


def type_of_node(ts: TsQueries, file: SourceFile, node: int) -> Types:
    path = file.path
    match file.exprs[node]:
        case ir.ParenExpr() as expr:
            return ts.type_of(path, expr.value)
        case ir.NameExpr() | ir.MemberExpr() as expr:
            return _named(ts, file, expr)
        case ir.IndexExpr() as expr:
            return _generic(ts, file, expr)
        case ir.UnionExpr() as expr:
            return either(ts.type_of(path, part) for part in expr.parts)
        case ir.ConditionalExpr() as expr:
            parts = {ts.type_of(path, part) for part in expr.parts if not _is_never(file, part)}
            return next(iter(parts)) if len(parts) == 1 else NOTHING
        case ir.ListExpr() as expr:
            return array(union(ts.type_of(path, part) for part in expr.parts))
        case ir.TupleExpr() as expr:
            items = [ts.type_of(path, part) for part in expr.parts]
            is_open = any(isinstance(file.exprs[part], ir.SplatExpr) for part in expr.parts)
            return array(union(items)) if is_open else one(tuple_of(items))
        case ir.SplatExpr() as expr:
            return elements(ts.type_of(path, expr.value))
        case ir.KeyofExpr() as expr:
            return one(KeyofType(ts.type_of(path, expr.type)))
        case ir.TypeofExpr() as expr:
            return ts.value(path, expr.value)
        case ir.IndexedAccessExpr() as expr:
            return _indexed(ts, file, expr)
    return _simple_type(ts, file, node)


def _simple_type(ts: TsQueries, file: SourceFile, node: int) -> Types:
    """Return the instances of a type expression without other types."""
    match file.exprs[node]:
        case ir.FunctionExpr() as expr:
            return one(Function(file.path, expr.scope))
        case ir.DictExpr():
            return one(TypeLiteral(file.path, node))
        case ir.StringExpr() as expr:
            return one(LiteralType(expr.text))
        case ir.LiteralExpr() as expr:
            return ANY if expr.type_name == "any" else NOTHING
        case ir.ThisExpr():
            return ts.value(file.path, node)
    return NOTHING


def _is_never(file: SourceFile, node: int) -> bool:
    expr = file.exprs[node]
    return isinstance(expr, ir.LiteralExpr) and expr.type_name == "never"


def _named(ts: TsQueries, file: SourceFile, expr: ir.NameExpr | ir.MemberExpr) -> Types:
    if isinstance(expr, ir.NameExpr) and expr.binding in file.type_param_of_bind:
        return one(TypeVar(file.path, expr.binding))
    sites = _type_sites(ts, file, expr)
    if sites:
        return union(_with_defaults(ts, site) for site in sites)
    if isinstance(expr, ir.NameExpr):
        return one(library(expr.name)) if expr.binding is None else NOTHING
    # A member of an enum is a type as well.
    types = members(ts, namespaces(ts, file, expr.receiver), expr.name).types
    return frozenset(value for value in types if isinstance(value, LiteralType))


def _indexed(ts: TsQueries, file: SourceFile, expr: ir.IndexedAccessExpr) -> Types:
    types, key = ts.type_of(file.path, expr.type), file.exprs[expr.key]
    if not isinstance(key, ir.StringExpr):
        return elements(types)
    return look_up_members(ts, frozenset(IndexedAccessType(value, key.text) for value in types))


def _type_sites(ts: TsQueries, file: SourceFile, expr: object) -> list[Site]:
    """Return the definitions of types that a name or a qualified name refers to."""
    found: Sequence[Site]
    match expr:
        case ir.NameExpr(binding=None):
            found = ts.names.global_sites(expr.name)
        case ir.NameExpr(binding=int(binding)):
            found = ts.names.local(file, file.facts.binds[binding].scope, expr.name)
        case ir.MemberExpr():
            found = members(ts, namespaces(ts, file, expr.receiver), expr.name).sites
        case _:
            return []
    return [
        site
        for site in found
        if site.kind is SiteKind.DEFINITION and ts.file(site.path).defs[site.number].kind in _TYPE_KINDS
    ]


def namespaces(ts: TsQueries, file: SourceFile, node: int) -> Types:
    """Return the modules and namespaces that a name refers to."""
    expr = file.exprs[node]
    if isinstance(expr, ir.MemberExpr):
        types = members(ts, namespaces(ts, file, expr.receiver), expr.name).types
    else:
        types = ts.value(file.path, node)
    return frozenset(value for value in types if isinstance(value, NamespaceObject | Module | ClassType))


def _with_defaults(ts: TsQueries, site: Site) -> Types:
    """Return the instances of a type that is named without arguments."""
    types = ts.instances(site.path, site.number)
    file = ts.file(site.path)
    if not file.type_params(file.facts.body.get(site.number)):
        return types
    return apply_known(ts, types, _arguments(ts, site, ()))


def _arguments(ts: TsQueries, site: Site, given: Sequence[Types]) -> dict[TypeVar, Types]:
    """Return the arguments of a type by parameter; a default may use the parameters before it."""
    file = ts.file(site.path)
    known: dict[TypeVar, Types] = {}
    for index, param in enumerate(file.type_params(file.facts.body.get(site.number))):
        variable = TypeVar(site.path, param.binding)
        if index < len(given):
            known[variable] = given[index]
        else:
            default = ts.type_of(site.path, param.default if param.default >= 0 else param.type)
            known[variable] = apply_known(ts, default, known)
    return known


def instances_of(ts: TsQueries, file: SourceFile, definition: int) -> Types:
    """Return the instances of the type that a definition declares, in terms of its type parameters."""
    if file.defs[definition].kind == "type":
        declared = file.declared_type(definition)
        if declared is None:
            return NOTHING
        if not isinstance(file.exprs[declared], ir.DictExpr) or not file.facts.members.get(definition):
            return ts.type_of(file.path, declared)
    arguments: tuple[Types, ...] = tuple(one(variable) for variable in ts.type_params(file.path, definition))
    return one(instance(file.path, definition, arguments))


def _generic(ts: TsQueries, file: SourceFile, expr: ir.IndexExpr) -> Types:
    given = [ts.type_of(file.path, key) for key in expr.keys]
    generic = file.exprs[expr.value]
    sites = _type_sites(ts, file, generic)
    if sites or not isinstance(generic, ir.NameExpr) or generic.binding is not None:
        return union(
            apply_known(ts, ts.instances(site.path, site.number), _arguments(ts, site, given)) for site in sites
        )
    return _utility_type(ts, generic.name, given)


def _utility_type(ts: TsQueries, name: str, given: list[Types]) -> Types:
    if name in _IDENTITY:
        return given[0]
    if name in ("Omit", "Pick") and len(given) > 1:
        if not given[1]:
            return given[0]
        return frozenset(PickType(one(part), given[1], name == "Pick") for part in given[0])
    if name == "Awaited":
        return awaited(given[0])
    if name == "ReturnType":
        return results(ts, given[0])
    if name == "InstanceType":
        return frozenset(instance(value.path, value.definition) for value in given[0] if isinstance(value, ClassType))
    return one(library(name, *given))
