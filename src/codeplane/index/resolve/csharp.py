"""C#: namespaces and what they take over, types in parts, types that differ in the number of their arguments alone,
and extension methods."""

from __future__ import annotations

import re
from collections.abc import Sequence
from posixpath import basename, dirname
from typing import Any

from codeplane.facts.ir import ParameterKind
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.overloaded import OverloadedResolver, type_variable
from codeplane.index.resolve.python_modules import shared_folders
from codeplane.index.resolve.value import NOTHING, Site, Value, Values, union

_USING = re.compile(r'<Using\s+Include="([\w.]+)"\s*(Static="true")?\s*/?>')


_MAPS = frozenset({"Dictionary", "IDictionary", "IReadOnlyDictionary", "ConcurrentDictionary", "SortedDictionary"})
_COLLECTIONS = frozenset(
    {"IEnumerable", "ICollection", "IList", "IReadOnlyList", "IReadOnlyCollection", "List", "HashSet", "ISet", "Queue",
     "Stack", "Collection", "ReadOnlyCollection", "ImmutableArray", "ImmutableList", "IQueryable", "IAsyncEnumerable",
     "Task", "ValueTask", "Lazy", "ConcurrentBag", "ConcurrentQueue", "LinkedList", "IEnumerator", "Nullable"}
)  # fmt: skip


def _declares(path: str) -> bool:
    name = basename(path)
    return name.endswith((".csproj", ".props")) or (name.endswith(".cs") and "usings" in name.lower())


