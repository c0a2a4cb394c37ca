"""Kotlin: functions and properties of a package, extensions, companions, and calls of types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from codeplane.facts.ir import CallExpr, MemberExpr, NameExpr, NewExpr
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.overloaded import OverloadedResolver
from codeplane.index.resolve.overloads import type_variable
from codeplane.index.resolve.types import (
    ClassType,
    DictType,
    External,
    Instance,
    ListType,
    LiteralType,
    Site,
    Type,
    definition_site,
    in_order,
)
from codeplane.languages.java.resolver import JavaResolver

_LANGUAGES = frozenset({"kotlin"})
_SCOPE_FUNCTIONS = frozenset({"apply", "run", "with", "buildString", "buildList", "buildMap", "buildSet"})


class KotlinResolver(JavaResolver):
    traits = replace(
        JavaResolver.traits,
        calls_construct=True,
        class_kinds=JavaResolver.traits.class_kinds | {"type"},
        callable_kinds=JavaResolver.traits.callable_kinds | JavaResolver.traits.class_kinds | {"type"},
        universal_methods=frozenset({"toString", "hashCode", "equals", "copy"}),
    )

    def _declared_in(self, package: str, name: str, near: str) -> list[Site]:
        """Types, functions and properties of a package."""
        found = self.types_in(package, name, near)
        for site in self.evaluator.definitions.in_module(_LANGUAGES, package, name):
            row = self.evaluator.file(site.path).defs[site.number]
            if row.kind in ("function", "property") and (row.visibility != "private" or site.path == near):
                found.append(site)
        return found

    def resolve_import(self, file: FileScope, number: int) -> list[Site]:
        row = file.imports[number]
        source, name = row.source or "", row.imported_name
        if name == "*":
            return []
        found = self._declared_in(source, name, file.path)
        if not found and source:
            found += self.members_of(self.qualified(source, file.path), name)
        return found

    def sites_outside(self, file: FileScope, scope: int, name: str) -> list[Site]:
        found = self._without_extensions(self._declared_in(file.package, name, file.path))
        if found:
            return found
        for row in file.imports:
            if row.imported_name == "*" and row.source:
                found += self._without_extensions(self._declared_in(row.source, name, file.path))
                if not found:
                    found += self.members_of(self.qualified(row.source, file.path), name)
        return list(dict.fromkeys(found))

    def sites_of_binding(self, file: FileScope, bind: int) -> list[Site]:
        """A property and a constructor parameter of one name: the position decides which of them is meant."""
        row = file.binds[bind]
        params = file.params.get(row.scope, ()) if row.scope and file.scope_kind(row.scope) == "class" else ()
        if any(param.name == row.name for param in params):
            return []
        return super().sites_of_binding(file, bind)

    def _name_sites(self, file: FileScope, scope: int, usage: int, name: str, bind: int) -> list[Site]:
        if bind >= 0 and file.binds[bind].scope and not self.sites_of_binding(file, bind):
            return []
        return super()._name_sites(file, scope, usage, name, bind)

    def _without_extensions(self, sites: Sequence[Site]) -> list[Site]:
        return [site for site in sites if self.evaluator.file(site.path).receiver(site.number) is None]

    def of_usage(self, sites: Sequence[Site], usage: int) -> list[Site]:
        return self._without_extensions(super().of_usage(sites, usage))

    def member_sites(self, receiver: Type, name: str) -> Sequence[Site]:
        found = self.evaluator.member_sites(receiver, name)
        if not found and isinstance(receiver, ClassType) and name != "Companion":
            for site in self.evaluator.member_sites(receiver, "Companion"):
                if self.evaluator.file(site.path).defs[site.number].kind == "object":
                    companion = ClassType(site.path, site.number)
                    found = [*found, *self.evaluator.member_sites(companion, name)]
        return found

    def is_callable(self, file: FileScope, node: int, site: Site) -> bool:
        return OverloadedResolver.is_callable(self, file, node, site)

    def hides_names(self, file: FileScope, scope: int) -> bool:
        """A lambda with a receiver, such as the argument of `apply`."""
        node = file.passed_to.get(scope) if file.scope_kind(scope) == "lambda" else None
        call = file.exprs[node] if node is not None else None
        callee = file.exprs[call.callee] if isinstance(call, CallExpr | NewExpr) else None
        return isinstance(callee, NameExpr | MemberExpr) and callee.name in _SCOPE_FUNCTIONS

    # --- extensions

    def extension_sites(self, file: FileScope, node: int, receiver: Type, name: str) -> Sequence[Site]:
        if isinstance(receiver, LiteralType):
            receiver = External("Int()" if isinstance(receiver.value, int) else "String()")
        is_external = isinstance(receiver, External) and receiver.name.endswith("()")
        if not is_external and not isinstance(receiver, Instance | ListType | DictType):
            return ()
        found: list[Site] = []
        for other, number in self.evaluator.definitions.named(_LANGUAGES, name):
            extended = other.receiver(number)
            if (
                extended is not None
                and self._is_extension_visible(file, other, number, name)
                and self._extends(other, extended, receiver)
            ):
                found.append(definition_site(other.path, number))
        return found

    def _is_extension_visible(self, file: FileScope, other: FileScope, number: int, name: str) -> bool:
        row = other.defs[number]
        if file.path == other.path:
            return True
        if row.visibility == "private":
            return False
        package = other.package
        if row.parent is not None:
            owner = other.defs[row.parent].lexical_path
            owner = f"{package}.{owner}" if package else owner
            return any(imported.source == owner and imported.imported_name == name for imported in file.imports)
        return package == file.package or any(
            imported.source == package and imported.imported_name in ("*", name) for imported in file.imports
        )

    def _extends(self, file: FileScope, node: int, receiver: Type) -> bool:
        declared = self.evaluator.named_type(file, node)
        if type_variable(file, node) is not None and not declared:
            return True
        return any(self._is_subtype(receiver, value) for value in declared)

    def _is_subtype(self, value: Type, declared: Type) -> bool:
        if isinstance(declared, Instance) and isinstance(value, Instance):
            class_ = ClassType(declared.path, declared.definition)
            return class_ in self.evaluator.mro(value.path, value.definition)
        if isinstance(declared, External) and isinstance(value, External):
            return declared.name.rpartition(".")[2] == value.name.rpartition(".")[2]
        return False

    def resolve_member_name(self, file: FileScope, node: int) -> list[tuple[Site, ...]]:
        groups = super().resolve_member_name(file, node)
        expr = file.exprs[node]
        if groups or not isinstance(expr, MemberExpr):
            return groups
        return [
            tuple(sites)
            for value in in_order(self.evaluator.infer(file, expr.receiver))
            if (sites := self.extension_sites(file, node, value, expr.name))
        ]
