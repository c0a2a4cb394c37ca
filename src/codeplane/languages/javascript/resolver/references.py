"""Definitions that the references and calls of a file refer to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codeplane.facts import ir
from codeplane.facts.blocks import Columns
from codeplane.facts.model import Certainty, Namespace, ReferenceRole, Target, Tier, Usage
from codeplane.index.resolve.queries import Link
from codeplane.index.resolve.types import (
    ClassType,
    ContainerMethod,
    External,
    Function,
    Site,
    SiteKind,
    Type,
    definition_site,
)
from codeplane.languages.javascript.resolver.context import attribute_types
from codeplane.languages.javascript.resolver.members import access, access_node, members
from codeplane.languages.javascript.resolver.names import MAX_DECLARATIONS
from codeplane.languages.javascript.resolver.queries import TsQueries
from codeplane.languages.javascript.resolver.source_file import SourceFile
from codeplane.languages.javascript.resolver.type_exprs import namespaces
from codeplane.languages.javascript.resolver.types import ANY
from codeplane.languages.javascript.resolver.values import source_types

_TYPE_ONLY = frozenset({"interface", "type"})
_TYPES = _TYPE_ONLY | {"class", "enum", "module"}


def link_references(ts: TsQueries, file: SourceFile, names: Sequence[str], columns: Columns) -> Iterator[Link]:
    """Yield references that the file alone does not prove, with the definitions that they refer to."""
    linker = _Linker(ts, file, names, columns)
    for ref in range(len(columns.flags)):
        found = linker.sites(ref)
        if found:
            yield Link(ref, tuple(sorted(set(found))), Tier.STRONG)


class _Linker:
    def __init__(self, ts: TsQueries, file: SourceFile, names: Sequence[str], columns: Columns) -> None:
        self._ts = ts
        self._file = file
        self._names = names
        self._columns = columns
        self._keys = dict(_find_keys(file))
        self._members = {
            expr.reference: expr for expr in file.exprs if isinstance(expr, ir.MemberExpr | ir.IndexedAccessExpr)
        }
        self._local_sites: dict[int, list[Site]] = {}

    def _flags(self, ref: int) -> tuple[int, int, int]:
        """Return the role, usage and tier of a reference."""
        flags = self._columns.flags[ref]
        return flags & 3, flags >> 2 & 7, flags >> 5 & 3

    def sites(self, ref: int) -> list[Site]:
        name = self._names[self._columns.names[ref]]
        as_key = self._key_sites(self._keys[ref], name) if ref in self._keys else ()
        return [*as_key, *self._sites(ref, name)]

    def _sites(self, ref: int, name: str) -> Sequence[Site]:
        role, usage, _ = self._flags(ref)
        bind = self._columns.binds[ref] - 1
        if role == ReferenceRole.DEFINITION and bind >= 0:
            return self._declarations(bind)
        if usage in (Usage.MEMBER, Usage.MEMBER_CALL):
            return self._member_sites(self._members[ref]) if ref in self._members else ()
        if usage == Usage.LABEL:
            return ()
        if bind >= 0:
            return self._bound_sites(ref, bind)
        if role == ReferenceRole.IMPORT:
            return self._before_alias(ref)
        return select_by_usage(self._ts, self._ts.names.global_sites(name), usage)

    def _bound_sites(self, ref: int, bind: int) -> list[Site]:
        role, usage, tier = self._flags(ref)
        row = self._file.facts.binds[bind]
        sites = self._local_sites.get(bind)
        if sites is None:
            sites = self._local_sites[bind] = self._ts.names.local(self._file, row.scope, row.name)
        if row.target_kind == Target.UNKNOWN or (row.certainty == Certainty.UNCERTAIN and len(sites) == 1):
            return []
        if row.target_kind == Target.DEF and len(sites) == 1:
            return sites if tier != Tier.PROVEN else []
        return (
            sites if role in (ReferenceRole.IMPORT, ReferenceRole.EXPORT) else select_by_usage(self._ts, sites, usage)
        )

    def _declarations(self, bind: int) -> list[Site]:
        """Return all declarations of a name that has several: overloads, merged interfaces and namespaces."""
        file, row = self._file, self._file.facts.binds[bind]
        numbers = file.facts.defs_in.get((row.scope, row.name), ())
        if row.target_kind != Target.DEF or not 1 < len(numbers) <= MAX_DECLARATIONS:
            return []
        if row.namespace == Namespace.MEMBER:
            # Types without a scope of their own have their members in the enclosing one.
            is_class = file.facts.summary.scopes[row.scope][1] == "class"
            if not is_class or len({file.is_static(number) for number in numbers}) > 1:
                return []
            return [definition_site(file.path, number) for number in numbers]
        usage = Usage.TYPE if row.namespace == Namespace.TYPE else Usage.NAME
        sites = select_by_usage(self._ts, self._ts.names.local(file, row.scope, row.name), usage)
        return sites if len(sites) > 1 else []

    def _before_alias(self, ref: int) -> list[Site]:
        """Resolve `A` in `import { A as B }`: the next reference is bound to the import."""
        bind = self._columns.binds[ref + 1] - 1 if ref + 1 < len(self._columns.binds) else -1
        if bind < 0 or self._flags(ref + 1)[0] != ReferenceRole.IMPORT:
            return []
        row, imports = self._file.facts.binds[bind], self._file.facts.imports
        found: list[Site] = []
        for number in self._file.imports_in(row.scope, row.name):
            if imports[number].alias == row.name and imports[number].imported_name not in ("*", "default"):
                found += self._ts.names.imported(self._file, number)
        return found

    def _member_sites(self, expr: ir.MemberExpr | ir.IndexedAccessExpr) -> Sequence[Site]:
        ts, file = self._ts, self._file
        if isinstance(expr, ir.IndexedAccessExpr):
            key = file.key_text(expr.key)
            return members(ts, ts.type_of(file.path, expr.type), key).sites if key is not None else []
        receiver = file.exprs[expr.receiver]
        if isinstance(receiver, ir.StringExpr):
            path = ts.names.module(file.path, receiver.text)
            return ts.names.exported(path, expr.name) if path is not None else []
        while isinstance(receiver, ir.MemberExpr):
            receiver = file.exprs[receiver.receiver]
        reference = receiver.reference if isinstance(receiver, ir.NameExpr) else -1
        if reference >= 0 and self._flags(reference)[1] == Usage.TYPE:
            sites = members(ts, namespaces(ts, file, expr.receiver), expr.name).sites
            return select_by_usage(ts, sites, Usage.TYPE)
        sites = access_node(ts, file.path, expr.receiver, expr.name).sites
        return [site for site in sites if _kind(ts, site) not in _TYPE_ONLY]

    def _key_sites(self, node: int, name: str) -> Sequence[Site]:
        ts, file = self._ts, self._file
        if not isinstance(file.exprs[node], ir.DictExpr):
            return members(ts, attribute_types(ts, file, node), name).sites
        source = file.pattern_source(node)
        if source is not None:
            return access(ts, source_types(ts, file, source), name).sites
        return members(ts, ts.expected_literal(file.path, node), name).sites


def _find_keys(file: SourceFile) -> Iterator[tuple[int, int]]:
    """Yield (reference, node of the literal, pattern or JSX element) of keys."""
    exprs = file.exprs
    for node, expr in enumerate(exprs):
        if isinstance(expr, ir.DictExpr):
            for part in expr.parts:
                key = exprs[part]
                if isinstance(key, ir.ParenExpr):
                    key = exprs[key.value]
                elif isinstance(key, ir.PairExpr | ir.FunctionExpr):
                    key = exprs[key.key]
                if isinstance(key, ir.NameExpr) and key.reference >= 0:
                    yield key.reference, node
        elif isinstance(expr, ir.CallExpr):
            for part in expr.arguments:
                argument = exprs[part]
                if isinstance(argument, ir.LabelledExpr) and argument.reference >= 0:
                    yield argument.reference, node


def _kind(ts: TsQueries, site: Site) -> str:
    return ts.file(site.path).defs[site.number].kind if site.kind is SiteKind.DEFINITION else "module"


def select_by_usage(ts: TsQueries, sites: Sequence[Site], usage: int) -> list[Site]:
    """Keep the types, or the values, among definitions of one name."""
    if usage == Usage.TYPE:
        return [site for site in sites if _kind(ts, site) in _TYPES]
    return [site for site in sites if _kind(ts, site) not in _TYPE_ONLY]


def callees(ts: TsQueries, file: SourceFile, call: int) -> list[Type]:
    """Return the functions and classes that a call runs; an anonymous function goes by the name that holds it."""
    found: list[Type] = []
    outside: list[Type] = []
    for callee in ts.callees(file.path, call):
        match callee:
            case ClassType():
                found.append(callee)
            case Function() if callee.scope in ts.file(callee.path).owner:
                found.append(Function(callee.path, callee.scope))
            case External() if callee not in ANY:
                outside.append(External(callee.name))
            case ContainerMethod(container=External() as receiver) if receiver not in ANY:
                outside.append(External(f"{receiver.name}.{callee.name}"))
    if not found:
        sites = [site for site in _callee_sites(ts, file, call) if site.kind is SiteKind.DEFINITION]
        found += [ClassType(site.path, site.number) for site in sites]
    return found + outside


def _callee_sites(ts: TsQueries, file: SourceFile, call: int) -> list[Site]:
    expr = file.exprs[call]
    callee = file.exprs[expr.callee] if isinstance(expr, ir.CallExpr | ir.NewExpr) else None
    if isinstance(callee, ir.NameExpr) and callee.binding is not None:
        sites: Sequence[Site] = ts.names.local(file, file.facts.binds[callee.binding].scope, callee.name)
    elif isinstance(callee, ir.MemberExpr) and not isinstance(file.exprs[callee.receiver], ir.StringExpr):
        sites = access_node(ts, file.path, callee.receiver, callee.name).sites
    else:
        return []
    return select_by_usage(ts, sites, Usage.NAME)
