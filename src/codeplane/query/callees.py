"""Calls that a definition, a lambda or the top level of a file makes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from codeplane.facts.links import Links
from codeplane.facts.model import Tier
from codeplane.query.calling_scopes import find_callers_by_scope, is_lambda_of
from codeplane.query.relations import CallSites, Symbol, find_symbols
from codeplane.query.rows import find_links
from codeplane.query.snapshot import Snapshot

_TIERS = tuple(Tier)


class Callees(NamedTuple):
    calls: list[CallSites]
    unresolved: int
    """Number of unresolved calls"""
    outside: int
    """Number of calls to something outside of the repository"""
    externals: tuple[str, ...]
    """Dotted names of what is called outside of the repository, `json.dumps`"""
    lambdas: tuple[Symbol, ...]
    """Lambdas in the code of the symbol whose calls are known"""


def list_callees(snapshot: Snapshot, symbol: Symbol) -> Callees:
    """List what a symbol calls itself, not through nested definitions, in source order."""
    links = find_links(snapshot, symbol.file_id)
    numbers = {scope for scope, *_ in (*links.calls, *links.lambdas, *links.open_calls)}
    numbers |= {scope for scope, _ in links.outside}
    lambdas = {scope for *_, scope in links.lambdas}
    callers = find_callers_by_scope(snapshot, symbol.file_id, links, sorted(numbers | lambdas))
    own = {scope for scope in numbers if callers.get(scope) == symbol}
    calls = [*_calls_of_definitions(snapshot, symbol, links, own), *_calls_of_lambdas(symbol, links, own, callers)]
    counts = [(unknown, foreign) for scope, unknown, foreign in links.open_calls if scope in own]
    unresolved, outside = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0)
    externals = tuple(sorted({name for scope, name in links.outside if scope in own}))
    inner = tuple(sorted({callers[scope] for scope in lambdas if is_lambda_of(callers[scope], symbol)}))
    return Callees(sorted(calls, key=lambda call: call.places), unresolved, outside, externals, inner)


def _calls_of_definitions(
    snapshot: Snapshot, symbol: Symbol, links: Links, own: Collection[int]
) -> Iterator[CallSites]:
    grouped: dict[int, list[tuple[tuple[int, int], int]]] = {}
    for scope, line, column, which, tier in links.calls:
        if scope in own:
            grouped.setdefault(links.targets[which], []).append(((line, column), tier))
    symbols = find_symbols(snapshot, grouped.keys())
    for number, made in grouped.items():
        if number in symbols:
            tier = min(tier for _, tier in made)
            yield CallSites(symbols[number], symbol.path, tuple(place for place, _ in made), _TIERS[tier])


def _calls_of_lambdas(
    symbol: Symbol, links: Links, own: Collection[int], callers: Mapping[int, Symbol]
) -> Iterator[CallSites]:
    grouped: dict[int, list[tuple[int, int]]] = {}
    for scope, line, column, called in links.lambdas:
        if scope in own:
            grouped.setdefault(called, []).append((line, column))
    for called, places in grouped.items():
        yield CallSites(callers[called], symbol.path, tuple(places), Tier.STRONG)
