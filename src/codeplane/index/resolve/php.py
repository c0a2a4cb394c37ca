"""PHP: namespaces and what they import, classes with their traits, and the types that comments declare.

Classes, functions and constants have names of their own, and so have properties (`$name`), methods (`name()`) and
constants (`name`) of a class. What several files define under one full name is none of them, unless one lies beside.
"""

from __future__ import annotations

from collections.abc import Sequence
from posixpath import dirname
from typing import Any

from codeplane.facts.model import Usage
from codeplane.facts.sketch import SketchDef
from codeplane.index.resolve.doc_types import Said, read_type
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.resolver import LanguageResolver
from codeplane.index.resolve.value import NOTHING, Site, Value, Values, dict_of, list_of, objects, union

_CLASS, _FUNCTION, _CONSTANT = "class", "function", "constant"
_IMPORTED = {"php_use": _CLASS, "php_use_function": _FUNCTION, "php_use_const": _CONSTANT}
_USED_AS = {Usage.TYPE: _CLASS, Usage.CALL: _FUNCTION, Usage.NAME: _CONSTANT}
_METHODS = frozenset({"method", "constructor"})
_ENUM_MAKERS = frozenset({"from()", "tryFrom()"})
_SAME_ELEMENTS = frozenset(
    {"array_filter", "array_values", "array_reverse", "array_slice", "array_unique", "array_merge", "iterator_to_array"}
)
_ONE_ELEMENT = frozenset({"current", "reset", "end", "next", "prev", "array_pop", "array_shift"})


