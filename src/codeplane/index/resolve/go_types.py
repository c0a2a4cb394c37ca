"""Types of Go: what an expression names, what is beneath a name, and what type parameters stand for."""

from __future__ import annotations

from codeplane.facts.ir import ExprKind, FlowKind, Parameter, ParameterKind
from codeplane.facts.model import Target
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.go_names import GoNames
from codeplane.index.resolve.go_values import filled, map_of, stream_of
from codeplane.index.resolve.value import NOTHING, Site, Value, Values, list_of, objects, tuple_of, union

_MAX_STEPS = 50


class GoTypes(GoNames):
    classes = frozenset({"struct", "interface", "type"})

    def _type_of(self, at: FileScope, node: int) -> Values:
        """Objects of the type that an expression names."""
        kind, a, b, _ = at.nodes[node]
        if kind == ExprKind.NAME:
            if a:
                return self.evaluator.query(("y", at.path, a - 1))
            unbound = self.unbound_sites(at, at.texts[b])
            return union(map(self._type_of_site, unbound)) if unbound else frozenset({("x", f"{at.texts[b]}()")})
        if kind == ExprKind.PAREN:
            return self._type_of(at, a)
        if kind == ExprKind.MEMBER:
            found = NOTHING
            for of in self.evaluator.value(at.path, a):
                sites, values = self.evaluator.member(of, at.texts[b])
                found |= union(map(self._type_of_site, sites)) if sites else objects(values)
            return found
        if kind == ExprKind.INDEX:
            arguments = tuple(self._type_of(at, key) for key in at.lists[b])
            return union(self._generic(of, arguments) for of in self._type_of(at, a))
        if kind == ExprKind.LIST:
            return frozenset({list_of(union(self._type_of(at, part) for part in at.lists[a]))})
        if kind == ExprKind.PAIR:
            return frozenset({map_of(self._type_of(at, a), self._type_of(at, b))})
        if kind == ExprKind.AWAIT:
            return frozenset({stream_of(self._type_of(at, a))})
        if kind == ExprKind.FUNCTION:
            return frozenset({("S" if at.sketch.scopes[a][1] == "class" else "f", at.path, a)})
        return NOTHING

    def _generic(self, of: Value, arguments: tuple[Values, ...]) -> Values:
        if of[0] != "x":
            return frozenset({(*of[:3], arguments) if of[0] == "i" else of})
        if of[1] == "iter.Seq()":
            return frozenset({stream_of(arguments[0])})
        if of[1] == "iter.Seq2()" and len(arguments) > 1:
            return frozenset({map_of(arguments[0], arguments[1])})
        return frozenset({("x", of[1], arguments)})

    def _type_named(self, at: FileScope, bind: int) -> Values:
        row = at.binds[bind]
        if row.target_kind == Target.UNKNOWN:
            return frozenset({("T", at.path, bind)})
        if row.target_kind == Target.IMPORT:
            return NOTHING
        found = NOTHING
        for number in at.defs_in.get((row.scope, row.name), ()):
            if self._is_alias(at, number):
                for kind, node in at.into_bind(bind):
                    found |= self._type_of(at, node) if kind == FlowKind.ASSIGN else NOTHING
            elif at.defs[number].kind in self.classes:
                found |= {("i", at.path, number)}
        return found

    def _is_alias(self, at: FileScope, definition: int) -> bool:
        return at.defs[definition].kind == "type" and not at.bases(definition)

    def _type_of_site(self, site: Site) -> Values:
        at = self.evaluator.at(site[0])
        if at.defs[site[2]].kind not in self.classes:
            return NOTHING
        bind = at.bind_of_def.get(site[2])
        if bind is None or not self._is_alias(at, site[2]):
            return frozenset({("i", site[0], site[2])})
        return self.evaluator.query(("y", site[0], bind))

    def _keys(self, at: FileScope, definition: int | None) -> list[Value]:
        """The type parameters of a definition."""
        if definition is None:
            return []
        return [("T", at.path, at.nodes[node][1] - 1) for node in at.keys(definition)]

    def _arguments(self, of: Value) -> dict[Value, Values]:
        """What the type parameters of a type stand for."""
        if len(of) < 4:
            return {}
        return dict(zip(self._keys(self.evaluator.at(of[1]), of[2]), of[3], strict=False))

    def _constraint(self, of: Value) -> Values:
        at = self.evaluator.at(of[1])
        return union(self._type_of(at, node) for kind, node in at.into_bind(of[2]) if kind == FlowKind.DECLARE)

    def _under(self, of: Value) -> list[Value]:
        """What a value is beneath the name of its type."""
        if of[0] not in ("i", "c", "T"):
            return [of]
        found: list[Value] = []
        waiting = [of]
        for _ in range(_MAX_STEPS):
            if not waiting:
                break
            value = waiting.pop()
            if value[0] == "T":
                waiting += sorted(self._constraint(value), key=repr)
            elif value[0] in ("i", "c") and self.evaluator.at(value[1]).defs[value[2]].kind == "type":
                waiting += self._said_to_be(value)
            else:
                found.append(value)
        return found

    def _said_to_be(self, of: Value) -> list[Value]:
        at = self.evaluator.at(of[1])
        known = self._arguments(of)
        return sorted((value for node in at.bases(of[2]) for value in filled(self._type_of(at, node), known)), key=repr)

    def _passed(self, at: FileScope, param: Parameter) -> Values:
        declared = self._type_of(at, param.type)
        return frozenset({list_of(declared)}) if param.kind == ParameterKind.REST else declared

    def _signature(self, of: Value) -> list[Values]:
        """Types of the parameters of a function."""
        at = self.evaluator.at(of[1])
        known = dict(of[3]) if len(of) > 3 else {}
        return [
            filled(self._passed(at, param), known)
            for param in at.params.get(of[2], ())
            if param.kind in (ParameterKind.PLAIN, ParameterKind.REST)
        ]

    def _results(self, at: FileScope, scope: int) -> Values:
        named = [param for param in at.params.get(scope, ()) if param.kind == ParameterKind.RESULT]
        declared = at.return_type(scope)
        if not named and declared is None:
            return NOTHING
        kind, a, _, _ = at.nodes[declared or 0]
        if named:
            parts = [self._type_of(at, param.type) for param in named]
        else:
            parts = [self._type_of(at, part) for part in (at.lists[a] if kind == ExprKind.TUPLE else [declared or 0])]
        return parts[0] if len(parts) == 1 else frozenset({tuple_of(parts)})

    def _match(self, said: Values, given: Values, known: dict[Value, Values], depth: int = 0) -> None:
        if depth > _MAX_STEPS:
            return
        for value in sorted(said, key=repr):
            if value[0] == "T":
                if value not in known and given:
                    known[value] = given
                    self._match(self._constraint(value), given, known, depth + 1)
                continue
            for other in sorted(given, key=repr):
                if value[0] == "i" and len(value) > 3:
                    if other[:3] == value[:3] and len(other) > 3:
                        for part, held in zip(value[3], other[3], strict=False):
                            self._match(part, held, known, depth + 1)
                    continue
                for held in self._under(other):
                    if held[0] != value[0]:
                        continue
                    if value[0] == "l":
                        self._match(value[1], held[1], known, depth + 1)
                    elif value[0] == "d":
                        self._match(value[2], held[2], known, depth + 1)
                        self._match(value[3], held[3], known, depth + 1)
                    elif value[0] == "f":
                        for part, passed in zip(self._signature(value), self._signature(held), strict=False):
                            self._match(part, passed, known, depth + 1)
                        given_back = self.evaluator.query(("r", held[1], held[2]))
                        self._match(self.evaluator.query(("r", value[1], value[2])), given_back, known, depth + 1)
                if value[0] == "t" and other[0] == "t":
                    for part, passed in zip(value[1], other[1], strict=False):
                        self._match(part, passed, known, depth + 1)
