"""How a map divides its tokens: each section has a share, and what one does not need goes to those after it.

The structure comes last, since it can fill whatever is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from codeplane.base.limits import CHARS_PER_TOKEN

T = TypeVar("T")


_SHARES = {
    "languages": 8,
    "test_layout": 7,
    "entry_points": 10,
    "dependencies": 9,
    "key_files": 17,
    "public_api": 22,
    "structure": 30,
}
_FRAME_CHARS = 40
"""What a section costs beside its rows: its name, its counts, what it leaves out."""


class TokenBudget:
    """Characters for the sections of one map, taken in the order of `sections`."""

    def __init__(self, max_tokens: int, wanted: Iterable[str]) -> None:
        self.sections = [name for name in _SHARES if name in set(wanted)]
        self._left = max_tokens * CHARS_PER_TOKEN
        self._waiting = sum(_SHARES[name] for name in self.sections)

    def take(self, section: str) -> int:
        """What a section may fill; `spend` says what it did."""
        share = self._left * _SHARES[section] // max(1, self._waiting)
        self._waiting -= _SHARES[section]
        return max(0, share - _FRAME_CHARS)

    def spend(self, section: object) -> None:
        self._left = max(0, self._left - count_chars(section) - _FRAME_CHARS)


def count_chars(value: object) -> int:
    """Of a value as compact JSON, but for what has to be escaped: names on disk need not be text that JSON can hold."""
    if isinstance(value, Mapping):
        return 1 + sum(len(str(key)) + 4 + count_chars(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return 1 + sum(1 + count_chars(item) for item in value)
    return len(str(value)) + (2 if isinstance(value, str) else 0)


def take_fitting(rows: Sequence[T], limit: int, chars: int, cost: Callable[[T], int]) -> list[T]:
    """The first rows, as many as both bounds allow, but at least one: a section with nothing in it tells nothing."""
    taken: list[T] = []
    for row in rows[:limit]:
        chars -= cost(row)
        if chars < 0 and taken:
            break
        taken.append(row)
    return taken


def largest(counts: Mapping[str, int], limit: int, chars: int) -> dict[str, int]:
    """The largest counts, the most first."""
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return dict(take_fitting(ordered, limit, chars, lambda pair: len(pair[0]) + len(str(pair[1])) + 4))
