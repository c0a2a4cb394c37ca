"""That an answer does not tell the same thing twice, and does not come from one file alone.

Everything here takes results from the best down and keeps their order; what is left out is counted. Nothing here
knows what a result is: where it lies is told by functions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

MAX_PER_FILE = 2
MAX_PER_SYMBOL = 1
RELAXED_MAX_PER_FILE = 3
"""Once, where the stricter bound leaves fewer results than were asked for."""

T = TypeVar("T")


class HitPlace(NamedTuple):
    """Where a result lies. `symbol` is None for one that is in none; lines count from 1, the last one included."""

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
    """At most `limit` of the items, few of one file and one of a symbol, in the order given."""
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
    """The items without those that stand behind a better one of the same place, and how many those are.

    The same place is the same symbol, or, for results in no symbol, a region that overlaps. A method and its class
    overlap too, but are two things to be told.
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
