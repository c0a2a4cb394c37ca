"""Lines of one text that a pattern matches. Pure: bytes in, rows out.

A row is a line on which at least one match begins. Lines end at LF; a CR before it is part of the line end,
unless the pattern asks for it. What follows the last LF is a line only if there is something.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import NamedTuple

from codeplane.operations.search.patterns import Find, SearchPattern, Span

MAX_SNIPPET_CHARS = 238
"""Of a line longer than this, what stands around the match is shown."""
_BEFORE = 40

CALL_STEPS = 12_000_000
"""Steps of RE2 after which it is asked again, so that a deadline can be kept: at worst a tenth of a second."""
LINE_STEPS = 2 * CALL_STEPS
"""Steps that one line may take at worst while there are others to be looked at."""
MAX_STEPS = 300_000_000
"""Steps that one line may take at worst, about three seconds; beyond, it is not looked at."""


class LineMatch(NamedTuple):
    """The first match of a line. Lines and columns count from 1, columns in characters; ends are exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    """The line, or what of it stands around the match."""


class SearchText(NamedTuple):
    """A text, in UTF-8, and what is worth knowing of it before it is searched."""

    data: bytes
    """The text, or several that are kept together, with a line feed behind each."""
    start: int
    end: int
    """Where the text lies in them."""
    plain: bool
    """ASCII alone."""
    returns: bool = False
    """There are carriage returns; such a text is kept alone."""
    odd: bool = False
    """There are letters beyond ASCII that stand for some within it if case does not matter; it is kept alone too."""
    breaks: Sequence[int] | None = None
    """Where the line feeds are, if that was looked up."""


def make_search_text(data: bytes) -> SearchText:
    plain = data.isascii()
    odd = not plain and any(letter in data for letter in _ODD_LETTERS)
    return SearchText(data, 0, len(data), plain, b"\r" in data, odd)


_ODD_LETTERS = ("\u017f".encode(), "\u212a".encode())


class LineMatches(NamedTuple):
    rows: Sequence[LineMatch] = ()
    lines: int = 0
    """Lines that match, also those without a row."""


class MatchLimits(NamedTuple):
    rows: int
    """Matching lines that are told, in all texts together."""
    per_file: int = sys.maxsize
    first_only: bool = False
    """Of each text nothing matters but the first matching line; the others are not counted."""


class PatternTooCostly(Exception):
    """A line is so long, for a pattern so large, that it could take more steps than it may."""

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
    """Matching lines of a text, rows for at most `room` of them; `check` is asked now and then and may raise.

    With `first_only` only the first of them is looked for.
    """
    text, at, end, plain, returns, odd, breaks = content
    if returns and not pattern.keeps_returns:
        text = text.replace(b"\r\n", b"\n")
        end = len(text)
    elif pattern.whole and end - at < len(text):
        text, breaks = text[at:end], None
        at, end = 0, len(text)
    find = bounded_finder(pattern, end - at, plain, check, max_steps, odd=odd)
    # Behind the last line feed there is no line, though an empty match may be found there.
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
    """Bytes of text that the pattern can be asked for at first_only, none of them odd."""
    cost = 0 if pattern.folded is not None else pattern.cost if plain else pattern.wide_cost
    return CALL_STEPS // cost if cost else sys.maxsize


def bounded_finder(
    pattern: SearchPattern, size: int, plain: bool, check: Callable[[], None], max_steps: int, *, odd: bool = False
) -> Find:
    """What finds the pattern in texts of that size. A line that would take more steps raises TooCostly."""
    if pattern.folded is not None and not odd:
        return pattern.folded
    find = pattern.narrow if plain else pattern.wide
    cost = pattern.cost if plain else pattern.wide_cost
    return _bounded(find, cost, pattern.across, check, max_steps) if size * cost > CALL_STEPS else find


def _follow(find: Find, text: bytes, first: Span, line_end: int, end: int, check: Callable[[], None]) -> int:
    """Where the last of the matches ends that begin on the line of the first one."""
    count, last = 1, first[1]
    at = last if first[0] < last else _after(text, last)
    while at <= line_end and (span := find(text, at, end)) is not None and span[0] <= line_end:
        at = span[1] if span[0] < span[1] else _after(text, span[1])
        # An empty match right behind another is none.
        if span != (last, last):
            count += 1
            last = span[1]
        if not count & 1023:
            check()
    return last


def _after(text: bytes, at: int) -> int:
    """The offset of the next character."""
    at += 1
    while at < len(text) and text[at] & 0xC0 == 0x80:
        at += 1
    return at


def make_ascii_match(text: bytes, span: Span, number: int, start: int, line_end: int) -> LineMatch:
    """The same as `any_row`, sooner: in ASCII a byte is a character."""
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
    """A long line cut to what stands around a column."""
    if len(line) <= MAX_SNIPPET_CHARS:
        return line
    first = max(0, min(column - 1 - _BEFORE, len(line) - MAX_SNIPPET_CHARS))
    last = first + MAX_SNIPPET_CHARS
    return ("…" if first else "") + line[first:last] + ("…" if last < len(line) else "")


def _bounded(find: Find, cost: int, across: bool, check: Callable[[], None], max_steps: int) -> Find:
    """The same, asked for no more text at first_only than it can be trusted with; cut at ends of lines."""
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
