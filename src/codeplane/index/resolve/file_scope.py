"""Look-up tables of one file, built on demand from its summary and kept while the file is in memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence, Set
from functools import cached_property
from itertools import chain

from codeplane.facts.ir import (
    CallExpr,
    DefinitionFlow,
    DictExpr,
    FlowKind,
    FunctionExpr,
    IndexExpr,
    LabelledExpr,
    MemberExpr,
    NameExpr,
    NewExpr,
    PackedFlow,
    Parameter,
    ParenExpr,
    ScopeFlow,
    StringExpr,
    TupleExpr,
    ValueFlow,
    decode_exprs,
    decode_flows,
    decode_params,
)
from codeplane.facts.model import Namespace, Target
from codeplane.facts.summary import FileSummary
from codeplane.index.resolve.flow_targets import Inflow, flow_targets


class FileScope:
    """Numbers are ordinals within the file."""

    def __init__(self, path: str, language: str, summary: FileSummary, flow: PackedFlow) -> None:
        self.path = path
        self.language = language
        self.summary = summary
        self.exprs = decode_exprs(flow)
        """The expressions of the file, by node."""
        self.flows = decode_flows(flow)
        self.ambient = {node: (scope, usage) for node, scope, usage in flow.ambient}
        """Names that are looked up by their position: node -> scope, usage."""
        self.windows = {node: (flow.lists[seen], flow.lists[put]) for node, seen, put in flow.windows}
        """Names that see only some of the values of their binding: node -> targets, items that were put last."""
        self._owners: dict[int, int] = dict(flow.owners)  # type: ignore[arg-type]
        self.body = {definition: scope for scope, definition in flow.owners}
        """Definition -> the scope of its body."""
        self.params: dict[int, list[Parameter]] = {}
        for param in decode_params(flow):
            self.params.setdefault(param.scope, []).append(param)
        self._calls = array("q", chain.from_iterable(flow.calls))
        self.adapter: object = None
        """Further tables of the language."""
        self.defs = summary.defs
        self.binds = summary.binds
        self.imports = summary.imports
        self._imports_in: dict[tuple[int, str], list[int]] | None = None

    @property
    def memory_bytes(self) -> int:
        """Estimate of the memory that the file takes with its tables."""
        return 112 * (len(self.exprs) + 2 * len(self.binds) + 4 * len(self.defs) + 2 * len(self.flows)) + 2048

    def skip_parens(self, node: int) -> int:
        while isinstance(expr := self.exprs[node], ParenExpr):
            node = expr.value
        return node

    # --- scopes and definitions

    @cached_property
    def owner(self) -> dict[int, int]:
        """Scope -> the definition that it is the body of."""
        found = dict(self._owners)
        if self.ambient:
            for row in self.defs:
                is_body = self.summary.scopes[row.scope][1] == "class" and row.scope not in self.anonymous_classes
                is_body = is_body and row.scope not in self.impls
                if is_body and row.parent is not None:
                    found.setdefault(row.scope, row.parent)
        return found

    @cached_property
    def members(self) -> dict[int, dict[str, list[int]]]:
        """Definition -> name -> the definitions nested directly in it."""
        found: dict[int, dict[str, list[int]]] = {}
        for number, row in enumerate(self.defs):
            if row.scope in self.anonymous_classes:
                found.setdefault(-row.scope, {}).setdefault(row.name, []).append(number)
            elif row.parent is not None:
                found.setdefault(row.parent, {}).setdefault(row.name, []).append(number)
        return found

    def member_definitions(self, definition: int, name: str) -> Sequence[int]:
        return self.members.get(definition, {}).get(name, ())

    @cached_property
    def anonymous_classes(self) -> frozenset[int]:
        """Scopes that are classes without a name. The negative scope takes the place of the definition."""
        return frozenset(-flow.definition for flow in self._definition_flows(FlowKind.BASE) if flow.definition < 0)

    @cached_property
    def partial(self) -> frozenset[int]:
        """Types that have parts elsewhere."""
        return frozenset(flow.definition for flow in self._definition_flows(FlowKind.PARTIAL))

    def _definition_flows(self, kind: FlowKind) -> Iterator[DefinitionFlow]:
        return (flow for flow in self.flows if isinstance(flow, DefinitionFlow) and flow.kind is kind)

    @cached_property
    def detached(self) -> dict[str, dict[str, list[int]]]:
        """Members defined outside of their type, by the type's name and their own."""
        found: dict[str, dict[str, list[int]]] = {}
        for number, row in enumerate(self.defs):
            if row.parent is None and "." in row.lexical_path:
                owner = row.lexical_path[: -len(row.name) - 1]
                found.setdefault(owner, {}).setdefault(row.name, []).append(number)
        return found

    @cached_property
    def attributes(self) -> dict[tuple[int, str], int]:
        return {(parent, name): number for number, (parent, name) in enumerate(self.summary.attributes)}

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

    def imports_in(self, scope: int, name: str, dotted_imports: Set[str]) -> Sequence[int]:
        """Imports that bind a name in a scope; the kinds in `dotted_imports` bind the first part of their name."""
        if self._imports_in is None:
            self._imports_in = {}
            for number, row in enumerate(self.imports):
                name_bound = row.imported_name.partition(".")[0] if row.kind in dotted_imports else row.imported_name
                self._imports_in.setdefault((row.scope, row.alias or name_bound), []).append(number)
        return self._imports_in.get((scope, name), ())

    @cached_property
    def bind_of_def(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for number, row in enumerate(self.binds):
            if row.target_kind == Target.DEF and row.target is not None:
                found[row.target] = number
        return found

    @cached_property
    def variables(self) -> dict[int, list[int]]:
        """Definition -> bindings of its type variables."""
        found: dict[int, list[int]] = {}
        for number, row in enumerate(self.binds):
            if row.namespace == Namespace.TYPE and row.target_kind == Target.UNKNOWN and row.scope in self.owner:
                found.setdefault(self.owner[row.scope], []).append(number)
        return found

    def scope_kind(self, scope: int) -> str:
        return self.summary.scopes[scope][1]

    def parent(self, scope: int) -> int | None:
        """The enclosing scope; None for a file without a summary."""
        return self.summary.scopes[scope][0] if self.summary.scopes else None

    def enclosing_def(self, scope: int | None) -> int | None:
        """The innermost function or class around a scope."""
        while scope is not None:
            if scope in self.owner:
                return self.owner[scope]
            scope = self.parent(scope)
        return None

    # --- names, calls and parameters

    @cached_property
    def passed_to(self) -> dict[int, int]:
        """Scope of a function expression -> the call that it is an argument of."""
        found: dict[int, int] = {}
        for node, expr in enumerate(self.exprs):
            for part in expr.arguments if isinstance(expr, CallExpr | NewExpr) else ():
                inner = self.exprs[part]
                while isinstance(inner, ParenExpr | LabelledExpr):
                    inner = self.exprs[inner.value]
                if isinstance(inner, FunctionExpr):
                    found[inner.scope] = node
        return found

    @cached_property
    def argument_counts(self) -> dict[int, int]:
        """Reference -> number of type arguments or keys that follow the name."""
        found: dict[int, int] = {}
        for expr in self.exprs:
            if isinstance(expr, IndexExpr):
                value = self.exprs[expr.value]
                if isinstance(value, NameExpr | MemberExpr):
                    found.setdefault(value.reference, len(expr.keys))
        return found

    @cached_property
    def scope_of_call(self) -> dict[int, int]:
        return {node: scope for node, scope, *_ in self.calls()}

    def calls(self) -> Iterator[tuple[int, int, int, int]]:
        """Node, scope, line and column of every call, in source order."""
        numbers = iter(self._calls)
        return zip(numbers, numbers, numbers, numbers, strict=True)

    @cached_property
    def param_of_bind(self) -> dict[int, tuple[int, int]]:
        return {
            param.binding: (scope, number)
            for scope, params in self.params.items()
            for number, param in enumerate(params)
            if param.binding >= 0
        }

    # --- flows out of functions, classes and scopes

    @cached_property
    def _outgoing(self) -> dict[tuple[FlowKind, int], list[int]]:
        found: dict[tuple[FlowKind, int], list[int]] = {}
        for flow in self.flows:
            if not isinstance(flow, ValueFlow):
                subject = flow.scope if isinstance(flow, ScopeFlow) else flow.definition
                found.setdefault((flow.kind, subject), []).append(flow.source)
        return found

    def sources(self, kind: FlowKind, subject: int) -> Sequence[int]:
        """Nodes that flow into a scope or definition."""
        return self._outgoing.get((kind, subject), ())

    def _source(self, kind: FlowKind, subject: int) -> int | None:
        found = self._outgoing.get((kind, subject))
        return found[0] if found else None

    def returns(self, scope: int) -> Sequence[int]:
        return self.sources(FlowKind.RETURN, scope)

    def yields(self, scope: int) -> Sequence[int]:
        return self.sources(FlowKind.YIELD, scope)

    def yields_from(self, scope: int) -> Sequence[int]:
        return self.sources(FlowKind.YIELD_FROM, scope)

    def return_type(self, scope: int) -> int | None:
        return self._source(FlowKind.RETURN_TYPE, scope)

    def receiver(self, definition: int) -> int | None:
        """The type that an extension function or property is called on."""
        return self._source(FlowKind.RECEIVER, definition)

    def bases(self, definition: int) -> Sequence[int]:
        return [node for node in self.sources(FlowKind.BASE, definition) if node]

    def type_parameters(self, definition: int) -> Sequence[int]:
        return self.sources(FlowKind.TYPE_PARAMETER, definition)

    def mixins(self, definition: int) -> Sequence[int]:
        return self.sources(FlowKind.MIXIN, definition)

    def extended(self, definition: int) -> Sequence[int]:
        return self.sources(FlowKind.EXTENDED, definition)

    def decorators(self, definition: int) -> Sequence[int]:
        return self.sources(FlowKind.DECORATOR, definition)

    @cached_property
    def impls(self) -> dict[int, int]:
        """Scope -> node of the type that it adds members to."""
        return {
            flow.scope: flow.source for flow in self.flows if isinstance(flow, ScopeFlow) and flow.kind is FlowKind.IMPL
        }

    @cached_property
    def impl_members(self) -> dict[tuple[int, str], list[int]]:
        """(scope of such a block, name) -> its members."""
        found: dict[tuple[int, str], list[int]] = {}
        for number, row in enumerate(self.defs):
            if row.scope in self.impls:
                found.setdefault((row.scope, row.name), []).append(number)
        return found

    def conforms(self, scope: int) -> Sequence[int]:
        """Bases that a type gets in a scope that adds to it."""
        return self.sources(FlowKind.CONFORMS, scope)

    def positional_fields(self, definition: int) -> Sequence[int]:
        node = self._source(FlowKind.POSITIONAL_FIELDS, definition)
        fields = self.exprs[node] if node is not None else None
        return fields.parts if isinstance(fields, TupleExpr) else ()

    @cached_property
    def within(self) -> dict[int, str]:
        """Scope -> the package or namespace that it belongs to, dotted."""
        found: dict[int, str] = {}
        for (kind, scope), nodes in self._outgoing.items():
            name = self.exprs[nodes[0]] if kind is FlowKind.WITHIN else None
            if isinstance(name, StringExpr):
                found[scope] = name.text
        return found

    @cached_property
    def package(self) -> str:
        """The package that the file declares."""
        return self.within.get(0, "")

    # --- flows into bindings and members

    @cached_property
    def _incoming(self) -> tuple[dict[int, list[Inflow]], dict[str, list[tuple[int, Inflow]]], dict[int, Inflow]]:
        """Flows into bindings, into members by their name with the node of the receiver, and into object patterns."""
        binds: dict[int, list[Inflow]] = {}
        members: dict[str, list[tuple[int, Inflow]]] = {}
        patterns: dict[int, Inflow] = {}
        for flow in self.flows:
            if isinstance(flow, ValueFlow):
                for node, inflow in flow_targets(self.exprs, flow):
                    target = self.exprs[node]
                    if isinstance(target, NameExpr):
                        if target.binding is not None:
                            binds.setdefault(target.binding, []).append(inflow)
                    elif isinstance(target, MemberExpr):
                        members.setdefault(target.name, []).append((target.receiver, inflow))
                    elif isinstance(target, DictExpr):
                        patterns.setdefault(node, inflow)
        return binds, members, patterns

    def into_bind(self, bind: int) -> Sequence[Inflow]:
        return self._incoming[0].get(bind, ())

    def into_member(self, name: str) -> Sequence[tuple[int, Inflow]]:
        return self._incoming[1].get(name, ())

    def into_pattern(self, node: int) -> Inflow | None:
        """Value that an object pattern destructures."""
        return self._incoming[2].get(node)
