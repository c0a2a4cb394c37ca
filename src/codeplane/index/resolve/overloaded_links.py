"""References and calls of languages whose members are named without a receiver and whose methods are overloaded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from codeplane.facts.blocks import Columns
from codeplane.facts.ir import CallExpr, CaseExpr, MemberExpr, NewExpr
from codeplane.facts.model import ReferenceRole, Target, Tier
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.overloads import Candidate, choose
from codeplane.index.resolve.queries import CallGroup, CallTargets, Link
from codeplane.index.resolve.references import MEMBER_USAGES, bind_sites, sites_before_alias
from codeplane.index.resolve.resolver import CALLABLES
from codeplane.index.resolve.types import ClassType, Function, Instance, Site, SuperType, Type, definition_site

if TYPE_CHECKING:
    from codeplane.index.resolve.overloaded import OverloadedResolver


class ImplicitLinker:
    """Resolves references where members are named without a receiver.

    A name may refer to an inherited member, and a call selects an overload by its arguments. A construction refers to
    the constructor and to the class.
    """

    def __init__(self, resolver: OverloadedResolver, file: FileScope, names: Sequence[str], columns: Columns) -> None:
        self._evaluator = resolver.evaluator
        self._resolver = resolver
        self._file = file
        self._names = names
        self._columns = columns
        self._calls: dict[int, int] = {}
        self._members: dict[int, int] = {}
        for node, expr in enumerate(file.exprs):
            if isinstance(expr, CallExpr | NewExpr) and expr.reference >= 0:
                self._calls[expr.reference] = node
            elif isinstance(expr, MemberExpr | CaseExpr) and expr.reference >= 0:
                self._members[expr.reference] = node

    def link(self) -> Iterator[Link]:
        for ref, (flags, bound) in enumerate(zip(self._columns.flags, self._columns.binds, strict=True)):
            role, usage, tier = flags & 3, flags >> 2 & 7, flags >> 5 & 3
            if role == ReferenceRole.DEFINITION:
                continue
            own: Site | None = None
            if tier == Tier.PROVEN and bound and role != ReferenceRole.IMPORT:
                row = self._file.binds[bound - 1]
                if row.target_kind != Target.IMPORT:
                    if ref not in self._calls or row.target is None:
                        continue
                    own = definition_site(self._file.path, row.target)
            groups = self._groups(ref, bound, role, usage)
            # For receivers of several types, their common base is not determined.
            found = {tuple(sorted(set(sites))) for sites in groups if sites}
            if len(found) == 1:
                yield from self._tiered(ref, found.pop(), own, role)

    def _groups(self, ref: int, bound: int, role: int, usage: int) -> Sequence[Sequence[Site]]:
        file, resolver = self._file, self._resolver
        if ref in self._calls:
            return [group.sites for group in resolver.resolve_call(file, self._calls[ref])]
        if ref in self._members:
            return resolver.resolve_member_name(file, self._members[ref])
        if usage in MEMBER_USAGES:
            return ()
        if role == ReferenceRole.IMPORT:
            if bound:
                return [bind_sites(self._evaluator, file, bound - 1)]
            return [sites_before_alias(self._evaluator, file, self._columns, ref)]
        name = resolver.qualify_name(file, ref, self._names[self._columns.names[ref]])
        return [resolver.resolve_name(file, self._columns.scopes[ref], usage, name, bound - 1)]

    def _tiered(self, ref: int, sites: tuple[Site, ...], own: Site | None, role: int) -> Iterator[Link]:
        """Rank a call that several overloads fit below one that is unambiguous."""
        methods = tuple(site for site in sites if self._resolver.kind(site) in CALLABLES)
        if len(methods) < 2 or role == ReferenceRole.IMPORT:
            methods = ()
        certain = tuple(site for site in sites if site not in methods and site != own)
        if certain:
            yield Link(ref, certain, Tier.STRONG)
        if methods:
            yield Link(ref, methods, Tier.ANCHORED)


def targets_of(resolver: OverloadedResolver, groups: Sequence[CallGroup]) -> CallTargets:
    """Methods that a call runs, or the classes that it makes instances of."""
    run: set[Type] = set()
    for group in groups:
        methods: list[Type] = []
        for site in group.sites:
            body = resolver.evaluator.file(site.path).body
            if resolver.kind(site) in CALLABLES and site.number in body:
                methods.append(Function(site.path, body[site.number]))
        run |= set(methods or [ClassType(site.path, site.number) for site in group.sites])
    constructed = [
        ClassType(site.path, site.number)
        for group in groups
        for site in group.sites
        if resolver.kind(site) in resolver.evaluator.resolver_at(site.path).traits.class_kinds
    ]
    return CallTargets(run, constructed)


def constructors_of(resolver: OverloadedResolver, file: FileScope, types: Sequence[Site]) -> list[Candidate]:
    """Constructors of types that a file can see."""
    found: list[Candidate] = []
    for site in types:
        target = resolver.evaluator.file(site.path)
        for members in target.members.get(site.number, {}).values():
            found += [
                (site.path, member)
                for member in members
                if target.defs[member].kind == "constructor"
                and resolver.is_visible(file, definition_site(site.path, member))
            ]
    return found


def delegated_constructors(resolver: OverloadedResolver, file: FileScope, node: int, callee: int) -> tuple[Site, ...]:
    """Constructors that `this(...)` or `super(...)` runs."""
    classes = [site for value in resolver.evaluator.infer(file, callee) for site in _delegated_class(resolver, value)]
    chosen = choose(resolver.evaluator, file, node, constructors_of(resolver, file, classes))
    return tuple(definition_site(*candidate) for candidate in chosen)


def _delegated_class(resolver: OverloadedResolver, value: Type) -> list[Site]:
    """The class whose constructor runs."""
    if isinstance(value, Instance):
        return [definition_site(value.path, value.definition)]
    bases = resolver.evaluator.mro(value.path, value.definition)[1:] if isinstance(value, SuperType) else ()
    for base in bases:
        if not isinstance(base, ClassType):
            break
        site = definition_site(base.path, base.definition)
        if resolver.kind(site) in ("class", "record"):
            return [site]
    return []
