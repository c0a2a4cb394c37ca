"""Kotlin: functions and properties of a package beside its types, extensions, companions, and types that are called."""

from __future__ import annotations

from collections.abc import Sequence

from codeplane.facts.ir import ExprKind
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.java import JavaResolver
from codeplane.index.resolve.overloaded import OverloadedResolver, type_variable
from codeplane.index.resolve.value import Site, Value


class KotlinResolver(JavaResolver):
    calls_make = True
    classes = JavaResolver.classes | {"type"}
    called_kinds = JavaResolver.called_kinds | JavaResolver.classes | {"type"}
    everywhere = frozenset({"toString", "hashCode", "equals", "copy"})

    def declared_in(self, package: str, name: str, near: str) -> list[Site]:
        """What a package has of a name: a type, or functions and properties, extensions of a type left out."""
        found = self.types_in(package, name, near)
        for path, number in self.named(name):
            at = self.evaluator.library.tables(path)
            if at is not None and at.language == "kotlin":
                row = at.defs[number]
                is_outermost = row.parent is None and row.scope == 0 and row.kind in ("function", "property")
                is_seen = row.visibility != "private" or path == near
                if is_outermost and is_seen and at.within.get(0, "") == package:
                    found.append((path, "d", number))
        return found

    def import_sites(self, at: FileScope, number: int) -> list[Site]:
        row = at.imports[number]
        source, name = row.source or "", row.imported_name
        if name == "*":
            return []
        found = self.declared_in(source, name, at.path)
        if not found and source:
            for owner in self.qualified(source, at.path):
                found += self.member_sites(("c", owner[0], owner[2]), name)
        return found

    def outside_sites(self, at: FileScope, scope: int, name: str) -> list[Site]:
        found = self._plain(self.declared_in(self.package(at), name, at.path))
        if found:
            return found
        for row in at.imports:
            if row.imported_name == "*" and row.source:
                found += self._plain(self.declared_in(row.source, name, at.path))
                if not found:
                    for owner in self.qualified(row.source, at.path):
                        found += self.member_sites(("c", owner[0], owner[2]), name)
        return list(dict.fromkeys(found))

    def bound_sites(self, at: FileScope, bind: int) -> list[Site]:
        """A property and a parameter of one name: which of them is meant depends on where the name stands."""
        row = at.binds[bind]
        params = at.params.get(row.scope, ()) if row.scope and at.sketch.scopes[row.scope][1] == "class" else ()
        if any(param.name == row.name for param in params):
            return []
        return super().bound_sites(at, bind)

    def _bare_sites(self, at: FileScope, scope: int, usage: int, name: str, bind: int) -> list[Site]:
        if bind >= 0 and at.binds[bind].scope and not self.bound_sites(at, bind):
            return []
        return super()._bare_sites(at, scope, usage, name, bind)

    def _plain(self, sites: Sequence[Site]) -> list[Site]:
        return [site for site in sites if self.evaluator.at(site[0]).receiver(site[2]) is None]

    def of_usage(self, sites: Sequence[Site], usage: int) -> list[Site]:
        return self._plain(super().of_usage(sites, usage))

    def member_sites(self, of: Value, name: str) -> Sequence[Site]:
        found = self.evaluator.member_sites(of, name)
        if not found and of[0] == "c" and name != "Companion":
            for path, _, number in self.evaluator.member_sites(of, "Companion"):
                if self.evaluator.at(path).defs[number].kind == "object":
                    found = [*found, *self.evaluator.member_sites(("c", path, number), name)]
        return found

    def is_callable(self, at: FileScope, node: int, site: Site) -> bool:
        return OverloadedResolver.is_callable(self, at, node, site)

    def hides_names(self, at: FileScope, scope: int) -> bool:
        """A block that is given an object whose members it sees, as `apply` does."""
        if at.sketch.scopes[scope][1] != "lambda":
            return False
        call = at.passed_to.get(scope)
        if call is None:
            return False
        kind, _, text, _ = at.nodes[at.nodes[call][1]]
        return kind in (ExprKind.NAME, ExprKind.MEMBER) and at.texts[text] in _RECEIVING

    # Extensions

    def extension_sites(self, at: FileScope, node: int, of: Value, name: str) -> Sequence[Site]:
        if of[0] == "k":
            of = ("x", "Int()" if isinstance(of[1], int) else "String()")
        if of[0] not in ("i", "l", "d") and not (of[0] == "x" and of[1].endswith("()")):
            return ()
        found: list[Site] = []
        for path, number in self.named(name):
            other = self.evaluator.library.tables(path)
            receiver = other.receiver(number) if other is not None else None
            if (
                other is not None
                and receiver is not None
                and self._is_seen_in(at, other, number, name)
                and self._extends(other, receiver, of)
            ):
                found.append((path, "d", number))
        return found

    def _is_seen_in(self, at: FileScope, other: FileScope, number: int, name: str) -> bool:
        row = other.defs[number]
        if at.path == other.path:
            return True
        if row.visibility == "private":
            return False
        package = other.within.get(0, "")
        if row.parent is not None:
            owner = (
                f"{package}.{other.defs[row.parent].lexical_path}" if package else other.defs[row.parent].lexical_path
            )
            return any(imported.source == owner and imported.imported_name == name for imported in at.imports)
        return package == self.package(at) or any(
            imported.source == package and imported.imported_name in ("*", name) for imported in at.imports
        )

    def _extends(self, at: FileScope, node: int, of: Value) -> bool:
        declared = self.evaluator.type_of(at, node)
        if type_variable(at, node) is not None and not declared:
            return True
        return any(
            ("c", *value[1:3]) in self.evaluator.bases(of[1], of[2])
            if value[0] == "i" and of[0] == "i"
            else value[0] == "x" and of[0] == "x" and value[1].rpartition(".")[2] == of[1].rpartition(".")[2]
            for value in declared
        )

    def named_sites(self, at: FileScope, node: int) -> list[tuple[Site, ...]]:
        groups = super().named_sites(at, node)
        if groups or at.nodes[node][0] != ExprKind.MEMBER:
            return groups
        _, a, b, _ = at.nodes[node]
        return [
            tuple(sites)
            for of in sorted(self.evaluator.value(at.path, a), key=repr)
            if (sites := self.extension_sites(at, node, of, at.texts[b]))
        ]


_RECEIVING = frozenset({"apply", "run", "with", "buildString", "buildList", "buildMap", "buildSet"})
