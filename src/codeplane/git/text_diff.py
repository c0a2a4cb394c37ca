"""Unified diff of two texts in bounded time.

libgit2 computes the diff, without filters, attributes or programs that a repository configures. Its time is quadratic
in the size of the difference: two files of a megabyte can take a minute. A long difference is therefore computed with
patience diff, between lines that are unique in both texts. If a piece between such lines is still too long, the whole
part is reported as replaced and `coarse` is set.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import pairwise
from typing import NamedTuple

import pygit2
from pygit2.enums import DiffOption

MAX_LINES = 5_000
"""Maximum length of a difference that is computed directly."""
MAX_PIECE = 2_000
MAX_IN_PIECES = 100_000
_CONTEXT_LINES = 3


class TextDiff(NamedTuple):
    hunks: bytes
    """Hunks of the unified diff, starting with the first `@@`."""
    insertions: int
    deletions: int
    coarse: bool = False


def diff_texts(old: bytes, new: bytes) -> TextDiff:
    if old == new:
        return TextDiff(b"", 0, 0)
    before, after = _lines(old), _lines(new)
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    deleted, inserted = before[start : len(before) - end], after[start : len(after) - end]
    longest = max(len(deleted), len(inserted))
    flags = DiffOption.FORCE_TEXT
    if longest > MAX_LINES:
        if longest > MAX_IN_PIECES or _longest_piece(deleted, inserted) > MAX_PIECE:
            return _replaced(deleted, inserted, start)
        flags |= DiffOption.PATIENCE
    patch = pygit2.Patch.create_from(old, new, context_lines=_CONTEXT_LINES, flag=flags)
    _, insertions, deletions = patch.line_stats
    data = patch.data
    return TextDiff(data[max(0, data.find(b"\n@@ ") + 1) :], insertions, deletions)


def _lines(text: bytes) -> list[bytes]:
    """Split at LF only."""
    lines = text.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _common(one: list[bytes], other: list[bytes]) -> int:
    """Return the length of the common prefix."""
    count = 0
    for mine, its in zip(one, other, strict=False):
        if mine != its:
            break
        count += 1
    return count


def _longest_piece(deleted: list[bytes], inserted: list[bytes]) -> int:
    """Return the length of the longest piece between unique common lines in a longest increasing subsequence."""
    once = {line for line, count in Counter(deleted).items() if count == 1}
    once &= {line for line, count in Counter(inserted).items() if count == 1}
    place = {line: number for number, line in enumerate(deleted) if line in once}
    pairs = [(place[line], number) for number, line in enumerate(inserted) if line in once]
    chain = [(-1, -1), *_increasing(pairs), (len(deleted), len(inserted))]
    return max(max(there[0] - here[0], there[1] - here[1]) - 1 for here, there in pairwise(chain))


def _increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest increasing subsequence by first number."""
    ends: list[int] = []
    at: list[int] = []
    previous: list[int] = []
    for number, (first, _) in enumerate(pairs):
        length = bisect_left(ends, first)
        previous.append(at[length - 1] if length else -1)
        if length == len(ends):
            ends.append(first)
            at.append(number)
        else:
            ends[length], at[length] = first, number
    found = []
    number = at[-1] if at else -1
    while number >= 0:
        found.append(pairs[number])
        number = previous[number]
    return found[::-1]


def _replaced(deleted: list[bytes], inserted: list[bytes], start: int) -> TextDiff:
    """Return one hunk that replaces all lines, without context."""
    head = f"@@ -{_range(start, len(deleted))} +{_range(start, len(inserted))} @@\n".encode("ascii")
    body = b"".join((*(b"-" + _ended(line) for line in deleted), *(b"+" + _ended(line) for line in inserted)))
    return TextDiff(head + body, len(inserted), len(deleted), coarse=True)


def _range(start: int, count: int) -> str:
    return f"{start + 1 if count else start},{count}"


def _ended(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"
