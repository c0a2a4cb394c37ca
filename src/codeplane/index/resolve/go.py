"""Go: every variable has the one type that it is declared with, so a value here is an object of a type.

Packages are what the files of a directory define together; members are found in a type, in the methods that its
package gives it, and in what it embeds, the nearest first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from codeplane.facts.ir import ExprKind, FlowKind, ParameterKind
from codeplane.facts.model import Target
from codeplane.index.resolve.evaluator import CALLABLES
from codeplane.index.resolve.file_scope import PART, FileScope, Step
from codeplane.index.resolve.go_members import GoMembers
from codeplane.index.resolve.go_values import filled, is_open, is_stream, map_of, stream_of
from codeplane.index.resolve.value import NOTHING, Site, Value, Values, foreign, list_of, tuple_of, union

_LIKE_THE_FIRST = frozenset(
    {
        "append", "min", "max", "cmp.Or", "maps.Clone", "slices.Clip", "slices.Clone", "slices.Compact",
        "slices.CompactFunc", "slices.Concat", "slices.Delete", "slices.DeleteFunc", "slices.Grow", "slices.Insert",
        "slices.Replace", "sync.OnceValue", "sync.OnceValues",
    }
)  # fmt: skip
"""Functions that give what they are given."""
_COLLECTING = frozenset({"slices.Collect", "slices.Sorted", "slices.SortedFunc", "slices.SortedStableFunc"})
_ELEMENTS = frozenset({"slices.Max", "slices.MaxFunc", "slices.Min", "slices.MinFunc"})
_HOLDING = frozenset({"sync/atomic.Pointer().Load", "sync/atomic.Pointer().Swap"})
"""Methods of other libraries that give objects of the argument of their type."""


class GoResolver(GoMembers):
    def key_sites(self, at: FileScope, of: Values, name: str) -> list[Site]:
        """The keys of a mapping and of a list are names like others, where nothing nearer can have the name."""
        if not any(held[0] in ("l", "d") for value in of for held in self._under(value)):
            return []
        if any(row.name == name and row.scope and at.sketch.scopes[row.scope][1] != "class" for row in at.binds):
            return []
        own: list[Site] = [(at.path, "d", number) for number in at.defs_in.get((0, name), ())]
        return own or self.unbound_sites(at, name)

    # Values

    def query(self, at: FileScope, key: tuple[Any, ...]) -> Values | None:
        what = key[0]
        if what == "n":
            return self._expression(at, key[2])
        if what == "b":
            return self._variable(at, key[2])
        if what == "y":
            return self._type_named(at, key[2])
        if what == "v":
            return self._defined(at, key[2])
        return self._results(at, key[2]) if what == "r" else None

    def _expression(self, at: FileScope, node: int) -> Values:
        kind, a, b, _ = at.nodes[node]
        if kind == ExprKind.NAME:
            return self.unbound(at, at.texts[b])
        if kind == ExprKind.MEMBER:
            name = at.texts[b]
            return union(
                self.evaluator.member(of, name)[1]
                if of[0] != "x" or len(of) < 3
                else frozenset({("x", f"{of[1]}.{name}", *of[2:])})
                for of in self.evaluator.value(at.path, a)
            )
        if kind == ExprKind.CALL:
            return union(self.call(callee, at, node) for callee in self.evaluator.value(at.path, a))
        if kind in (ExprKind.CAST, ExprKind.NEW):
            return self._type_of(at, b if kind == ExprKind.CAST else a)
        if kind in (ExprKind.PAREN, ExprKind.SPLAT):
            return self.evaluator.value(at.path, a)
        if kind == ExprKind.INDEX:
            return union(self._item(of, at, at.lists[b]) for of in self.evaluator.value(at.path, a))
        if kind == ExprKind.UNION:
            return union(self.evaluator.value(at.path, part) for part in at.lists[a])
        if kind == ExprKind.TUPLE:
            return frozenset({tuple_of([self.evaluator.value(at.path, part) for part in at.lists[a]])})
        return NOTHING

    def _item(self, of: Value, at: FileScope, keys: Sequence[int]) -> Values:
        if of[0] in ("c", "f") and keys:
            return frozenset({self._with_arguments(of, tuple(self._type_of(at, key) for key in keys))})
        found = NOTHING
        for held in self._under(of):
            if held[0] in ("l", "d"):
                found |= held[1 if held[0] == "l" else 2]
        return found

    def _with_arguments(self, of: Value, arguments: tuple[Values, ...]) -> Value:
        if of[0] != "f":
            return (*of[:3], arguments)
        at = self.evaluator.at(of[1])
        return (*of[:3], tuple(sorted(zip(self._keys(at, at.owner.get(of[2])), arguments, strict=False), key=repr)))

    def _variable(self, at: FileScope, bind: int) -> Values:
        row = at.binds[bind]
        if row.target_kind == Target.IMPORT and row.target is not None:
            return self.imported(at, row.target)
        place = at.param_of_bind.get(bind)
        if place is not None:
            return self._passed(at, at.params[place[0]][place[1]])
        if row.target_kind == Target.DEF and row.target is not None:
            kind = at.defs[row.target].kind
            if kind in CALLABLES or kind in self.classes:
                return union(self.evaluator.query(("v", at.path, number)) for number in at.defs_in[row.scope, row.name])
        return self._declared(at, bind)

    def _declared(self, at: FileScope, bind: int) -> Values:
        """By its type, or by the first value: later ones are of the same type."""
        for _ in range(len(at.binds)):
            flows = at.into_bind(bind)
            declared = next((node for kind, node in flows if kind == FlowKind.DECLARE), None)
            if declared is not None:
                return self._type_of(at, declared)
            if not flows:
                return NOTHING
            kind, node = flows[0]
            step: Step = 0
            if kind & PART:
                step = at.way(node >> 32)[0]
                kind, node = kind & ~PART, node & 0xFFFFFFFF
            repeated = self._constant(at, node) if kind == FlowKind.ASSIGN else None
            if repeated is not None and repeated != bind:
                bind = repeated
                continue
            values = self.evaluator.value(at.path, node)
            if kind == FlowKind.FOR:
                values = union(self._ranged(value) for value in values)
            return union(self._part(value, step) for value in values)
        return NOTHING

    def _constant(self, at: FileScope, node: int) -> int | None:
        """The binding of the constant that a node names: one that repeats it follows it, and there may be thousands."""
        kind, bind, _, _ = at.nodes[node]
        if kind != ExprKind.NAME or not bind or at.binds[bind - 1].target_kind != Target.DEF:
            return None
        return bind - 1 if at.defs[at.binds[bind - 1].target or 0].kind == "constant" else None

    def _part(self, value: Value, step: Step) -> Values:
        """Of several results; of anything else there may be a second that tells whether there is a first."""
        if value[0] == "t":
            return value[1][step] if isinstance(step, int) and step < len(value[1]) else NOTHING
        return frozenset({value}) if step == 0 else NOTHING

    def _ranged(self, of: Value) -> Values:
        """What `range` gives: the variables of a round."""
        found = NOTHING
        for held in self._under(of):
            if held[0] == "l":
                found |= {tuple_of([held[1]] if is_stream(held) else [NOTHING, held[1]])}
            elif held[0] == "d":
                found |= {tuple_of([held[3], held[2]])}
            elif held[0] == "f":
                for given in self._signature(held)[:1]:
                    found |= {tuple_of(self._signature(inner)) for inner in given if inner[0] == "f"}
        return found

    def _defined(self, at: FileScope, definition: int) -> Values:
        kind = at.defs[definition].kind
        if kind in CALLABLES:
            scope = at.body.get(definition)
            return frozenset({("f", at.path, scope)}) if scope is not None else NOTHING
        if kind in self.classes:
            return frozenset(
                ("c", *value[1:]) for value in self._type_of_site((at.path, "d", definition)) if value[0] == "i"
            )
        bind = at.bind_of_def.get(definition)
        return self.evaluator.query(("b", at.path, bind)) if bind is not None else NOTHING

    # Calls

    def constructors(self, of: Value) -> tuple[str, ...]:
        return ()

    def call(self, callee: Value, at: FileScope, node: int) -> Values:
        what = callee[0]
        arguments = at.lists[at.nodes[node][2]]
        if what in ("f", "m"):
            found = self.evaluator.query(("r", callee[1], callee[2]))
            return filled(found, self._known(callee, at, arguments)) if is_open(found) else found
        if what == "c":
            return frozenset({("i", *callee[1:])})
        if what == "x":
            return self._call_foreign(callee, at, arguments)
        if what == "i":
            return union(self.call(held, at, node) for held in self._under(callee) if held[0] == "f")
        return NOTHING

    def _known(self, callee: Value, at: FileScope, arguments: Sequence[int]) -> dict[Value, Values]:
        """What a call says of the type parameters of a function."""
        target = self.evaluator.at(callee[1])
        params = target.params.get(callee[2], [])
        known: dict[Value, Values] = dict(callee[3]) if callee[0] == "f" and len(callee) > 3 else {}
        if callee[0] == "m":
            for param in params[:1]:
                if param.kind == ParameterKind.SELF:
                    self._match(self._type_of(target, param.type), frozenset({callee[3]}), known)
        keys = self._keys(target, target.owner.get(callee[2]))
        if any(key not in known for key in keys):
            plain = [param for param in params if param.kind in (ParameterKind.PLAIN, ParameterKind.REST)]
            for number, part in enumerate(arguments):
                if not plain:
                    break
                param = plain[min(number, len(plain) - 1)]
                said = self._type_of(target, param.type)
                if is_open(said):
                    spread = at.nodes[part][0] == ExprKind.SPLAT
                    self._match(
                        frozenset({list_of(said)}) if spread else said, self.evaluator.value(at.path, part), known
                    )
        return known

    def _call_foreign(self, callee: Value, at: FileScope, arguments: Sequence[int]) -> Values:
        name = callee[1]
        if name in _HOLDING and len(callee) > 2:
            return callee[2][0] if callee[2] else NOTHING
        if arguments:
            if name in ("new", "make"):
                return self._type_of(at, arguments[0])
            if name in _LIKE_THE_FIRST:
                return self.evaluator.value(at.path, arguments[0])
            if name in _COLLECTING or name in _ELEMENTS or name.startswith(("maps.", "slices.")):
                return self._call_on_elements(name, self.evaluator.value(at.path, arguments[0]))
        return foreign(name if name.endswith("()") else f"{name}()")

    def _call_on_elements(self, name: str, given: Values) -> Values:
        found = NOTHING
        for held in (held for value in given for held in self._under(value)):
            if held[0] == "l":
                if name in _ELEMENTS:
                    found |= held[1]
                elif name in _COLLECTING:
                    found |= {list_of(held[1])}
                elif name == "slices.Values":
                    found |= {stream_of(held[1])}
                elif name in ("slices.All", "slices.Backward"):
                    found |= {map_of(NOTHING, held[1])}
            elif held[0] == "d":
                if name == "maps.Keys":
                    found |= {stream_of(held[3])}
                elif name == "maps.Values":
                    found |= {stream_of(held[2])}
                elif name == "maps.All":
                    found |= {held}
        return found