class CSharpResolver(OverloadedResolver):
    maps = _MAPS
    collections = _COLLECTIONS
    pair = "KeyValuePair"
    classes = OverloadedResolver.classes | {"type"}
    called_kinds = OverloadedResolver.called_kinds | {"field", "constant"}
    everywhere = frozenset(
        {"Equals", "GetHashCode", "GetType", "MemberwiseClone", "ReferenceEquals", "ToString", "Finalize"}
    )

    # Types in parts

    def whole(self, path: str, definition: int) -> tuple[str, int]:
        at = self.evaluator.at(path)
        if definition not in at.partial:
            return path, definition
        first, number = self.all_parts(at, definition)[0]
        return first.path, number

    def all_parts(self, at: FileScope, definition: int) -> Sequence[tuple[FileScope, int]]:
        if definition not in at.partial:
            return ((at, definition),)
        count = len(at.variables.get(definition, ()))
        places = self.evaluator.query(("z", "csharp", "parts", at.defs[definition].lexical_path, count))
        found = [(self.evaluator.at(path), number) for path, number in max(places, default=())]
        return found or ((at, definition),)

    def _parts(self, lexical_path: str, count: int) -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = []
        for path, number in self.named(lexical_path.rpartition(".")[2]):
            at = self.evaluator.library.tables(path)
            if (
                at is not None
                and number in at.partial
                and at.defs[number].lexical_path == lexical_path
                and len(at.variables.get(number, ())) == count
            ):
                found.append((path, number))
        return found

    # Types by their names

    def written_name(self, at: FileScope, ref: int, name: str) -> str:
        count = at.arguments.get(ref, 0)
        return f"{name}`{count}" if count else name

    def of_arity(self, sites: Sequence[Site], count: int) -> list[Site]:
        """Types with so many arguments; what is no type stays."""
        memo_tracked = [site for site in sites if not self._is_type(site) or self._arity(site) == count]
        types = [site for site in sites if self._is_type(site)]
        return memo_tracked or types if len(types) == 1 else memo_tracked

    def _is_type(self, site: Site) -> bool:
        return self.kind(site) in self.classes

    def _arity(self, site: Site) -> int:
        return len(self.evaluator.at(site[0]).variables.get(site[2], ()))

    def types_in(self, namespace: str, name: str, near: str) -> list[Site]:
        """All parts of a type, seen from a file. Of several types the nearest one, if there is such."""
        name, _, count = name.partition("`")
        found = [site for owner, site in self._types_named(name) if owner == namespace]
        if found:
            found = self.of_arity(found, int(count or 0))
        if len(found) < 2 or all(site[2] in self.evaluator.at(site[0]).partial for site in found):
            return found
        shared = [shared_folders(site[0], near) for site in found]
        nearest = [site for site, common in zip(found, shared, strict=True) if common == max(shared)]
        return nearest if len(nearest) == 1 else []

    def _types_named(self, name: str) -> Sequence[tuple[str, Site]]:
        """Outermost types of this name, each with its namespace."""
        return max(self.evaluator.query(("z", "csharp", "types", name)), default=())

    def compute(self, key: tuple[Any, ...]) -> Values:
        if key[0] == "parts":
            return frozenset({tuple(self._parts(*key[1:]))})
        if key[0] != "types":
            return super().compute(key)
        found: list[tuple[str, Site]] = []
        for file, number in self.named(key[1]):
            at = self.evaluator.library.tables(file)
            if at is not None and at.language == "csharp":
                row = at.defs[number]
                is_outermost = row.parent is None or at.defs[row.parent].kind == "module"
                if row.kind in self.classes and is_outermost:
                    found.append((row.lexical_path[: -len(row.name) - 1], (file, "d", number)))
        return frozenset({tuple(found)})

    def namespaces(self, at: FileScope, scope: int) -> list[str]:
        """The namespaces around a scope, the innermost first, down to the global one."""
        names: list[str] = []
        around: int | None = scope
        while around is not None:
            if around in at.within:
                names.append(at.within[around])
            around = at.parent(around)
        whole = ".".join(reversed(names))
        found = [whole] if whole else []
        while "." in whole:
            whole = whole.rpartition(".")[0]
            found.append(whole)
        return [*found, ""]

    def outside_sites(self, at: FileScope, scope: int, name: str) -> list[Site]:
        around = self.namespaces(at, scope)
        is_known = bool(self._types_named(name.partition("`")[0]))
        for namespace in around if is_known else ():
            found = self.types_in(namespace, name, at.path)
            if found:
                return found
        taken: list[Site] = []
        for source, static in self._used(at):
            if not (is_known or static):
                continue
            if static:
                for owner in self._qualified(source, at.path):
                    taken += self.member_sites(("c", owner[0], owner[2]), name.partition("`")[0])
            else:
                taken += self._types_used(source, name, at, around)
        taken = list(dict.fromkeys(taken))
        types = {self.whole(site[0], site[2]) for site in taken if self._is_type(site)}
        return taken if len(types) < 2 else []

    def _types_used(self, source: str, name: str, at: FileScope, around: Sequence[str]) -> list[Site]:
        held = {owner for owner, _ in self._types_named(name.partition("`")[0])}
        for namespace in around:
            whole = f"{namespace}.{source}" if namespace else source
            found = self.types_in(whole, name, at.path) if whole in held else []
            if found:
                return found
        return []

    def _used(self, at: FileScope) -> list[tuple[str, bool]]:
        """What is taken over as a whole: a namespace, or the static members of a type."""
        rows = [
            (row.source or "", row.kind == "csharp_using_static")
            for row in at.imports
            if row.kind in ("csharp_using", "csharp_using_static")
        ]
        return list(dict.fromkeys([*rows, *self._project_wide(at.path)]))

    def _project_wide(self, path: str) -> list[tuple[str, bool]]:
        folder = dirname(path)
        return self.evaluator.memo_tracked(("project-wide", folder), lambda: self._read_project_wide(folder))

    def _read_project_wide(self, folder: str) -> list[tuple[str, bool]]:
        """Of the files that speak for all beneath their folder, those of the folders around."""
        ends = [end for end, character in enumerate(folder) if character == "/"]
        found: list[tuple[str, bool]] = []
        for around in ("", *(folder[:end] for end in ends), *([folder] if folder else ())):
            beside = [
                *self.evaluator.library.directory(around),
                *self.evaluator.library.directory(f"{around}/Properties" if around else "Properties"),
            ]
            for path in sorted(filter(_declares, beside)):
                found += self._project_usings(path)
        return found

    def _project_usings(self, path: str) -> list[tuple[str, bool]]:
        return self.evaluator.memo_tracked(("usings", path), lambda: self._read_usings(path))

    def _read_usings(self, path: str) -> list[tuple[str, bool]]:
        at = self.evaluator.library.tables(path) if path.endswith(".cs") else None
        if at is None:
            text = (self.evaluator.library.declared(path) or {}).get("text", "")
            return [(name, bool(static)) for name, static in _USING.findall(text)]
        return [
            (row.source or "", row.kind == "csharp_using_static")
            for row in at.imports
            if row.kind in ("csharp_using", "csharp_using_static")
        ]

    def _qualified(self, name: str, near: str) -> list[Site]:
        outer, _, last = name.rpartition(".")
        found = self.types_in(outer, last, near)
        if found or not outer:
            return found
        return [
            site
            for owner in self._qualified(outer, near)
            for site in self.member_sites(("c", owner[0], owner[2]), last)
            if self._is_type(site)
        ]

    def import_sites(self, at: FileScope, number: int) -> list[Site]:
        row = at.imports[number]
        if row.kind != "csharp_using_alias":
            return []
        return self._qualified(f"{row.source}.{row.imported_name}" if row.source else row.imported_name, at.path)

    def imported(self, at: FileScope, number: int) -> Values:
        sites = self.import_sites(at, number)
        row = at.imports[number]
        name = f"{row.source}.{row.imported_name}" if row.source else row.imported_name
        if sites:
            return union(map(self.evaluator.site_value, sites[:1]))
        return frozenset({("N", "csharp", name), ("x", name)})

    def _bare_sites(self, at: FileScope, scope: int, usage: int, name: str, bind: int) -> list[Site]:
        bare, _, count = name.partition("`")
        if not count or bind >= 0:
            found = super()._bare_sites(at, scope, usage, bare, bind)
            found = self.of_arity(found, int(count or 0))
            if found:
                return found
            if bind < 0 or not any(row.scope == at.binds[bind].scope for row in at.defs):
                return []
            return self.of_usage(self.outside_sites(at, scope, name), usage)
        found = self.of_arity(self._inherited(at, scope, usage, bare), int(count))
        return found or self.of_usage(self.outside_sites(at, scope, name), usage)

    def _inherited(self, at: FileScope, scope: int, usage: int, name: str) -> list[Site]:
        inner: int | None = scope
        while inner:
            of = self.class_of(at, inner)
            if of is not None:
                found = self.of_usage(self.member_sites(("c", *self.whole(at.path, of)), name), usage)
                if found:
                    return found
            inner = at.parent(inner)
        return []

    def unknown(self, at: FileScope, scope: int, bound: int, name: str) -> Values:
        if bound:
            return super().unknown(at, scope, bound, name)
        parts = [f"{namespace}.{name}" if namespace else name for namespace in self.namespaces(at, scope)]
        return frozenset({("x", name), *(("N", at.language, part) for part in parts)})

    def module_sites(self, module: Value, name: str, seen: tuple[Value, ...] = ()) -> list[Site]:
        return self.types_in(module[2], name, "")

    def module_values(self, module: Value, name: str) -> Values:
        sites = self.module_sites(module, name)
        if sites:
            return union(map(self.evaluator.site_value, sites[:1]))
        return frozenset({("N", module[1], f"{module[2]}.{name}")})

    # Extension methods

    def extension_sites(self, at: FileScope, node: int, of: Value, name: str) -> Sequence[Site]:
        if of[0] not in ("i", "l", "d") and not (of[0] == "x" and of[1].endswith("()")):
            return ()
        seen = {*self.namespaces(at, at.scope_of_call.get(node, 0)), *(source for source, static in self._used(at))}
        found: list[Site] = []
        for path, number in self.named(name):
            other = self.evaluator.library.tables(path)
            scope = other.body.get(number) if other is not None and other.language == "csharp" else None
            params = other.params.get(scope, ()) if other is not None and scope is not None else ()
            if other is not None and params and params[0].kind == ParameterKind.SELF:
                owner = other.defs[number].lexical_path.rpartition(".")[0].rpartition(".")[0]
                if owner in seen and self._extends(other, params[0].type, of):
                    found.append((path, "d", number))
        return found

    def _extends(self, at: FileScope, node: int, of: Value) -> bool:
        if type_variable(at, node) is not None:
            node_types = self.evaluator.type_of(at, node)
            return not node_types or any(self._is_one(value, of) for value in node_types)
        return any(self._is_one(value, of) for value in self.evaluator.type_of(at, node))

    def _is_one(self, value: Value, of: Value) -> bool:
        if value[0] == "i" and of[0] == "i":
            return ("c", *value[1:3]) in self.evaluator.bases(of[1], of[2])
        if value[0] == "x":
            last = value[1].rpartition(".")[2]
            if of[0] == "x":
                return bool(last == of[1].rpartition(".")[2])
            if of[0] == "i":
                return any(base[0] == "x" and f"{base[1].rpartition('.')[2]}()" == last for base in self._bases(of))
            return of[0] == "l" and len(of) > 2 and last == f"{of[2]}()"
        if value[0] == "l" and of[0] == "l":
            return bool(value[1:] == of[1:])
        return False

    def _bases(self, of: Value) -> tuple[Value, ...]:
        return self.evaluator.bases(of[1], of[2])

    # Containers

    def awaited(self, values: Values) -> Values:
        return union(value[1] if value[0] == "l" and value[2:] in _TASKS else frozenset({value}) for value in values)

    def call_container(self, callee: Value, values: Sequence[Values]) -> Values | None:
        _, of, name = callee
        if of[0] == "d":
            return NOTHING
        if name in _ELEMENT:
            return self.evaluator.elements(of)
        return frozenset({of}) if name in _ALIKE else NOTHING


_TASKS = frozenset({("Task",), ("ValueTask",)})
_ELEMENT = frozenset(
    {"First", "FirstOrDefault", "Last", "LastOrDefault", "Single", "SingleOrDefault", "ElementAt", "Dequeue", "Peek",
     "Pop", "Find", "Max", "Min", "GetResult"}
)  # fmt: skip
_ALIKE = frozenset(
    {"Where", "ToList", "ToArray", "OrderBy", "OrderByDescending", "Distinct", "Skip", "Take", "Reverse", "Concat",
     "AsEnumerable", "ConfigureAwait", "Union", "Except", "Intersect", "FindAll", "AsQueryable", "GetEnumerator",
     "GetAwaiter", "ThenBy", "AsTask"}
)  # fmt: skip
