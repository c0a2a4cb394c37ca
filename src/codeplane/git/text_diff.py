"""Two texts compared, in a time that neither of them can draw out.

libgit2 compares them, without any filter, attribute or program that a repository names. What it does grows with the
square of what differs, so that two files of a megabyte can keep it for a minute. Where the part that differs is long,
it is compared piece by piece between lines that both have once and in the same order; where these leave pieces that
are too long, the part is told as replaced, and `coarse` says so.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import pairwise
from typing import NamedTuple

import pygit2
from pygit2.enums import DiffOption

MAX_LINES = 5_000
"""Of the part that differs, compared as one."""
MAX_PIECE = 2_000
MAX_IN_PIECES = 100_000
_CONTEXT_LINES = 3


class TextDiff(NamedTuple):
    hunks: bytes
    """As in a unified diff, from the first `@@` on."""
    insertions: int
    deletions: int
    coarse: bool = False


def diff_texts(old: bytes, new: bytes) -> TextDiff:
    """What makes the new text from the old one."""
    if old == new:
        return TextDiff(b"", 0, 0)
    before, after = _lines(old), _lines(new)
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    gone, come = before[start : len(before) - end], after[start : len(after) - end]
    longest = max(len(gone), len(come))
    flags = DiffOption.FORCE_TEXT
    if longest > MAX_LINES:
        if longest > MAX_IN_PIECES or _longest_piece(gone, come) > MAX_PIECE:
            return _replaced(gone, come, start)
        flags |= DiffOption.PATIENCE
    patch = pygit2.Patch.create_from(old, new, context_lines=_CONTEXT_LINES, flag=flags)
    _, insertions, deletions = patch.line_stats
    data = patch.data
    return TextDiff(data[max(0, data.find(b"\n@@ ") + 1) :], insertions, deletions)


def _lines(text: bytes) -> list[bytes]:
    """Lines end at LF alone."""
    lines = text.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _common(one: list[bytes], other: list[bytes]) -> int:
    """How many lines both begin with."""
    count = 0
    for mine, its in zip(one, other, strict=False):
        if mine != its:
            break
        count += 1
    return count


def _longest_piece(gone: list[bytes], come: list[bytes]) -> int:
    """Lines of the longest piece between lines that both have once, taken in the longest order that both share."""
    once = {line for line, count in Counter(gone).items() if count == 1}
    once &= {line for line, count in Counter(come).items() if count == 1}
    place = {line: number for number, line in enumerate(gone) if line in once}
    pairs = [(place[line], number) for number, line in enumerate(come) if line in once]
    chain = [(-1, -1), *_rising(pairs), (len(gone), len(come))]
    return max(max(there[0] - here[0], there[1] - here[1]) - 1 for here, there in pairwise(chain))


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs, in their order, whose first numbers rise."""
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


def _replaced(gone: list[bytes], come: list[bytes], start: int) -> TextDiff:
    """All lines of one for all lines of the other, without lines around them."""
    head = f"@@ -{_range(start, len(gone))} +{_range(start, len(come))} @@\n".encode("ascii")
    body = b"".join((*(b"-" + _ended(line) for line in gone), *(b"+" + _ended(line) for line in come)))
    return TextDiff(head + body, len(come), len(gone), coarse=True)


def _range(start: int, count: int) -> str:
    return f"{start + 1 if count else start},{count}"


def _ended(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"
