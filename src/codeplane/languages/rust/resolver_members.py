"""Members of Rust types: from the type, its `impl` blocks, its traits, and through `Deref`."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import NamedTuple

from codeplane.facts.ir import FlowKind, IndexExpr, LiteralExpr, MemberExpr, NameExpr, ParenExpr, StringExpr, UnionExpr
from codeplane.facts.model import Namespace, Usage
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.members import join
from codeplane.index.resolve.queries import NO_MEMBER, FieldPattern, LanguageQuery, Member, Operator, Query, QueryKind
from codeplane.index.resolve.resolver import CALLABLES, LanguageResolver, LanguageTraits
from codeplane.index.resolve.types import (
    NOTHING,
    BoundMethod,
    ClassType,
    ContainerMethod,
    External,
    Instance,
    LibraryType,
    ListType,
    SelfType,
    Site,
    SiteKind,
    TupleType,
    Type,
    Types,
    TypeVar,
    apply_arguments,
    class_of,
    definition_site,
    in_order,
    list_of,
    one,
    substitute,
    union,
)
from codeplane.languages.rust import resolver_library as library

_DERIVED = frozenset(
    {"clone", "to_owned", "eq", "ne", "cmp", "partial_cmp", "hash", "fmt", "default", "to_string", "into"}
)
"""Methods that a type often derives; never looked up through `Deref`."""


_RECEIVERS = (Instance, ClassType, TypeVar, LibraryType)


class ImplBlock(NamedTuple):
    path: str
    scope: int


TYPE_KINDS = frozenset({"module", "struct", "enum", "trait", "type"})
_NOT_VALUES = frozenset({"module", "enum", "trait", "type", ""})


def plain(name: str) -> str:
    return name.removesuffix("()")


def _as_class(value: Type) -> Type:
    return class_of(value) if isinstance(value, Instance) else value


def _fitting_kinds(kinds: Set[str], namespace: int | None, usage: int) -> Set[str]:
    if namespace == Namespace.CALLABLE:
        return kinds & {"macro"} or kinds
    if namespace == Namespace.TYPE or (namespace is None and usage == Usage.TYPE):
        return kinds & TYPE_KINDS or kinds
    return kinds if namespace is None and usage == Usage.MEMBER else kinds - _NOT_VALUES or kinds


class RustMembers(LanguageResolver):
    traits = LanguageTraits(
        constructors=(),
        import_paths=True,
        path_members=True,
        fitting_kinds=_fitting_kinds,
        tuple_types=True,
        container_names={ListType: "std", TupleType: "std", LibraryType: "std"},
    )

    # --- the enclosing type

    def _owner(self, file: FileScope, scope: int | None) -> tuple[Types, int | None]:
        """Instances of the type around a scope, and the scope of its `impl` block."""
        method: int | None = None
        while scope is not None:
            if scope in file.impls:
                return self.evaluator.named_type(file, file.impls[scope]), scope
            owner = file.owner.get(scope)
            if owner is not None and file.defs[owner].kind in self.traits.class_kinds:
                return one(Instance(file.path, owner, method)), None
            if owner is not None and file.defs[owner].kind in CALLABLES:
                method = scope
            scope = file.parent(scope)
        return NOTHING, None

    def self_instances(self, file: FileScope, scope: int | None) -> Types:
        return self._owner(file, scope)[0]

    def self_type(self, file: FileScope, scope: int) -> Types:
        return frozenset(map(_as_class, self._owner(file, scope)[0]))

    def _self_type_member(self, file: FileScope, scope: int, name: str) -> Member | None:
        """An associated type of the enclosing `impl`; its functions come after those of the type itself."""
        impl = self._owner(file, scope)[1]
        found = file.impl_members.get((impl, name), ()) if impl is not None else ()
        if not found or impl is None or file.defs[found[0]].kind != "type":
            return None
        receivers = in_order(self.self_type(file, scope))
        sites = [definition_site(file.path, number) for number in found]
        return self._member_at(sites, receivers[0] if receivers else External(""))

    def _trait_items(self, site: Site) -> list[Site]:
        """Items of traits that an item of an `impl` block implements."""
        file = self.evaluator.file(site.path)
        row = file.defs[site.number]
        found: set[Site] = set()
        for trait in union(self.evaluator.infer(file, node) for node in file.conforms(row.scope)):
            if isinstance(trait, ClassType):
                members = self.evaluator.file(trait.path).member_definitions(trait.definition, row.name)
                found |= {definition_site(trait.path, number) for number in members}
        return sorted(found)

    def overridden_sites(self, file: FileScope, definition: int) -> tuple[list[Site], bool] | None:
        """Functions of traits that a function of an `impl` block implements."""
        row = file.defs[definition]
        traits = file.conforms(row.scope) if row.kind in CALLABLES else ()
        if not traits:
            return super().overridden_sites(file, definition)
        is_complete = all(self._is_class(file, node) for node in traits)
        return self._trait_items(definition_site(file.path, definition)), not is_complete

    def _is_class(self, file: FileScope, node: int) -> bool:
        return any(isinstance(value, ClassType) for value in self.evaluator.infer(file, node))

    # --- impl blocks and traits

    def _impls(self, path: str, definition: int) -> frozenset[ImplBlock]:
        return self.evaluator.language_query(LanguageQuery("rust", _find_impls, (path, definition)), ImplBlock)

    def _traits(self, path: str, definition: int) -> frozenset[ClassType]:
        return self.evaluator.language_query(LanguageQuery("rust", _find_traits, (path, definition)), ClassType)

    def _deref(self, path: str, definition: int) -> Types:
        query = LanguageQuery("rust", _find_deref, (path, definition))
        return self.evaluator.language_query(query, Instance)

    # --- look-up

    def lookup_member(self, receiver: Type, name: str) -> Member | None:
        if isinstance(receiver, SelfType):
            return self._self_type_member(self.evaluator.file(receiver.path), receiver.scope, name)
        return self._member(receiver, name, frozenset()) if isinstance(receiver, _RECEIVERS) else None

    def _member(self, receiver: Type, name: str, seen: frozenset[Type]) -> Member:
        """`seen` are the types whose bound or `Deref` target the receiver is."""
        key = receiver._replace(method=None, arguments=()) if isinstance(receiver, Instance | ClassType) else receiver
        if key in seen:
            return NO_MEMBER
        seen |= {key}
        text = plain(name)
        if isinstance(receiver, TypeVar):
            return self._member_of_all(self._bounds(receiver), name, seen)
        if isinstance(receiver, LibraryType):
            return self._member_of_library(receiver, name, seen)
        assert isinstance(receiver, Instance | ClassType)
        if text.isdigit():
            file = self.evaluator.file(receiver.path)
            fields = file.positional_fields(receiver.definition)
            types = self.evaluator.named_type(file, fields[int(text)]) if int(text) < len(fields) else NOTHING
            return Member((), substitute(types, self.type_arguments(receiver, file, receiver.definition)))
        sites = self._lookup(receiver, text, is_called=name != text, seen=frozenset())
        if not sites and isinstance(receiver, ClassType) and library.is_factory(text):
            return Member((), one(ContainerMethod(receiver, text)))
        if sites is not None:
            return self._member_at(sites, receiver)
        target = NOTHING if text in _DERIVED else self._deref(receiver.path, receiver.definition)
        if isinstance(receiver, ClassType):
            return NO_MEMBER
        if target:
            return self._member_of_all(target, name, seen)
        if name != text:
            items = self.apply_operator(Operator.ITERATE, receiver)
            return Member((), one(ContainerMethod(list_of(items) if items else receiver, text)))
        return NO_MEMBER

    def _member_of_all(self, types: Types, name: str, seen: frozenset[Type]) -> Member:
        return join(
            [
                self._member(value, name, seen)
                if isinstance(value, Instance | ClassType | TypeVar | LibraryType)
                else self.evaluator.member(value, name)
                for value in types
            ]
        )

    def _member_of_library(self, receiver: LibraryType, name: str, seen: frozenset[Type]) -> Member:
        text = plain(name)
        if receiver.name == "Box" and not library.is_pointer_method(text):
            found = self._member_of_all(receiver.arguments[0], name, seen)
            # A pointer may implement an external trait itself.
            return NO_MEMBER if any(map(self._is_of_external_trait, found.sites)) else found
        return Member((), one(ContainerMethod(receiver, text)))

    def _lookup_in_impls(self, path: str, definition: int, name: str) -> list[Site] | None:
        """Members of `impl` blocks, inherent ones before those of traits; None for none, empty if ambiguous."""
        inherent: list[Site] = []
        of_traits: list[Site] = []
        for impl in sorted(self._impls(path, definition)):
            other = self.evaluator.file(impl.path)
            found = [definition_site(impl.path, number) for number in other.impl_members.get((impl.scope, name), ())]
            if found and self._is_one_of_many(other, impl.scope):
                return []
            (of_traits if other.conforms(impl.scope) else inherent).extend(found)
        found = inherent or of_traits
        if not found:
            return None
        return found if len(found) == 1 else []

    def _lookup(
        self, receiver: Instance | ClassType, name: str, *, is_called: bool, seen: frozenset[tuple[str, int]]
    ) -> list[Site] | None:
        """Definitions of a member, None for none; an empty list if several differ only in types."""
        path, definition = receiver.path, receiver.definition
        if (path, definition) in seen:
            return None
        seen |= {(path, definition)}
        file = self.evaluator.file(path)
        own = [definition_site(path, number) for number in file.member_definitions(definition, name)]
        fields = [site for site in own if file.defs[site.number].kind == "field"]
        if fields and isinstance(receiver, Instance) and not is_called:
            return fields
        own = [site for site in own if site not in fields]
        if own:
            return own
        in_impls = self._lookup_in_impls(path, definition, name)
        if in_impls is not None:
            return in_impls
        defaults: set[Site] = set()
        for trait in sorted(self._traits(path, definition), key=lambda value: value[:2]):
            defaults |= set(self._lookup(trait, name, is_called=True, seen=seen) or ())
        if not defaults:
            return None
        return sorted(defaults) if len(defaults) == 1 else []

    def _member_at(self, sites: list[Site], receiver: Type) -> Member:
        types = NOTHING
        found = list(sites)
        for site in sites:
            file = self.evaluator.file(site.path)
            row = file.defs[site.number]
            if row.kind in CALLABLES:
                scope = file.body.get(site.number)
                types |= one(BoundMethod(site.path, scope, receiver)) if scope is not None else NOTHING
            elif row.kind == "field":
                parent = row.parent or 0
                field = self.evaluator.query(Query(QueryKind.ATTRIBUTE, site.path, parent, row.name))
                types |= substitute(field, self.type_arguments(receiver, file, parent))
            elif row.kind == "type":
                found += self._trait_items(site)
                types |= frozenset(map(_as_class, self.evaluator.site_named_type(site)))
            else:
                types |= self.evaluator.query(Query(QueryKind.DEFINITION, site.path, site.number))
        return Member(found, types)

    def apply_operator(self, operator: Operator | FieldPattern, value: Type) -> Types:
        if operator is not Operator.ITERATE:
            return super().apply_operator(operator, value)
        if isinstance(value, LibraryType):
            return library.elements(value)
        if isinstance(value, TypeVar):
            bounds = self._bounds(value)
            return union(self.evaluator.elements(bound) for bound in bounds if not isinstance(bound, TypeVar))
        if not isinstance(value, Instance):
            return NOTHING
        found = self._lookup(value, "Item", is_called=True, seen=frozenset())
        return union(map(self.evaluator.site_named_type, found)) if found else NOTHING

    # --- type variables

    def apply_type_arguments(self, value: ClassType | External, file: FileScope, parts: Sequence[int]) -> Types:
        assert isinstance(value, ClassType)
        arguments = [self.evaluator.named_type(file, part) for part in without_lifetimes(file, parts)]
        return one(apply_arguments(Instance(value.path, value.definition), arguments))

    def _bounds(self, variable: TypeVar) -> Types:
        file = self.evaluator.file(variable.path)
        return union(
            self.evaluator.named_type(file, inflow.source)
            for inflow in file.into_bind(variable.binding)
            if inflow.is_whole(FlowKind.BOUND)
        )

    def type_arguments(self, value: Type, file: FileScope, definition: int) -> dict[TypeVar, Types]:
        """Type arguments of a value, by the type variables of a definition."""
        if not isinstance(value, Instance | ClassType) or not value.arguments:
            return {}
        if definition not in file.body and (parent := file.defs[definition].parent) is not None:
            definition = parent
        variables = file.variables.get(definition, ())
        return {TypeVar(file.path, bind): types for bind, types in zip(variables, value.arguments, strict=False)}

    def substitute_receiver(self, method: BoundMethod, types: Types) -> Types:
        """Replace the type variables of an `impl` block by the arguments of the receiver."""
        receiver = method.receiver
        if not isinstance(receiver, Instance | ClassType) or not receiver.arguments:
            return types
        file = self.evaluator.file(method.path)
        owner = file.owner.get(method.scope)
        node = file.impls.get(file.defs[owner].scope) if owner is not None else None
        expr = file.exprs[file.skip_parens(node)] if node is not None else None
        if not isinstance(expr, IndexExpr):
            return types
        known: dict[TypeVar, Types] = {}
        for part, held in zip(without_lifetimes(file, expr.keys), receiver.arguments, strict=False):
            name = file.exprs[part]
            if isinstance(name, NameExpr) and name.binding is not None:
                known[TypeVar(method.path, name.binding)] = held
        return substitute(types, known)

    def _is_one_of_many(self, file: FileScope, scope: int) -> bool:
        """True for an `impl` of a generic external trait: there may be others that are not in the repository."""
        return any(
            isinstance(file.exprs[node], IndexExpr) and not self._is_class(file, node) for node in file.conforms(scope)
        )

    def _is_of_external_trait(self, site: Site) -> bool:
        file = self.evaluator.file(site.path)
        is_definition = site.kind is SiteKind.DEFINITION
        bases = file.conforms(file.defs[site.number].scope) if is_definition else ()
        return bool(bases) and not any(self._is_class(file, node) for node in bases)


def without_lifetimes(file: FileScope, parts: Sequence[int]) -> list[int]:
    return [part for part in parts if not isinstance(file.exprs[part], LiteralExpr | StringExpr)]


def _last_name(file: FileScope, node: int) -> str:
    expr = file.exprs[node]
    while isinstance(expr, ParenExpr | IndexExpr | UnionExpr):
        if isinstance(expr, UnionExpr):
            if not expr.parts:
                return ""
            expr = file.exprs[expr.parts[0]]
        else:
            expr = file.exprs[expr.value]
    return expr.name if isinstance(expr, NameExpr | MemberExpr) else ""


def _find_impls(resolver: RustMembers, path: str, definition: int) -> frozenset[ImplBlock]:
    file = resolver.evaluator.file(path)
    name = file.defs[definition].name
    found: set[ImplBlock] = set()
    for near in sorted({file.path, *resolver.evaluator.library.files_extending(name)}):
        other = resolver.evaluator.library.file(near)
        if other is None or other.language != file.language:
            continue
        for scope, node in other.impls.items():
            written = _last_name(other, node)
            if written != name and not other.imports_in(0, written, resolver.traits.dotted_imports):
                continue
            for value in resolver.evaluator.named_type(other, node):
                if isinstance(value, Instance) and value[:2] == (file.path, definition):
                    found.add(ImplBlock(near, scope))
    return frozenset(found)


def _find_traits(resolver: RustMembers, path: str, definition: int) -> frozenset[ClassType]:
    file = resolver.evaluator.file(path)
    found = NOTHING
    if file.defs[definition].kind == "trait":
        found |= union(resolver.evaluator.infer(file, node) for node in file.bases(definition))
    for impl in resolver._impls(path, definition):
        other = resolver.evaluator.file(impl.path)
        found |= union(resolver.evaluator.infer(other, node) for node in other.conforms(impl.scope))
    return frozenset(ClassType(value.path, value.definition) for value in found if isinstance(value, ClassType))


def _find_deref(resolver: RustMembers, path: str, definition: int) -> Types:
    found = NOTHING
    for impl in resolver._impls(path, definition):
        file = resolver.evaluator.file(impl.path)
        if any(_last_name(file, node) == "Deref" for node in file.conforms(impl.scope)):
            for number in file.impl_members.get((impl.scope, "Target"), ()):
                found |= resolver.evaluator.site_named_type(definition_site(impl.path, number))
    return found
