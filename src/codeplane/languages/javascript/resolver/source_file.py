"""Look-ups in one JavaScript or TypeScript file: what encloses an expression, and what flows into a name or a member.

They need nothing but the file itself and never evaluate an expression.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from codeplane.facts import ir
from codeplane.facts.ir import FlowKind, Parameter, ParameterKind
from codeplane.index.resolve.calls import arguments_of
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.flow_targets import Inflow, Step, flow_targets, key_text

_SOURCES = frozenset({FlowKind.ASSIGN, FlowKind.DECLARE, FlowKind.FOR, FlowKind.NARROW})
OBJECT_KINDS = frozenset({"class", "interface", "type"})
"""Kinds of definitions whose methods have a `this`."""


class InExpr(NamedTuple):
    """Part of another expression."""

    parent: int
    position: int


class InLabel(NamedTuple):
    """Value of an attribute of a JSX element."""

    call: int
    name: str


class InFlow(NamedTuple):
    """Assigned to a node, returned from a scope, or the value of a definition."""

    kind: FlowKind
    target: int


class InDefault(NamedTuple):
    """Default value of a parameter."""

    scope: int
    position: int


Place = InExpr | InLabel | InFlow | InDefault


class ParameterSource(NamedTuple):
    """An argument of a function, or a part of it."""

    scope: int
    position: int
    steps: tuple[Step, ...]


ValueSource = Inflow | ParameterSource


class Literal(NamedTuple):
    """Parts of an object literal or an object type."""

    named: dict[str, tuple[int, int]]
    """Name -> (position, node)"""
    spread: list[tuple[int, int]]
    """(position, node) of spread values, the last first"""


_EXPECTING = frozenset(
    {
        ir.ParenExpr, ir.UnionExpr, ir.CastExpr, ir.ListExpr, ir.TupleExpr, ir.DictExpr, ir.PairExpr, ir.FunctionExpr,
        ir.CallExpr, ir.NewExpr, ir.LabelledExpr, ir.AwaitExpr,
    }
)  # fmt: skip
"""Expressions whose evaluation depends on the expected type."""


class SourceFile:
    def __init__(self, facts: FileScope) -> None:
        self.facts = facts
        self.path = facts.path
        self.defs = facts.defs
        self._into_this: dict[str, dict[int | None, list[tuple[int, Inflow]]]] = {}
        self._literals: dict[int, Literal] = {}

    @cached_property
    def exprs(self) -> Sequence[ir.Expr]:
        return self.facts.exprs

    @cached_property
    def owner(self) -> Mapping[int, int]:
        """Scope -> the definition that it is the body of."""
        return self.facts.owner

    # --- parameters

    @cached_property
    def params(self) -> dict[int, list[Parameter]]:
        """Value parameters by scope, without `this`."""
        return {
            scope: [param for param in params if param.kind not in (ParameterKind.TYPE, ParameterKind.SELF)]
            for scope, params in self.facts.params.items()
        }

    def type_params(self, scope: int | None) -> list[Parameter]:
        params = self.facts.params.get(scope, ()) if scope else ()
        return [param for param in params if param.kind == ParameterKind.TYPE]

    @cached_property
    def type_param_of_bind(self) -> dict[int, Parameter]:
        params = (param for params in self.facts.params.values() for param in params)
        return {param.binding: param for param in params if param.kind == ParameterKind.TYPE}

    def this_type(self, scope: int) -> int | None:
        """Return the node of the declared type of `this`."""
        params = self.facts.params.get(scope, ())
        return next((param.type for param in params if param.kind == ParameterKind.SELF and param.type >= 0), None)

    # --- flows

    @cached_property
    def _parameter_sources(self) -> tuple[dict[int, ParameterSource], dict[int, ParameterSource]]:
        """Parameters by the binding and by the object pattern that they flow into."""
        binds: dict[int, ParameterSource] = {}
        patterns: dict[int, ParameterSource] = {}
        for scope, params in self.params.items():
            for index, param in enumerate(params):
                if param.pattern < 0 <= param.binding:
                    binds[param.binding] = ParameterSource(scope, index, ())
                whole = ir.ValueFlow(FlowKind.ASSIGN, param.pattern, 0)
                for node, inflow in flow_targets(self.exprs, whole) if param.pattern >= 0 else ():
                    match self.exprs[node]:
                        case ir.NameExpr(binding=int(binding)):
                            binds[binding] = ParameterSource(scope, index, inflow.steps)
                        case ir.DictExpr():
                            patterns[node] = ParameterSource(scope, index, inflow.steps)
        return binds, patterns

    def into_bind(self, bind: int) -> Sequence[ValueSource]:
        """Return what flows into a name; what is put into its container is not followed."""
        found: list[ValueSource] = [
            source for source in self.facts.into_bind(bind) if source.kind in _SOURCES and source.container is None
        ]
        parameter = self._parameter_sources[0].get(bind)
        return [*found, parameter] if parameter is not None else found

    def pattern_source(self, node: int) -> ValueSource | None:
        """Return what an object pattern destructures."""
        return self.facts.into_pattern(node) or self._parameter_sources[1].get(node)

    def into_this(self, name: str, definition: int) -> Sequence[tuple[int, Inflow]]:
        """Return assignments to a member of `this`, with the node of `this`: in methods of a class, and where the
        class is not known."""
        known = self._into_this.get(name)
        if known is None:
            known = self._into_this[name] = {}
            for receiver, source in self.facts.into_member(name):
                expr = self.exprs[receiver]
                if isinstance(expr, ir.ThisExpr) and source.kind in _SOURCES and source.is_whole(source.kind):
                    known.setdefault(self._class_of_this(expr.scope), []).append((receiver, source))
        return [*known.get(definition, ()), *known.get(None, ())]

    def _class_of_this(self, scope: int | None) -> int | None:
        scopes = self.facts.summary.scopes
        while scope is not None:
            owner = self.owner.get(scope)
            if owner is not None and self.defs[owner].kind in OBJECT_KINDS:
                return owner
            if scopes[scope][1] == "function":
                parent = self.defs[owner].parent if owner is not None else None
                is_method = parent is not None and self.defs[parent].kind in OBJECT_KINDS
                return parent if is_method and self.this_type(scope) is None else None
            scope = scopes[scope][0]
        return None

    # --- expressions

    def literal(self, node: int) -> Literal:
        known = self._literals.get(node)
        if known is None:
            known = self._literals[node] = Literal({}, [])
            for position, part in enumerate(self.parts(node)):
                expr = self.exprs[part]
                if isinstance(expr, ir.SplatKeysExpr):
                    known.spread.insert(0, (position, expr.value))
                    continue
                name = self._part_name(expr)
                if name is not None:
                    known.named[name] = (position, part)
        return known

    def _part_name(self, expr: ir.Expr) -> str | None:
        match expr:
            case ir.PairExpr():
                return self.key_text(expr.key)
            case ir.FunctionExpr() if expr.scope in self.owner:
                return self.defs[self.owner[expr.scope]].name
            case ir.NameExpr():
                return expr.name
        return None

    def parts(self, node: int) -> Sequence[int]:
        """Return the parts of an object literal or an object type."""
        expr = self.exprs[node]
        return expr.parts if isinstance(expr, ir.DictExpr) else ()

    def key_text(self, node: int) -> str | None:
        """Return the name of a key that is not computed."""
        return key_text(self.exprs[node])

    @cached_property
    def places(self) -> dict[int, Place]:
        """Node -> where it stands, if that says which type is expected."""
        found: dict[int, Place] = {}
        for node, expr in enumerate(self.exprs):
            match expr:
                case ir.CallExpr() | ir.NewExpr():
                    self._place_arguments(found, node)
                case ir.PairExpr():
                    if type(self.exprs[expr.value]) in _EXPECTING:
                        found.setdefault(expr.value, InExpr(node, 0))
                case ir.ParenExpr() | ir.CastExpr():
                    found.setdefault(expr.value, InExpr(node, 0))
                case ir.UnionExpr() | ir.ListExpr() | ir.TupleExpr() | ir.DictExpr():
                    for index, part in enumerate(expr.parts):
                        if type(self.exprs[part]) in _EXPECTING:
                            found.setdefault(part, InExpr(node, index))
        self._place_flows(found)
        for scope, params in self.params.items():
            for index, param in enumerate(params):
                if param.default > 0:
                    found[param.default] = InDefault(scope, index)
        found.pop(0, None)
        return found

    def _place_arguments(self, found: dict[int, Place], call: int) -> None:
        for index, part in enumerate(self.arguments(call)):
            inner = self.exprs[part]
            if type(inner) in _EXPECTING:
                found[part] = InExpr(call, index)
            if isinstance(inner, ir.LabelledExpr):
                found[inner.value] = InLabel(call, inner.name)

    def _place_flows(self, found: dict[int, Place]) -> None:
        for flow in self.facts.flows:
            match flow:
                case ir.ValueFlow(kind=FlowKind.ASSIGN):
                    place = InFlow(flow.kind, flow.target)
                case ir.ScopeFlow(kind=FlowKind.RETURN):
                    place = InFlow(flow.kind, flow.scope)
                case ir.DefinitionFlow(kind=FlowKind.VALUE):
                    place = InFlow(flow.kind, flow.definition)
                case _:
                    continue
            known = found.get(flow.source)
            is_value = isinstance(known, InFlow) and known.kind is FlowKind.VALUE
            # A member that is assigned to says more than the definition that the assignment makes.
            is_better = known is None or (is_value and flow.kind is FlowKind.ASSIGN)
            if is_better and type(self.exprs[flow.source]) in _EXPECTING:
                found[flow.source] = place

    def arguments(self, call: int) -> Sequence[int]:
        """Return the nodes of the arguments of a call."""
        parts = arguments_of(self.facts, call)
        return parts[1:] if parts and isinstance(self.exprs[parts[0]], ir.TypeArgumentsExpr) else parts

    def type_arguments(self, call: int) -> Sequence[int]:
        parts = arguments_of(self.facts, call)
        first = self.exprs[parts[0]] if parts else None
        return first.parts if isinstance(first, ir.TypeArgumentsExpr) else ()

    def required(self, call: int) -> str | None:
        """Return the module name in a call of `require`."""
        expr = self.exprs[call]
        callee = self.exprs[expr.callee] if isinstance(expr, ir.CallExpr) else None
        if not isinstance(callee, ir.NameExpr) or callee.binding is not None or callee.name != "require":
            return None
        parts = self.arguments(call)
        argument = self.exprs[parts[0]] if len(parts) == 1 else None
        return argument.text if isinstance(argument, ir.StringExpr) else None

    @cached_property
    def function_node(self) -> dict[int, int]:
        """Scope of a function expression -> its node."""
        return {expr.scope: node for node, expr in enumerate(self.exprs) if isinstance(expr, ir.FunctionExpr)}

    # --- definitions

    def declared_type(self, definition: int) -> int | None:
        return next(reversed(self.facts.sources(FlowKind.TYPE, definition)), None)

    def initializer(self, definition: int) -> int | None:
        return next(reversed(self.facts.sources(FlowKind.VALUE, definition)), None)

    def is_static(self, definition: int) -> bool:
        return bool(self.facts.sources(FlowKind.STATIC, definition))

    def is_accessor(self, scope: int) -> bool:
        """True for a getter or setter."""
        return bool(self.facts.sources(FlowKind.ACCESSOR, scope))

    def is_constructor(self, scope: int) -> bool:
        """True for a construct signature (`new (): T`)."""
        return bool(self.facts.sources(FlowKind.CONSTRUCTOR, scope))

    @cached_property
    def signatures(self) -> dict[tuple[FlowKind, int], list[int]]:
        """(CALL_OPERATOR or CONSTRUCTOR, scope of a type) -> scopes of the signatures that it declares."""
        found: dict[tuple[FlowKind, int], list[int]] = {}
        for flow in self.facts.flows:
            if isinstance(flow, ir.ScopeFlow) and flow.kind in (FlowKind.CALL_OPERATOR, FlowKind.CONSTRUCTOR):
                found.setdefault((flow.kind, self.facts.summary.scopes[flow.scope][0] or 0), []).append(flow.scope)
        return found

    def imports_in(self, scope: int, name: str) -> Sequence[int]:
        """Return the imports that bind a name in a scope."""
        return self.facts.imports_in(scope, name, frozenset())

    @cached_property
    def is_module(self) -> bool:
        """False for a script, whose top-level names are visible in all files."""
        return bool(self.facts.summary.exports or self.facts.summary.reexports or self.facts.imports)

    def parameter_properties(self, definition: int) -> Iterator[int]:
        """Yield members that the constructor of a class declares as parameters."""
        for maker in self.facts.members.get(definition, {}).get("constructor", ()):
            for numbers in self.facts.members.get(maker, {}).values():
                yield from (number for number in numbers if self.defs[number].kind == "property")
