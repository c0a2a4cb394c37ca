"""Diversity of results: drop duplicates, and cap results per file and symbol.

Results are taken from best to worst and keep their order; dropped results are counted. The functions are generic: a
callback returns the place of a result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

MAX_PER_FILE = 2
MAX_PER_SYMBOL = 1
RELAXED_MAX_PER_FILE = 3
"""Relaxed cap, used if the strict one leaves fewer results than requested."""

T = TypeVar("T")


class HitPlace(NamedTuple):
    """Location of a result. `symbol` is None outside of symbols; lines count from 1, inclusive."""

    path: str
    symbol: Hashable | None
    line_start: int
    line_end: int


@dataclass(frozen=True)
class DiversitySummary:
    skipped_by_file_cap: int = 0
    skipped_by_symbol_cap: int = 0
    used_relaxed_cap: bool = False
    before: int = 0
    kept: int = 0
    files: int = 0

    def as_dict(self) -> dict[str, object]:
        return {
            "max_per_file": MAX_PER_FILE,
            "max_per_symbol": MAX_PER_SYMBOL,
            "relaxed_max_per_file": RELAXED_MAX_PER_FILE,
            **vars(self),
        }


def spread(items: Sequence[T], limit: int, place_of: Callable[[T], HitPlace]) -> tuple[list[T], DiversitySummary]:
    """Return at most `limit` items with few per file and one per symbol, in the given order."""
    places = [place_of(item) for item in items]
    files: Counter[str] = Counter()
    symbols: Counter[tuple[str, Hashable | None]] = Counter()
    taken: list[int] = []
    crowded: list[int] = []
    by_symbol = 0

    def take(positions: Iterable[int], cap: int) -> None:
        nonlocal by_symbol
        for position in positions:
            if len(taken) == limit:
                break
            path, symbol, *_ = places[position]
            if symbol is not None and symbols[path, symbol] >= MAX_PER_SYMBOL:
                by_symbol += 1
            elif files[path] >= cap:
                crowded.append(position)
            else:
                taken.append(position)
                files[path] += 1
                symbols[path, symbol] += 1

    take(range(len(items)), MAX_PER_FILE)
    strict, by_file = (len(taken), by_symbol), len(crowded)
    take(tuple(crowded), RELAXED_MAX_PER_FILE)
    relaxed = len(taken) - strict[0]
    kept = [items[position] for position in sorted(taken)]
    by_file -= relaxed + by_symbol - strict[1]
    return kept, DiversitySummary(by_file, by_symbol, relaxed > 0, len(items), len(kept), len(+files))


def without_twins(items: Sequence[T], place_of: Callable[[T], HitPlace]) -> tuple[list[T], int]:
    """Drop items with the same place as a better one; return the rest and the number dropped.

    The same place is the same symbol or, outside of symbols, an overlapping line range. A method and its class overlap
    too, but are different results.
    """
    symbols: set[tuple[str, Hashable]] = set()
    regions: dict[str, list[tuple[int, int]]] = {}
    kept: list[T] = []
    for item in items:
        place = place_of(item)
        if place.symbol is not None:
            symbol = (place.path, place.symbol)
            twin = symbol in symbols
            symbols.add(symbol)
        else:
            known = regions.setdefault(place.path, [])
            twin = any(start <= place.line_end and place.line_start <= end for start, end in known)
            if not twin:
                known.append((place.line_start, place.line_end))
        if not twin:
            kept.append(item)
    return kept, len(items) - len(kept)