class PhpResolver(LanguageResolver):
    classes = frozenset({"class", "interface", "trait", "enum"})
    takes_object = False
    invoked = "__invoke()"

    # Namespaces

    def _space_at(self, at: FileScope, scope: int) -> tuple[int, str]:
        """The scope of the namespace around, and its name."""
        if not at.sketch.scopes:
            return 0, ""  # nothing is defined there
        while scope and at.sketch.scopes[scope][1] != "namespace":
            scope = at.sketch.scopes[scope][0] or 0
        return scope, self.evaluator.memo_tracked(("php spaces", at.path), lambda: _read_spaces(at)).get(scope, "")

    def _alias(self, at: FileScope, scope: int, kind: str, name: str) -> str | None:
        known = self.evaluator.memo_tracked(("php aliases", at.path), lambda: _read_aliases(at))
        found = known.get((scope, kind, name))
        return self._imported_name(at, found) if found is not None else None

    def _imported_name(self, at: FileScope, number: int) -> str:
        row = at.imports[number]
        if row.source != row.imported_name:
            return f"{row.source}\\{row.imported_name}"
        # `use A` and `use A\A` are told alike.
        inner = f"{row.source}\\{row.imported_name}"
        return inner if self._named(_IMPORTED[row.kind], inner) else row.imported_name

    def _full_names(self, at: FileScope, name: str, scope: int, kind: str) -> list[str]:
        """What a name can mean; the first that exists is meant."""
        if name.startswith("\\"):
            return [name[1:]]
        scope, space = self._space_at(at, scope)
        inside = f"{space}\\" if space else ""
        head, more, rest = name.partition("\\")
        if head.lower() == "namespace" and more:
            return [inside + rest]
        known = self._alias(at, scope, _CLASS if more else kind, head)
        if known is not None:
            return [known + more + rest]
        return [inside + name] if more or kind == _CLASS or not space else [inside + name, name]

    def _named(self, kind: str, name: str) -> Sequence[Site]:
        """All definitions of a full name."""
        return self.evaluator.memo_tracked(("php", kind, name), lambda: self._look_up(kind, name))

    def _look_up(self, kind: str, name: str) -> list[Site]:
        space, _, last = name.rpartition("\\")
        return [
            (path, "d", number)
            for path, number in self.evaluator.library.named(last)
            if (at := self.evaluator.library.tables(path)) is not None
            and at.language == "php"
            and self._is(at, at.defs[number], kind)
            and self._space_at(at, at.defs[number].scope)[1] == space
        ]

    def _is(self, at: FileScope, row: SketchDef, kind: str) -> bool:
        if kind == _CLASS:
            return row.kind in self.classes
        return row.kind == kind and (row.parent is None or at.defs[row.parent].kind not in self.classes)

    def _find(self, at: FileScope, name: str, scope: int, kind: str) -> list[Site]:
        for full in self._full_names(at, name, scope, kind):
            found = self._named(kind, full)
            if found:
                return _nearest(found, at.path)
        return []

    def bare_sites(self, at: FileScope, scope: int, usage: int, name: str, bind: int) -> list[Site]:
        kind = _USED_AS.get(Usage(usage))
        if kind is not None:
            return self._find(at, name, scope, kind)
        found = [sites for kind in (_CLASS, _FUNCTION, _CONSTANT) if (sites := self._find(at, name, scope, kind))]
        return found[0] if len(found) == 1 else []

    def bare(self, at: FileScope, node: int) -> Values:
        name = at.texts[at.nodes[node][2]]
        sites = self.bare_sites(at, *at.ambient[node], name, -1)
        return union(map(self.evaluator.site_value, sites)) or frozenset({("x", name)})

    def import_sites(self, at: FileScope, number: int) -> list[Site]:
        kind = _IMPORTED.get(at.imports[number].kind)
        return _nearest(self._named(kind, self._imported_name(at, number)), at.path) if kind is not None else []

    def imported(self, at: FileScope, number: int) -> Values:
        sites = self.import_sites(at, number)
        return union(map(self.evaluator.site_value, sites)) or frozenset({("x", at.imports[number].imported_name)})

    # Classes

    def constructors(self, of: Value) -> tuple[str, ...]:
        return ("__construct()",)

    def direct_bases(self, at: FileScope, definition: int) -> list[Value]:
        """Traits go before the class that is extended, interfaces come last."""
        return sorted(super().direct_bases(at, definition), key=self._rank)

    def _rank(self, value: Value) -> int:
        kind = self.evaluator.at(value[1]).defs[value[2]].kind if value[0] == "c" else "class"
        return {"trait": 0, "interface": 2}.get(kind, 1)

    def members(self, at: FileScope, definition: int, name: str) -> list[Site]:
        own = at.members.get(definition, {})
        if name.endswith("()"):
            return [(at.path, "d", found) for found in own.get(name[:-2], ()) if at.defs[found].kind in _METHODS]
        if not name.startswith("$"):
            return [
                (at.path, "d", found)
                for found in own.get(name, ())
                if at.defs[found].kind in ("constant", "enum_member")
            ]
        found = [number for number in own.get(name[1:], ()) if at.defs[number].kind == "property"]
        for maker in own.get("__construct", ()):
            found += at.members.get(maker, {}).get(name[1:], ())
        return [(at.path, "d", number) for number in found]

    def query(self, at: FileScope, key: tuple[Any, ...]) -> Values | None:
        """A parameter of the constructor that is a property too holds what it is declared to."""
        if key[0] != "a" or not key[3].startswith("$"):
            return None
        for maker in at.members.get(key[2], {}).get("__construct", ()):
            if at.members.get(maker, {}).get(key[3][1:]):
                for param in at.params.get(at.body.get(maker, -1), ()):
                    if param.name == key[3][1:] and param.type >= 0:
                        return self.evaluator.type_of(at, param.type) or None
        return None

    def member(self, of: Value, name: str) -> tuple[list[Site], Values] | None:
        """What makes an object of an enumeration is defined nowhere."""
        if name not in _ENUM_MAKERS or of[0] != "c" or of[2] < 0 or self.evaluator.at(of[1]).defs[of[2]].kind != "enum":
            return None
        return None if self.members(self.evaluator.at(of[1]), of[2], name) else ([], frozenset({of}))

    def method(self, at: FileScope, definition: int, of: Value) -> Values:
        """A method that is called on a class is called on whatever object of it there will be (`new static`)."""
        of = ("i", *of[1:]) if of[0] == "c" else of
        return frozenset(
            ("m", value[1], value[2], of) if value[0] == "f" else value
            for value in self.evaluator.query(("v", at.path, definition))
        )

    # Values

    def gone_through(self, of: Value) -> Values:
        return self.evaluator.held(of) if of[0] == "d" else self.evaluator.elements(of)

    def elements(self, of: Value) -> Values:
        if of[0] != "i":
            return NOTHING
        return self.evaluator.result(of, "current()") | union(
            self.evaluator.elements(value) for value in self.evaluator.result(of, "getIterator()") if value != of
        )

    def item(self, of: Value) -> Values:
        return self.evaluator.result(of, "offsetGet()")

    def call_foreign(self, name: str, at: FileScope, node: int, values: Sequence[Values]) -> Values:
        last = name.rpartition("\\")[2]
        if last in _SAME_ELEMENTS:
            return frozenset({list_of(union(map(self.gone_through, union(values))))})
        if last in _ONE_ELEMENT and values:
            return union(map(self.gone_through, values[0]))
        if last == "array_map" and len(values) > 1:
            passed = union(map(self.gone_through, values[1]))
            return frozenset({list_of(union(self.evaluator.call_with(value, [passed]) for value in values[0]))})
        return super().call_foreign(name, at, node, values)

    # Types in comments

    def said(self, at: FileScope, text: str, scope: int) -> Values:
        return self._meant(at, read_type(text), scope)

    def _meant(self, at: FileScope, said: Said, scope: int) -> Values:
        what, *parts = said
        if what == "name":
            return self._of_class(at, parts[0], scope)
        held: dict[Any, Values] = {key: self._meant(at, part, scope) for key, part in parts}
        if what == "either":
            return union(held.values())
        if what == "list":
            return frozenset({list_of(union(held.values()))})
        if what == "fields":
            return frozenset({dict_of(held, NOTHING)})
        return frozenset(("c", *value[1:3]) for values in held.values() for value in values if value[0] == "i")

    def _of_class(self, at: FileScope, name: str, scope: int) -> Values:
        if name in ("static", "$this", "self"):
            found = self.this(at, scope)
            return frozenset(of[:3] for of in found) if name == "self" else found
        return objects(union(map(self.evaluator.site_value, self._find(at, name, scope, _CLASS))))


