"""Rust: modules and crates, `use` trees, and what a path or a pattern names. Members are found in `rust_members`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from codeplane.facts.ir import ExprKind, FlowKind
from codeplane.facts.model import Namespace, Target, Usage
from codeplane.index.resolve import rust_std
from codeplane.index.resolve.crates import Crates
from codeplane.index.resolve.evaluator import Evaluator
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.rust_members import Members, arguments, plain
from codeplane.index.resolve.value import ANYTHING, NOTHING, Site, Value, Values, filled_in, union

_SEPARATOR = re.compile(r"\.|::")
_TYPES = frozenset({"module", "struct", "enum", "trait", "type"})
_Seen = dict[tuple[Value, str, bool, bool, bool], list[Site]]
"""What was found while one name is looked up; nothing yet for what is being looked for, since modules may take from
each other."""


class RustResolver(Members):
    def __init__(self, evaluator: Evaluator) -> None:
        super().__init__(evaluator)
        self._crates = Crates(evaluator)

    # Modules

    def _module(self, at: FileScope, scope: int | None) -> Value:
        """The module that a scope lies in."""
        while scope:
            if at.sketch.scopes[scope][1] == "namespace":
                return ("M", at.path, scope)
            scope = at.sketch.scopes[scope][0]
        return ("M", at.path, 0)

    def _around(self, module: Value) -> Value | None:
        _, path, scope = module
        if scope:
            return self._module(self.evaluator.at(path), self.evaluator.at(path).sketch.scopes[scope][0])
        parent = self._crates.parent(path)
        return ("M", *parent) if parent is not None else None

    def _module_around(self, at: FileScope, scope: int, how: int) -> Values:
        if how == 2:
            root = self._crates.root(at.path)
            return frozenset({("M", root, 0)}) if root is not None else NOTHING
        module: Value | None = self._module(at, scope)
        if how == 1 and module is not None:
            module = self._around(module)
        return frozenset({module}) if module is not None else NOTHING

    def query(self, at: FileScope, key: tuple[Any, ...]) -> Values | None:
        if key[0] == "n":
            return self._expression(at, key[2])
        if key[0] == "v":
            return self._defined(at, key[2])
        if key[0] == "w":
            return self._type_named(at, key[2])
        is_type = key[0] in ("b", "y") and at.binds[key[2]].namespace == Namespace.TYPE
        if is_type and at.binds[key[2]].target_kind == Target.UNKNOWN:
            return frozenset({("T", at.path, key[2])})
        return None

    def _expression(self, at: FileScope, node: int) -> Values | None:
        kind, a, b, _ = at.nodes[node]
        if kind == ExprKind.SELF_TYPE:
            return self.own(at, a)
        if kind == ExprKind.MODULE:
            return self._module_around(at, a, b)
        return union(map(rust_std.tried, self.evaluator.value(at.path, a))) if kind == ExprKind.TRY else None

    def _defined(self, at: FileScope, definition: int) -> Values | None:
        row = at.defs[definition]
        if row.kind == "module":
            place = self._crates.child(at, definition)
            return frozenset({("M", *place)}) if place is not None else NOTHING
        return NOTHING if row.kind == "macro" else None

    def _type_named(self, at: FileScope, definition: int) -> Values | None:
        row = at.defs[definition]
        if row.kind == "enum_member":
            return frozenset({("i", at.path, row.parent)})
        bind = at.bind_of_def.get(definition)
        bounds = [node for how, node in at.into_bind(bind) if how == FlowKind.BOUND] if bind is not None else ()
        return frozenset(("v", at.path, node) for node in bounds) or None

    def module_sites(self, module: Value, name: str, seen: tuple[Value, ...] = ()) -> list[Site]:
        module = module if len(module) == 3 else (*module, 0)
        name = plain(name)
        return self.evaluator.memo_tracked(("module", module, name), lambda: self._sites(module, name, {}))

    def module_values(self, module: Value, name: str) -> Values:
        module = module if len(module) == 3 else (*module, 0)
        if name == "super":
            around = self._around(module)
            return frozenset({around}) if around is not None else NOTHING
        return union(map(self.evaluator.site_value, self.module_sites(module, name)))

    def _sites(
        self, module: Value, name: str, seen: _Seen, *, types: bool = False, public: bool = False, globs: bool = True
    ) -> list[Site]:
        """What a name of a module stands for: of `types` alone, as a path goes on from them; only what is `public`."""
        key = (module, name, types, public, globs)
        if key not in seen:
            seen[key] = []
            seen[key] = self._look_for(module, name, seen, types=types, public=public, globs=globs)
        return seen[key]

    def _look_for(self, module: Value, name: str, seen: _Seen, *, types: bool, public: bool, globs: bool) -> list[Site]:
        _, path, scope = module
        at = self.evaluator.library.tables(path)
        if at is None:
            return []
        found: list[Site] = [(path, "d", number) for number in at.defs_in.get((scope, name), ())]
        for number in at.imports_in(scope, name, self.local_name):
            if not public or self._is_public(at, number):
                found += self._imported_sites(at, number, seen)
        if types:
            found = [site for site in found if self._is_type(site)]
        if not found and not scope and (path_of := self._crates.undeclared(path, name)) is not None:
            found = [(path_of, "M", 0)]
        if not found and globs:
            found = self._through_globs(at, scope, name, seen, types=types, public=public)
        if not found and not types and not scope and self._crates.parent(path) is None:
            found = self._macros(path, name)
        return sorted(set(found))

    def _is_type(self, site: Site) -> bool:
        return site[1] == "M" or self.evaluator.at(site[0]).defs[site[2]].kind in _TYPES

    def _through_globs(
        self, at: FileScope, scope: int, name: str, seen: _Seen, *, types: bool = False, public: bool = False
    ) -> list[Site]:
        for number in at.imports_in(scope, "*", self.local_name):
            if public and not self._is_public(at, number):
                continue
            row = at.imports[number]
            for source in self._path(at, row.scope, row.source or "", seen):
                if source[0] == "M":
                    outside = not self._is_beneath(("M", at.path, scope), source)
                    found = self._sites(source, name, seen, types=types, public=outside)
                else:
                    found = self._variants(source, name)
                if found:
                    return found
        return []

    def _variants(self, of: Value, name: str) -> list[Site]:
        """What can be taken from a type."""
        at = self.evaluator.at(of[1])
        return [
            (at.path, "d", number)
            for number in at.members.get(of[2], {}).get(name, ())
            if at.defs[number].kind == "enum_member"
        ]

    def _is_beneath(self, module: Value | None, other: Value) -> bool:
        count = 0
        while module is not None and count < 50:
            if module == other:
                return True
            module = self._around(module)
            count += 1
        return False

    def _is_public(self, at: FileScope, number: int) -> bool:
        """Whether an import is handed on. Of one in a module within a file nothing is known; its purpose is that."""
        row = at.imports[number]
        if row.scope:
            return True
        return any(
            source == row.source and (mode == "REEXPORT_ALL" or row.imported_name in names)
            for source, mode, names, *_ in at.sketch.reexports
        )

    def _macros(self, root: str | None, name: str) -> list[Site]:
        """The macro of a crate, if it has one of this name."""
        named = (
            self.evaluator.memo_tracked(("macros", name), lambda: self._read_macros(name)) if root is not None else ()
        )
        found = [site for site in named if self._crates.root(site[0]) == root]
        return found if len(found) == 1 else []

    def _read_macros(self, name: str) -> list[Site]:
        found: list[Site] = []
        for path, number in self.evaluator.library.named(name):
            at = self.evaluator.library.tables(path)
            if at is not None and at.language == "rust" and at.defs[number].kind == "macro":
                found.append((path, "d", number))
        return found

    # Imports

    def import_sites(self, at: FileScope, number: int) -> list[Site]:
        return self.evaluator.memo_tracked(("import", at.path, number), lambda: self._imported_sites(at, number, {}))

    def _imported_sites(self, at: FileScope, number: int, seen: _Seen) -> list[Site]:
        row = at.imports[number]
        if row.imported_name == "*":
            return []
        if not row.source or row.kind == "rust_extern_crate":
            return self._head_sites(at, row.scope, row.imported_name, seen, crates_only=row.kind != "rust_use")
        found: list[Site] = []
        for source in self._path(at, row.scope, row.source, seen):
            if source[0] == "M":
                found += self._sites(source, row.imported_name, seen)
            else:
                found += self._variants(source, row.imported_name)
        return sorted(set(found))

    def imported(self, at: FileScope, number: int) -> Values:
        sites = self.import_sites(at, number)
        if sites:
            return union(map(self.evaluator.site_value, sites))
        row = at.imports[number]
        if row.source in ("self", "super", "crate") or (row.source or "").startswith(("self::", "super::", "crate::")):
            return NOTHING
        return frozenset({("x", f"{row.source}.{row.imported_name}")})

    def _path(self, at: FileScope, scope: int, source: str, seen: _Seen) -> list[Value]:
        """Modules and types that a path stands for."""
        head, *rest = source.split("::")
        values: Values
        if head in ("crate", "$crate"):
            values = self._module_around(at, scope, 2)
        elif head in ("self", "super"):
            values = self._module_around(at, scope, head == "super")
        elif not head:
            root = self._crates.find(at.path, rest[0]) if rest else None
            values, rest = frozenset({("M", root, 0)} if root is not None else ()), rest[1:]
        else:
            values = self._steps(self._head_sites(at, scope, head, seen, types=True))
        for name in rest:
            step: set[Value] = set()
            for value in values:
                if name == "super":
                    step |= self.module_values(value, name) if value[0] == "M" else NOTHING
                elif value[0] == "M":
                    module = value if len(value) == 3 else (*value, 0)
                    step |= self._steps(self._sites(module, name, seen, types=True))
            values = frozenset(step)
        return sorted((v if v[0] != "M" or len(v) == 3 else (*v, 0) for v in values if v[0] in ("M", "c")), key=repr)

    def _steps(self, sites: Sequence[Site]) -> Values:
        """What a path goes on from. It asks for no value: what a name means must not depend on who asks first."""
        found: set[Value] = set()
        for path, kind, number in sites:
            at = self.evaluator.at(path)
            if kind == "M":
                found.add(("M", path, 0))
            elif at.defs[number].kind == "module":
                place = self._crates.child(at, number)
                found |= {("M", *place)} if place is not None else set()
            elif at.defs[number].kind in self.classes:
                found.add(("c", path, number))
        return frozenset(found)

    def _head_sites(
        self, at: FileScope, scope: int, name: str, seen: _Seen, *, crates_only: bool = False, types: bool = False
    ) -> list[Site]:
        """What the first name of a path stands for: something of the module, or a crate."""
        module = self._module(at, scope)
        found = [] if crates_only else self._sites(module, name, seen, types=types, globs=False)
        if not found:
            root = self._crates.find(at.path, name)
            found = [(root, "M", 0)] if root is not None else []
        return found or ([] if crates_only else self._sites(module, name, seen, types=types))

    # Names

    def unbound_sites(self, at: FileScope, name: str) -> list[Site]:
        return self._seen_from(at, 0, name)

    def bare_sites(self, at: FileScope, scope: int, usage: int, name: str, bind: int) -> Sequence[Site]:
        return self.fitting(self._seen_from(at, scope, name), None, usage)

    def _seen_from(self, at: FileScope, scope: int, name: str) -> list[Site]:
        if name in ("Self", "self", "super", "crate"):
            return []
        while scope and at.sketch.scopes[scope][1] != "namespace" and not self._has_globs(at, scope):
            scope = at.parent(scope) or 0
        return self.evaluator.memo_tracked(("seen", at.path, scope, name), lambda: self._read_seen(at, scope, name))

    def _has_globs(self, at: FileScope, scope: int) -> bool:
        return bool(at.imports_in(scope, "*", self.local_name))

    def _read_seen(self, at: FileScope, scope: int, name: str) -> list[Site]:
        while scope and at.sketch.scopes[scope][1] != "namespace":
            found = self._through_globs(at, scope, name, {})
            if found:
                return found
            scope = at.parent(scope) or 0
        found = self.module_sites(("M", at.path, scope), name)
        if found:
            return found
        root = self._crates.find(at.path, name)
        return [(root, "M", 0)] if root is not None else self._macros(self._crates.root(at.path), name)

    def head_sites(self, at: FileScope, name: str, scope: int) -> list[Site]:
        return self._seen_from(at, scope, name)

    def fitting(self, sites: Sequence[Site], namespace: int | None, usage: int) -> Sequence[Site]:
        if len(sites) < 2:
            return sites
        if namespace == Namespace.CALLABLE:
            fit = [site for site in sites if self._kind(site) == "macro"]
        elif namespace == Namespace.TYPE or (namespace is None and usage == Usage.TYPE):
            fit = [site for site in sites if self._is_type(site)]
        elif namespace is None and usage == Usage.MEMBER:
            return sites
        else:
            fit = [site for site in sites if self._kind(site) not in ("module", "enum", "trait", "type", "")]
        return fit or sites

    def _kind(self, site: Site) -> str:
        return self.evaluator.at(site[0]).defs[site[2]].kind if site[1] == "d" else ""

    def bare(self, at: FileScope, node: int) -> Values:
        name = at.texts[at.nodes[node][2]]
        sites = self._seen_from(at, at.ambient[node][0], name)
        return union(map(self.evaluator.site_value, sites)) if sites else frozenset({("x", name)})

    def bare_type(self, at: FileScope, node: int) -> Values:
        name = at.texts[at.nodes[node][2]]
        sites = self._seen_from(at, at.ambient[node][0], name)
        return union(map(self.evaluator.site_type, sites)) if sites else frozenset({("x", f"{name}()")})

    def _named(self, at: FileScope, node: int) -> list[Site]:
        """Definitions that a path stands for."""
        kind, a, b, _ = at.nodes[node]
        if kind in (ExprKind.PAREN, ExprKind.INDEX):
            return self._named(at, a)
        if kind == ExprKind.MEMBER:
            return sorted(set(self.evaluator.reached(at, a, at.texts[b])[0]))
        if kind == ExprKind.NAME and a:
            row = at.binds[a - 1]
            found: list[Site] = [(at.path, "d", number) for number in at.defs_in.get((row.scope, row.name), ())]
            for number in at.imports_in(row.scope, row.name, self.local_name):
                found += self.import_sites(at, number)
            return found
        return self._seen_from(at, at.ambient.get(node, (0, 0))[0], at.texts[b]) if kind == ExprKind.NAME else []

    def _with_fields(self, at: FileScope, node: int) -> list[Site]:
        """Structs and variants that a path stands for."""
        found: list[Site] = []
        for path, kind, number in self._named(at, node):
            if kind == "d" and self.evaluator.at(path).defs[number].kind in ("struct", "enum_member"):
                found.append((path, kind, number))
        return found or [
            (value[1], "d", value[2]) for value in sorted(self.evaluator.type_of(at, node), key=repr) if value[0] == "i"
        ]

    def label_sites(self, at: FileScope, of: int, name: str) -> list[Site]:
        traits = [value for value in self.evaluator.value(at.path, of) if value[0] == "c"]
        if traits and all(self.evaluator.at(value[1]).defs[value[2]].kind == "trait" for value in traits):
            return [site for value in traits for site in self.evaluator.member(value, name)[0]]
        return [
            (path, "d", member)
            for path, _, number in self._with_fields(at, of)
            for member in self.evaluator.at(path).members.get(number, {}).get(name, ())
            if self.evaluator.at(path).defs[member].kind == "field"
        ]

    def taken_apart(self, at: FileScope, step: tuple[int, int, str], values: Values) -> Values:
        node, place, name = step
        found = NOTHING
        sites = self._with_fields(at, node)
        for path, _, number in sites:
            tables = self.evaluator.at(path)
            fields = tables.fields(number)
            held = NOTHING
            if fields:
                held = self.evaluator.type_of(tables, fields[place]) if place < len(fields) else NOTHING
            elif name:
                held = self.evaluator.query(("a", path, number, name))
            for of in values or frozenset({("x", "")}):
                found |= filled_in(held, self._given(of, tables, number))
        if sites:
            return found
        kind, _, b, _ = at.nodes[node]
        last = at.texts[b] if kind in (ExprKind.NAME, ExprKind.MEMBER) else ""
        inner = [value[3] for value in values if value[0] == "G" and value[2] in rust_std.OTHERS]
        if last in ("Some", "Ok"):
            return union(parts[0] for parts in inner) | values & ANYTHING
        return union(parts[1] for parts in inner if len(parts) > 1) if last == "Err" else NOTHING

    # Values and types

    def constructors(self, of: Value) -> tuple[str, ...]:
        return ()

    def call(self, callee: Value, at: FileScope, node: int) -> Values | None:
        if callee[0] == "m":
            return self._returned(callee, self.evaluator.call_function(callee, at, at.lists[at.nodes[node][2]]))
        return frozenset({callee}) if callee[0] == "i" else None

    def call_container(self, callee: Value, values: Sequence[Values]) -> Values | None:
        _, of, name = callee
        called = union(
            self.evaluator.call_with(value, []) for held in values[:1] for value in held if value[0] in ("f", "c")
        )
        return rust_std.call(of, plain(name), values, called)

    def call_foreign(self, name: str, at: FileScope, node: int, values: Sequence[Values]) -> Values:
        *before, last = _SEPARATOR.split(name)
        first = values[0] if values else NOTHING
        if last == "Some":
            return rust_std.make("Option", [first])
        if last in ("Ok", "Err"):
            return rust_std.make("Result", [first, NOTHING] if last == "Ok" else [NOTHING, first])
        kind = rust_std.kind_of(before[-1]) if before and last in ("new", "from", "pin") else None
        if kind == "Vec" or kind in rust_std.MAPS:
            return frozenset(value for value in first if value[0] == "l")
        return rust_std.make(kind, [first]) if kind is not None else NOTHING

    def generic(self, name: str, at: FileScope, parts: Sequence[int]) -> Values:
        kind = rust_std.kind_of(_SEPARATOR.split(name)[-1])
        if kind is None:
            return NOTHING
        held = []
        for part in arguments(at, parts):
            what, a, _, _ = at.nodes[part]
            held.append(self.evaluator.type_of(at, a if what == ExprKind.LABELLED else part))
        return rust_std.make(kind, held)
