"""Languages whose classes see their members without an object, inherited ones too, and whose methods are overloaded:
how a bare name is looked up from a scope outward, and which method a call means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from codeplane.facts.ir import ExprKind
from codeplane.facts.model import Namespace, Target, Usage
from codeplane.facts.sketch import SketchBind
from codeplane.index.resolve.evaluator import CALLABLES
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.overloads import Candidate, choose, is_plain
from codeplane.index.resolve.resolver import LanguageResolver
from codeplane.index.resolve.value import NOTHING, Site, Value, Values, dict_of, list_of, mentions, tuple_of, union

_CALLED = frozenset({Usage.CALL, Usage.MEMBER_CALL})


def type_variable(at: FileScope, node: int | None) -> int | None:
    """The binding of the type variable that a node is."""
    kind, bound, _, _ = at.nodes[node] if node is not None else (0, 0, 0, 0)
    return bound - 1 if kind == ExprKind.NAME and bound and _is_variable(at.binds[bound - 1]) else None


def _is_variable(bind: SketchBind) -> bool:
    return bind.namespace == Namespace.TYPE and bind.target_kind == Target.UNKNOWN


def _by_knowledge(version: tuple[tuple[Value | None, tuple[Site, ...]], ...]) -> tuple[int, int, str]:
    return -len(version), sum(len(sites) for _, sites in version), repr(version)


class OverloadedResolver(LanguageResolver):
    bare_members = True
    overloads = True
    takes_object = False
    classes = LanguageResolver.classes | {"annotation"}
    calls_make = False
    """Whether a call of a type makes an object."""
    everywhere: frozenset[str] = frozenset()
    """Methods that every class has: no class around the innermost one is asked for them."""
    maps: frozenset[str] = frozenset()
    collections: frozenset[str] = frozenset()
    pair = ""
    """Types of the standard library that hold others: by key, one after the other, a key and its value."""

    def named(self, name: str) -> Sequence[tuple[str, int]]:
        """Path and number of every definition of this name, asked for once."""
        return self.evaluator.memo_tracked(("named", name), lambda: self.evaluator.library.named(name))

    def generic(self, name: str, at: FileScope, parts: Sequence[int]) -> Values:
        last = name.rpartition(".")[2]
        if last in self.maps and len(parts) == 2:
            return frozenset({dict_of({}, self.evaluator.type_of(at, parts[1]))})
        if last in self.collections and len(parts) == 1:
            return frozenset({(*list_of(self.evaluator.type_of(at, parts[0])), last)})
        if last == self.pair and len(parts) == 2:
            return frozenset({tuple_of([self.evaluator.type_of(at, part) for part in parts])})
        return frozenset({("x", f"{name}()")})

    def compute(self, key: tuple[Any, ...]) -> Values:
        if key[0] == "call":
            return frozenset({self._call_sites(self.evaluator.at(key[1]), key[2])})
        assert key[0] == "bare"
        return frozenset({tuple(self._bare_sites(self.evaluator.at(key[1]), *key[2:]))})

    # Names

    def bare_sites(self, at: FileScope, scope: int, usage: int, name: str, bind: int) -> Sequence[Site]:
        versions = self.evaluator.query(("z", at.language, "bare", at.path, scope, usage, name, bind))
        return max(versions, key=len, default=())

    def _bare_sites(self, at: FileScope, scope: int, usage: int, name: str, bind: int) -> list[Site]:
        row = at.binds[bind] if bind >= 0 else None
        # Of a file that defines and binds nothing the scopes are not kept.
        inner: int | None = scope if at.sketch.scopes else 0
        while inner:
            of = self.class_of(at, inner)
            owner = at.owner.get(inner)
            receiver = at.receiver(owner) if owner is not None else None
            if receiver is not None:
                for value in sorted(self.evaluator.type_of(at, receiver), key=repr):
                    found = self.of_usage(self.member_sites(value, name), usage)
                    if found:
                        return found
            if of is not None:
                found = self.of_usage(self.member_sites(("c", *self.whole(at.path, of)), name), usage)
                if usage not in _CALLED and found:
                    return self._nearest(found)
                if found or (name in self.everywhere and usage in _CALLED):
                    return found
            if row is not None and row.scope == inner:
                return self.of_usage(self.bound_sites(at, bind), usage)
            if self.hides_names(at, inner):
                return []
            inner = at.parent(inner)
        if row is not None and row.scope == 0:
            return self.of_usage(self.bound_sites(at, bind), usage)
        return self.of_usage(self.outside_sites(at, scope, name), usage)

    def hides_names(self, at: FileScope, scope: int) -> bool:
        """Whether a scope may have members of an object that is not known."""
        return False

    def bound_sites(self, at: FileScope, bind: int) -> list[Site]:
        row = at.binds[bind]
        found: list[Site] = [(at.path, "d", number) for number in at.defs_in.get((row.scope, row.name), ())]
        if not found and row.target_kind == Target.IMPORT:
            for number in at.imports_in(row.scope, row.name, self.local_name):
                found += self.import_sites(at, number)
        return list(dict.fromkeys(found))

    def class_of(self, at: FileScope, scope: int) -> int | None:
        """The class that a scope is the body of."""
        if scope in at.nameless:
            return -scope
        owner = at.owner.get(scope)
        is_body = owner is not None and at.sketch.scopes[scope][1] == "class"
        return owner if is_body and owner is not None and at.defs[owner].kind in self.classes else None

    def outside_sites(self, at: FileScope, scope: int, name: str) -> list[Site]:
        """What a name stands for that neither its file nor a base of the classes around it has."""
        return []

    def of_usage(self, sites: Sequence[Site], usage: int) -> list[Site]:
        """Those that a name which is used so can mean."""
        if usage == Usage.TYPE:
            return [site for site in sites if self.kind(site) in self.classes]
        if usage in _CALLED:
            return [site for site in sites if self.kind(site) in self.called_kinds]
        return [site for site in sites if self.kind(site) not in CALLABLES]

    called_kinds = frozenset({"method", "function", "property"})

    def kind(self, site: Site) -> str:
        return self.evaluator.at(site[0]).defs[site[2]].kind if site[1] == "d" else "attribute"

    def bare(self, at: FileScope, node: int) -> Values:
        scope, usage = at.ambient[node]
        _, bound, text, ref = at.nodes[node]
        sites = self.bare_sites(at, scope, usage, self.written_name(at, ref, at.texts[text]), bound - 1)
        if sites:
            return union(map(self.site_values, sites))
        return self.unknown(at, scope, bound, at.texts[text])

    def site_values(self, site: Site) -> Values:
        """What a site holds; a method is one of its class, which no object is known of."""
        return self.evaluator.site_value(site)

    def unknown(self, at: FileScope, scope: int, bound: int, name: str) -> Values:
        if bound and at.binds[bound - 1].target_kind != Target.DEF:
            return self.evaluator.query(("b", at.path, bound - 1))
        return frozenset({("x", name)})

    def bare_type(self, at: FileScope, node: int) -> Values:
        scope, _ = at.ambient[node]
        _, bound, text, ref = at.nodes[node]
        sites = self.bare_sites(at, scope, Usage.TYPE, self.written_name(at, ref, at.texts[text]), bound - 1)
        if sites:
            return frozenset(("i", *self.whole(site[0], site[2])) for site in sites)
        if bound:
            return self.evaluator.query(("y", at.path, bound - 1))
        return frozenset({("x", f"{at.texts[text]}()")})

    # Classes

    def class_around(self, at: FileScope, definition: int) -> tuple[str, int] | None:
        of = self.class_of(at, at.defs[definition].scope)
        return (at.path, of) if of is not None else None

    def parts(self, at: FileScope, definition: int) -> list[tuple[str, str]]:
        return []

    # Calls

    def member_sites(self, of: Value, name: str) -> Sequence[Site]:
        return self.evaluator.member_sites(of, name)

    def named_sites(self, at: FileScope, node: int) -> list[tuple[Site, ...]]:
        kind, a, b, _ = at.nodes[node]
        groups: list[tuple[Site, ...]] = []
        for of in sorted(self.evaluator.value(at.path, a), key=repr):
            sites = [site for site in self.member_sites(of, at.texts[b]) if self._is_seen(at, site)]
            values = [site for site in sites if self.kind(site) not in CALLABLES]
            if sites:
                groups.append(tuple(self._nearest(values or sites)))
        if not groups and kind == ExprKind.CASE:
            plain = self.bare_sites(at, at.ambient[node][0], Usage.NAME, at.texts[b], -1)
            return [tuple(plain)] if plain else []
        return groups

    def _nearest(self, sites: list[Site]) -> list[Site]:
        """Of members that hide each other those of the class that comes first."""
        first = self._around(sites[0])
        return [site for site in sites if self._around(site) == first] if first is not None else sites

    def _around(self, site: Site) -> tuple[str, int] | None:
        around = self.class_around(self.evaluator.at(site[0]), site[2]) if site[1] == "d" else None
        return self.whole(*around) if around is not None else None

    def _is_seen(self, at: FileScope, site: Site) -> bool:
        return site[0] == at.path or site[1] != "d" or self.evaluator.at(site[0]).defs[site[2]].visibility != "private"

    def extension_sites(self, at: FileScope, node: int, of: Value, name: str) -> Sequence[Site]:
        """Functions that are called like a member of an object, but stand elsewhere."""
        return ()

    def calls_of(self, at: FileScope, node: int) -> tuple[tuple[Value | None, tuple[Site, ...]], ...]:
        versions = self.evaluator.query(("z", at.language, "call", at.path, node))
        if len(versions) == 1:
            return next(iter(versions))
        # In a circle the first answers know less: of fewer objects, and of more methods that could be meant.
        return min(versions, key=_by_knowledge, default=())

    def _call_sites(self, at: FileScope, node: int) -> tuple[tuple[Value | None, tuple[Site, ...]], ...]:
        what, callee, _, _ = at.nodes[node]
        kind, a, b, ref = at.nodes[callee]
        while kind in (ExprKind.PAREN, ExprKind.INDEX):
            callee = a
            kind, a, b, ref = at.nodes[callee]
        found: list[tuple[Value | None, tuple[Site, ...]]] = []
        if kind == ExprKind.MEMBER:
            for of in sorted(self.evaluator.value(at.path, a), key=repr):
                sites = self.member_sites(of, at.texts[b]) or self.extension_sites(at, node, of, at.texts[b])
                if sites:
                    found.append((of, self._chosen(at, node, sites, what)))
        elif kind == ExprKind.NAME:
            place = at.ambient.get(callee)
            if place is not None:
                usage = Usage.TYPE if what == ExprKind.NEW else place[1]
                sites = self.bare_sites(at, place[0], usage, self.written_name(at, ref, at.texts[b]), a - 1)
            else:
                sites = self.bound_sites(at, a - 1) if a else []
            if sites:
                found.append((None, self._chosen(at, node, sites, what)))
        return tuple(found)

    def _chosen(self, at: FileScope, node: int, sites: Sequence[Site], what: int) -> tuple[Site, ...]:
        types = [site for site in sites if self.kind(site) in self.classes]
        types = self._nearest(types) if types else []
        if types and (what == ExprKind.NEW or self.calls_make):
            makers = choose(self.evaluator, at, node, self._makers(at, types))
            return (*types, *((path, "d", definition) for path, definition in makers))
        seen = [site for site in sites if self.kind(site) in self.called_kinds and self._is_seen(at, site)]
        methods = [(site[0], site[2]) for site in seen if self.kind(site) in CALLABLES]
        memo_tracked = choose(self.evaluator, at, node, methods)
        if not memo_tracked:
            values = [site for site in seen if self.kind(site) not in CALLABLES and self.is_callable(at, node, site)]
            return tuple(self._nearest(values)) if values else ()
        return tuple((path, "d", definition) for path, definition in memo_tracked)

    def is_callable(self, at: FileScope, node: int, site: Site) -> bool:
        """Whether what a property or field holds can be called."""
        for value in self.evaluator.site_value(site):
            if value[0] == "x" and is_plain(value[1]):
                return False
            if value[0] == "i" and self.kind((value[1], "d", value[2])) != "type":
                return bool(self.evaluator.member_sites(value, "invoke"))
        return True

    def _makers(self, at: FileScope, types: Sequence[Site]) -> list[Candidate]:
        found: list[Candidate] = []
        for path, _, definition in types:
            tables = self.evaluator.at(path)
            for members in tables.members.get(definition, {}).values():
                found += [
                    (path, member)
                    for member in members
                    if tables.defs[member].kind == "constructor" and self._is_seen(at, (path, "d", member))
                ]
        return found

    def called(self, at: FileScope, node: int) -> Values | None:
        calls = self.calls_of(at, node)
        if not calls:
            return None
        return union(self._given_by(of, site, at, node) for of, sites in calls for site in sites)

    def _given_by(self, of: Value | None, site: Site, at: FileScope, node: int) -> Values:
        path, what, definition = site
        if what != "d":
            return NOTHING
        tables = self.evaluator.at(path)
        kind = tables.defs[definition].kind
        if kind in self.classes:
            return frozenset({("i", path, definition)})
        if kind == "constructor":
            return NOTHING
        scope = tables.body.get(definition)
        if kind not in CALLABLES or scope is None:
            return self.evaluator.site_value(site)
        variable = type_variable(tables, tables.return_type(scope))
        if variable is not None and of is not None and tables.binds[variable].scope != scope:
            return self._argument_of(of, tables, variable)
        inferred = self._inferred(tables, scope, variable, at, node) if variable is not None else NOTHING
        if inferred:
            return inferred
        found = self.evaluator.query(("r", path, scope))
        if any(mentions(value, path, scope) for value in found):
            callee: Value = ("m", path, scope, of) if of is not None and of[0] == "i" else ("f", path, scope)
            return self.evaluator.call(callee, at, node)
        return found

    def _argument_of(self, of: Value, target: FileScope, variable: int) -> Values:
        """What a type variable of a class stands for in an object: what the classes between them say."""
        row = target.binds[variable]
        names = [bind.name for bind in target.binds if bind.scope == row.scope and _is_variable(bind)]
        owner = target.owner.get(row.scope)
        if owner is None or of[0] not in ("i", "s"):
            return NOTHING
        if of[:3] == ("i", target.path, owner):
            return self.evaluator.query(("y", target.path, variable))
        number = names.index(row.name)
        found = NOTHING
        for base in self.evaluator.bases(of[1], of[2]):
            at = self.evaluator.at(base[1]) if base[0] == "c" else None
            for node in at.bases(base[2]) if at is not None else ():
                kind, a, keys, _ = at.nodes[node]  # type: ignore[union-attr]
                if kind == ExprKind.INDEX and ("c", target.path, owner) in self.evaluator.value(base[1], a):
                    parts = at.lists[keys]  # type: ignore[union-attr]
                    if number < len(parts) and type_variable(at, parts[number]) is None:  # type: ignore[arg-type]
                        found |= self.evaluator.type_of(at, parts[number])  # type: ignore[arg-type]
        return found

    def _inferred(self, target: FileScope, scope: int, variable: int, at: FileScope, node: int) -> Values:
        """What a method gives whose type is a variable that its arguments tell."""
        found = NOTHING
        variable += 1
        for param, part in zip(target.params.get(scope, ()), at.lists[at.nodes[node][2]], strict=False):
            kind, a, b, _ = target.nodes[param.type] if param.type >= 0 else (0, 0, 0, 0)
            if kind == ExprKind.NAME and a == variable:
                found |= frozenset(value for value in self.evaluator.value(at.path, part) if value[0] != "p")
            elif kind == ExprKind.INDEX and [target.nodes[key][:2] for key in target.lists[b]] == [
                [ExprKind.NAME, variable]
            ]:
                for value in self.evaluator.value(at.path, part):
                    found |= frozenset({("i", *value[1:])}) if value[0] == "Y" else self.evaluator.elements(value)
        return found
