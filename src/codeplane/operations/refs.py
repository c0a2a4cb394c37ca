"""Uses of a symbol: resolved uses by tier, and members of the same name whose receiver is unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from codeplane.operations.symbols.lookup import IndexedSymbols
from codeplane.operations.symbols.model import SymbolNotFound
from codeplane.operations.symbols.resolve import resolve_symbols
from codeplane.query.anchors import AnchorGroupRow, list_anchor_groups_of
from codeplane.query.overrides import OverrideFamily, find_family
from codeplane.query.refs import UseRow, rank_uses
from codeplane.query.relations import Symbol
from codeplane.query.routes import find_routes, list_routed_uses
from codeplane.query.rows import require_links
from codeplane.query.snapshot import Snapshot, check_limit
from codeplane.workspace.freshness import FreshResult

MAX_SYMBOLS = 20
"""Maximum definitions of one name that are reported."""

Reads = Callable[..., FreshResult[Any]]
"""Runs a function against one fresh snapshot of the index."""


@dataclass(frozen=True)
class SymbolUses:
    symbol: Symbol
    rows: tuple[UseRow, ...]
    """Uses without the definition itself; best tier first, then by path and position."""
    total: int
    renamed: tuple[UseRow, ...]
    """Uses under an alias; not counted above."""
    tiers: Mapping[str, int]
    unresolved: int
    """Members of the same name with an unknown receiver: any of them may be a use."""
    groups: tuple[AnchorGroupRow, ...]
    family: OverrideFamily | None


def find_uses(reads: Reads, written: str, limit: int) -> FreshResult[list[SymbolUses] | SymbolNotFound]:
    """Return references of each named symbol, at most `limit` of each."""
    check_limit(limit)

    def ask(snapshot: Snapshot) -> list[SymbolUses] | SymbolNotFound:
        require_links(snapshot)
        found = resolve_symbols(IndexedSymbols(snapshot), written)
        if isinstance(found, SymbolNotFound):
            return found
        return [_uses(snapshot, symbol, limit) for symbol in found.symbols[:MAX_SYMBOLS]]

    return reads(ask, references=True)


def _uses(snapshot: Snapshot, symbol: Symbol, limit: int) -> SymbolUses:
    uses = list_routed_uses(snapshot, find_routes(snapshot, symbol))
    found, tiers, renamed = rank_uses(uses, (symbol.path, symbol.line, symbol.column), limit)
    groups = tuple(list_anchor_groups_of(snapshot, symbol.name)) if symbol.parent is not None else ()
    return SymbolUses(
        symbol,
        found.rows,
        found.total,
        renamed,
        {tier.name.lower(): count for tier, count in tiers.items()},
        sum(group.total_count for group in groups),
        groups,
        find_family(snapshot, symbol),
    )
