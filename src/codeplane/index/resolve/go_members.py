"""Members of Go's types: those of a type, those that its package gives it, and of what it embeds; the nearest first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from codeplane.facts.ir import ExprKind
from codeplane.facts.model import Target
from codeplane.index.resolve.evaluator import CALLABLES
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.go_types import GoTypes
from codeplane.index.resolve.go_values import filled
from codeplane.index.resolve.value import NOTHING, Site, Value, Values, union


class GoMembers(GoTypes):
    def member(self, of: Value, name: str) -> tuple[list[Site], Values]:
        level, seen = [of], set[tuple[Any, ...]]()
        foreign = False
        while level:
            found: list[tuple[list[Site], Values]] = []
            deeper: list[Value] = []
            hidden = False
            for held in level:
                if held[0] == "x":
                    hidden = True
                    continue
                if held[:3] in seen or held[0] not in ("i", "c", "S", "T"):
                    continue
                seen.add(held[:3])
                own = self._own_member(held, name)
                if own[0] or own[1]:
                    found.append(own)
                elif not found:
                    deeper += self._embedded(held)
            if found:
                # What another library defines is not known here, except that it does not reach for small letters.
                if len(found) > 1 or (foreign and name[:1].isupper()):
                    break
                return found[0]
            foreign = foreign or hidden
            level = deeper
        return [], NOTHING

    def _own_member(self, of: Value, name: str) -> tuple[list[Site], Values]:
        at = self.evaluator.at(of[1])
        if of[0] == "S":
            return self._field_of_record(at, of, name)
        if of[0] == "T":
            return [], NOTHING
        sites: list[Site] = []
        values = NOTHING
        row = at.defs[of[2]]
        if row.scope == 0 and row.kind != "interface":
            for path, _, number in self._package(at).members.get(row.name, {}).get(name, ()):
                sites.append((path, "d", number))
                values |= self._method(path, number, of)
        for shape in self._under(of):
            if shape[0] == "S":
                more, held = self._field_of_record(self.evaluator.at(shape[1]), shape, name)
                sites += more
                values |= held
            elif shape[0] in ("i", "c"):
                at = self.evaluator.at(shape[1])
                for number in at.members.get(shape[2], {}).get(name, ()):
                    sites.append((shape[1], "d", number))
                    if at.defs[number].kind in CALLABLES:
                        values |= self._method(shape[1], number, of)
                    else:
                        values |= filled(self._field(at, shape[2], number), self._arguments(shape))
        return sites, values

    def _method(self, path: str, number: int, of: Value) -> Values:
        scope = self.evaluator.at(path).body.get(number)
        if scope is None:
            return NOTHING
        return frozenset({("m", path, scope, of) if of[0] == "i" else ("f", path, scope)})

    def _field(self, at: FileScope, definition: int, number: int) -> Values:
        bind = at.bind_of_def.get(number)
        if bind is not None and at.into_bind(bind):
            return self.evaluator.query(("b", at.path, bind))
        return union(
            self._type_of(at, node) for node in at.bases(definition) if _last_name(at, node) == at.defs[number].name
        )

    def _field_of_record(self, at: FileScope, of: Value, name: str) -> tuple[list[Site], Values]:
        sites: list[Site] = []
        values = NOTHING
        for bind in at.binds_in.get((of[2], name), ()):
            row = at.binds[bind]
            if row.target_kind == Target.DEF and row.target is not None:
                sites.append((at.path, "d", row.target))
            values |= self.evaluator.query(("b", at.path, bind))
        return sites, filled(values, dict(of[3])) if len(of) > 3 else values

    def _embedded(self, of: Value) -> Iterable[Value]:
        if of[0] == "S":
            return []
        if of[0] == "T":
            return sorted(self._constraint(of), key=repr)
        return [held for shape in self._under(of) if shape[0] in ("i", "c") for held in self._said_to_be(shape)]


def _last_name(at: FileScope, node: int) -> str | None:
    """The name that an embedded type gives to its field."""
    kind, a, b, _ = at.nodes[node]
    while kind in (ExprKind.PAREN, ExprKind.INDEX):
        kind, a, b, _ = at.nodes[a]
    return at.texts[b] if kind in (ExprKind.NAME, ExprKind.MEMBER) else None
