"""Members of Go types: from a type, from the methods that its package declares for it, and from embedded types.

The shallowest depth wins.
"""

from __future__ import annotations

from collections.abc import Iterable

from codeplane.facts import ir
from codeplane.facts.model import Target
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.queries import NO_MEMBER, Member, Query, QueryKind
from codeplane.index.resolve.resolver import CALLABLES
from codeplane.index.resolve.types import (
    NOTHING,
    BoundMethod,
    ClassType,
    External,
    Function,
    Instance,
    NamespaceType,
    RecordType,
    Site,
    Type,
    Types,
    TypeVar,
    definition_site,
    in_order,
    one,
    union,
)
from codeplane.languages.go.resolver_types import GoTypes, fill


class GoMembers(GoTypes):
    def lookup_member(self, receiver: Type, name: str) -> Member:
        if isinstance(receiver, NamespaceType):
            sites = self.packages.package(receiver).names.get(name, ())
            return Member(sites, self.evaluator.types_at(sites))
        level: list[Type] = [receiver]
        seen: set[tuple[str, str, int]] = set()
        is_external = False
        while level:
            found: list[Member] = []
            deeper: list[Type] = []
            has_external = False
            for value in level:
                if isinstance(value, External):
                    has_external = True
                    continue
                key = _identity(value)
                if key is None or key in seen:
                    continue
                seen.add(key)
                own = self._own_member(value, name)
                if own.sites or own.types:
                    found.append(own)
                elif not found:
                    deeper += self._embedded(value)
            if found:
                # An embedded external type may declare the member too, unless the name is unexported.
                if len(found) > 1 or (is_external and name[:1].isupper()):
                    break
                return found[0]
            is_external = is_external or has_external
            level = deeper
        return NO_MEMBER

    def _own_member(self, value: Type, name: str) -> Member:
        if isinstance(value, RecordType):
            return self._record_field(value, name)
        if not isinstance(value, Instance | ClassType):
            return NO_MEMBER
        file = self.evaluator.file(value.path)
        sites: list[Site] = []
        types = NOTHING
        row = file.defs[value.definition]
        if row.scope == 0 and row.kind != "interface":
            for site in self.packages.package_of(file).members.get(row.name, {}).get(name, ()):
                sites.append(site)
                types |= self._method(site.path, site.number, value)
        for shape in self.underlying(value):
            if isinstance(shape, RecordType):
                member = self._record_field(shape, name)
                sites += member.sites
                types |= member.types
            elif isinstance(shape, Instance | ClassType):
                file = self.evaluator.file(shape.path)
                for number in file.member_definitions(shape.definition, name):
                    sites.append(definition_site(shape.path, number))
                    if file.defs[number].kind in CALLABLES:
                        types |= self._method(shape.path, number, value)
                    else:
                        field = self._field(file, shape.definition, number)
                        types |= fill(field, self.arguments(shape))
        return Member(sites, types)

    def _method(self, path: str, number: int, receiver: Type) -> Types:
        scope = self.evaluator.file(path).body.get(number)
        if scope is None:
            return NOTHING
        return one(BoundMethod(path, scope, receiver) if isinstance(receiver, Instance) else Function(path, scope))

    def _field(self, file: FileScope, definition: int, number: int) -> Types:
        bind = file.bind_of_def.get(number)
        if bind is not None and file.into_bind(bind):
            return self.evaluator.query(Query(QueryKind.BINDING, file.path, bind))
        name = file.defs[number].name
        embedded = [node for node in file.bases(definition) if _embedded_name(file, node) == name]
        return union(self.named(file, node) for node in embedded)

    def _record_field(self, record: RecordType, name: str) -> Member:
        file = self.evaluator.file(record.path)
        sites: list[Site] = []
        types = NOTHING
        for bind in file.binds_in.get((record.scope, name), ()):
            row = file.binds[bind]
            if row.target_kind == Target.DEF and row.target is not None:
                sites.append(definition_site(file.path, row.target))
            types |= self.evaluator.query(Query(QueryKind.BINDING, file.path, bind))
        return Member(sites, fill(types, dict(record.known)))

    def _embedded(self, value: Type) -> Iterable[Type]:
        if isinstance(value, TypeVar):
            return in_order(self.constraint(value))
        if isinstance(value, RecordType):
            return []
        return [
            embedded
            for shape in self.underlying(value)
            if isinstance(shape, Instance | ClassType)
            for embedded in self.declared_as(shape)
        ]


def _identity(value: Type) -> tuple[str, str, int] | None:
    match value:
        case Instance() | ClassType():
            return value.tag, value.path, value.definition
        case RecordType():
            return value.tag, value.path, value.scope
        case TypeVar():
            return value.tag, value.path, value.binding
    return None


def _embedded_name(file: FileScope, node: int) -> str | None:
    """Name of the field of an embedded type."""
    expr = file.exprs[node]
    while isinstance(expr, ir.ParenExpr | ir.IndexExpr):
        expr = file.exprs[expr.value]
    return expr.name if isinstance(expr, ir.NameExpr | ir.MemberExpr) else None
