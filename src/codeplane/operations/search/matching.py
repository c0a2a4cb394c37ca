"""Matching lines of one text. Pure: bytes in, rows out.

A row is a line on which at least one match starts. Lines end at LF; a CR before it belongs to the line end, unless the
pattern matches it. Text after the last LF is a line only if it is not empty.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import NamedTuple

from codeplane.operations.search.patterns import Find, SearchPattern, Span

MAX_SNIPPET_CHARS = 238
"""Longer lines are cut to the text around the match."""
_BEFORE = 40

CALL_STEPS = 12_000_000
"""Maximum RE2 steps per call, so that deadlines can be checked: at most a tenth of a second."""
LINE_STEPS = 2 * CALL_STEPS
"""Maximum steps for one line while other files are left to scan."""
MAX_STEPS = 300_000_000
"""Maximum steps for one line, about three seconds; a longer line is not matched."""


class LineMatch(NamedTuple):
    """First match of a line. Lines and columns count from 1, columns in characters; ends are exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    """The line, or the part around the match."""


class SearchText(NamedTuple):
    """UTF-8 text with properties that speed up the search."""

    data: bytes
    """The text, or a bundle of texts, each followed by a line feed."""
    start: int
    end: int
    """Offsets of the text in `data`."""
    plain: bool
    """True for ASCII text."""
    returns: bool = False
    """True if it has carriage returns; such a text is not bundled."""
    odd: bool = False
    """True if it has non-ASCII letters that case-fold to ASCII; such a text is not bundled."""
    breaks: Sequence[int] | None = None
    """Offsets of the line feeds, if known."""


def make_search_text(data: bytes) -> SearchText:
    plain = data.isascii()
    odd = not plain and any(letter in data for letter in _ODD_LETTERS)
    return SearchText(data, 0, len(data), plain, b"\r" in data, odd)


_ODD_LETTERS = ("\u017f".encode(), "\u212a".encode())


class LineMatches(NamedTuple):
    rows: Sequence[LineMatch] = ()
    lines: int = 0
    """Matching lines, including those without a row."""


class MatchLimits(NamedTuple):
    rows: int
    """Maximum rows, over all texts."""
    per_file: int = sys.maxsize
    first_only: bool = False
    """Stop at the first matching line of each text, and count one."""


class PatternTooCostly(Exception):
    """A line is too long for the cost of the pattern."""

    def __init__(self, steps: int) -> None:
        super().__init__(steps)
        self.steps = steps


def match_text(
    pattern: SearchPattern,
    content: SearchText,
    room: int,
    check: Callable[[], None],
    first_line: int = 1,
    *,
    first_only: bool = False,
    max_steps: int = MAX_STEPS,
) -> LineMatches:
    """Return the matching lines of a text, with rows for at most `room` of them.

    `check` is called regularly and may raise. With `first_only`, only the first line is searched.
    """
    text, at, end, plain, returns, odd, breaks = content
    if returns and not pattern.keeps_returns:
        text = text.replace(b"\r\n", b"\n")
        end = len(text)
    elif pattern.whole and end - at < len(text):
        text, breaks = text[at:end], None
        at, end = 0, len(text)
    find = bounded_finder(pattern, end - at, plain, check, max_steps, odd=odd)
    # There is no line after the last line feed, although an empty match may be found there.
    stop = end - (at == end or text.endswith(b"\n", at, end))
    rows: list[LineMatch] = []
    lines = 0
    line_start = at
    number = first_line
    behind = 0 if breaks is None else bisect_left(breaks, at)
    while at <= stop and (span := find(text, at, end)) is not None and span[0] <= stop:
        line_end = text.find(b"\n", span[0], end)
        line_end = end if line_end < 0 else line_end
        lines += 1
        last = span[1]
        if lines <= room:
            if breaks is None:
                start = text.rfind(b"\n", line_start, span[0]) + 1 or line_start
                number += text.count(b"\n", line_start, start)
            else:
                before, behind = behind, bisect_left(breaks, span[0], behind)
                start = breaks[behind - 1] + 1 if behind > before else line_start
                number += behind - before
            line_start = start
            make = make_ascii_match if plain and not pattern.across else make_match
            rows.append(make(text, span, number, start, line_end))
        if first_only:
            break
        if pattern.across:
            last = _follow(find, text, span, line_end, end, check)
        elif not lines & 1023:
            check()
        at = max(last, line_end + 1)
    return LineMatches(tuple(rows), lines)


