"""Members of Rust's types: what stands in the type, in its `impl` blocks, in its traits, and behind a `Deref`."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from codeplane.facts.ir import ExprKind, FlowKind
from codeplane.index.resolve import rust_std
from codeplane.index.resolve.evaluator import CALLABLES
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.resolver import LanguageResolver
from codeplane.index.resolve.value import NOTHING, Site, Value, Values, applied, filled_in, list_of, union

Found = tuple[list[Site], Values]
_NOT_FOUND: Found = ([], NOTHING)
_DERIVED = frozenset(
    {"clone", "to_owned", "eq", "ne", "cmp", "partial_cmp", "hash", "fmt", "default", "to_string", "into"}
)
"""Methods that a type may well have without a word about them; never looked for behind it."""


def plain(name: str) -> str:
    return name.removesuffix("()")


class Members(LanguageResolver):
    paths_are_members = True
    tuple_types = True
    containers = MappingProxyType({"l": "std", "t": "std", "G": "std"})

    # Where a method stands

    def _owner(self, at: FileScope, scope: int | None) -> tuple[Values, int | None]:
        """Objects of the type around a scope, and the `impl` that it stands in."""
        method: int | None = None
        while scope is not None:
            if scope in at.adds:
                return self.evaluator.type_of(at, at.adds[scope]), scope
            owner = at.owner.get(scope)
            if owner is not None and at.defs[owner].kind in self.classes:
                of: Value = ("i", at.path, owner) if method is None else ("i", at.path, owner, method)
                return frozenset({of}), None
            if owner is not None and at.defs[owner].kind in CALLABLES:
                method = scope
            scope = at.sketch.scopes[scope][0]
        return NOTHING, None

    def this(self, at: FileScope, scope: int | None, kind: int = ExprKind.THIS) -> Values:
        return self._owner(at, scope)[0]

    def own(self, at: FileScope, scope: int) -> Values:
        return frozenset(("c", *value[1:]) if value[0] == "i" else value for value in self._owner(at, scope)[0])

    def own_member(self, at: FileScope, scope: int, name: str) -> Found | None:
        """A type that the `impl` around names; a function of the type itself comes before those of the `impl`."""
        impl = self._owner(at, scope)[1]
        found = at.added.get((impl, name), ()) if impl is not None else ()
        if not found or impl is None or at.defs[found[0]].kind != "type":
            return None
        of = min(self.own(at, scope), key=repr, default=("x", ""))
        return self._held([(at.path, "d", number) for number in found], of)

    def _announced(self, site: Site) -> list[Site]:
        """The type that a trait asks for, if that is one which an `impl` of the trait gives."""
        at = self.evaluator.at(site[0])
        row = at.defs[site[2]]
        found: set[Site] = set()
        for trait in union(self.evaluator.value(at.path, node) for node in at.conforms(row.scope)):
            if trait[0] == "c":
                members = self.evaluator.at(trait[1]).members.get(trait[2], {})
                found |= {(trait[1], "d", number) for number in members.get(row.name, ())}
        return sorted(found)

    def overridden(self, at: FileScope, definition: int) -> tuple[list[Site], bool] | None:
        """The function of the trait that a function of an `impl` block implements."""
        row = at.defs[definition]
        traits = at.conforms(row.scope) if row.kind in CALLABLES else ()
        if not traits:
            return None
        return self._announced((at.path, "d", definition)), not all(
            any(value[0] == "c" for value in self.evaluator.value(at.path, node)) for node in traits
        )

    # Impl blocks and traits

    def compute(self, key: tuple[Any, ...]) -> Values:
        what, path, definition = key
        at = self.evaluator.at(path)
        if what == "impls":
            return self._impls(at, definition)
        if what == "traits":
            return self._traits(at, definition)
        return self._behind(path, definition)

    def _impls(self, at: FileScope, definition: int) -> Values:
        name = at.defs[definition].name
        own = ("i", at.path, definition)
        found: set[Value] = set()
        for path in sorted({at.path, *self.evaluator.library.detaching(name)}):
            tables = self.evaluator.library.tables(path)
            if tables is None or tables.language != at.language:
                continue
            for scope, node in tables.adds.items():
                said = _last_name(tables, node)
                if said != name and not tables.imports_in(0, said, self.local_name):
                    continue
                if any(value[:3] == own for value in self.evaluator.type_of(tables, node)):
                    found.add(("I", path, scope))
        return frozenset(found)

    def _traits(self, at: FileScope, definition: int) -> Values:
        found: set[Value] = set()
        if at.defs[definition].kind == "trait":
            found |= union(self.evaluator.value(at.path, node) for node in at.bases(definition))
        for _, path, scope in self.evaluator.query(("z", "rust", "impls", at.path, definition)):
            found |= union(self.evaluator.value(path, node) for node in self.evaluator.at(path).conforms(scope))
        return frozenset(value[:3] for value in found if value[0] == "c")

    def _behind(self, path: str, definition: int) -> Values:
        """What dereferencing an object gives."""
        found = NOTHING
        for _, file, scope in self.evaluator.query(("z", "rust", "impls", path, definition)):
            at = self.evaluator.at(file)
            if any(_last_name(at, node) == "Deref" for node in at.conforms(scope)):
                for number in at.added.get((scope, "Target"), ()):
                    found |= self.evaluator.site_type((file, "d", number))
        return found

    # Looking up

    def member(self, of: Value, name: str) -> Found | None:
        return self._member(of, name, frozenset())

    def _member(self, of: Value, name: str, seen: frozenset[Value]) -> Found:
        """`seen` are those that the object stands behind, or is a bound of."""
        key = of[:3] if of[0] in ("i", "c") else of
        if key in seen:
            return _NOT_FOUND
        seen |= {key}
        text = plain(name)
        if of[0] == "T":
            return self._all(self._bounds(of), name, seen)
        if of[0] == "G":
            if of[2] == "Box" and text not in rust_std.POINTER_METHODS:
                sites, values = self._all(of[3][0], name, seen)
                # A pointer may have the traits of other libraries itself.
                return _NOT_FOUND if any(map(self._is_of_foreign_trait, sites)) else (sites, values)
            return [], frozenset({("e", of, text)})
        if text.isdigit():
            at = self.evaluator.at(of[1])
            fields = at.fields(of[2])
            held = self.evaluator.type_of(at, fields[int(text)]) if int(text) < len(fields) else NOTHING
            return [], filled_in(held, self._given(of, at, of[2]))
        found = self._lookup(of, text, called=name != text, seen=frozenset())
        if not found and of[0] == "c" and (text in rust_std.MAKING or text in rust_std.TRYING):
            return [], frozenset({("e", of, text)})
        if found is None:
            behind = NOTHING if text in _DERIVED else self.evaluator.query(("z", "rust", "behind", of[1], of[2]))
            if behind and of[0] == "i":
                return self._all(behind, name, seen)
            if of[0] == "i" and name != text:
                held = self.elements(of)
                held = frozenset({list_of(held)}) if held else frozenset({of})
                return [], frozenset(("e", value, text) for value in held)
            return _NOT_FOUND
        return self._held(found, of)

    def _all(self, values: Values, name: str, seen: frozenset[Value]) -> Found:
        sites: list[Site] = []
        held = NOTHING
        for value in values:
            own = value[0] in ("i", "c", "T", "G")
            more, values_of = self._member(value, name, seen) if own else self.evaluator.member(value, name)
            sites += more
            held |= values_of
        return sites, held

    def _lookup(self, of: Value, name: str, *, called: bool, seen: frozenset[Value]) -> list[Site] | None:
        """Definitions of a member; none at all (an empty list) if there are several that only types tell apart."""
        key = ("c", of[1], of[2])
        if key in seen:
            return None
        seen |= {key}
        at = self.evaluator.at(of[1])
        own: list[Site] = [(of[1], "d", number) for number in at.members.get(of[2], {}).get(name, ())]
        fields = [site for site in own if at.defs[site[2]].kind == "field"]
        if fields and of[0] == "i" and not called:
            return fields
        own = [site for site in own if site not in fields]
        if own:
            return own
        inherent: list[Site] = []
        of_traits: list[Site] = []
        for _, path, scope in sorted(self.evaluator.query(("z", "rust", "impls", of[1], of[2]))):
            tables = self.evaluator.at(path)
            into = of_traits if tables.conforms(scope) else inherent
            found = [(path, "d", number) for number in tables.added.get((scope, name), ())]
            if found and self._is_one_of_many(tables, scope):
                return []
            into += found
        for found in (inherent, of_traits):
            if found:
                return found if len(found) == 1 else []
        defaults: list[Site] = []
        for trait in sorted(self.evaluator.query(("z", "rust", "traits", of[1], of[2]))):
            more = self._lookup(trait, name, called=True, seen=seen)
            if more is not None:
                defaults += more
        defaults = sorted(set(defaults))
        if not defaults:
            return None
        return defaults if len(defaults) == 1 else []

    def _held(self, sites: list[Site], of: Value) -> Found:
        values = NOTHING
        told = list(sites)
        for path, _, number in sites:
            at = self.evaluator.at(path)
            row = at.defs[number]
            if row.kind == "type":
                told += self._announced((path, "d", number))
            if row.kind in CALLABLES:
                scope = at.body.get(number)
                values |= frozenset({("m", path, scope, of)}) if scope is not None else NOTHING
            elif row.kind == "field":
                held = self.evaluator.query(("a", path, row.parent, row.name))
                values |= filled_in(held, self._given(of, at, row.parent or 0))
            elif row.kind == "type":
                values |= frozenset(
                    ("c", *value[1:]) if value[0] == "i" else value
                    for value in self.evaluator.site_type((path, "d", number))
                )
            else:
                values |= self.evaluator.query(("v", path, number))
        return told, values

    def elements(self, of: Value) -> Values:
        if of[0] == "G":
            return rust_std.elements(of)
        if of[0] == "T":
            return union(self.evaluator.elements(bound) for bound in self._bounds(of) if bound[0] != "T")
        if of[0] != "i":
            return NOTHING
        found = self._lookup(of, "Item", called=True, seen=frozenset())
        return union(map(self.evaluator.site_type, found)) if found else NOTHING

    # Type variables

    def applied(self, of: Value, at: FileScope, parts: Sequence[int]) -> Values:
        return frozenset(
            {applied(("i", of[1], of[2]), [self.evaluator.type_of(at, part) for part in arguments(at, parts)])}
        )

    def _bounds(self, of: Value) -> Values:
        at = self.evaluator.at(of[1])
        return union(self.evaluator.type_of(at, node) for how, node in at.into_bind(of[2]) if how == FlowKind.BOUND)

    def _given(self, of: Value, at: FileScope, definition: int) -> dict[Value, Values]:
        """What an object's type has in place of the variables that its definition names."""
        if len(of) < 4 or not isinstance(of[3], tuple):
            return {}
        if definition not in at.body and (parent := at.defs[definition].parent) is not None:
            definition = parent
        variables = at.variables.get(definition, ())
        return {("T", at.path, bind): held for bind, held in zip(variables, of[3], strict=False)}

    def _returned(self, method: Value, values: Values) -> Values:
        _, path, scope, of = method
        if len(of) < 4 or not isinstance(of[3], tuple):
            return values
        at = self.evaluator.at(path)
        owner = at.owner.get(scope)
        node = at.adds.get(at.defs[owner].scope) if owner is not None else None
        while node is not None and at.nodes[node][0] == ExprKind.PAREN:
            node = at.nodes[node][1]
        if node is None or at.nodes[node][0] != ExprKind.INDEX:
            return values
        given: dict[Value, Values] = {}
        for part, held in zip(arguments(at, at.lists[at.nodes[node][2]]), of[3], strict=False):
            kind, bind, _, _ = at.nodes[part]
            if kind == ExprKind.NAME and bind:
                given["T", path, bind - 1] = held
        return filled_in(values, given)

    def _is_one_of_many(self, at: FileScope, scope: int) -> bool:
        """Whether an `impl` is of a trait of another library with arguments: others of it may be out of sight."""
        return any(
            at.nodes[node][0] == ExprKind.INDEX
            and not any(value[0] == "c" for value in self.evaluator.value(at.path, node))
            for node in at.conforms(scope)
        )

    def _is_of_foreign_trait(self, site: Site) -> bool:
        at = self.evaluator.at(site[0])
        bases = at.conforms(at.defs[site[2]].scope) if site[1] == "d" else ()
        return bool(bases) and not any(
            value[0] == "c" for node in bases for value in self.evaluator.value(at.path, node)
        )


def arguments(at: FileScope, parts: Sequence[int]) -> list[int]:
    """Type arguments without lifetimes."""
    return [part for part in parts if at.nodes[part][0] not in (ExprKind.LITERAL, ExprKind.STRING)]


def _last_name(at: FileScope, node: int) -> str:
    kind, a, b, _ = at.nodes[node]
    while kind in (ExprKind.PAREN, ExprKind.INDEX, ExprKind.UNION):
        inner = at.lists[a][0] if kind == ExprKind.UNION and at.lists[a] else a
        if kind == ExprKind.UNION and not at.lists[a]:
            return ""
        kind, a, b, _ = at.nodes[inner]
    return at.texts[b] if kind in (ExprKind.NAME, ExprKind.MEMBER) else ""
