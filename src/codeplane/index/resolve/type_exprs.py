"""Instances of the types that type expressions, bindings and declarations name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codeplane.facts import ir
from codeplane.facts.ir import FlowKind
from codeplane.facts.model import Target
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.queries import Member, Query, QueryKind
from codeplane.index.resolve.types import (
    NOTHING,
    ClassType,
    External,
    Instance,
    Site,
    SiteKind,
    Types,
    TypeVarBound,
    definition_site,
    instance_of,
    instances,
    list_of,
    one,
    tuple_of,
    union,
)

if TYPE_CHECKING:
    from codeplane.index.resolve.evaluator import Evaluator


def named_type(evaluator: Evaluator, file: FileScope, node: int) -> Types:
    """Instances of the type that an expression names."""
    resolver = evaluator.resolver(file)
    match expr := file.exprs[node]:
        case ir.NameExpr():
            if node in file.ambient or expr.binding is None:
                return resolver.named_type(file, node)
            return evaluator.query(Query(QueryKind.NAMED_TYPE, file.path, expr.binding))
        case ir.ParenExpr():
            return evaluator.named_type(file, expr.value)
        case ir.ThisExpr():
            found = evaluator.infer(file, node)
            return frozenset(instance_of(value) for value in found if isinstance(value, ClassType | Instance))
        case ir.MemberExpr():
            return _named_member_type(evaluator, file, expr)
        case ir.SelfTypeExpr():
            return instances(evaluator.infer(file, node))
        case ir.TupleExpr() if resolver.traits.tuple_types:
            return one(tuple_of([evaluator.named_type(file, part) for part in expr.parts]))
        case ir.UnionExpr() | ir.TupleExpr():
            return union(evaluator.named_type(file, part) for part in expr.parts)
        case ir.IndexExpr():
            return _generic_type(evaluator, file, expr)
        case ir.StringExpr() | ir.DocTypeExpr():
            return resolver.named_type(file, node)
        case ir.ListExpr():
            return one(list_of(union(evaluator.named_type(file, part) for part in expr.parts)))
        case ir.LiteralExpr():
            return evaluator.infer(file, node)
    return NOTHING


def _named_member_type(evaluator: Evaluator, file: FileScope, expr: ir.MemberExpr) -> Types:
    if isinstance(file.exprs[expr.receiver], ir.SelfTypeExpr):
        return evaluator.types_named_by(evaluator.member_of_expr(file, expr.receiver, expr.name))
    return union(
        evaluator.types_named_by(evaluator.member(value, expr.name)) for value in evaluator.infer(file, expr.receiver)
    )


def types_named_by(evaluator: Evaluator, member: Member) -> Types:
    """Instances of the type that a member names."""
    return union(map(evaluator.site_named_type, member.sites)) if member.sites else instances(member.types)


def type_of_binding(evaluator: Evaluator, file: FileScope, bind: int) -> Types:
    row = file.binds[bind]
    found = NOTHING
    for definition in file.defs_in.get((row.scope, row.name), ()):
        found |= evaluator.site_named_type(definition_site(file.path, definition))
    resolver = evaluator.resolver(file)
    for number in file.imports_in(row.scope, row.name, resolver.traits.dotted_imports):
        sites = resolver.resolve_import(file, number)
        found |= evaluator.types_named_by(Member(sites, NOTHING if sites else resolver.import_types(file, number)))
    if row.target_kind == Target.UNKNOWN:
        bounds = [inflow.source for inflow in file.into_bind(bind) if inflow.is_whole(FlowKind.BOUND)]
        found |= union(evaluator.named_type(file, node) for node in bounds)
        found |= instances(evaluator.query(Query(QueryKind.BINDING, file.path, bind)))
    return found


def site_named_type(evaluator: Evaluator, site: Site) -> Types:
    """Instances of the type that a declaration defines, or is an alias of."""
    if site.kind is not SiteKind.DEFINITION:
        return NOTHING
    file = evaluator.file(site.path)
    resolver = evaluator.resolver(file)
    if file.defs[site.number].kind in resolver.traits.class_kinds:
        return one(Instance(*evaluator.definitions.canonical(site.path, site.number)))
    return evaluator.query(Query(QueryKind.ALIAS, site.path, site.number))


def alias_types(evaluator: Evaluator, file: FileScope, definition: int) -> Types:
    bind = file.bind_of_def.get(definition)
    if bind is None:
        return NOTHING
    found = NOTHING
    for inflow in file.into_bind(bind):
        if inflow.is_whole(FlowKind.ASSIGN):
            found |= evaluator.named_type(file, inflow.source)
            values = evaluator.infer(file, inflow.source)
            found |= frozenset(value for value in values if isinstance(value, TypeVarBound))
    return found


def _generic_type(evaluator: Evaluator, file: FileScope, expr: ir.IndexExpr) -> Types:
    resolver = evaluator.resolver(file)
    parts: list[int] = []
    for key in expr.keys:
        inner = file.exprs[key]
        is_list = isinstance(inner, ir.TupleExpr) and not resolver.traits.tuple_types
        parts += inner.parts if is_list and isinstance(inner, ir.TupleExpr) else [key]
    return union(
        resolver.apply_type_arguments(value, file, parts)
        for value in evaluator.infer(file, expr.value)
        if isinstance(value, ClassType | External)
    )
