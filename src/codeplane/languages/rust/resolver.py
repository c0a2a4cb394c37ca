"""Rust: modules and crates, `use` trees, paths and patterns. Members are in `rust_members`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from codeplane.facts import ir
from codeplane.facts.ir import FlowKind, ModuleLevel
from codeplane.facts.model import Namespace, ReexportMode, Target
from codeplane.index.resolve.calls import argument_types, arguments_of, call_function
from codeplane.index.resolve.evaluator import Evaluator
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.queries import FieldPattern, Member, Operator, Query, QueryKind
from codeplane.index.resolve.types import (
    NOTHING,
    TOP,
    BoundMethod,
    ClassType,
    ContainerMethod,
    External,
    Instance,
    LibraryType,
    ListType,
    Module,
    Site,
    SiteKind,
    Top,
    Type,
    Types,
    TypeVar,
    TypeVarBound,
    definition_site,
    in_order,
    module_site,
    one,
    substitute,
    union,
)
from codeplane.languages.rust import resolver_library as library
from codeplane.languages.rust.resolver_members import TYPE_KINDS, RustMembers, plain, without_lifetimes
from codeplane.languages.rust.resolver_modules import Crates

_SEPARATOR = re.compile(r"\.|::")
_LANGUAGES = frozenset({"rust"})
_MAX_NESTING = 50
_WRAPPERS = frozenset({"Option", "Result"})


class _Lookup(NamedTuple):
    """A name in a module. `types`: only what a path can continue from; `public`: only re-exports."""

    module: Module
    name: str
    types: bool = False
    public: bool = False
    globs: bool = True


_Seen = dict[_Lookup, list[Site]]
"""Results of look-ups during one resolution; empty for a running one, since modules may import from each other."""


class RustResolver(RustMembers):
    def __init__(self, evaluator: Evaluator) -> None:
        super().__init__(evaluator)
        self._crates = Crates(evaluator)

    # --- modules

    def _module(self, file: FileScope, scope: int | None) -> Module:
        """The module around a scope."""
        while scope:
            if file.scope_kind(scope) == "namespace":
                return Module(file.path, scope)
            scope = file.parent(scope)
        return Module(file.path)

    def _parent(self, module: Module) -> Module | None:
        if module.scope:
            file = self.evaluator.file(module.path)
            return self._module(file, file.parent(module.scope))
        parent = self._crates.parent(module.path)
        return Module(*parent) if parent is not None else None

    def _module_at(self, file: FileScope, scope: int, level: int) -> Module | None:
        if level == ModuleLevel.ROOT:
            root = self._crates.root(file.path)
            return Module(root) if root is not None else None
        module = self._module(file, scope)
        return self._parent(module) if level == ModuleLevel.PARENT else module

    def override_query(self, file: FileScope, query: Query) -> Types | None:
        number = query.number
        match query.kind:
            case QueryKind.NODE:
                return self._infer(file, number)
            case QueryKind.DEFINITION:
                return self._definition_types(file, number)
            case QueryKind.ALIAS:
                return self._alias_types(file, number)
            case QueryKind.BINDING | QueryKind.NAMED_TYPE:
                row = file.binds[number]
                if row.namespace == Namespace.TYPE and row.target_kind == Target.UNKNOWN:
                    return one(TypeVar(file.path, number))
        return None

    def _infer(self, file: FileScope, node: int) -> Types | None:
        match expr := file.exprs[node]:
            case ir.ThisExpr() | ir.SuperExpr():
                return self.self_instances(file, expr.scope)
            case ir.SelfTypeExpr():
                return self.self_type(file, expr.scope)
            case ir.ModuleExpr():
                return _optional(self._module_at(file, expr.scope, expr.level))
            case ir.TryExpr():
                return union(map(library.unwrap, self.evaluator.infer(file, expr.value)))
        return None

    def _definition_types(self, file: FileScope, definition: int) -> Types | None:
        row = file.defs[definition]
        if row.kind == "module":
            place = self._crates.child(file, definition)
            return one(Module(*place)) if place is not None else NOTHING
        return NOTHING if row.kind == "macro" else None

    def _alias_types(self, file: FileScope, definition: int) -> Types | None:
        row = file.defs[definition]
        if row.kind == "enum_member" and row.parent is not None:
            return one(Instance(file.path, row.parent))
        bind = file.bind_of_def.get(definition)
        inflows = file.into_bind(bind) if bind is not None else ()
        bounds = [inflow.source for inflow in inflows if inflow.is_whole(FlowKind.BOUND)]
        return frozenset(TypeVarBound(file.path, node) for node in bounds) or None

    def lookup_member(self, receiver: Type, name: str) -> Member | None:
        if not isinstance(receiver, Module):
            return super().lookup_member(receiver, name)
        sites = self._in_module(receiver, plain(name))
        return Member(sites, _optional(self._parent(receiver)) if name == "super" else self.evaluator.types_at(sites))

    def _in_module(self, module: Module, name: str) -> list[Site]:
        return self.evaluator.memo_tracked(("module", module, name), lambda: self._sites(_Lookup(module, name), {}))

    def _sites(self, lookup: _Lookup, seen: _Seen) -> list[Site]:
        if lookup not in seen:
            seen[lookup] = []
            seen[lookup] = self._find_sites(lookup, seen)
        return seen[lookup]

    def _find_sites(self, lookup: _Lookup, seen: _Seen) -> list[Site]:
        (path, scope, _), name = lookup.module, lookup.name
        file = self.evaluator.library.file(path)
        if file is None:
            return []
        found = [definition_site(path, number) for number in file.defs_in.get((scope, name), ())]
        for number in file.imports_in(scope, name, self.traits.dotted_imports):
            if not lookup.public or self._is_reexport(file, number):
                found += self._import_sites(file, number, seen)
        if lookup.types:
            found = [site for site in found if self._is_type(site)]
        if not found and not scope and (undeclared := self._crates.undeclared(path, name)) is not None:
            found = [module_site(undeclared)]
        if not found and lookup.globs:
            found = self._through_globs(file, lookup, seen)
        if not found and not lookup.types and not scope and self._crates.parent(path) is None:
            found = self._macros(path, name)
        return sorted(set(found))

    def _is_type(self, site: Site) -> bool:
        return site.kind is SiteKind.MODULE or self._kind(site) in TYPE_KINDS

    def _through_globs(self, file: FileScope, lookup: _Lookup, seen: _Seen) -> list[Site]:
        for number in file.imports_in(lookup.module.scope, "*", self.traits.dotted_imports):
            if lookup.public and not self._is_reexport(file, number):
                continue
            row = file.imports[number]
            for source in self._resolve_path(file, row.scope, row.source or "", seen):
                if isinstance(source, Module):
                    is_outside = not self._is_within(lookup.module, source)
                    found = self._sites(_Lookup(source, lookup.name, lookup.types, is_outside), seen)
                else:
                    found = self._variants(source, lookup.name)
                if found:
                    return found
        return []

    def _variants(self, class_: ClassType, name: str) -> list[Site]:
        """Enum variants that can be imported from a type."""
        file = self.evaluator.file(class_.path)
        numbers = file.member_definitions(class_.definition, name)
        return [definition_site(file.path, number) for number in numbers if file.defs[number].kind == "enum_member"]

    def _is_within(self, module: Module | None, other: Module) -> bool:
        for _ in range(_MAX_NESTING):
            if module is None or module == other:
                return module is not None
            module = self._parent(module)
        return False

    def _is_reexport(self, file: FileScope, number: int) -> bool:
        """True if an import is public. In an inline module this is unknown, and assumed: that is their purpose."""
        row = file.imports[number]
        if row.scope:
            return True
        return any(
            reexport.source_literal == row.source
            and (reexport.mode == ReexportMode.REEXPORT_ALL or row.imported_name in reexport.explicit_names)
            for reexport in file.summary.reexports
        )

    def _macros(self, root: str | None, name: str) -> list[Site]:
        """The macro of a crate with this name, if it is unique."""
        if root is None:
            return []
        found = [
            definition_site(file.path, number)
            for file, number in self.evaluator.definitions.named(_LANGUAGES, name)
            if file.defs[number].kind == "macro" and self._crates.root(file.path) == root
        ]
        return found if len(found) == 1 else []

    # --- imports

    def resolve_import(self, file: FileScope, number: int) -> list[Site]:
        key = ("import", file.path, number)
        return self.evaluator.memo_tracked(key, lambda: self._import_sites(file, number, {}))

    def _import_sites(self, file: FileScope, number: int, seen: _Seen) -> list[Site]:
        row = file.imports[number]
        if row.imported_name == "*":
            return []
        if not row.source or row.kind == "rust_extern_crate":
            crates_only = row.kind != "rust_use"
            return self._head_sites(file, row.scope, row.imported_name, seen, crates_only=crates_only)
        found: list[Site] = []
        for source in self._resolve_path(file, row.scope, row.source, seen):
            if isinstance(source, Module):
                found += self._sites(_Lookup(source, row.imported_name), seen)
            else:
                found += self._variants(source, row.imported_name)
        return sorted(set(found))

    def import_types(self, file: FileScope, number: int) -> Types:
        sites = self.resolve_import(file, number)
        if sites:
            return self.evaluator.types_at(sites)
        row = file.imports[number]
        if row.source in ("self", "super", "crate") or (row.source or "").startswith(("self::", "super::", "crate::")):
            return NOTHING
        return one(External(f"{row.source}.{row.imported_name}"))

    def imported_files(self, file: FileScope, used: Set[str]) -> Iterator[str]:
        """Files of the modules that `mod` items declare and that paths of imports go to."""
        for number, row in enumerate(file.defs):
            module = self._crates.child(file, number) if row.kind == "module" else None
            if module is not None:
                yield module.path
        for number, imported in enumerate(file.imports):
            inner = self._path_targets(self.resolve_import(file, number))
            yield from (value.path for value in inner if isinstance(value, Module))
            if imported.source:
                yield from (value.path for value in self._resolve_path(file, imported.scope, imported.source, {}))

    def _resolve_path(self, file: FileScope, scope: int, source: str, seen: _Seen) -> list[Module | ClassType]:
        """Modules and types that a path refers to."""
        head, *rest = source.split("::")
        found: set[Module | ClassType]
        if head in ("crate", "$crate", "self", "super"):
            levels = {"self": ModuleLevel.CURRENT, "super": ModuleLevel.PARENT}
            module = self._module_at(file, scope, levels.get(head, ModuleLevel.ROOT))
            found = {module} if module is not None else set()
        elif not head:
            root = self._crates.find(file.path, rest[0]) if rest else None
            found, rest = {Module(root)} if root is not None else set(), rest[1:]
        else:
            found = self._path_targets(self._head_sites(file, scope, head, seen, types=True))
        for name in rest:
            step: set[Module | ClassType] = set()
            for value in found:
                if not isinstance(value, Module):
                    continue
                if name == "super":
                    parent = self._parent(value)
                    step |= {parent} if parent is not None else set()
                else:
                    step |= self._path_targets(self._sites(_Lookup(value, name, types=True), seen))
            found = step
        return [value for value in in_order(found) if isinstance(value, Module | ClassType)]

    def _path_targets(self, sites: Sequence[Site]) -> set[Module | ClassType]:
        """Modules and types that a path can continue from. Runs no query: name resolution must not depend on which
        one runs first."""
        found: set[Module | ClassType] = set()
        for site in sites:
            file = self.evaluator.file(site.path)
            if site.kind is SiteKind.MODULE:
                found.add(Module(site.path))
            elif file.defs[site.number].kind == "module":
                place = self._crates.child(file, site.number)
                found |= {Module(*place)} if place is not None else set()
            elif file.defs[site.number].kind in self.traits.class_kinds:
                found.add(ClassType(site.path, site.number))
        return found

    def _head_sites(
        self, file: FileScope, scope: int, name: str, seen: _Seen, *, crates_only: bool = False, types: bool = False
    ) -> list[Site]:
        """Declarations of the first name of a path: an item of the module, or a crate."""
        lookup = _Lookup(self._module(file, scope), name, types)
        found = [] if crates_only else self._sites(lookup._replace(globs=False), seen)
        if not found:
            root = self._crates.find(file.path, name)
            found = [module_site(root)] if root is not None else []
        return found or ([] if crates_only else self._sites(lookup, seen))

    # --- names

    def resolve_name(self, file: FileScope, scope: int, usage: int, name: str, bind: int) -> Sequence[Site]:
        return self._visible_from(file, scope, name)

    def _visible_from(self, file: FileScope, scope: int, name: str) -> list[Site]:
        if name in ("Self", "self", "super", "crate"):
            return []
        while scope and file.scope_kind(scope) != "namespace" and not self._has_globs(file, scope):
            scope = file.parent(scope) or 0
        key = ("visible", file.path, scope, name)
        return self.evaluator.memo_tracked(key, lambda: self._find_visible(file, scope, name))

    def _has_globs(self, file: FileScope, scope: int) -> bool:
        return bool(file.imports_in(scope, "*", self.traits.dotted_imports))

    def _find_visible(self, file: FileScope, scope: int, name: str) -> list[Site]:
        while scope and file.scope_kind(scope) != "namespace":
            found = self._through_globs(file, _Lookup(Module(file.path, scope), name), {})
            if found:
                return found
            scope = file.parent(scope) or 0
        found = self._in_module(Module(file.path, scope), plain(name))
        if found:
            return found
        root = self._crates.find(file.path, name)
        return [module_site(root)] if root is not None else self._macros(self._crates.root(file.path), name)

    def _kind(self, site: Site) -> str:
        is_definition = site.kind is SiteKind.DEFINITION
        return self.evaluator.file(site.path).defs[site.number].kind if is_definition else ""

    def name_types(self, file: FileScope, node: int) -> Types:
        name, sites = self._name_at(file, node)
        return self.evaluator.types_at(sites) if sites else one(External(name))

    def named_type(self, file: FileScope, node: int) -> Types:
        name, sites = self._name_at(file, node)
        return union(map(self.evaluator.site_named_type, sites)) if sites else one(External(f"{name}()"))

    def _name_at(self, file: FileScope, node: int) -> tuple[str, list[Site]]:
        expr = file.exprs[node]
        assert isinstance(expr, ir.NameExpr)
        return expr.name, self._visible_from(file, file.ambient[node][0], expr.name)

    # --- labels and patterns

    def _path_sites(self, file: FileScope, node: int) -> list[Site]:
        """Declarations that a path expression refers to."""
        match expr := file.exprs[node]:
            case ir.ParenExpr() | ir.IndexExpr():
                return self._path_sites(file, expr.value)
            case ir.MemberExpr():
                return sorted(set(self.evaluator.member_of_expr(file, expr.receiver, expr.name).sites))
            case ir.NameExpr() if expr.binding is not None:
                row = file.binds[expr.binding]
                found = [definition_site(file.path, number) for number in file.defs_in.get((row.scope, row.name), ())]
                for number in file.imports_in(row.scope, row.name, self.traits.dotted_imports):
                    found += self.resolve_import(file, number)
                return found
            case ir.NameExpr():
                return self._visible_from(file, file.ambient.get(node, (0, 0))[0], expr.name)
        return []

    def _constructor_sites(self, file: FileScope, node: int) -> list[Site]:
        """Structs and variants that a path refers to."""
        found = [site for site in self._path_sites(file, node) if self._kind(site) in ("struct", "enum_member")]
        return found or [
            definition_site(value.path, value.definition)
            for value in in_order(self.evaluator.named_type(file, node))
            if isinstance(value, Instance)
        ]

    def resolve_label(self, file: FileScope, node: int, name: str) -> Sequence[Site]:
        classes = [value for value in self.evaluator.infer(file, node) if isinstance(value, ClassType)]
        kinds = [self.evaluator.file(value.path).defs[value.definition].kind for value in classes]
        if classes and all(kind == "trait" for kind in kinds):
            return [site for value in classes for site in self.evaluator.member(value, name).sites]
        return [
            definition_site(site.path, member)
            for site in self._constructor_sites(file, node)
            for member in self.evaluator.file(site.path).member_definitions(site.number, name)
            if self.evaluator.file(site.path).defs[member].kind == "field"
        ]

    def apply_operator(self, operator: Operator | FieldPattern, value: Type) -> Types:
        if not isinstance(operator, FieldPattern):
            return super().apply_operator(operator, value)
        file, step = self.evaluator.file(operator.path), operator.step
        found = NOTHING
        sites = self._constructor_sites(file, step.type)
        for site in sites:
            target = self.evaluator.file(site.path)
            fields = target.positional_fields(site.number)
            part = NOTHING
            if fields:
                is_known = step.position < len(fields)
                part = self.evaluator.named_type(target, fields[step.position]) if is_known else NOTHING
            elif step.name:
                part = self.evaluator.query(Query(QueryKind.ATTRIBUTE, site.path, site.number, step.name))
            found |= substitute(part, self.type_arguments(value, target, site.number))
        if sites:
            return found
        expr = file.exprs[step.type]
        variant = expr.name if isinstance(expr, ir.NameExpr | ir.MemberExpr) else ""
        position = {"Some": 0, "Ok": 0, "Err": 1}.get(variant)
        if isinstance(value, LibraryType) and value.name in _WRAPPERS and position is not None:
            return value.arguments[position] if position < len(value.arguments) else NOTHING
        return TOP if isinstance(value, Top) and position == 0 else NOTHING

    # --- calls

    def call_value(self, callee: Type, file: FileScope, node: int) -> Types | None:
        if isinstance(callee, BoundMethod):
            result = call_function(self.evaluator, callee, file, arguments_of(file, node))
            return self.substitute_receiver(callee, result)
        if isinstance(callee, ContainerMethod):
            arguments = argument_types(self.evaluator, file, node)
            return library.call_method(self.evaluator, callee.container, plain(callee.name), arguments)
        if isinstance(callee, External):
            return self._call_external(callee.name, argument_types(self.evaluator, file, node))
        return one(callee) if isinstance(callee, Instance) else None

    def _call_external(self, name: str, arguments: Sequence[Types]) -> Types:
        *before, last = _SEPARATOR.split(name)
        known = library.call_function(last, arguments)
        if known is not None:
            return known
        first = arguments[0] if arguments else NOTHING
        kind = library.stubs().represented_by.get(before[-1]) if before and last in ("new", "from", "pin") else None
        if kind is None or kind == "Vec" or kind.endswith("Map"):
            return frozenset(value for value in first if isinstance(value, ListType)) if kind is not None else NOTHING
        return library.make(kind, [first])

    def apply_type_arguments(self, value: ClassType | External, file: FileScope, parts: Sequence[int]) -> Types:
        if isinstance(value, ClassType):
            return super().apply_type_arguments(value, file, parts)
        kind = library.stubs().represented_by.get(_SEPARATOR.split(value.name)[-1])
        if kind is None:
            return NOTHING
        arguments = []
        for part in without_lifetimes(file, parts):
            expr = file.exprs[part]
            node = expr.value if isinstance(expr, ir.LabelledExpr) else part
            arguments.append(self.evaluator.named_type(file, node))
        return library.make(kind, arguments)


def _optional(module: Module | None) -> Types:
    return one(module) if module is not None else NOTHING
