"""Resolves the references of one file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codeplane.facts.blocks import Columns
from codeplane.facts.ir import (
    CaseExpr,
    IndexExpr,
    LabelledExpr,
    MemberExpr,
    NameExpr,
    NewExpr,
    PatternExpr,
)
from codeplane.facts.model import ReferenceRole, Target, Tier, Usage
from codeplane.index.resolve.evaluator import Evaluator
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.queries import Link
from codeplane.index.resolve.types import (
    Site,
    SiteKind,
    definition_site,
)

_OPAQUE = frozenset({"macro", "attribute"})
"""Scopes whose names are interpreted by a macro."""
MEMBER_USAGES = frozenset({Usage.MEMBER, Usage.MEMBER_CALL, Usage.LABEL})


def link_references(evaluator: Evaluator, file: FileScope, names: Sequence[str], columns: Columns) -> Iterator[Link]:
    own = evaluator.resolver(file).link_references(file, names, columns)
    return own if own is not None else _Linker(evaluator, file, names, columns).link()


class _Linker:
    """Resolves references of languages whose members always have a receiver."""

    def __init__(self, evaluator: Evaluator, file: FileScope, names: Sequence[str], columns: Columns) -> None:
        self._evaluator = evaluator
        self._resolver = evaluator.resolver(file)
        self._file = file
        self._names = names
        self._columns = columns
        self._members = {
            expr.reference: expr for expr in file.exprs if isinstance(expr, MemberExpr) and expr.reference >= 0
        }
        self._paths = {
            expr.reference: expr.name
            for node in file.ambient
            if isinstance(expr := file.exprs[node], NameExpr | CaseExpr)
        }
        self._labels = _labels(file)
        self._bound_sites: dict[int, list[Site]] = {}

    def link(self) -> Iterator[Link]:
        for ref, (flags, bound) in enumerate(zip(self._columns.flags, self._columns.binds, strict=True)):
            sites = self._sites(ref, flags, bound)
            if sites:
                yield Link(ref, tuple(sorted(set(sites))), self._tier(sites))

    def _tier(self, sites: Sequence[Site]) -> int:
        """Nothing guarantees that files which the build ignores match the rest."""
        ignored = self._resolver.traits.ignored_directory(self._file.path)
        return Tier.ANCHORED if ignored and not all(site.path.startswith(ignored) for site in sites) else Tier.STRONG

    def _sites(self, ref: int, flags: int, bound: int) -> Sequence[Site]:
        role, usage, tier = flags & 3, flags >> 2 & 7, flags >> 5 & 3
        file, resolver = self._file, self._resolver
        if ref in self._labels:
            sites = resolver.resolve_label(file, self._labels[ref], self._name(ref))
            if sites:
                return sites
        # A file without facts has no scopes in its summary.
        scope = self._columns.scopes[ref] if file.summary.scopes else 0
        is_member = usage in MEMBER_USAGES and role != ReferenceRole.IMPORT
        if is_member or (resolver.traits.path_members and ref in self._members and not bound):
            return self._member_sites(ref, scope, role, usage)
        if tier != Tier.PROVEN and scope and file.scope_kind(scope) in _OPAQUE:
            return ()
        if bound and not (tier != Tier.PROVEN and resolver.traits.is_position_dependent(file, file.binds[bound - 1])):
            return self._sites_of_binding(ref, bound, role, usage, tier)
        if role == ReferenceRole.IMPORT:
            name = self._name(ref)
            before = sites_before_alias(self._evaluator, file, self._columns, ref)
            if before or not resolver.traits.import_paths:
                return before
            return self._named_sites(scope, Usage.MEMBER, name)
        return self._named_sites(scope, usage, self._name(ref), bound - 1) if role != ReferenceRole.DEFINITION else ()

    def _named_sites(self, scope: int, usage: int, name: str, bind: int = -1) -> Sequence[Site]:
        return self._fitting(self._resolver.resolve_name(self._file, scope, usage, name, bind), None, usage)

    def _fitting(self, sites: Sequence[Site], namespace: int | None, usage: int) -> Sequence[Site]:
        """Keep the declarations that a name can refer to, by the namespace of its binding or by its usage."""
        fitting_kinds = self._resolver.traits.fitting_kinds
        if fitting_kinds is None or not sites:
            return sites
        kinds = [self._kind(site) for site in sites]
        fitting = fitting_kinds(set(kinds), namespace, usage)
        return [site for site, kind in zip(sites, kinds, strict=True) if kind in fitting]

    def _kind(self, site: Site) -> str:
        if site.kind is SiteKind.MODULE:
            return "module"
        is_definition = site.kind is SiteKind.DEFINITION
        return self._evaluator.file(site.path).defs[site.number].kind if is_definition else ""

    def _name(self, ref: int) -> str:
        return self._names[self._columns.names[ref]]

    def _member_sites(self, ref: int, scope: int, role: int, usage: int) -> Sequence[Site]:
        member = self._members.get(ref)
        if member is None:
            if ref not in self._paths:
                return ()
            return self._named_sites(scope, usage, self._paths[ref])
        sites = self._evaluator.member_of_expr(self._file, member.receiver, member.name).sites
        if not sites and usage == Usage.LABEL:
            sites = self._resolver.resolve_label(self._file, member.receiver, member.name)
        return self._fitting(sites, None, usage) if role != ReferenceRole.IMPORT else sites

    def _sites_of_binding(self, ref: int, bound: int, role: int, usage: int, tier: int) -> Sequence[Site]:
        bind = self._file.binds[bound - 1]
        if bind.target_kind == Target.DEF and tier == Tier.PROVEN:
            return ()
        if role == ReferenceRole.DEFINITION and bind.target_kind == Target.UNKNOWN:
            return ()
        if bound not in self._bound_sites:
            self._bound_sites[bound] = bind_sites(self._evaluator, self._file, bound - 1)
        sites = self._bound_sites[bound]
        if role != ReferenceRole.IMPORT:
            return self._fitting(sites, bind.namespace, usage)
        member = self._members.get(ref)
        if self._resolver.traits.path_members and member is not None:
            # Another import may bind the same name, under another condition.
            return self._evaluator.member_of_expr(self._file, member.receiver, member.name).sites
        return sites


def _labels(file: FileScope) -> dict[int, int]:
    """Reference of a label -> node of the type that is constructed, destructured or applied.

    A variable may be its own label.
    """
    found: dict[int, int] = {}
    for expr in file.exprs:
        match expr:
            case NewExpr(node, parts) | PatternExpr(node, parts) | IndexExpr(node, parts):
                for part in parts:
                    inner = file.exprs[part]
                    is_label = isinstance(inner, LabelledExpr)
                    if is_label or (isinstance(inner, NameExpr) and not isinstance(expr, IndexExpr)):
                        assert isinstance(inner, LabelledExpr | NameExpr)
                        if inner.reference >= 0:
                            found[inner.reference] = node
    return found


def sites_before_alias(evaluator: Evaluator, file: FileScope, columns: Columns, ref: int) -> list[Site]:
    """`A` in `import A as B`: the name that follows is bound to the import."""
    if (
        ref + 1 >= len(columns.binds)
        or not columns.binds[ref + 1]
        or columns.flags[ref + 1] & 3 != ReferenceRole.IMPORT
    ):
        return []
    bind = file.binds[columns.binds[ref + 1] - 1]
    found: list[Site] = []
    resolver = evaluator.resolver(file)
    for number in file.imports_in(bind.scope, bind.name, resolver.traits.dotted_imports):
        if file.imports[number].alias == bind.name:
            found += resolver.resolve_import(file, number)
    return sorted(set(found))


def bind_sites(evaluator: Evaluator, file: FileScope, bind: int) -> list[Site]:
    """Declarations that a binding refers to, in this file and through imports."""
    row = file.binds[bind]
    found = [definition_site(file.path, number) for number in file.defs_in.get((row.scope, row.name), ())]
    resolver = evaluator.resolver(file)
    for number in file.imports_in(row.scope, row.name, resolver.traits.dotted_imports):
        found += resolver.resolve_import(file, number)
    return sorted(set(found))
