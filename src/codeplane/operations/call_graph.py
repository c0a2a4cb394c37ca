"""Call graph around symbols: resolved calls, and counts of unresolved ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.facts.model import ReferenceRole, Tier
from codeplane.languages.registry import detect
from codeplane.operations.signatures import parameters_of
from codeplane.query.anchors import list_anchor_groups_of
from codeplane.query.callees import list_callees
from codeplane.query.overrides import list_overriding
from codeplane.query.relations import FILE, LAMBDA, CallSites, Symbol
from codeplane.query.routes import Routes, count_name_uses, find_routes, list_callers, list_routed_uses
from codeplane.query.snapshot import Snapshot

MAX_DEPTH = 10


class GraphEdge(NamedTuple):
    caller: str
    callee: str
    tier: Tier
    path: RepoPath
    lines: tuple[int, ...]
    via: Symbol | None = None
    """Another symbol that the call names, through which it reaches the callee."""


class NoCallers(NamedTuple):
    """Reasons why a symbol without known callers may still be called."""

    unresolved: int
    """Unresolved occurrences of its name."""
    unresolved_calls: int
    """Unresolved occurrences that are calls."""
    elsewhere: int
    """Calls of its name that resolve to something else."""
    skipped_files: int
    """Files with the name that were not examined for these counts."""
    references: int
    """Uses that are not calls, such as a callback argument; without imports."""
    implements_outside: bool
    """True if it implements a member of a trait or interface outside of the repository."""
    open_base: bool
    """True if a base class outside of the repository may own the name."""


@dataclass(frozen=True)
class CallGraph:
    roots: tuple[str, ...]
    nodes: Mapping[str, Symbol]
    """Symbols by reference; `path:1` is the top level of a file, `path:line:column` a lambda."""
    edges: tuple[GraphEdge, ...]
    unresolved: Mapping[str, int]
    """Unresolved calls inside of a node."""
    outside: Mapping[str, int]
    """Calls of external symbols inside of a node."""
    externals: Mapping[str, tuple[str, ...]]
    """Dotted names of these external symbols."""
    lambdas: Mapping[str, str]
    """Lambdas whose calls are known, each with the node whose code contains it."""
    maybe: Mapping[str, int]
    """Calls of members of the node's name with an unknown receiver: any of them may be a call of it."""
    left_out: int
    no_callers: Mapping[str, NoCallers] = field(default_factory=dict)
    """Reasons why roots have no known caller."""
    implementations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Members that override or implement a called one, so the call may run them."""


class _Direction(Enum):
    CALLERS = "callers"
    CALLEES = "callees"


@dataclass
class _GraphBuilder:
    snapshot: Snapshot
    limit: int
    nodes: dict[str, Symbol] = field(default_factory=dict)
    edges: dict[tuple[str, str, int | None], GraphEdge] = field(default_factory=dict)
    unresolved: dict[str, int] = field(default_factory=dict)
    outside: dict[str, int] = field(default_factory=dict)
    externals: dict[str, tuple[str, ...]] = field(default_factory=dict)
    lambdas: dict[str, str] = field(default_factory=dict)
    without_callers: dict[str, Routes] = field(default_factory=dict)
    left_out: int = 0

    def expand(self, roots: list[Symbol], direction: _Direction, depth: int) -> None:
        """Add the calls around the roots in one direction, breadth first."""
        done: set[str] = set()
        front = list(roots)
        for _ in range(depth):
            following: dict[str, Symbol] = {}
            # The lambdas of a symbol are of the same depth, and added to the front while it is expanded.
            for symbol in front:
                if symbol.reference in done:
                    continue
                done.add(symbol.reference)
                self.nodes.setdefault(symbol.reference, symbol)
                edges = self._callers(symbol) if direction is _Direction.CALLERS else self._callees(symbol, front)
                for edge, other in edges:
                    if self._add(edge, other, direction):
                        following.setdefault(other.reference, other)
            front = list(following.values())

    def _add(self, edge: GraphEdge, other: Symbol, direction: _Direction) -> bool:
        key = (edge.caller, edge.callee, edge.via.number if edge.via is not None else None)
        if key not in self.edges and len(self.edges) >= self.limit:
            self.left_out += 1
            return False
        self.edges[key] = edge
        self.nodes.setdefault(edge.caller if direction is _Direction.CALLERS else edge.callee, other)
        return True

    def _callers(self, symbol: Symbol) -> Iterator[tuple[GraphEdge, Symbol]]:
        if symbol.kind in (FILE, LAMBDA):
            return
        routes = find_routes(self.snapshot, symbol)
        calls = list_callers(self.snapshot, routes)
        if not calls:
            self.without_callers[symbol.reference] = routes
        for call in calls:
            yield _edge(call, call.symbol.reference, symbol.reference), call.symbol

    def _callees(self, symbol: Symbol, front: list[Symbol]) -> Iterator[tuple[GraphEdge, Symbol]]:
        callees = list_callees(self.snapshot, symbol)
        if callees.unresolved:
            self.unresolved[symbol.reference] = callees.unresolved
        if callees.outside:
            self.outside[symbol.reference] = callees.outside
        if callees.externals:
            self.externals[symbol.reference] = callees.externals
        for inner in callees.lambdas:
            self.lambdas[inner.reference] = symbol.reference
            front.append(inner)
        called = without_prototypes([call.symbol for call in callees.calls])
        for call in callees.calls:
            if call.symbol in called:
                yield _edge(call, symbol.reference, call.symbol.reference), call.symbol


def call_graph(snapshot: Snapshot, roots: list[Symbol], direction: str, depth: int, limit: int) -> CallGraph:
    """Return the calls around some symbols, breadth first; at most `limit` edges, the nearest of them."""
    if direction not in ("callers", "callees", "both"):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"unknown direction '{display(direction[:40])}'",
            expected="callers, callees or both",
            received=display(direction[:40]),
            example="callers",
        )
    if not 1 <= depth <= MAX_DEPTH:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "the depth is out of range",
            expected=f"1 to {MAX_DEPTH}",
            received=str(depth),
            example=1,
        )
    roots = without_prototypes(roots)
    graph = _GraphBuilder(snapshot, limit)
    for each in _Direction if direction == "both" else (_Direction(direction),):
        graph.expand(roots, each, depth)
    maybe: dict[str, int] = {}
    for root in roots:
        if root.parent is not None and direction != "callees":
            count = sum(group.total_count for group in list_anchor_groups_of(snapshot, root.name))
            maybe |= {root.reference: count} if count else {}
    names = tuple(root.reference for root in roots)
    called = {edge.callee for edge in graph.edges.values()} if direction != "callers" else set()
    overriding = {name: _implementations(snapshot, graph.nodes[name]) for name in sorted(called)}
    return CallGraph(
        names,
        dict(sorted(graph.nodes.items())),
        tuple(graph.edges.values()),
        dict(sorted(graph.unresolved.items())),
        dict(sorted(graph.outside.items())),
        dict(sorted(graph.externals.items())),
        dict(sorted(graph.lambdas.items())),
        maybe,
        graph.left_out,
        {name: _reasons(snapshot, graph.without_callers[name]) for name in names if name in graph.without_callers},
        {name: found for name, found in overriding.items() if found},
    )


def _implementations(snapshot: Snapshot, symbol: Symbol) -> tuple[str, ...]:
    return tuple(each.reference for each in list_overriding(snapshot, symbol)) if symbol.kind != LAMBDA else ()


def _reasons(snapshot: Snapshot, routes: Routes) -> NoCallers:
    """Return why a symbol has no known callers."""
    symbol = routes.symbol
    uses = list_routed_uses(snapshot, routes)
    defined_at = (symbol.path, symbol.line, symbol.column)
    references = [use for use in uses if use.role is ReferenceRole.REFERENCE and use[:3] != defined_at]
    found = count_name_uses(snapshot, routes)
    overridden = routes.overridden
    return NoCallers(*found, len(references), overridden.outside, overridden.open)


def without_prototypes(symbols: Sequence[Symbol]) -> list[Symbol]:
    """Drop header prototypes of functions that another symbol defines: callers of one call both."""
    defined: dict[tuple[str, str], list[Symbol]] = {}
    for symbol in symbols:
        if not symbol.path.endswith(_HEADERS):
            defined.setdefault((symbol.kind, symbol.lexical_path), []).append(symbol)
    return [
        symbol
        for symbol in symbols
        if not symbol.path.endswith(_HEADERS)
        or not any(_declares(symbol, other) for other in defined.get((symbol.kind, symbol.lexical_path), ()))
    ]


def _declares(declared: Symbol, defined: Symbol) -> bool:
    language = detect(defined.path)
    if language is None or language.announces is None:
        return False
    return language.announces(parameters_of(declared.signature), parameters_of(defined.signature))


_HEADERS = (".h", ".hh", ".hpp", ".hxx")


def _edge(call: CallSites, caller: str, callee: str) -> GraphEdge:
    return GraphEdge(caller, callee, call.tier, call.path, tuple(sorted({line for line, _ in call.places})), call.via)