def _read_spaces(at: FileScope) -> dict[int, str]:
    """Scope -> namespace. A namespace with braces has a scope of its own; without, the first has that of the file."""
    modules = [(number, row) for number, row in enumerate(at.defs) if row.kind == "module"]
    scopes = [number for number, (_, kind) in enumerate(at.sketch.scopes) if kind == "namespace"]
    if len(scopes) < len(modules):
        return {row.scope: row.name for _, row in modules}
    if len(scopes) == len(modules):
        return {scope: row.name for scope, (_, row) in zip(scopes, modules, strict=True)}
    names = {number: row.name for number, row in modules}
    return {row.scope: names[row.parent] for row in at.defs if row.parent in names}


def _read_aliases(at: FileScope) -> dict[tuple[int, str, str], int]:
    """Scope, kind and name -> the import that binds it."""
    return {
        (row.scope, _IMPORTED[row.kind], row.alias or row.imported_name): number
        for number, row in enumerate(at.imports)
        if row.kind in _IMPORTED
    }


def _nearest(found: Sequence[Site], path: str) -> list[Site]:
    paths = {site[0] for site in found}
    if len(paths) < 2:
        return list(found)
    beside = {other for other in paths if dirname(other) == dirname(path)}
    chosen = path if path in paths else next(iter(beside)) if len(beside) == 1 else None
    return [site for site in found if site[0] == chosen]
