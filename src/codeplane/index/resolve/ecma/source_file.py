"""Look-ups in one file beyond its tables: what surrounds a node, where the parts of patterns come from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from codeplane.facts.ir import ExprKind, FlowKind, Parameter, ParameterKind
from codeplane.index.resolve.file_scope import FileScope

Step = int | str
REST = "..."
"""A step: what the pattern leaves."""


OBJECTS = frozenset({"class", "interface", "type"})
"""Kinds of definitions whose methods have an object."""


class Source(NamedTuple):
    """Where a value comes from: an `Into`, its node, and the way into its parts. `PASSED`: scope and place of a
    parameter instead."""

    how: int
    node: int
    place: int
    way: tuple[Step, ...]


PASSED = 100

_INTO = frozenset({FlowKind.ASSIGN, FlowKind.DECLARE, FlowKind.FOR, FlowKind.NARROW})


class Around(NamedTuple):
    """What a node is a part of: an `Of` and its node, or an `Into` beyond 100 and its other number."""

    how: int
    of: int
    place: int


_EXPECTING = frozenset(
    {
        ExprKind.PAREN,
        ExprKind.UNION,
        ExprKind.CAST,
        ExprKind.LIST,
        ExprKind.TUPLE,
        ExprKind.DICT,
        ExprKind.PAIR,
        ExprKind.FUNCTION,
        ExprKind.CALL,
        ExprKind.NEW,
        ExprKind.LABELLED,
        ExprKind.AWAIT,
    }
)
"""Nodes for which it matters what they should be."""
_CALLING = frozenset({ExprKind.CALL, ExprKind.NEW})
_SURROUNDING = _CALLING | {
    ExprKind.PAREN,
    ExprKind.CAST,
    ExprKind.UNION,
    ExprKind.LIST,
    ExprKind.TUPLE,
    ExprKind.DICT,
    ExprKind.PAIR,
}
"""Nodes that say it of their parts."""
INTO = 200
"""Added to an `Into`, beside the kinds of nodes."""
DEFAULT = 500
"""Of a parameter: scope and place."""


class Script:
    def __init__(self, at: FileScope) -> None:
        self.at = at
        self._nodes = at.nodes
        self._into_objects: dict[str, dict[int | None, list[tuple[int, Source]]]] = {}
        self._literals: dict[int, tuple[dict[str, tuple[int, int]], list[tuple[int, int]]]] = {}

    @cached_property
    def params(self) -> dict[int, list[Parameter]]:
        """Of a scope, without those that stand for types or for the object."""
        return {
            scope: [param for param in params if param.kind not in (ParameterKind.TYPE, ParameterKind.SELF)]
            for scope, params in self.at.params.items()
        }

    def variables(self, scope: int | None) -> list[Parameter]:
        """The parameters of a scope that stand for types."""
        return [param for param in self.at.params.get(scope, ()) if param.kind == ParameterKind.TYPE] if scope else []

    @cached_property
    def variable_of_bind(self) -> dict[int, Parameter]:
        return {
            param.binding: param
            for params in self.at.params.values()
            for param in params
            if param.kind == ParameterKind.TYPE
        }

    def self_type(self, scope: int) -> int:
        """Node of the type that a function says its object is of, or -1."""
        return next((param.type for param in self.at.params.get(scope, ()) if param.kind == ParameterKind.SELF), -1)

    @cached_property
    def _flows(self) -> tuple[dict[int, list[Source]], dict[int, Source], dict[str, list[tuple[int, Source]]]]:
        binds: dict[int, list[Source]] = {}
        patterns: dict[int, Source] = {}
        members: dict[str, list[tuple[int, Source]]] = {}

        def enter(to: int, source: Source) -> None:
            kind, a, b, _ = self._nodes[to]
            if kind == ExprKind.NAME:
                if a:
                    binds.setdefault(a - 1, []).append(source)
            elif kind == ExprKind.MEMBER:
                members.setdefault(self.at.texts[b], []).append((a, source))
            elif kind == ExprKind.PAREN:
                enter(a, source)
            elif kind == ExprKind.DICT:
                patterns.setdefault(to, source)
                for part in self.at.lists[a]:
                    self._enter_key(part, source, enter)
            elif kind in (ExprKind.LIST, ExprKind.TUPLE):
                for place, part in enumerate(self.at.lists[a]):
                    step: Step = REST if self._nodes[part][0] == ExprKind.SPLAT else place
                    enter(self._nodes[part][1] if step == REST else part, source._replace(way=(*source.way, step)))

        for kind, to, value in self.at.summary.flow.into:
            if kind in _INTO:
                enter(to, Source(kind, value, 0, ()))
        for scope, params in self.params.items():
            for place, param in enumerate(params):
                source = Source(PASSED, scope, place, ())
                if param.pattern >= 0:
                    enter(param.pattern, source)
                elif param.binding >= 0:
                    binds.setdefault(param.binding, []).append(source)
        return binds, patterns, members

    def _enter_key(self, part: int, source: Source, enter) -> None:  # type: ignore[no-untyped-def]
        kind, a, b, _ = self._nodes[part]
        if kind == ExprKind.PAIR:
            key = self.key_text(a)
            if key is not None:
                enter(b, source._replace(way=(*source.way, key)))
        elif kind == ExprKind.NAME:
            enter(part, source._replace(way=(*source.way, self.at.texts[b])))
        elif kind == ExprKind.PAREN and self._nodes[a][0] == ExprKind.NAME:
            self._enter_key(a, source, enter)
        elif kind == ExprKind.SPLAT:
            enter(a, source._replace(way=(*source.way, REST)))

    def literal(self, node: int) -> tuple[dict[str, tuple[int, int]], list[tuple[int, int]]]:
        """The parts of a literal by their names, with their places, and the values that are spread into it, the last
        first."""
        known = self._literals.get(node)
        if known is None:
            named: dict[str, tuple[int, int]] = {}
            spread: list[tuple[int, int]] = []
            for place, part in enumerate(self.at.lists[self._nodes[node][1]]):
                kind, a, b, _ = self._nodes[part]
                name: str | None = None
                if kind == ExprKind.PAIR:
                    name = self.key_text(a)
                elif kind == ExprKind.FUNCTION and a in self.at.owner:
                    name = self.at.defs[self.at.owner[a]].name
                elif kind == ExprKind.NAME:
                    name = self.at.texts[b]
                elif kind == ExprKind.SPLAT_KEYS:
                    spread.append((place, a))
                if name is not None:
                    named[name] = (place, part)
            known = self._literals[node] = (named, spread[::-1])
        return known

    def key_text(self, node: int) -> str | None:
        """The name of a key, if it is written."""
        kind, a, b, _ = self._nodes[node]
        if kind == ExprKind.NAME:
            return self.at.texts[b]
        if kind == ExprKind.STRING:
            return self.at.texts[a]
        return self.at.texts[b - 1] if kind == ExprKind.LITERAL and b else None

    def into_bind(self, bind: int) -> Sequence[Source]:
        return self._flows[0].get(bind, ())

    def pattern(self, node: int) -> Source | None:
        """What a pattern takes apart."""
        return self._flows[1].get(node)

    def into_member(self, name: str) -> Sequence[tuple[int, Source]]:
        return self._flows[2].get(name, ())

    def into_object(self, name: str, definition: int) -> Sequence[tuple[int, Source]]:
        """What a member is given through `this`, with its node, in methods of a class or where it is not known whose
        object that is."""
        known = self._into_objects.get(name)
        if known is None:
            known = self._into_objects[name] = {}
            for of, source in self.into_member(name):
                if self._nodes[of][0] == ExprKind.THIS and not source.way:
                    known.setdefault(self._class_of_this(self._nodes[of][1]), []).append((of, source))
        return [*known.get(definition, ()), *known.get(None, ())]

    def _class_of_this(self, scope: int | None) -> int | None:
        at = self.at
        while scope is not None:
            owner = at.owner.get(scope)
            if owner is not None and at.defs[owner].kind in OBJECTS:
                return owner
            if at.summary.scopes[scope][1] == "function":
                parent = at.defs[owner].parent if owner is not None else None
                is_method = parent is not None and at.defs[parent].kind in OBJECTS
                return parent if is_method and self.self_type(scope) < 0 else None
            scope = at.summary.scopes[scope][0]
        return None

    @cached_property
    def around(self) -> dict[int, Around]:
        """Node -> what it is a part of, as far as that says what it should be."""
        found: dict[int, Around] = {}
        nodes = self._nodes
        for number, (kind, a, b, _) in enumerate(nodes):
            if kind not in _SURROUNDING:
                continue
            if kind in _CALLING:
                for place, part in enumerate(self.arguments(number)):
                    inner = nodes[part][0]
                    if inner in _EXPECTING:
                        found[part] = Around(kind, number, place)
                    if inner == ExprKind.LABELLED:
                        found[nodes[part][1]] = Around(ExprKind.LABELLED, number, part)
            elif kind == ExprKind.PAIR:
                if nodes[b][0] in _EXPECTING:
                    found.setdefault(b, Around(kind, number, 0))
            elif kind in (ExprKind.PAREN, ExprKind.CAST):
                found.setdefault(a, Around(kind, number, 0))
            else:
                for place, part in enumerate(self.at.lists[a]):
                    if nodes[part][0] in _EXPECTING:
                        found.setdefault(part, Around(kind, number, place))
        for kind, a, b in self.at.summary.flow.into:
            if kind in (FlowKind.ASSIGN, FlowKind.RETURN, FlowKind.VALUE) and self._nodes[b][0] in _EXPECTING:
                known = found.get(b)
                # A member that is assigned to says more than the definition that it makes.
                if known is None or (known.how == INTO + FlowKind.VALUE and kind == FlowKind.ASSIGN):
                    found[b] = Around(INTO + kind, a, 0)
        for scope, params in self.params.items():
            for place, param in enumerate(params):
                if param.default > 0:
                    found[param.default] = Around(DEFAULT, scope, place)
        found.pop(0, None)
        return found

    def arguments(self, call: int) -> Sequence[int]:
        """Nodes of what is passed, without types."""
        parts = self.at.lists[self._nodes[call][2]]
        return parts[1:] if parts and self._nodes[parts[0]][0] == ExprKind.TYPE_ARGUMENTS else parts

    def required(self, call: int) -> str | None:
        """The source of the module that a call of `require` gives."""
        kind, callee, _, _ = self._nodes[call]
        if kind != ExprKind.CALL or self._nodes[callee][0] != ExprKind.NAME or self._nodes[callee][1]:
            return None
        parts = self.arguments(call)
        is_text = len(parts) == 1 and self._nodes[parts[0]][0] == ExprKind.STRING
        if not is_text or self.at.texts[self._nodes[callee][2]] != "require":
            return None
        return self.at.texts[self._nodes[parts[0]][1]]

    def type_arguments(self, call: int) -> Sequence[int]:
        parts = self.at.lists[self._nodes[call][2]]
        return (
            self.at.lists[self._nodes[parts[0]][1]]
            if parts and self._nodes[parts[0]][0] == ExprKind.TYPE_ARGUMENTS
            else ()
        )

    @cached_property
    def function_node(self) -> dict[int, int]:
        """Scope -> the expression that it is the function of."""
        return {row[1]: number for number, row in enumerate(self._nodes) if row[0] == ExprKind.FUNCTION}

    @cached_property
    def _out(self) -> dict[tuple[int, int], int]:
        return {
            (kind, a): b
            for kind, a, b in self.at.summary.flow.into
            if kind in (FlowKind.TYPE, FlowKind.VALUE, FlowKind.STATIC, FlowKind.ACCESSOR)
        }

    def declared(self, definition: int) -> int | None:
        return self._out.get((FlowKind.TYPE, definition))

    def held(self, definition: int) -> int | None:
        return self._out.get((FlowKind.VALUE, definition))

    def is_static(self, definition: int) -> bool:
        return (FlowKind.STATIC, definition) in self._out

    def is_read(self, scope: int) -> bool:
        return (FlowKind.ACCESSOR, scope) in self._out

    @cached_property
    def running(self) -> dict[tuple[int, int], list[int]]:
        """(`Into`, scope of a type) -> scopes of the signatures by which its objects are called or made."""
        found: dict[tuple[int, int], list[int]] = {}
        for kind, scope, _ in self.at.summary.flow.into:
            if kind in (FlowKind.CALL_OPERATOR, FlowKind.CONSTRUCTOR):
                found.setdefault((kind, self.at.summary.scopes[scope][0] or 0), []).append(scope)
        return found

    @cached_property
    def makers(self) -> set[int]:
        """Scopes of the signatures by which objects are made."""
        return {scope for kind, scope, _ in self.at.summary.flow.into if kind == FlowKind.CONSTRUCTOR}

    @cached_property
    def imports_by_name(self) -> dict[tuple[int, str], list[int]]:
        found: dict[tuple[int, str], list[int]] = {}
        for number, row in enumerate(self.at.imports):
            found.setdefault((row.scope, row.alias or row.imported_name), []).append(number)
        return found

    @cached_property
    def is_module(self) -> bool:
        """Whether its names are its own; otherwise all files see them."""
        return bool(self.at.summary.exports or self.at.summary.reexports or self.at.imports)

    def inner(self, definition: int) -> Iterator[int]:
        """Members that a class has because its constructor takes them."""
        for maker in self.at.members.get(definition, {}).get("constructor", ()):
            for numbers in self.at.members.get(maker, {}).values():
                yield from (number for number in numbers if self.at.defs[number].kind == "property")
