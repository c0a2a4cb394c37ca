"""Token budget of a map: each section has a share, and unused tokens go to later sections.

The structure comes last, since it can fill any remaining space.
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
"""Size of a section besides its rows: name, counts, omissions."""


class TokenBudget:
    """Characters for the sections of one map, in the order of `sections`."""

    def __init__(self, max_tokens: int, requested: Iterable[str]) -> None:
        self.sections = [name for name in _SHARES if name in set(requested)]
        self._left = max_tokens * CHARS_PER_TOKEN
        self._pending_shares = sum(_SHARES[name] for name in self.sections)

    def take(self, section: str) -> int:
        """Return the characters that a section may use; `spend` records the actual use."""
        share = self._left * _SHARES[section] // max(1, self._pending_shares)
        self._pending_shares -= _SHARES[section]
        return max(0, share - _FRAME_CHARS)

    def spend(self, section: object) -> None:
        self._left = max(0, self._left - count_chars(section) - _FRAME_CHARS)


def count_chars(value: object) -> int:
    """Return the size of a value as compact JSON, without escaping: file names need not be valid text."""
    if isinstance(value, Mapping):
        return 1 + sum(len(str(key)) + 4 + count_chars(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return 1 + sum(1 + count_chars(item) for item in value)
    return len(str(value)) + (2 if isinstance(value, str) else 0)


def take_fitting(rows: Sequence[T], limit: int, chars: int, cost: Callable[[T], int]) -> list[T]:
    """Return the first rows within both limits, but at least one."""
    rows_taken: list[T] = []
    for row in rows[:limit]:
        chars -= cost(row)
        if chars < 0 and rows_taken:
            break
        rows_taken.append(row)
    return rows_taken


def largest(counts: Mapping[str, int], limit: int, chars: int) -> dict[str, int]:
    """Return the largest counts, largest first."""
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return dict(take_fitting(ordered, limit, chars, lambda pair: len(pair[0]) + len(str(pair[1])) + 4))
