"""C and C++: what a file includes is what it sees; names are those of namespaces, whichever file they stand in.

A declaration and what defines it elsewhere are one thing. Overloads are not told apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Any

from codeplane.facts.ir import ExprKind
from codeplane.facts.model import Target, Usage
from codeplane.facts.sketch import SketchBind
from codeplane.index.resolve.evaluator import CALLABLES, Evaluator
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.includes import Includes
from codeplane.index.resolve.references import bind_sites
from codeplane.index.resolve.resolver import LanguageResolver
from codeplane.index.resolve.value import NOTHING, Site, Value, Values, generic_of, list_of, union

_POINTERS = frozenset({"unique_ptr", "shared_ptr", "weak_ptr", "optional", "atomic"})
_POINTER_METHODS = frozenset(
    {
        "get",
        "release",
        "lock",
        "value",
        "reset",
        "swap",
        "has_value",
        "use_count",
        "expired",
        "load",
        "store",
        "emplace",
    }
)
_LISTS = frozenset(
    {
        "vector", "deque", "list", "set", "unordered_set", "multiset", "array", "span", "initializer_list", "queue",
        "stack", "forward_list",
    }
)  # fmt: skip
_MAPS = frozenset({"map", "unordered_map", "multimap", "unordered_multimap"})
_FAMILY = frozenset({"c", "cpp"})


class CppResolver(LanguageResolver):
    overloads = True
    declarations_construct = True
    paths_are_members = True
    containers = MappingProxyType({"l": "std", "G": "std"})

    def __init__(self, evaluator: Evaluator) -> None:
        super().__init__(evaluator)
        self._includes = Includes(evaluator)

    # Names

    def _entities(self, file: str, qualified: str) -> list[Site]:
        """What a full name stands for, as a file sees it, with the definitions of what is declared there."""
        return self.evaluator.memo_tracked(("entities", file, qualified), lambda: self._find(file, qualified))

    def _find(self, file: str, qualified: str) -> list[Site]:
        seen = self._includes.seen(file)
        found: list[Site] = []
        others: list[Site] = []
        for site in self._named(qualified.rpartition(".")[2]).get(qualified, ()):
            (found if site[0] in seen else others).append(site)
        return found + self._joined(found, others)

    def _named(self, name: str) -> dict[str, list[Site]]:
        """Definitions of a name, by their full names."""
        return self.evaluator.memo_tracked(("full names", name), lambda: self._read_named(name))

    def _read_named(self, name: str) -> dict[str, list[Site]]:
        found: dict[str, list[Site]] = {}
        for path, number in self.evaluator.library.named(name):
            at = self.evaluator.library.tables(path)
            if at is not None and at.language in _FAMILY and not _is_made_by_macro(at, number):
                found.setdefault(_full_name(at, number), []).append((path, "d", number))
        return found

    def _joined(self, found: Sequence[Site], others: Sequence[Site]) -> list[Site]:
        """Those of others that define what is declared: their files see the declaration."""
        declared = {path for path, _, number in found if self.evaluator.at(path).defs[number].kind in CALLABLES}
        return [
            site
            for site in others
            if self.evaluator.at(site[0]).defs[site[2]].kind in CALLABLES and declared & self._includes.seen(site[0])
        ]

    def _class_at(self, file: str, qualified: str) -> tuple[str, int] | None:
        return self.evaluator.memo_tracked(("class", file, qualified), lambda: self._find_class(file, qualified))

    def _find_class(self, file: str, qualified: str) -> tuple[str, int] | None:
        for path, _, number in self._entities(file, qualified) if qualified else ():
            if self.evaluator.at(path).defs[number].kind in self.classes:
                return path, number
        return None

    def _around(self, at: FileScope, scope: int) -> Iterator[str]:
        """Full names of what is around a scope, from the inside out; the last is empty."""
        definition = at.enclosing_def(scope)
        path = at.defs[definition].lexical_path if definition is not None else ""
        while path:
            yield path
            path = path.rpartition(".")[0]
        yield ""

    def is_loose(self, at: FileScope, bind: SketchBind) -> bool:
        return bind.target_kind == Target.DEF

    def bare_sites(self, at: FileScope, scope: int, usage: int, name: str, bind: int) -> Sequence[Site]:
        found = self._seen_from(at, scope, name)
        if not found and bind >= 0 and not self._may_inherit(at, scope):
            sites = bind_sites(self.evaluator, at, bind)
            found = [site for site in sites if not _is_made_by_macro(self.evaluator.at(site[0]), site[2])]
        return self.fitting(found, None, usage)

    def _may_inherit(self, at: FileScope, scope: int) -> bool:
        """Whether a class around a scope has a base that nobody has seen."""
        classes = (self._class_at(at.path, prefix) for prefix in self._around(at, scope))
        return any(base[0] != "c" for of in classes if of is not None for base in self.evaluator.bases(*of))

    def _seen_from(self, at: FileScope, scope: int, name: str) -> Sequence[Site]:
        around = list(self._around(at, scope))
        for prefix in around:
            of = self._class_at(at.path, prefix)
            if of is not None:
                order = self.evaluator.bases(*of)
                sites = self.evaluator.member(("i", *of), name)[0]
                if sites:
                    return sites
                if any(base[0] != "c" for base in order):
                    return []  # It may come from a base that nobody has seen.
            found = self._entities(at.path, f"{prefix}.{name}" if prefix else name)
            if found:
                return found
        for row in at.imports:
            if row.kind == "cpp_using_namespace":
                for prefix in around:
                    inner = (row.source or "").replace("::", ".")
                    found = self._entities(at.path, f"{prefix}.{inner}.{name}" if prefix else f"{inner}.{name}")
                    if found:
                        return found
        return []

    def unbound_sites(self, at: FileScope, name: str) -> list[Site]:
        return list(self._seen_from(at, 0, name))

    def bare(self, at: FileScope, node: int) -> Values:
        name = at.texts[at.nodes[node][2]]
        sites = self._seen_from(at, at.ambient[node][0], name)
        return self._values(at.path, at.language, sites) if sites else frozenset({("x", name)})

    def bare_type(self, at: FileScope, node: int) -> Values:
        name = at.texts[at.nodes[node][2]]
        sites = self._seen_from(at, at.ambient[node][0], name)
        return union(map(self.evaluator.site_type, sites)) if sites else frozenset({("x", f"{name}()")})

    def fitting(self, sites: Sequence[Site], namespace: int | None, usage: int) -> Sequence[Site]:
        if usage != Usage.TYPE:
            return sites
        return [
            site for site in sites if site[1] != "d" or self.evaluator.at(site[0]).defs[site[2]].kind not in CALLABLES
        ]

    def _values(self, file: str, language: str, sites: Sequence[Site]) -> Values:
        found: set[Value] = set()
        for path, kind, number in sites:
            row = self.evaluator.at(path).defs[number]
            if row.kind == "module":
                found.add(("N", language, row.lexical_path, file))
            else:
                found |= self.evaluator.site_value((path, kind, number))
        return frozenset(found)

    def query(self, at: FileScope, key: tuple[Any, ...]) -> Values | None:
        if key[0] != "v" or at.defs[key[2]].kind != "module":
            return None
        return frozenset({("N", at.language, at.defs[key[2]].lexical_path, at.path)})

    def module_sites(self, module: Value, name: str, seen: tuple[Value, ...] = ()) -> list[Site]:
        return self._entities(module[3], f"{module[2]}.{name}") if module[0] == "N" else []

    def module_values(self, module: Value, name: str) -> Values:
        sites = self.module_sites(module, name)
        if sites or module[0] != "N":
            return self._values(module[3], module[1], sites) if sites else NOTHING
        return frozenset({("x", f"{module[2]}.{name}")})

    def import_sites(self, at: FileScope, number: int) -> list[Site]:
        row = at.imports[number]
        if row.kind != "cpp_using" or not row.source:
            return []
        name = f"{row.source}::{row.imported_name}".replace("::", ".").lstrip(".")
        for prefix in self._around(at, row.scope):
            found = self._entities(at.path, f"{prefix}.{name}" if prefix else name)
            if found:
                return found
        return []

    # Members

    def constructors(self, of: Value) -> tuple[str, ...]:
        return ()

    def class_around(self, at: FileScope, definition: int) -> tuple[str, int] | None:
        found = super().class_around(at, definition)
        return found or self._class_at(at.path, at.defs[definition].lexical_path.rpartition(".")[0])

    def member(self, of: Value, name: str) -> tuple[list[Site], Values] | None:
        if of[0] == "G":
            return self._member_of_generic(of, name)
        for base in self.evaluator.bases(of[1], of[2]):
            if base[0] != "c":
                return [], NOTHING
            declared, others = self._declared(base[1], base[2], name)
            if declared:
                return declared + others, union(self._held(site, base) for site in declared)
        return [], NOTHING

    def _declared(self, path: str, definition: int, name: str) -> tuple[list[Site], list[Site]]:
        """A member of a class: where it is declared, and where it is defined outside of it."""
        return self.evaluator.memo_tracked(
            ("member", path, definition, name), lambda: self._read_member(path, definition, name)
        )

    def _read_member(self, path: str, definition: int, name: str) -> tuple[list[Site], list[Site]]:
        at = self.evaluator.at(path)
        declared: list[Site] = [
            (path, "d", number)
            for number in at.members.get(definition, {}).get(name, ())
            if at.defs[number].kind != "constructor"
        ]
        if not declared:
            return [], []
        full = f"{at.defs[definition].lexical_path}.{name}"
        others = [site for site in self._named(name).get(full, ()) if site not in declared]
        return declared, self._joined(declared, others)

    def _held(self, site: Site, of: Value) -> Values:
        path, _, number = site
        row = self.evaluator.at(path).defs[number]
        if row.kind == "field":
            return self.evaluator.query(("a", of[1], of[2], row.name))
        return (
            frozenset({("i", of[1], of[2])}) if row.kind == "enum_member" else self.evaluator.query(("v", path, number))
        )

    def _member_of_generic(self, of: Value, name: str) -> tuple[list[Site], Values]:
        kind, parts = of[2], of[3]
        if kind == "pair":
            return [], parts[0] if name == "first" else parts[1] if name == "second" and len(parts) > 1 else NOTHING
        if kind == "map" or name in _POINTER_METHODS:
            return [], frozenset({("e", of, name)})
        sites: list[Site] = []
        values = NOTHING
        for value in parts[0]:
            more, held = self.evaluator.member(value, name)
            sites += more
            values |= held
        return sites, values

    # Values and types

    def call(self, callee: Value, at: FileScope, node: int) -> Values | None:
        return NOTHING if callee[0] == "i" else None

    def elements(self, of: Value) -> Values:
        if of[0] == "G" and of[2] == "map":
            return frozenset({generic_of(of[1], "pair", of[3])})
        return NOTHING

    def call_container(self, callee: Value, values: Sequence[Values]) -> Values | None:
        _, of, name = callee
        if of[0] == "G" and of[2] == "ptr":
            return (
                of[3][0]
                if name in ("get", "release", "value", "load")
                else frozenset({of})
                if name == "lock"
                else NOTHING
            )
        if name in ("begin", "end", "find", "cbegin", "rbegin", "lower_bound", "upper_bound"):
            held = self.evaluator.elements(of)
            return frozenset({generic_of("cpp", "ptr", [held])}) if held else NOTHING
        if of[0] == "G":
            return of[3][1] if name == "at" and len(of[3]) > 1 else NOTHING
        return self.evaluator.elements(of) if name in ("front", "back", "at", "top") else NOTHING

    def call_foreign(self, name: str, at: FileScope, node: int, values: Sequence[Values]) -> Values:
        last = name.rpartition(".")[2]
        if last in ("move", "forward", "ref", "cref"):
            return values[0] if values else NOTHING
        callee = at.nodes[node][1]
        while at.nodes[callee][0] == ExprKind.PAREN:
            callee = at.nodes[callee][1]
        if last in ("make_unique", "make_shared") and at.nodes[callee][0] == ExprKind.INDEX:
            keys = at.lists[at.nodes[callee][2]]
            held = self.evaluator.type_of(at, keys[0]) if keys else NOTHING
            return frozenset({generic_of(at.language, "ptr", [held])}) if held else NOTHING
        return NOTHING

    def generic(self, name: str, at: FileScope, parts: Sequence[int]) -> Values:
        last = name.rpartition(".")[2]
        held = [self.evaluator.type_of(at, part) for part in parts]
        if not any(held) or not name.startswith("std."):
            return NOTHING
        if last in _LISTS:
            return frozenset({list_of(held[0])})
        kind = "ptr" if last in _POINTERS else "map" if last in _MAPS else "pair" if last == "pair" else None
        return frozenset({generic_of(at.language, kind, held)}) if kind is not None else NOTHING


def _is_made_by_macro(at: FileScope, definition: int) -> bool:
    """A function without a type, `TEST(a, b) {`, has the name of the macro that makes it."""
    scope = at.body.get(definition)
    return at.defs[definition].kind == "function" and (scope is None or at.return_type(scope) is None)


def _full_name(at: FileScope, definition: int) -> str:
    """The name from outside; what an enumeration without a scope of its own lists belongs to what is around it."""
    row = at.defs[definition]
    if row.kind == "enum_member" and row.parent is not None and at.defs[row.parent].scope == row.scope:
        outer = at.defs[row.parent].lexical_path.rpartition(".")[0]
        return f"{outer}.{row.name}" if outer else row.name
    return row.lexical_path
