"""Results of calls in languages with overloads and generic methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codeplane.facts.ir import IndexExpr, NameExpr
from codeplane.index.resolve.calls import arguments_of
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.overloads import is_type_variable, type_variable
from codeplane.index.resolve.queries import Query, QueryKind
from codeplane.index.resolve.resolver import CALLABLES
from codeplane.index.resolve.types import (
    NOTHING,
    BoundMethod,
    ClassLiteral,
    ClassType,
    Function,
    Instance,
    ParamType,
    Site,
    SiteKind,
    SuperType,
    Type,
    Types,
    mentions,
    one,
)

if TYPE_CHECKING:
    from codeplane.index.resolve.evaluator import Evaluator
    from codeplane.index.resolve.overloaded import OverloadedResolver


def result_of(resolver: OverloadedResolver, receiver: Type | None, site: Site, file: FileScope, node: int) -> Types:
    """Types that a definition returns when a call selects it."""
    evaluator = resolver.evaluator
    if site.kind is not SiteKind.DEFINITION:
        return NOTHING
    path, _, definition = site
    target = evaluator.file(path)
    kind = target.defs[definition].kind
    if kind in resolver.traits.class_kinds:
        return one(Instance(path, definition))
    if kind == "constructor":
        return NOTHING
    scope = target.body.get(definition)
    if kind not in CALLABLES or scope is None:
        return evaluator.site_types(site)
    variable = type_variable(target, target.return_type(scope))
    if variable is not None and receiver is not None and target.binds[variable].scope != scope:
        return _type_argument(evaluator, receiver, target, variable)
    inferred = _inferred(evaluator, target, scope, variable, file, node) if variable is not None else NOTHING
    if inferred:
        return inferred
    found = evaluator.query(Query(QueryKind.RETURN, path, scope))
    if any(mentions(value, path, scope) for value in found):
        callee = BoundMethod(path, scope, receiver) if isinstance(receiver, Instance) else Function(path, scope)
        return evaluator.call(callee, file, node)
    return found


def _type_argument(evaluator: Evaluator, receiver: Type | None, target: FileScope, variable: int) -> Types:
    """Type argument of a receiver for a type variable of a class, as the classes in between declare it."""
    row = target.binds[variable]
    names = [bind.name for bind in target.binds if bind.scope == row.scope and is_type_variable(bind)]
    owner = target.owner.get(row.scope)
    if owner is None or not isinstance(receiver, Instance | SuperType):
        return NOTHING
    if isinstance(receiver, Instance) and (receiver.path, receiver.definition) == (target.path, owner):
        return evaluator.query(Query(QueryKind.NAMED_TYPE, target.path, variable))
    number = names.index(row.name)
    found = NOTHING
    generic = ClassType(target.path, owner)
    for base in evaluator.mro(receiver.path, receiver.definition):
        if not isinstance(base, ClassType):
            continue
        file = evaluator.file(base.path)
        for node in file.bases(base.definition):
            expr = file.exprs[node]
            if not isinstance(expr, IndexExpr) or generic not in evaluator.infer(file, expr.value):
                continue
            if number < len(expr.keys) and type_variable(file, expr.keys[number]) is None:
                found |= evaluator.named_type(file, expr.keys[number])
    return found


def _inferred(evaluator: Evaluator, target: FileScope, scope: int, variable: int, file: FileScope, node: int) -> Types:
    """Result of a generic method whose type variable the arguments determine."""
    found = NOTHING
    for param, part in zip(target.params.get(scope, ()), arguments_of(file, node), strict=False):
        expr = target.exprs[param.type] if param.type >= 0 else None
        if isinstance(expr, NameExpr):
            if expr.binding == variable:
                types = evaluator.infer(file, part)
                found |= frozenset(value for value in types if not isinstance(value, ParamType))
        elif isinstance(expr, IndexExpr) and len(expr.keys) == 1:
            key = target.exprs[expr.keys[0]]
            if isinstance(key, NameExpr) and key.binding == variable:
                for value in evaluator.infer(file, part):
                    if isinstance(value, ClassLiteral):
                        found |= one(Instance(value.path, value.definition))
                    else:
                        found |= evaluator.elements(value)
    return found
