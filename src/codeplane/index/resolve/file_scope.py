"""A sketch with the look-ups that resolving needs, made once per file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from codeplane.facts.ir import (
    Expr,
    ExprKind,
    Flow,
    FlowKind,
    Parameter,
    decode_exprs,
    decode_flows,
    decode_params,
)
from codeplane.facts.model import Namespace, Target
from codeplane.facts.sketch import Sketch, SketchImport

Flow2 = tuple[int, int]
"""How a value comes (an `Into`), and the node that it comes from."""
Step = int | tuple[int, int, str]
"""A place in a list; or in an object: the node of its type, the place, the name if there is one."""

_TO = frozenset(
    {FlowKind.ASSIGN, FlowKind.DECLARE, FlowKind.FOR, FlowKind.WITH, FlowKind.CATCH, FlowKind.NARROW, FlowKind.BOUND}
)


class FileScope:
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
        self._imports_in: dict[tuple[int, str], list[int]] | None = None

    @cached_property
    def exprs(self) -> list[Expr]:
        """The expressions of the file, by node."""
        return decode_exprs(self.sketch.flow)

    @cached_property
    def flows(self) -> list[Flow]:
        return decode_flows(self.sketch.flow)

    @cached_property
    def owner(self) -> dict[int, int]:
        """Scope -> the definition that it is the body of."""
        found: dict[int, int] = dict(self.sketch.flow.owners)  # type: ignore[arg-type]
        if self.sketch.flow.ambient:
            for row in self.defs:
                is_body = self.sketch.scopes[row.scope][1] == "class" and row.scope not in self.nameless
                is_body = is_body and row.scope not in self.adds
                if is_body and row.parent is not None:
                    found.setdefault(row.scope, row.parent)
        return found

    @cached_property
    def body(self) -> dict[int, int]:
        """Definition -> the scope of its body."""
        return {definition: scope for scope, definition in self.sketch.flow.owners}

    @cached_property
    def members(self) -> dict[int, dict[str, list[int]]]:
        """Definition -> name -> the definitions nested directly in it."""
        found: dict[int, dict[str, list[int]]] = {}
        for number, row in enumerate(self.defs):
            if row.scope in self.nameless:
                found.setdefault(-row.scope, {}).setdefault(row.name, []).append(number)
            elif row.parent is not None:
                found.setdefault(row.parent, {}).setdefault(row.name, []).append(number)
        return found

    @cached_property
    def nameless(self) -> frozenset[int]:
        """Scopes that are classes without a name. The negative number stands for the definition that they lack."""
        return frozenset(-a for kind, a, _ in self.sketch.flow.into if kind == FlowKind.BASE and a < 0)

    @cached_property
    def ambient(self) -> dict[int, tuple[int, int]]:
        """Names whose meaning depends on where they stand: node -> scope, usage."""
        return {node: (scope, usage) for node, scope, usage in self.sketch.flow.ambient}

    @cached_property
    def passed_to(self) -> dict[int, int]:
        """Scope of a function without a name -> the call that it is an argument of."""
        found: dict[int, int] = {}
        for node, (kind, _, arguments, _) in enumerate(self.nodes):
            for part in self.lists[arguments] if kind in (ExprKind.CALL, ExprKind.NEW) else ():
                what, a, _, _ = self.nodes[part]
                while what in (ExprKind.PAREN, ExprKind.LABELLED):
                    what, a, _, _ = self.nodes[a]
                if what == ExprKind.FUNCTION:
                    found[a] = node
        return found

    @cached_property
    def partial(self) -> frozenset[int]:
        """Types that have parts elsewhere."""
        return frozenset(a for kind, a, _ in self.sketch.flow.into if kind == FlowKind.PARTIAL)

    @cached_property
    def arguments(self) -> dict[int, int]:
        """Reference -> how many type arguments or keys stand behind the name."""
        found: dict[int, int] = {}
        for kind, a, b, _ in self.nodes:
            if kind == ExprKind.INDEX and self.nodes[a][0] in (ExprKind.NAME, ExprKind.MEMBER):
                found.setdefault(self.nodes[a][3], len(self.lists[b]))
        return found

    @cached_property
    def variables(self) -> dict[int, list[int]]:
        """Definition -> bindings of its type variables."""
        found: dict[int, list[int]] = {}
        for number, row in enumerate(self.binds):
            if row.namespace == Namespace.TYPE and row.target_kind == Target.UNKNOWN and row.scope in self.owner:
                found.setdefault(self.owner[row.scope], []).append(number)
        return found

    @cached_property
    def within(self) -> dict[int, str]:
        """Scope -> the package or namespace that it belongs to, dotted."""
        return {
            scope: self.texts[self.nodes[nodes[0]][1]]
            for (kind, scope), nodes in self._outgoing.items()
            if kind == FlowKind.WITHIN
        }

    def receiver(self, definition: int) -> int | None:
        """The type of the object that a function is called on which stands outside of it."""
        found = self._outgoing.get((FlowKind.RECEIVER, definition))
        return found[0] if found else None

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
        """(scope, name) -> definitions that bind the name there; members outside of their type do not."""
        found: dict[tuple[int, str], list[int]] = {}
        members = {row.target for row in self.binds if row.namespace == Namespace.MEMBER}
        for number, row in enumerate(self.defs):
            if row.parent is not None or number not in members:
                found.setdefault((row.scope, row.name), []).append(number)
        return found

    @cached_property
    def binds_in(self) -> dict[tuple[int, str], list[int]]:
        found: dict[tuple[int, str], list[int]] = {}
        for number, row in enumerate(self.binds):
            found.setdefault((row.scope, row.name), []).append(number)
        return found

    def imports_in(self, scope: int, name: str, local_name: Callable[[SketchImport], str | None]) -> Sequence[int]:
        """Imports that bind a name in a scope."""
        if self._imports_in is None:
            self._imports_in = {}
            for number, row in enumerate(self.imports):
                local = local_name(row)
                if local is not None:
                    self._imports_in.setdefault((row.scope, local), []).append(number)
        return self._imports_in.get((scope, name), ())

    @cached_property
    def bind_of_def(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for number, row in enumerate(self.binds):
            if row.target_kind == Target.DEF and row.target is not None:
                found[row.target] = number
        return found

    @cached_property
    def params(self) -> dict[int, list[Parameter]]:
        found: dict[int, list[Parameter]] = {}
        for param in decode_params(self.sketch.flow):
            found.setdefault(param.scope, []).append(param)
        return found

    @cached_property
    def param_of_bind(self) -> dict[int, tuple[int, int]]:
        return {
            param.binding: (scope, number)
            for scope, params in self.params.items()
            for number, param in enumerate(params)
            if param.binding >= 0
        }

    @cached_property
    def _outgoing(self) -> dict[tuple[int, int], list[int]]:
        found: dict[tuple[int, int], list[int]] = {}
        for kind, a, b in self.sketch.flow.into:
            if kind not in _TO:
                found.setdefault((kind, a), []).append(b)
        return found

    def returns(self, scope: int) -> Sequence[int]:
        return self._outgoing.get((FlowKind.RETURN, scope), ())

    def yields(self, scope: int) -> Sequence[int]:
        return self._outgoing.get((FlowKind.YIELD, scope), ())

    def yields_from(self, scope: int) -> Sequence[int]:
        return self._outgoing.get((FlowKind.YIELD_FROM, scope), ())

    def return_type(self, scope: int) -> int | None:
        found = self._outgoing.get((FlowKind.RETURN_TYPE, scope))
        return found[0] if found else None

    def bases(self, definition: int) -> Sequence[int]:
        return [node for node in self._outgoing.get((FlowKind.BASE, definition), ()) if node]

    def keys(self, definition: int) -> Sequence[int]:
        """Nodes of the type parameters of a definition."""
        return self._outgoing.get((FlowKind.TYPE_PARAMETER, definition), ())

    def mixed(self, definition: int) -> Sequence[int]:
        return self._outgoing.get((FlowKind.MIXIN, definition), ())

    def extended(self, definition: int) -> Sequence[int]:
        return self._outgoing.get((FlowKind.EXTENDED, definition), ())

    @cached_property
    def adds(self) -> dict[int, int]:
        """Scope -> node of the type that it adds members to."""
        return {a: b for kind, a, b in self.sketch.flow.into if kind == FlowKind.IMPL}

    @cached_property
    def added(self) -> dict[tuple[int, str], list[int]]:
        """(such a scope, name) -> members that stand there."""
        found: dict[tuple[int, str], list[int]] = {}
        for number, row in enumerate(self.defs):
            if row.scope in self.adds:
                found.setdefault((row.scope, row.name), []).append(number)
        return found

    def conforms(self, scope: int) -> Sequence[int]:
        """Bases that a type gets in a scope that adds to it."""
        return self._outgoing.get((FlowKind.CONFORMS, scope), ())

    def fields(self, definition: int) -> Sequence[int]:
        """Types of the parts without names."""
        found = self._outgoing.get((FlowKind.POSITIONAL_FIELDS, definition))
        return self.lists[self.nodes[found[0]][1]] if found else ()

    def decorators(self, definition: int) -> Sequence[int]:
        return self._outgoing.get((FlowKind.DECORATOR, definition), ())

    @cached_property
    def package(self) -> str:
        """The package that the file says to be part of."""
        return self.within.get(0, "")

    @cached_property
    def raises(self) -> list[tuple[int, int]]:
        return [(a, b) for kind, a, b in self.sketch.flow.into if kind == FlowKind.RAISE]

    @cached_property
    def _incoming(self) -> tuple[dict[int, list[Flow2]], dict[str, list[tuple[int, Flow2]]]]:
        """Flows into bindings, and into members by their name with the node of the object."""
        binds: dict[int, list[Flow2]] = {}
        members: dict[str, list[tuple[int, Flow2]]] = {}
        for kind, to, value in self.sketch.flow.into:
            if kind in _TO:
                for target, flow in self._targets(to, kind, value):
                    what, a, b, _ = self.nodes[target]
                    if what == ExprKind.NAME and a:
                        binds.setdefault(a - 1, []).append(flow)
                    elif what == ExprKind.MEMBER:
                        members.setdefault(self.texts[b], []).append((a, flow))
        return binds, members

    def _targets(self, to: int, kind: int, value: int) -> Iterator[tuple[int, Flow2]]:
        what, a, _, _ = self.nodes[to]
        if what in (ExprKind.TUPLE, ExprKind.LIST):
            for number, part in enumerate(self.lists[a]):
                yield from self._parts(part, kind, value, (number,))
        elif what == ExprKind.INDEX:
            yield a, (PUT | kind, to << 32 | value)
        elif what == ExprKind.PAREN:
            yield from self._targets(a, kind, value)
        elif what == ExprKind.UNION:
            for part in self.lists[a]:
                yield from self._targets(part, kind, value)
        elif what == ExprKind.PATTERN:
            yield from self._parts(to, kind, value, ())
        else:
            yield to, (kind, value)

    def _parts(self, to: int, kind: int, value: int, way: tuple[Step, ...]) -> Iterator[tuple[int, Flow2]]:
        what, a, b, _ = self.nodes[to]
        if what in (ExprKind.TUPLE, ExprKind.LIST):
            for number, part in enumerate(self.lists[a]):
                if self._is_rest(part):
                    return
                yield from self._parts(part, kind, value, (*way, number))
        elif what == ExprKind.PATTERN:
            for number, part in enumerate(self.lists[b]):
                if self._is_rest(part):
                    return
                inner, of, name, _ = self.nodes[part]
                text = self.texts[name] if inner in (ExprKind.NAME, ExprKind.LABELLED) else ""
                target = of if inner == ExprKind.LABELLED else part
                yield from self._parts(target, kind, value, (*way, (a, number, text)))
        elif what in (ExprKind.PAREN, ExprKind.UNION):
            for part in self.lists[a] if what == ExprKind.UNION else (a,):
                yield from self._parts(part, kind, value, way)
        elif what == ExprKind.SPLAT:
            last = way[-1]
            yield a, (PART | kind, value | self._way((*way[:-1], -1 - last if isinstance(last, int) else last)) << 32)
        elif what == ExprKind.INDEX or what == ExprKind.UNKNOWN:
            return
        else:
            yield to, (PART | kind, value | self._way(way) << 32)

    def _is_rest(self, node: int) -> bool:
        what, a, _, _ = self.nodes[node]
        return what == ExprKind.LITERAL and self.texts[a] == "rest"

    @cached_property
    def _ways(self) -> tuple[dict[tuple[Step, ...], int], list[tuple[Step, ...]]]:
        return {}, []

    def _way(self, way: tuple[Step, ...]) -> int:
        numbers, ways = self._ways
        if way not in numbers:
            numbers[way] = len(ways)
            ways.append(way)
        return numbers[way]

    def way(self, number: int) -> tuple[Step, ...]:
        return self._ways[1][number]

    def into_bind(self, bind: int) -> Sequence[Flow2]:
        return self._incoming[0].get(bind, ())

    def into_member(self, name: str) -> Sequence[tuple[int, Flow2]]:
        return self._incoming[1].get(name, ())

    @cached_property
    def scope_of_call(self) -> dict[int, int]:
        return {node: scope for node, scope, *_ in self.sketch.flow.calls}

    def parent(self, scope: int) -> int | None:
        """The scope around; of a file without a sketch nothing is known."""
        return self.sketch.scopes[scope][0] if self.sketch.scopes else None

    def enclosing_def(self, scope: int | None) -> int | None:
        """The innermost function or class around a scope."""
        while scope is not None:
            if scope in self.owner:
                return self.owner[scope]
            scope = self.parent(scope)
        return None


PART = 64
"""Beside an `Into`: the value is a part of the node, in a way that the upper half names."""
PUT = 128
"""Beside an `Into`: the value is put into a container; the upper half is the node of the place."""