def max_call_bytes(pattern: SearchPattern, plain: bool) -> int:
    """Return the number of bytes that one call of the pattern may scan, for text without `odd` letters."""
    cost = 0 if pattern.folded is not None else pattern.cost if plain else pattern.wide_cost
    return CALL_STEPS // cost if cost else sys.maxsize


def bounded_finder(
    pattern: SearchPattern, size: int, plain: bool, check: Callable[[], None], max_steps: int, *, odd: bool = False
) -> Find:
    """Return a finder for texts of that size; it raises PatternTooCostly for a line that needs more steps."""
    if pattern.folded is not None and not odd:
        return pattern.folded
    find = pattern.narrow if plain else pattern.wide
    cost = pattern.cost if plain else pattern.wide_cost
    return _bounded(find, cost, pattern.across, check, max_steps) if size * cost > CALL_STEPS else find


def _follow(find: Find, text: bytes, first: Span, line_end: int, end: int, check: Callable[[], None]) -> int:
    """Return the end of the last match that starts on the same line as the first one."""
    count, last = 1, first[1]
    at = last if first[0] < last else _after(text, last)
    while at <= line_end and (span := find(text, at, end)) is not None and span[0] <= line_end:
        at = span[1] if span[0] < span[1] else _after(text, span[1])
        # An empty match right after another one does not count.
        if span != (last, last):
            count += 1
            last = span[1]
        if not count & 1023:
            check()
    return last


def _after(text: bytes, at: int) -> int:
    """Return the offset of the next character."""
    at += 1
    while at < len(text) and text[at] & 0xC0 == 0x80:
        at += 1
    return at


def make_ascii_match(text: bytes, span: Span, number: int, start: int, line_end: int) -> LineMatch:
    """Same as `make_match`, but faster: in ASCII, a byte is a character."""
    column = span[0] - start + 1
    line = text[start:line_end].decode("ascii").rstrip("\r")
    return LineMatch(number, column, number, column + span[1] - span[0], cut_around(line, column))


def make_match(text: bytes, span: Span, number: int, start: int, line_end: int) -> LineMatch:
    column = len(text[start : span[0]].decode("utf-8", "replace")) + 1
    line = text[start:line_end].decode("utf-8", "replace").rstrip("\r")
    found = text[span[0] : span[1]].decode("utf-8", "replace").removesuffix("\n")
    breaks = found.count("\n")
    end_column = column + len(found) if not breaks else len(found) - found.rfind("\n")
    return LineMatch(number, column, number + breaks, end_column, cut_around(line, column))


def cut_around(line: str, column: int) -> str:
    """Cut a long line to the text around a column."""
    if len(line) <= MAX_SNIPPET_CHARS:
        return line
    first = max(0, min(column - 1 - _BEFORE, len(line) - MAX_SNIPPET_CHARS))
    last = first + MAX_SNIPPET_CHARS
    return ("…" if first else "") + line[first:last] + ("…" if last < len(line) else "")


def _bounded(find: Find, cost: int, across: bool, check: Callable[[], None], max_steps: int) -> Find:
    """Wrap a finder to scan limited pieces of text per call, split at line ends."""
    stride = CALL_STEPS // cost

    def bounded(text: bytes, start: int, end: int) -> Span | None:
        while end - start > stride:
            stop = end if across else text.find(b"\n", start + stride, end)
            stop = end if stop < 0 else stop
            if (stop - start) * cost > max_steps:
                raise PatternTooCostly((stop - start) * cost)
            check()
            span = find(text, start, stop)
            if span is not None or stop == end:
                return span
            start = stop + 1
        return find(text, start, end)

    return bounded
