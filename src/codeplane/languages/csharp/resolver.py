"""C#: namespaces and using directives, partial types, types distinguished by arity, and extension methods."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from posixpath import basename, dirname

from codeplane.facts.ir import ParameterKind
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.overloaded import OverloadedResolver, OverloadedTraits
from codeplane.index.resolve.overloads import type_variable
from codeplane.index.resolve.proximity import nearest_sites
from codeplane.index.resolve.queries import FieldPattern, Member, Operator
from codeplane.index.resolve.stubs import read_stubs
from codeplane.index.resolve.types import (
    ClassType,
    DictType,
    External,
    Instance,
    ListType,
    NamespaceType,
    Site,
    Type,
    Types,
    definition_site,
    one,
)

_USING = re.compile(r'<Using\s+Include="([\w.]+)"\s*(Static="true")?\s*/?>')
_LANGUAGES = frozenset({"csharp"})
_TASKS = frozenset({"Task", "ValueTask"})


def _has_global_usings(path: str) -> bool:
    name = basename(path)
    return name.endswith((".csproj", ".props")) or (name.endswith(".cs") and "usings" in name.lower())


class CSharpResolver(OverloadedResolver):
    traits = OverloadedTraits(
        stubs=lambda: read_stubs("csharp"),
        types_by_arity=True,
        class_kinds=OverloadedTraits.class_kinds | {"type"},
        callable_kinds=OverloadedTraits.callable_kinds | {"field", "constant"},
        universal_methods=frozenset(
            {"Equals", "GetHashCode", "GetType", "MemberwiseClone", "ReferenceEquals", "ToString", "Finalize"}
        ),
    )

    # --- partial types

    def class_parts(self, file: FileScope, definition: int) -> Sequence[tuple[FileScope, int]]:
        if definition not in file.partial:
            return ((file, definition),)
        key = ("partial type", file.path, definition)
        parts = self.evaluator.memo_tracked(key, lambda: self._read_parts(file, definition))
        return [(self.evaluator.file(path), number) for path, number in parts]

    def _read_parts(self, file: FileScope, definition: int) -> Sequence[tuple[str, int]]:
        arity = len(file.variables.get(definition, ()))
        row = file.defs[definition]
        return [
            (part.path, number)
            for part, number in self.evaluator.definitions.named(_LANGUAGES, row.name)
            if number in part.partial
            and part.defs[number].lexical_path == row.lexical_path
            and len(part.variables.get(number, ())) == arity
        ] or ((file.path, definition),)

    # --- types by name

    def module_of(self, file: FileScope, definition: int) -> str | None:
        row = file.defs[definition]
        is_outermost = row.parent is None or file.defs[row.parent].kind == "module"
        return row.lexical_path[: -len(row.name) - 1] if is_outermost and row.kind in self.traits.class_kinds else None

    def _of_arity(self, sites: Sequence[Site], arity: int) -> list[Site]:
        """Keep types of this arity, and everything that is not a type."""
        found = [site for site in sites if not self.is_type(site) or self._arity(site) == arity]
        types = [site for site in sites if self.is_type(site)]
        return found or types if len(types) == 1 else found

    def _arity(self, site: Site) -> int:
        return len(self.evaluator.file(site.path).variables.get(site.number, ()))

    def _types_in(self, namespace: str, name: str, near: str) -> list[Site]:
        """All parts of a type as a file sees it; of several types the nearest, if there is one."""
        name, _, arity = name.partition("`")
        found = self._of_arity(self.evaluator.definitions.in_module(_LANGUAGES, namespace, name), int(arity or 0))
        if len(found) < 2 or all(site.number in self.evaluator.file(site.path).partial for site in found):
            return found
        nearest = nearest_sites(found, near)
        return nearest if len(nearest) == 1 else []

    def _namespaces(self, file: FileScope, scope: int) -> list[str]:
        """The enclosing namespaces, innermost first, ending with the global one."""
        names: list[str] = []
        around: int | None = scope
        while around is not None:
            if around in file.within:
                names.append(file.within[around])
            around = file.parent(around)
        full = ".".join(reversed(names))
        found = [full] if full else []
        while "." in full:
            full = full.rpartition(".")[0]
            found.append(full)
        return [*found, ""]

    def sites_outside(self, file: FileScope, scope: int, name: str) -> list[Site]:
        around = self._namespaces(file, scope)
        plain = name.partition("`")[0]
        is_known = bool(self.evaluator.definitions.modules(_LANGUAGES, plain))
        for namespace in around if is_known else ():
            found = self._types_in(namespace, name, file.path)
            if found:
                return found
        imported: list[Site] = []
        for source, is_static in self._usings(file):
            if is_static:
                for owner in self._qualified(source, file.path):
                    imported += self.member_sites(ClassType(owner.path, owner.number), plain)
            elif is_known:
                imported += self._types_used(source, name, file, around)
        imported = list(dict.fromkeys(imported))
        types = {
            self.evaluator.definitions.canonical(site.path, site.number) for site in imported if self.is_type(site)
        }
        return imported if len(types) < 2 else []

    def _types_used(self, source: str, name: str, file: FileScope, around: Sequence[str]) -> list[Site]:
        owners = self.evaluator.definitions.modules(_LANGUAGES, name.partition("`")[0])
        for namespace in around:
            full = f"{namespace}.{source}" if namespace else source
            found = self._types_in(full, name, file.path) if full in owners else []
            if found:
                return found
        return []

    def _usings(self, file: FileScope) -> list[tuple[str, bool]]:
        """Using directives of a file and its project; True for `using static`."""
        folder = dirname(file.path)
        project = self.evaluator.memo_tracked(("project usings", folder), lambda: self._read_project_usings(folder))
        return list(dict.fromkeys([*_own_usings(file), *project]))

    def _read_project_usings(self, folder: str) -> list[tuple[str, bool]]:
        """Global usings of the enclosing folders."""
        ends = [end for end, character in enumerate(folder) if character == "/"]
        found: list[tuple[str, bool]] = []
        for around in ("", *(folder[:end] for end in ends), *([folder] if folder else ())):
            beside = [
                *self.evaluator.library.directory(around),
                *self.evaluator.library.directory(f"{around}/Properties" if around else "Properties"),
            ]
            for path in sorted(filter(_has_global_usings, beside)):
                found += self._file_usings(path)
        return found

    def _file_usings(self, path: str) -> list[tuple[str, bool]]:
        return self.evaluator.memo_tracked(("usings", path), lambda: self._read_usings(path))

    def _read_usings(self, path: str) -> list[tuple[str, bool]]:
        file = self.evaluator.library.file(path) if path.endswith(".cs") else None
        if file is not None:
            return _own_usings(file)
        text = str((self.evaluator.library.configuration(path) or {}).get("text", ""))
        return [(name, bool(static)) for name, static in _USING.findall(text)]

    def _qualified(self, name: str, near: str) -> list[Site]:
        outer, _, last = name.rpartition(".")
        found = self._types_in(outer, last, near)
        if found or not outer:
            return found
        return [
            site
            for owner in self._qualified(outer, near)
            for site in self.member_sites(ClassType(owner.path, owner.number), last)
            if self.is_type(site)
        ]

    def resolve_import(self, file: FileScope, number: int) -> list[Site]:
        row = file.imports[number]
        if row.kind != "csharp_using_alias":
            return []
        return self._qualified(f"{row.source}.{row.imported_name}" if row.source else row.imported_name, file.path)

    def imported_files(self, file: FileScope, used: Set[str]) -> Iterator[str]:
        yield from super().imported_files(file, used)
        around, own = self._namespaces(file, 0), _own_usings(file)
        for source, is_static in self._usings(file):
            if is_static:
                yield from (site.path for site in self._qualified(source, file.path))
            for namespace in around:
                full = f"{namespace}.{source}" if namespace else source
                declaring = {path for path, _ in self.evaluator.definitions.at(full)}
                yield from declaring & used or (declaring if (source, is_static) in own else ())

    def import_types(self, file: FileScope, number: int) -> Types:
        sites = self.resolve_import(file, number)
        row = file.imports[number]
        name = f"{row.source}.{row.imported_name}" if row.source else row.imported_name
        return (
            self.evaluator.types_at(sites[:1]) if sites else frozenset({NamespaceType("csharp", name), External(name)})
        )

    def _name_sites(self, file: FileScope, scope: int, usage: int, name: str, bind: int) -> list[Site]:
        plain, _, arity = name.partition("`")
        if not arity or bind >= 0:
            found = super()._name_sites(file, scope, usage, plain, bind)
            found = self._of_arity(found, int(arity or 0))
            if found:
                return found
            if bind < 0 or not any(row.scope == file.binds[bind].scope for row in file.defs):
                return []
            return self.of_usage(self.sites_outside(file, scope, name), usage)
        found = self._of_arity(self._inherited(file, scope, usage, plain), int(arity))
        return found or self.of_usage(self.sites_outside(file, scope, name), usage)

    def _inherited(self, file: FileScope, scope: int, usage: int, name: str) -> list[Site]:
        inner: int | None = scope
        while inner:
            class_ = self.class_at(file, inner)
            if class_ is not None:
                receiver = ClassType(*self.evaluator.definitions.canonical(file.path, class_))
                found = self.of_usage(self.member_sites(receiver, name), usage)
                if found:
                    return found
            inner = file.parent(inner)
        return []

    def unknown_types(self, file: FileScope, scope: int, bind: int, name: str) -> Types:
        if bind >= 0:
            return super().unknown_types(file, scope, bind, name)
        names = [f"{namespace}.{name}" if namespace else name for namespace in self._namespaces(file, scope)]
        return frozenset({External(name), *(NamespaceType(file.language, full) for full in names)})

    def lookup_member(self, receiver: Type, name: str) -> Member | None:
        if not isinstance(receiver, NamespaceType):
            return None
        sites = self._types_in(receiver.name, name, "")
        inner = one(NamespaceType(receiver.language, f"{receiver.name}.{name}"))
        return Member(sites, self.evaluator.types_at(sites[:1]) if sites else inner)

    # --- extension methods

    def extension_sites(self, file: FileScope, node: int, receiver: Type, name: str) -> Sequence[Site]:
        is_external = isinstance(receiver, External) and receiver.name.endswith("()")
        if not is_external and not isinstance(receiver, Instance | ListType | DictType):
            return ()
        visible = {
            *self._namespaces(file, file.scope_of_call.get(node, 0)),
            *(source for source, _ in self._usings(file)),
        }
        found: list[Site] = []
        for other, number in self.evaluator.definitions.named(_LANGUAGES, name):
            scope = other.body.get(number)
            params = other.params.get(scope, ()) if scope is not None else ()
            if params and params[0].kind == ParameterKind.SELF:
                owner = other.defs[number].lexical_path.rpartition(".")[0].rpartition(".")[0]
                if owner in visible and self._extends(other, params[0].type, receiver):
                    found.append(definition_site(other.path, number))
        return found

    def _extends(self, file: FileScope, node: int, receiver: Type) -> bool:
        declared = self.evaluator.named_type(file, node)
        if not declared and type_variable(file, node) is not None:
            return True
        return any(self._is_subtype(receiver, value) for value in declared)

    def _is_subtype(self, value: Type, declared: Type) -> bool:
        if isinstance(declared, Instance) and isinstance(value, Instance):
            class_ = ClassType(declared.path, declared.definition)
            return class_ in self.evaluator.mro(value.path, value.definition)
        if isinstance(declared, External):
            last = declared.name.rpartition(".")[2]
            if isinstance(value, External):
                return last == value.name.rpartition(".")[2]
            if isinstance(value, Instance):
                bases = self.evaluator.mro(value.path, value.definition)
                names = [base.name.rpartition(".")[2] for base in bases if isinstance(base, External)]
                return any(f"{name}()" == last for name in names)
            return isinstance(value, ListType) and bool(value.name) and last == f"{value.name}()"
        return isinstance(declared, ListType) and declared == value

    # --- library calls

    def apply_operator(self, operator: Operator | FieldPattern, value: Type) -> Types:
        if operator is Operator.AWAIT and isinstance(value, ListType) and value.name in _TASKS:
            return value.items
        return super().apply_operator(operator, value)


def _own_usings(file: FileScope) -> list[tuple[str, bool]]:
    return [
        (row.source or "", row.kind == "csharp_using_static")
        for row in file.imports
        if row.kind in ("csharp_using", "csharp_using_static")
    ]
