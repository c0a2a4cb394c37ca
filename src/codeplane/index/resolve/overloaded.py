"""Shared resolver of Java, Kotlin and C#: members are named without a receiver, inherited ones too, and methods are
overloaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from codeplane.facts.blocks import Columns
from codeplane.facts.ir import (
    CallExpr,
    CaseExpr,
    IndexExpr,
    MemberExpr,
    NameExpr,
    NewExpr,
    ParenExpr,
    SuperExpr,
    ThisExpr,
)
from codeplane.facts.model import Target, Usage
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.overloaded_links import ImplicitLinker, constructors_of, delegated_constructors, targets_of
from codeplane.index.resolve.overloaded_results import result_of
from codeplane.index.resolve.overloads import choose, is_plain
from codeplane.index.resolve.queries import CallGroup, CallTargets, LanguageQuery, Link, Query, QueryKind
from codeplane.index.resolve.resolver import CALLABLES, CLASS_KINDS, LanguageResolver, LanguageTraits
from codeplane.index.resolve.stubs import NO_STUBS, StubCall, Stubs
from codeplane.index.resolve.types import (
    NOTHING,
    ClassType,
    ContainerMethod,
    DictType,
    External,
    Instance,
    Site,
    SiteKind,
    TupleType,
    Type,
    Types,
    definition_site,
    dict_of,
    in_order,
    list_of,
    one,
    tuple_of,
    union,
)

_CALL_USAGES = frozenset({Usage.CALL, Usage.MEMBER_CALL})


def _by_knowledge(version: tuple[CallGroup, ...]) -> tuple[int, int, str]:
    return -len(version), sum(len(group.sites) for group in version), repr(version)


@dataclass(frozen=True)
class OverloadedTraits(LanguageTraits):
    class_kinds: frozenset[str] = CLASS_KINDS | {"annotation"}
    self_parameter: bool = False
    out_of_line_members: bool = False
    calls_construct: bool = False
    """A call of a type makes an instance."""
    callable_kinds: frozenset[str] = frozenset({"method", "function", "property"})
    """Kinds of definitions that a call may refer to."""
    types_by_arity: bool = False
    """Types of one name differ in the number of their type parameters."""
    universal_methods: frozenset[str] = frozenset()
    """Methods of every class: they are looked up in the innermost class only."""
    stubs: Callable[[], Stubs] = lambda: NO_STUBS
    """Standard library types that hold others: `map`, `list` and `pair`."""


class OverloadedResolver(LanguageResolver):
    traits: OverloadedTraits = OverloadedTraits()

    def apply_type_arguments(self, value: ClassType | External, file: FileScope, parts: Sequence[int]) -> Types:
        if isinstance(value, ClassType):
            return super().apply_type_arguments(value, file, parts)
        last = value.name.rpartition(".")[2]
        match self.traits.stubs().represented_by.get(last), len(parts):
            case "map", 2:
                return one(dict_of({}, self.evaluator.named_type(file, parts[1])))
            case "list", 1:
                return one(list_of(self.evaluator.named_type(file, parts[0]), last))
            case "pair", 2:
                return one(tuple_of([self.evaluator.named_type(file, part) for part in parts]))
        return one(External(f"{value.name}()"))

    def call_value(self, callee: Type, file: FileScope, node: int) -> Types | None:
        if not isinstance(callee, ContainerMethod):
            return None
        container = callee.container
        parts: Sequence[Types]
        match container:
            case DictType():
                kind, parts = "map", (NOTHING, container.values())
            case TupleType():
                kind, parts = "pair", container.items
            case _:
                kind, parts = "list", (self.evaluator.elements(container),)
        call = StubCall(lambda name, parts: one(list_of(parts[0])), own=one(container), parts=parts)
        return self.traits.stubs().apply(kind, callee.name, call) or NOTHING

    # --- references and calls

    def link_references(self, file: FileScope, names: Sequence[str], columns: Columns) -> Iterator[Link]:
        return ImplicitLinker(self, file, names, columns).link()

    def call_targets(self, file: FileScope, node: int) -> CallTargets:
        return targets_of(self, self.resolve_call(file, node))

    # --- names

    def qualify_name(self, file: FileScope, reference: int, name: str) -> str:
        """Return the name with the arity that distinguishes it from its namesakes."""
        arity = file.argument_counts.get(reference, 0) if self.traits.types_by_arity else 0
        return f"{name}`{arity}" if arity else name

    def resolve_name(self, file: FileScope, scope: int, usage: int, name: str, bind: int) -> Sequence[Site]:
        query = LanguageQuery(file.language, OverloadedResolver._find_name, (file.path, scope, usage, name, bind))
        versions: frozenset[tuple[Site, ...]] = self.evaluator.language_query(query, tuple)
        return max(versions, key=len, default=())

    def _find_name(self, path: str, scope: int, usage: int, name: str, bind: int) -> frozenset[tuple[Site, ...]]:
        return frozenset({tuple(self._name_sites(self.evaluator.file(path), scope, usage, name, bind))})

    def _name_sites(self, file: FileScope, scope: int, usage: int, name: str, bind: int) -> list[Site]:
        row = file.binds[bind] if bind >= 0 else None
        # A file that defines and binds nothing has no scopes in its summary.
        inner: int | None = scope if file.summary.scopes else 0
        while inner:
            owner = file.owner.get(inner)
            receiver = file.receiver(owner) if owner is not None else None
            if receiver is not None:
                for value in in_order(self.evaluator.named_type(file, receiver)):
                    found = self.of_usage(self.member_sites(value, name), usage)
                    if found:
                        return found
            class_ = self.class_at(file, inner)
            if class_ is not None:
                canonical = ClassType(*self.evaluator.definitions.canonical(file.path, class_))
                found = self.of_usage(self.member_sites(canonical, name), usage)
                if usage not in _CALL_USAGES and found:
                    return self._nearest(found)
                if found or (name in self.traits.universal_methods and usage in _CALL_USAGES):
                    return found
            if row is not None and row.scope == inner:
                return self.of_usage(self.sites_of_binding(file, bind), usage)
            if self.hides_names(file, inner):
                return []
            inner = file.parent(inner)
        if row is not None and row.scope == 0:
            return self.of_usage(self.sites_of_binding(file, bind), usage)
        return self.of_usage(self.sites_outside(file, scope, name), usage)

    def hides_names(self, file: FileScope, scope: int) -> bool:
        """True if a scope may have members of an unknown receiver."""
        return False

    def sites_of_binding(self, file: FileScope, bind: int) -> list[Site]:
        row = file.binds[bind]
        found = [definition_site(file.path, number) for number in file.defs_in.get((row.scope, row.name), ())]
        if not found and row.target_kind == Target.IMPORT:
            for number in file.imports_in(row.scope, row.name, self.traits.dotted_imports):
                found += self.resolve_import(file, number)
        return list(dict.fromkeys(found))

    def class_at(self, file: FileScope, scope: int) -> int | None:
        """The class that a scope is the body of."""
        if scope in file.anonymous_classes:
            return -scope
        owner = file.owner.get(scope)
        if owner is None or file.scope_kind(scope) != "class":
            return None
        return owner if file.defs[owner].kind in self.traits.class_kinds else None

    def sites_outside(self, file: FileScope, scope: int, name: str) -> list[Site]:
        """Declarations of a name that neither the file nor a base of the enclosing classes has."""
        return []

    def of_usage(self, sites: Sequence[Site], usage: int) -> list[Site]:
        """Keep the declarations that a name with this usage can refer to."""
        if usage == Usage.TYPE:
            return [site for site in sites if self.is_type(site)]
        if usage in _CALL_USAGES:
            return [site for site in sites if self.kind(site) in self.traits.callable_kinds]
        return [site for site in sites if self.kind(site) not in CALLABLES]

    def kind(self, site: Site) -> str:
        is_definition = site.kind is SiteKind.DEFINITION
        return self.evaluator.file(site.path).defs[site.number].kind if is_definition else "attribute"

    def is_type(self, site: Site) -> bool:
        return self.kind(site) in self.traits.class_kinds

    def name_types(self, file: FileScope, node: int) -> Types:
        scope, usage = file.ambient[node]
        name, bind, qualified = self._name_at(file, node)
        sites = self.resolve_name(file, scope, usage, qualified, bind)
        return self.evaluator.types_at(sites) if sites else self.unknown_types(file, scope, bind, name)

    def _name_at(self, file: FileScope, node: int) -> tuple[str, int, str]:
        """Name, binding (or -1) and qualified name of a node."""
        expr = file.exprs[node]
        assert isinstance(expr, NameExpr | CaseExpr)
        binding = expr.binding if isinstance(expr, NameExpr) else None
        bind = binding if binding is not None else -1
        return expr.name, bind, self.qualify_name(file, expr.reference, expr.name)

    def unknown_types(self, file: FileScope, scope: int, bind: int, name: str) -> Types:
        if bind >= 0 and file.binds[bind].target_kind != Target.DEF:
            return self.evaluator.query(Query(QueryKind.BINDING, file.path, bind))
        return one(External(name))

    def named_type(self, file: FileScope, node: int) -> Types:
        scope, _ = file.ambient[node]
        name, bind, qualified = self._name_at(file, node)
        sites = self.resolve_name(file, scope, Usage.TYPE, qualified, bind)
        if sites:
            return frozenset(Instance(*self.evaluator.definitions.canonical(site.path, site.number)) for site in sites)
        if bind >= 0:
            return self.evaluator.query(Query(QueryKind.NAMED_TYPE, file.path, bind))
        return one(External(f"{name}()"))

    # --- classes and members

    def enclosing_class(self, file: FileScope, definition: int) -> tuple[str, int] | None:
        class_ = self.class_at(file, file.defs[definition].scope)
        return (file.path, class_) if class_ is not None else None

    def member_sites(self, receiver: Type, name: str) -> Sequence[Site]:
        return self.evaluator.member_sites(receiver, name)

    def resolve_member_name(self, file: FileScope, node: int) -> list[tuple[Site, ...]]:
        """Declarations that a member refers to which is not called, for each receiver."""
        expr = file.exprs[node]
        assert isinstance(expr, MemberExpr | CaseExpr)
        groups: list[tuple[Site, ...]] = []
        receiver = expr.receiver if isinstance(expr, MemberExpr) else expr.value
        for value in in_order(self.evaluator.infer(file, receiver)):
            sites = [site for site in self.member_sites(value, expr.name) if self.is_visible(file, site)]
            values = [site for site in sites if self.kind(site) not in CALLABLES]
            if sites:
                groups.append(tuple(self._nearest(values or sites)))
        if not groups and isinstance(expr, CaseExpr):
            plain = self.resolve_name(file, file.ambient[node][0], Usage.NAME, expr.name, -1)
            return [tuple(plain)] if plain else []
        return groups

    def _nearest(self, sites: list[Site]) -> list[Site]:
        """Keep the members of the first class; they hide the others."""
        first = self._class_around(sites[0])
        return [site for site in sites if self._class_around(site) == first] if first is not None else sites

    def _class_around(self, site: Site) -> tuple[str, int] | None:
        is_definition = site.kind is SiteKind.DEFINITION
        around = self.enclosing_class(self.evaluator.file(site.path), site.number) if is_definition else None
        return self.evaluator.definitions.canonical(*around) if around is not None else None

    def is_visible(self, file: FileScope, site: Site) -> bool:
        if site.path == file.path or site.kind is not SiteKind.DEFINITION:
            return True
        return self.evaluator.file(site.path).defs[site.number].visibility != "private"

    def extension_sites(self, file: FileScope, node: int, receiver: Type, name: str) -> Sequence[Site]:
        """Functions that are called like a member but defined elsewhere."""
        return ()

    # --- calls

    def resolve_call(self, file: FileScope, node: int) -> Sequence[CallGroup]:
        """Definitions that a call or construction refers to, for each receiver."""
        query = LanguageQuery(file.language, OverloadedResolver._find_call, (file.path, node))
        versions: frozenset[tuple[CallGroup, ...]] = self.evaluator.language_query(query, tuple)
        if len(versions) == 1:
            return next(iter(versions))
        # In a cycle the first results know less: fewer receivers, and more methods that the call could refer to.
        return min(versions, key=_by_knowledge, default=())

    def _find_call(self, path: str, node: int) -> frozenset[tuple[CallGroup, ...]]:
        return frozenset({self._call_groups(self.evaluator.file(path), node)})

    def _call_groups(self, file: FileScope, node: int) -> tuple[CallGroup, ...]:
        call = file.exprs[node]
        assert isinstance(call, CallExpr | NewExpr)
        is_new = isinstance(call, NewExpr)
        callee = call.callee
        while isinstance(expr := file.exprs[callee], ParenExpr | IndexExpr):
            callee = expr.value
        found: list[CallGroup] = []
        if isinstance(expr, MemberExpr):
            for value in in_order(self.evaluator.infer(file, expr.receiver)):
                sites = self.member_sites(value, expr.name) or self.extension_sites(file, node, value, expr.name)
                if sites:
                    found.append(CallGroup(value, self._chosen(file, node, sites, is_new=is_new)))
        elif isinstance(expr, NameExpr):
            place = file.ambient.get(callee)
            if place is not None:
                usage = Usage.TYPE if is_new else place[1]
                _, bind, qualified = self._name_at(file, callee)
                sites = self.resolve_name(file, place[0], usage, qualified, bind)
            else:
                sites = self.sites_of_binding(file, expr.binding) if expr.binding is not None else []
            if sites:
                found.append(CallGroup(None, self._chosen(file, node, sites, is_new=is_new)))
        elif isinstance(expr, ThisExpr | SuperExpr):
            found.append(CallGroup(None, delegated_constructors(self, file, node, callee)))
        return tuple(found)

    def _chosen(self, file: FileScope, node: int, sites: Sequence[Site], *, is_new: bool) -> tuple[Site, ...]:
        types = [site for site in sites if self.is_type(site)]
        types = self._nearest(types) if types else []
        if types and (is_new or self.traits.calls_construct):
            chosen = choose(self.evaluator, file, node, constructors_of(self, file, types))
            return (*types, *(definition_site(*candidate) for candidate in chosen))
        kinds = self.traits.callable_kinds
        visible = [site for site in sites if self.kind(site) in kinds and self.is_visible(file, site)]
        methods = [(site.path, site.number) for site in visible if self.kind(site) in CALLABLES]
        chosen = choose(self.evaluator, file, node, methods)
        if not chosen:
            values = [
                site for site in visible if self.kind(site) not in CALLABLES and self.is_callable(file, node, site)
            ]
            return tuple(self._nearest(values)) if values else ()
        return tuple(definition_site(*candidate) for candidate in chosen)

    def is_callable(self, file: FileScope, node: int, site: Site) -> bool:
        """True if the value of a property or field can be called."""
        for value in self.evaluator.site_types(site):
            if isinstance(value, External) and is_plain(value.name):
                return False
            if isinstance(value, Instance) and self.kind(definition_site(value.path, value.definition)) != "type":
                return bool(self.evaluator.member_sites(value, "invoke"))
        return True

    def override_query(self, file: FileScope, query: Query) -> Types | None:
        node = query.number
        is_call = query.kind is QueryKind.NODE and isinstance(file.exprs[node], CallExpr)
        groups = self.resolve_call(file, node) if is_call else ()
        if not groups:
            return None
        return union(result_of(self, group.receiver, site, file, node) for group in groups for site in group.sites)
