"""Who uses a symbol, and who calls whom: what is proven, what could not be resolved, and how much that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.facts.model import Role, Tier
from codeplane.languages.registry import detect
from codeplane.operations.signatures import parameters_of
from codeplane.query.anchors import list_anchor_groups_of
from codeplane.query.overrides import list_overriding
from codeplane.query.relations import (
    CallSites,
    Symbol,
    list_callees,
)
from codeplane.query.routes import Routes, count_name_uses, find_routes, list_callers, list_routed_uses
from codeplane.query.snapshot import Snapshot

MAX_DEPTH = 10


class CallEdge(NamedTuple):
    caller: str
    callee: str
    tier: Tier
    path: RepoPath
    lines: tuple[int, ...]
    via: Symbol | None = None
    """Another symbol that the call names, through which it reaches the callee."""


class NoCallers(NamedTuple):
    """Why a symbol may be called although no call of it is known."""

    unresolved: int
    """Occurrences of its name that could not be resolved."""
    unresolved_calls: int
    """Number of these uses that are calls."""
    elsewhere: int
    """Calls of its name that are known to mean something else."""
    skipped_files: int
    """Files with the name that were not looked at for these counts."""
    references: int
    """Known uses of it that are no calls, such as a callback that is passed on; imports do not count."""
    implements_outside: bool
    """It implements a member of a trait or an interface outside of the repository."""
    open_base: bool
    """A base outside of the repository may own the name."""


@dataclass(frozen=True)
class CallGraph:
    roots: tuple[str, ...]
    nodes: Mapping[str, Symbol | None]
    """By their written form; None for the top of a file."""
    edges: tuple[CallEdge, ...]
    unresolved: Mapping[str, int]
    """Calls within a node of which nothing is known."""
    outside: Mapping[str, int]
    """Calls within a node of what is not in the repository."""
    maybe: Mapping[str, int]
    """Calls of members of the node's name whose object is not known: any of them may be one of it."""
    left_out: int
    no_callers: Mapping[str, NoCallers] = field(default_factory=dict)
    """Reasons why roots have no known caller."""
    implementations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Members that override or implement one that is called, so that a call of it may run them."""


@dataclass
class _Gathering:
    nodes: dict[str, Symbol | None] = field(default_factory=dict)
    edges: dict[tuple[str, str, int | None], CallEdge] = field(default_factory=dict)
    unresolved: dict[str, int] = field(default_factory=dict)
    outside: dict[str, int] = field(default_factory=dict)
    without_callers: dict[str, Routes] = field(default_factory=dict)
    left_out: int = 0


def call_graph(snapshot: Snapshot, roots: list[Symbol], direction: str, depth: int, limit: int) -> CallGraph:
    """Calls around some symbols, breadth first; at most `limit` edges, the nearest of them."""
    if direction not in ("callers", "callees", "both"):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"there is no direction '{display(direction[:40])}'",
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
    got = _Gathering()
    roots = without_prototypes(roots)
    for way in ("callers", "callees") if direction == "both" else (direction,):
        done: set[str] = set()
        front = roots
        for _ in range(depth):
            following: dict[str, Symbol] = {}
            for symbol in front:
                name = symbol.reference
                if name in done:
                    continue
                done.add(name)
                got.nodes.setdefault(name, symbol)
                for edge, other in _edges(snapshot, symbol, way, got):
                    key = (edge.caller, edge.callee, edge.via.number if edge.via is not None else None)
                    if key not in got.edges and len(got.edges) >= limit:
                        got.left_out += 1
                        continue
                    got.edges[key] = edge
                    got.nodes.setdefault(edge.caller if way == "callers" else edge.callee, other)
                    if other is not None:
                        following.setdefault(other.reference, other)
            front = list(following.values())
    maybe = {
        root.reference: sum(group.total_count for group in list_anchor_groups_of(snapshot, root.name))
        for root in roots
        if root.parent is not None
    }
    names = tuple(root.reference for root in roots)
    called = {edge.callee for edge in got.edges.values()} if direction != "callers" else set()
    overriding = {name: _implementations(snapshot, got.nodes[name]) for name in sorted(called)}
    return CallGraph(
        names,
        dict(sorted(got.nodes.items())),
        tuple(got.edges.values()),
        dict(sorted(got.unresolved.items())),
        dict(sorted(got.outside.items())),
        {name: count for name, count in maybe.items() if count} if direction != "callees" else {},
        got.left_out,
        {name: _reasons(snapshot, got.without_callers[name]) for name in names if name in got.without_callers},
        {name: found for name, found in overriding.items() if found},
    )


def _implementations(snapshot: Snapshot, symbol: Symbol | None) -> tuple[str, ...]:
    return tuple(each.reference for each in list_overriding(snapshot, symbol)) if symbol is not None else ()


def _reasons(snapshot: Snapshot, routes: Routes) -> NoCallers:
    """Why nothing is known to call a symbol."""
    symbol = routes.symbol
    uses = list_routed_uses(snapshot, routes)
    defined_at = (symbol.path, symbol.line, symbol.column)
    references = [use for use in uses if use.role is Role.REFERENCE and use[:3] != defined_at]
    found = count_name_uses(snapshot, routes)
    overridden = routes.overridden
    return NoCallers(*found, len(references), overridden.outside, overridden.open)


def without_prototypes(symbols: Sequence[Symbol]) -> list[Symbol]:
    """Without what a header declares and another of the symbols defines: whoever calls one of them calls both."""
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


def _edges(snapshot: Snapshot, symbol: Symbol, way: str, got: _Gathering) -> list[tuple[CallEdge, Symbol | None]]:
    name = symbol.reference
    if way == "callers":
        routes = find_routes(snapshot, symbol)
        calls = list_callers(snapshot, routes)
        if not calls:
            got.without_callers[name] = routes
        return [
            (_edge(call, call.symbol.reference if call.symbol is not None else f"{call.path}:1", name), call.symbol)
            for call in calls
        ]
    made = list_callees(snapshot, symbol)
    if made.unresolved:
        got.unresolved[name] = made.unresolved
    if made.outside:
        got.outside[name] = made.outside
    called = without_prototypes([call.symbol for call in made.calls if call.symbol is not None])
    return [(_edge(call, name, call.symbol.reference), call.symbol) for call in made.calls if call.symbol in called]


def _edge(call: CallSites, caller: str, callee: str) -> CallEdge:
    return CallEdge(caller, callee, call.tier, call.path, tuple(sorted({line for line, _ in call.places})), call.via)
