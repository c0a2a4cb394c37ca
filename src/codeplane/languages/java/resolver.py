"""Java: packages, imports, types of the same package, and methods of the common containers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from codeplane.index.resolve.calls import arguments_of
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.overloaded import OverloadedResolver, OverloadedTraits
from codeplane.index.resolve.proximity import nearest_sites
from codeplane.index.resolve.queries import Member
from codeplane.index.resolve.resolver import OWN_NAME
from codeplane.index.resolve.stubs import StubCall, read_stubs
from codeplane.index.resolve.types import (
    ClassType,
    External,
    NamespaceType,
    Site,
    Type,
    Types,
    list_of,
    one,
)

_BOXES = frozenset({"Byte", "Short", "Integer", "Long", "Float", "Double", "Character", "Boolean"})
JVM = frozenset({"java", "kotlin"})


class JavaResolver(OverloadedResolver):
    traits = OverloadedTraits(
        constructors=(OWN_NAME,),
        stubs=lambda: read_stubs("java"),
        universal_methods=frozenset(
            {
                "getClass", "hashCode", "equals", "toString", "clone", "notify", "notifyAll", "wait", "finalize",
                "name", "ordinal", "compareTo", "getDeclaringClass", "describeConstable",
            }
        ),
    )  # fmt: skip

    def is_callable(self, file: FileScope, node: int, site: Site) -> bool:
        """A component of a record is a method too."""
        return self.kind(site) == "property" and not arguments_of(file, node)

    # --- types by name

    def module_of(self, file: FileScope, definition: int) -> str | None:
        row = file.defs[definition]
        return file.package if row.parent is None and row.scope == 0 else None

    def types_in(self, package: str, name: str, near: str) -> list[Site]:
        """Types of a package as a file sees them; of several the nearest, if there is one."""
        found = [site for site in self.evaluator.definitions.in_module(JVM, package, name) if self.is_type(site)]
        if len(found) < 2:
            return found
        nearest = nearest_sites(found, near)
        if len(nearest) > 1:
            # A declaration for all platforms represents its implementations.
            nearest = [site for site in nearest if "/commonMain/" in site.path]
        return nearest if len(nearest) == 1 else []

    def qualified(self, name: str, near: str) -> list[Site]:
        """The type of a qualified name, nested or not."""
        outer, _, last = name.rpartition(".")
        found = self.types_in(outer, last, near)
        if found or not outer:
            return found
        owners = self.qualified(outer, near) if outer[outer.rfind(".") + 1].isupper() else []
        return [site for site in self.members_of(owners, last) if self.is_type(site)]

    def members_of(self, owners: Sequence[Site], name: str) -> list[Site]:
        return [site for owner in owners for site in self.member_sites(ClassType(owner.path, owner.number), name)]

    def resolve_import(self, file: FileScope, number: int) -> list[Site]:
        row = file.imports[number]
        source, name = row.source or "", row.imported_name
        if name == "*":
            return []
        if row.kind == "java_import_static":
            return self.members_of(self.qualified(source, file.path), name)
        return self.qualified(f"{source}.{name}" if source else name, file.path)

    def imported_files(self, file: FileScope, used: Set[str]) -> Iterator[str]:
        yield from super().imported_files(file, used)
        for row in file.imports:
            if row.source and (row.imported_name == "*" or row.kind == "java_import_static"):
                yield from (site.path for site in self.qualified(row.source, file.path))
                yield from (path for path in used if row.imported_name == "*" and self._package(path) == row.source)

    def _package(self, path: str) -> str:
        return self.evaluator.file(path).package

    def import_types(self, file: FileScope, number: int) -> Types:
        sites = self.resolve_import(file, number)
        row = file.imports[number]
        name = f"{row.source}.{row.imported_name}" if row.source else row.imported_name
        return self.evaluator.types_at(sites) if sites else one(External(name))

    def sites_outside(self, file: FileScope, scope: int, name: str) -> list[Site]:
        found = self.types_in(file.package, name, file.path)
        if found:
            return found
        for row in file.imports:
            if row.imported_name == "*" and row.source:
                if row.kind == "java_import_static":
                    found += self.members_of(self.qualified(row.source, file.path), name)
                else:
                    found += self.types_in(row.source, name, file.path) or self._nested(file, row.source, name)
        return list(dict.fromkeys(found))

    def _nested(self, file: FileScope, source: str, name: str) -> list[Site]:
        members = self.members_of(self.qualified(source, file.path), name)
        return [site for site in members if self.is_type(site)]

    def unknown_types(self, file: FileScope, scope: int, bind: int, name: str) -> Types:
        if bind < 0 and name[:1].islower():
            return one(NamespaceType(file.language, name))
        return super().unknown_types(file, scope, bind, name)

    def lookup_member(self, receiver: Type, name: str) -> Member | None:
        if not isinstance(receiver, NamespaceType):
            return None
        sites = self.types_in(receiver.name, name, "")
        if sites:
            return Member(sites, self.evaluator.types_at(sites))
        dotted = f"{receiver.name}.{name}"
        return Member((), one(NamespaceType(receiver.language, dotted) if name[:1].islower() else External(dotted)))

    # --- library calls

    def call_value(self, callee: Type, file: FileScope, node: int) -> Types | None:
        if isinstance(callee, External):
            return self._call_external(callee.name)
        return super().call_value(callee, file, node)

    def _call_external(self, name: str) -> Types | None:
        owner, _, last = name.rpartition(".")
        box = owner.rpartition(".")[2]
        if last == "valueOf" and (box in _BOXES or box == "String"):
            return one(External(f"{box}()"))
        if last == "toCharArray":
            return one(list_of(one(External("builtins.char()"))))
        return self.traits.stubs().apply("object", last, StubCall()) if owner.endswith("()") else None
