"""Languages whose classes see their members without an object, inherited ones too, and whose methods are overloaded:
how a bare name is looked up from a scope outward, and which method a call means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from codeplane.facts.model import Target, Usage
from codeplane.index.resolve.evaluate import CALLABLES
from codeplane.index.resolve.overloads import Candidate, choose
from codeplane.index.resolve.rules import Rules
from codeplane.index.resolve.tables import Tables
from codeplane.index.resolve.value import NOTHING, Site, Value, Values, objects, union

_CALLED = frozenset({Usage.CALL, Usage.MEMBER_CALL})


class TypedRules(Rules):
    bare_members = True
    overloads = True
    takes_object = False
    classes = Rules.classes | {"annotation"}
    everywhere: frozenset[str] = frozenset()
    """Methods that every class has: no class around the innermost one is asked for them."""

    # Names

    def bare_sites(self, at: Tables, scope: int, usage: int, name: str, bind: int) -> list[Site]:
        row = at.binds[bind] if bind >= 0 else None
        inner: int | None = scope
        while inner:
            of = self.class_of(at, inner)
            if of is not None:
                found = self.of_usage(self.ev.member(("c", at.path, of), name)[0], usage)
                if found or (name in self.everywhere and usage in _CALLED):
                    return found
            if row is not None and row.scope == inner:
                return self.of_usage(self._bound(at, bind), usage)
            inner = at.sketch.scopes[inner][0]
        if row is not None and row.scope == 0:
            return self.of_usage(self._bound(at, bind), usage)
        return self.of_usage(self.outside_sites(at, scope, name), usage)

    def _bound(self, at: Tables, bind: int) -> list[Site]:
        row = at.binds[bind]
        found: list[Site] = [(at.path, "d", number) for number in at.defs_in.get((row.scope, row.name), ())]
        if not found and row.target_kind == Target.IMPORT:
            for number, imported in enumerate(at.imports):
                if imported.scope == row.scope and self.local_name(imported) == row.name:
                    found += self.import_sites(at, number)
        return list(dict.fromkeys(found))

    def class_of(self, at: Tables, scope: int) -> int | None:
        """The class that a scope is the body of."""
        if scope in at.nameless:
            return -scope
        owner = at.owner.get(scope)
        is_body = owner is not None and at.sketch.scopes[scope][1] == "class"
        return owner if is_body and owner is not None and at.defs[owner].kind in self.classes else None

    def outside_sites(self, at: Tables, scope: int, name: str) -> list[Site]:
        """What a name stands for that neither its file nor a base of the classes around it has."""
        return []

    def of_usage(self, sites: list[Site], usage: int) -> list[Site]:
        """Those that a name which is used so can mean."""
        if usage == Usage.TYPE:
            return [site for site in sites if self.kind(site) in self.classes]
        if usage in _CALLED:
            return [site for site in sites if self.kind(site) in self.called_kinds]
        return [site for site in sites if self.kind(site) not in CALLABLES]

    called_kinds = frozenset({"method", "function", "property"})

    def kind(self, site: Site) -> str:
        return self.ev.at(site[0]).defs[site[2]].kind if site[1] == "d" else "attribute"

    def bare(self, at: Tables, node: int) -> Values:
        scope, usage = at.loose[node]
        _, bound, text, _ = at.nodes[node]
        sites = self.bare_sites(at, scope, usage, at.texts[text], bound - 1)
        if sites:
            return union(map(self.site_values, sites))
        return self.unknown(at, bound, at.texts[text])

    def site_values(self, site: Site) -> Values:
        """What a site holds; a method is one of its class, which no object is known of."""
        return self.ev.site_value(site)

    def unknown(self, at: Tables, bound: int, name: str) -> Values:
        if bound and at.binds[bound - 1].target_kind != Target.DEF:
            return self.ev.cell(("b", at.path, bound - 1))
        return frozenset({("x", name)})

    def bare_type(self, at: Tables, node: int) -> Values:
        scope, _ = at.loose[node]
        _, bound, text, _ = at.nodes[node]
        sites = self.bare_sites(at, scope, Usage.TYPE, at.texts[text], bound - 1)
        if sites:
            return frozenset(("i", site[0], site[2]) for site in sites)
        if bound:
            return self.ev.cell(("y", at.path, bound - 1))
        return objects(self.unknown(at, bound, at.texts[text]))

    # Classes

    def class_around(self, at: Tables, definition: int) -> tuple[str, int] | None:
        of = self.class_of(at, at.defs[definition].scope)
        return (at.path, of) if of is not None else None

    def parts(self, at: Tables, definition: int) -> list[tuple[str, str]]:
        return []

    # Calls

    def fitting(self, at: Tables, node: int, callees: Iterable[Value]) -> Iterable[Value]:
        by_candidate: dict[Candidate, Value] = {}
        others: list[Value] = []
        for value in callees:
            definition = self.ev.at(value[1]).owner.get(value[2]) if value[0] in ("f", "m") else None
            if definition is None:
                others.append(value)
            else:
                by_candidate[value[1], definition] = value
        if len(by_candidate) > 1:
            kept = choose(self.ev, at, node, sorted(by_candidate, key=self._rank(by_candidate)))
            by_candidate = {candidate: by_candidate[candidate] for candidate in kept}
        return [*others, *by_candidate.values()]

    def _rank(self, values: dict[Candidate, Value]):  # type: ignore[no-untyped-def]
        """Methods of a class before those of its bases."""
        order: dict[Value, int] = {}
        for value in values.values():
            if value[0] == "m" and value[3][0] in ("i", "c"):
                for place, base in enumerate(self.ev.bases(value[3][1], value[3][2])):
                    order.setdefault(base, place)

        def rank(candidate: Candidate) -> tuple[int, str, int]:
            path, definition = candidate
            around = self.class_around(self.ev.at(path), definition)
            return (order.get(("c", *around), 99) if around is not None else 99, path, definition)

        return rank

    def chosen(self, at: Tables, node: int | None, sites: list[Site]) -> list[Site]:
        if node is None:
            values = [site for site in sites if self.kind(site) not in CALLABLES]
            return self.nearest(values or sites)
        types = [site for site in sites if self.kind(site) in self.classes]
        if types:
            return [*types, *self.making(at, node, types)]
        called = [site for site in sites if self.kind(site) in self.called_kinds]
        kept = choose(self.ev, at, node, [(site[0], site[2]) for site in called])
        return [(path, "d", definition) for path, definition in kept]

    def settled(self, node: int | None, sites: tuple[Site, ...]) -> tuple[tuple[Site, ...], tuple[Site, ...]]:
        methods = tuple(site for site in sites if self.kind(site) in CALLABLES)
        if len(methods) < 2:
            return sites, ()
        return tuple(site for site in sites if site not in methods), methods

    def nearest(self, sites: list[Site]) -> list[Site]:
        """Of members that hide each other those of the class that comes first."""
        first = self._around(sites[0])
        return [site for site in sites if self._around(site) == first] if first is not None else sites

    def _around(self, site: Site) -> tuple[str, int] | None:
        return self.class_around(self.ev.at(site[0]), site[2]) if site[1] == "d" else None

    def making(self, at: Tables, node: int, types: Sequence[Site]) -> list[Site]:
        """Constructors that a call of a type means."""
        found: list[Candidate] = []
        for path, _, definition in types:
            tables = self.ev.at(path)
            for members in tables.members.get(definition, {}).values():
                found += [(path, member) for member in members if tables.defs[member].kind == "constructor"]
        return [(path, "d", definition) for path, definition in choose(self.ev, at, node, found)]
