"""A sketch with the look-ups that resolving needs, made once per file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from codeplane.facts.model import Namespace, Target
from codeplane.facts.sketch import Sketch
from codeplane.facts.values import Into, Of, Param

Flow2 = tuple[int, int]
"""How a value comes (an `Into`), and the node that it comes from."""
Step = int | tuple[int, int, str]
"""A place in a list; or in an object: the node of its type, the place, the name if there is one."""

_TO = frozenset({Into.ASSIGN, Into.DECLARE, Into.FOR, Into.WITH, Into.CATCH, Into.NARROW, Into.BOUND})


class Tables:
    """Look-ups in one file. Numbers are ordinals within it."""

    def __init__(self, path: str, language: str, sketch: Sketch) -> None:
        self.path = path
        self.language = language
        self.sketch = sketch
        self.nodes = sketch.flow.nodes
        self.lists = sketch.flow.lists
        self.texts = sketch.flow.texts
        self.defs = sketch.defs
        self.binds = sketch.binds
        self.imports = sketch.imports

    @cached_property
    def owner(self) -> dict[int, int]:
        """Scope -> the definition that it is the body of."""
        return dict(self.sketch.flow.owners)  # type: ignore[arg-type]

    @cached_property
    def body(self) -> dict[int, int]:
        """Definition -> the scope of its body."""
        return {definition: scope for scope, definition in self.sketch.flow.owners}

    @cached_property
    def members(self) -> dict[int, dict[str, list[int]]]:
        """Definition -> name -> the definitions nested directly in it."""
        found: dict[int, dict[str, list[int]]] = {}
        for number, row in enumerate(self.defs):
            if row.parent is not None:
                found.setdefault(row.parent, {}).setdefault(row.name, []).append(number)
        return found

    @cached_property
    def detached(self) -> dict[str, dict[str, list[int]]]:
        """Members that stand outside of their type, by its name and theirs."""
        found: dict[str, dict[str, list[int]]] = {}
        for number, row in enumerate(self.defs):
            if row.parent is None and "." in row.lexical_path:
                owner = row.lexical_path[: -len(row.name) - 1]
                found.setdefault(owner, {}).setdefault(row.name, []).append(number)
        return found

    @cached_property
    def attributes(self) -> dict[tuple[int, str], int]:
        return {(parent, name): number for number, (parent, name) in enumerate(self.sketch.attributes)}

    @cached_property
    def defs_in(self) -> dict[tuple[int, str], list[int]]:
        """(scope, name) -> definitions that bind the name there."""
        found: dict[tuple[int, str], list[int]] = {}
        for number, row in enumerate(self.defs):
            found.setdefault((row.scope, row.name), []).append(number)
        return found

    @cached_property
    def binds_in(self) -> dict[tuple[int, str], list[int]]:
        found: dict[tuple[int, str], list[int]] = {}
        for number, row in enumerate(self.binds):
            found.setdefault((row.scope, row.name), []).append(number)
        return found

    @cached_property
    def bind_of_def(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for number, row in enumerate(self.binds):
            if row.target_kind == Target.DEF and row.target is not None:
                found.setdefault(row.target, number)
        return found

    @cached_property
    def variables(self) -> dict[int, list[int]]:
        """Scope -> bindings of its type variables, in their order."""
        found: dict[int, list[int]] = {}
        for number, row in enumerate(self.binds):
            if row.target_kind == Target.UNKNOWN and row.namespace == Namespace.TYPE:
                found.setdefault(row.scope, []).append(number)
        return found

    @cached_property
    def params(self) -> dict[int, list[Param]]:
        found: dict[int, list[Param]] = {}
        for row in self.sketch.flow.params:
            param = Param(*row)
            found.setdefault(param.scope, []).append(param)
        return found

    @cached_property
    def param_of_bind(self) -> dict[int, tuple[int, int]]:
        return {
            param.bind: (scope, number)
            for scope, params in self.params.items()
            for number, param in enumerate(params)
            if param.bind >= 0
        }

    @cached_property
    def _outgoing(self) -> dict[tuple[int, int], list[int]]:
        found: dict[tuple[int, int], list[int]] = {}
        for kind, a, b in self.sketch.flow.into:
            if kind not in _TO:
                found.setdefault((kind, a), []).append(b)
        return found

    def returns(self, scope: int) -> Sequence[int]:
        return self._outgoing.get((Into.RETURN, scope), ())

    def yields(self, scope: int) -> Sequence[int]:
        return self._outgoing.get((Into.YIELD, scope), ())

    def yields_from(self, scope: int) -> Sequence[int]:
        return self._outgoing.get((Into.YIELD_FROM, scope), ())

    def return_type(self, scope: int) -> int | None:
        found = self._outgoing.get((Into.RETURNS, scope))
        return found[0] if found else None

    def bases(self, definition: int) -> Sequence[int]:
        return self._outgoing.get((Into.BASE, definition), ())

    @cached_property
    def extends(self) -> dict[int, int]:
        """Scope -> node of the type that it adds members to."""
        return {a: b for kind, a, b in self.sketch.flow.into if kind == Into.EXTENDS}

    def conforms(self, scope: int) -> Sequence[int]:
        """Bases that a type gets in a scope that adds to it."""
        return self._outgoing.get((Into.CONFORMS, scope), ())

    def fields(self, definition: int) -> Sequence[int]:
        """Types of the parts without names."""
        found = self._outgoing.get((Into.FIELDS, definition))
        return self.lists[self.nodes[found[0]][1]] if found else ()

    @cached_property
    def place(self) -> dict[int, int]:
        """Node of a name that nothing binds -> the scope from where it is looked up, if that is not the file."""
        return dict(self.sketch.flow.places)  # type: ignore[arg-type]

    def decorators(self, definition: int) -> Sequence[int]:
        return self._outgoing.get((Into.DECORATOR, definition), ())

    @cached_property
    def raises(self) -> list[tuple[int, int]]:
        return [(a, b) for kind, a, b in self.sketch.flow.into if kind == Into.RAISE]

    @cached_property
    def _incoming(self) -> tuple[dict[int, list[Flow2]], dict[str, list[tuple[int, Flow2]]]]:
        """Flows into bindings, and into members by their name with the node of the object."""
        binds: dict[int, list[Flow2]] = {}
        members: dict[str, list[tuple[int, Flow2]]] = {}
        for kind, to, value in self.sketch.flow.into:
            if kind in _TO:
                for target, flow in self._targets(to, kind, value):
                    what, a, b, _ = self.nodes[target]
                    if what == Of.NAME and a:
                        binds.setdefault(a - 1, []).append(flow)
                    elif what == Of.MEMBER:
                        members.setdefault(self.texts[b], []).append((a, flow))
        return binds, members

    def _targets(self, to: int, kind: int, value: int) -> Iterator[tuple[int, Flow2]]:
        what, a, _, _ = self.nodes[to]
        if what in (Of.TUPLE, Of.LIST):
            for number, part in enumerate(self.lists[a]):
                yield from self._parts(part, kind, value, (number,))
        elif what == Of.ITEM:
            yield a, (PUT | kind, to << 32 | value)
        elif what == Of.SAME:
            yield from self._targets(a, kind, value)
        elif what == Of.EITHER:
            for part in self.lists[a]:
                yield from self._targets(part, kind, value)
        elif what == Of.PATTERN:
            yield from self._parts(to, kind, value, ())
        else:
            yield to, (kind, value)

    def _parts(self, to: int, kind: int, value: int, way: tuple[Step, ...]) -> Iterator[tuple[int, Flow2]]:
        what, a, b, _ = self.nodes[to]
        if what in (Of.TUPLE, Of.LIST):
            for number, part in enumerate(self.lists[a]):
                if self._is_rest(part):
                    return
                yield from self._parts(part, kind, value, (*way, number))
        elif what == Of.PATTERN:
            for number, part in enumerate(self.lists[b]):
                if self._is_rest(part):
                    return
                inner, of, name, _ = self.nodes[part]
                text = self.texts[name] if inner in (Of.NAME, Of.LABELLED) else ""
                target = of if inner == Of.LABELLED else part
                yield from self._parts(target, kind, value, (*way, (a, number, text)))
        elif what in (Of.SAME, Of.EITHER):
            for part in self.lists[a] if what == Of.EITHER else (a,):
                yield from self._parts(part, kind, value, way)
        elif what == Of.SPLAT:
            last = way[-1]
            yield a, (PART | kind, value | self._way((*way[:-1], -1 - last if isinstance(last, int) else last)) << 32)
        elif what == Of.ITEM or what == Of.UNKNOWN:
            return
        else:
            yield to, (PART | kind, value | self._way(way) << 32)

    def _is_rest(self, node: int) -> bool:
        what, a, _, _ = self.nodes[node]
        return what == Of.LITERAL and self.texts[a] == "rest"

    @cached_property
    def _ways(self) -> dict[tuple[Step, ...], int]:
        return {}

    def _way(self, way: tuple[Step, ...]) -> int:
        return self._ways.setdefault(way, len(self._ways))

    def way(self, number: int) -> tuple[Step, ...]:
        return next(way for way, at in self._ways.items() if at == number)

    def into_bind(self, bind: int) -> Sequence[Flow2]:
        return self._incoming[0].get(bind, ())

    def into_member(self, name: str) -> Sequence[tuple[int, Flow2]]:
        return self._incoming[1].get(name, ())

    @cached_property
    def scope_of_call(self) -> dict[int, int]:
        return {node: scope for node, scope, *_ in self.sketch.flow.calls}

    def enclosing_def(self, scope: int | None) -> int | None:
        """The innermost function or class around a scope."""
        while scope is not None:
            if scope in self.owner:
                return self.owner[scope]
            scope = self.sketch.scopes[scope][0]
        return None


PART = 64
"""Beside an `Into`: the value is a part of the node, in a way that the upper half names."""
PUT = 128
"""Beside an `Into`: the value is put into a container; the upper half is the node of the place."""
