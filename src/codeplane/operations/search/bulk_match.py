"""One pass over a bundle of texts: every matching line of each, as offsets. Pure: bytes in, rows out.

The result for a text is the same as that of `match_text`. A row is created only when it is read: of thousands of
matches, a page shows twenty.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, overload

from codeplane.operations.search.matching import (
    LINE_STEPS,
    LineMatch,
    LineMatches,
    MatchLimits,
    SearchText,
    bounded_finder,
    make_ascii_match,
    make_match,
    max_call_bytes,
)
from codeplane.operations.search.patterns import SearchPattern, Span

TURN_BYTES = 8_000
"""Bytes that are scanned in the time it takes to start a separate call."""
_LINE_FEED = 10


class TextBundle(NamedTuple):
    """Texts that are cached, searched and evicted together."""

    whole: SearchText
    ends: Sequence[int]
    """End offset of each text."""
    digests: Sequence[bytes]
    size: int

    def start(self, text: int) -> int:
        return self.ends[text - 1] + 1 if text else 0


class LazyMatches(Sequence[LineMatch]):
    """Rows of one text of a bundle, created on access."""

    __slots__ = ("_before", "_begin", "_lines", "_spans", "_whole")

    def __init__(self, whole: SearchText, begin: int, before: int, spans: list[Span], lines: list[int]) -> None:
        self._whole = whole
        self._begin = begin
        """Start offset of the text."""
        self._before = before
        """Number of line feeds before the text."""
        self._spans = spans
        self._lines = lines
        """Number of line feeds before each match."""

    def __len__(self) -> int:
        return len(self._spans)

    @overload
    def __getitem__(self, index: int) -> LineMatch: ...
    @overload
    def __getitem__(self, index: slice) -> LazyMatches: ...
    def __getitem__(self, index: int | slice) -> LineMatch | LazyMatches:
        if isinstance(index, slice):
            return LazyMatches(self._whole, self._begin, self._before, self._spans[index], self._lines[index])
        line, before = self._lines[index], self._before
        data, _, size, plain, _, _, breaks = self._whole
        assert breaks is not None
        start = breaks[line - 1] + 1 if line > before else self._begin
        end = breaks[line] if line < len(breaks) else size
        return (make_ascii_match if plain else make_match)(data, self._spans[index], line - before + 1, start, end)

    def places(self) -> list[tuple[int, int]]:
        """Return the line (from 1) and column (from 0, in characters) of each row."""
        data, _, _, plain, _, _, breaks = self._whole
        assert breaks is not None
        begin, before = self._begin, self._before
        found: list[tuple[int, int]] = []
        for (at, _), line in zip(self._spans, self._lines, strict=True):
            start = breaks[line - 1] + 1 if line > before else begin
            column = at - start if plain else len(data[start:at].decode("utf-8", "replace"))
            found.append((line - before + 1, column))
        return found


def positions_of(rows: Sequence[LineMatch]) -> list[tuple[int, int]]:
    """Return the line (from 1) and column (from 0) of each row."""
    return rows.places() if isinstance(rows, LazyMatches) else [(row.line, row.column - 1) for row in rows]


def match_bundle(
    bundle: TextBundle,
    requested: Mapping[int, bool],
    pattern: SearchPattern,
    limits: MatchLimits,
    room: int,
    check: Callable[[], None],
) -> dict[int, LineMatches]:
    """Return the matches of the requested texts, by number of the text; with rows where the request is True.

    At most `room` rows in all: a text may have fewer than it should, and must then be searched separately.
    """
    whole, ends, _, _ = bundle
    data, breaks = whole.data, whole.breaks
    assert breaks is not None
    found: dict[int, LineMatches] = {}
    behind, calls = len(breaks), 0
    for at, stop in _stretches(bundle, requested, max_call_bytes(pattern, whole.plain)):
        check()
        find = bounded_finder(pattern, stop - at, whole.plain, check, LINE_STEPS)
        line = 0
        span = find(data, at, stop)
        while span is not None:
            text = bisect_left(ends, span[0])
            begin, end = bundle.start(text), ends[text]
            # There is no line after the last line feed, although an empty match may be found there.
            last = end - (begin == end or data[end - 1] == _LINE_FEED)
            if span[0] > last or text not in requested:
                at = end + 1
                span = find(data, at, stop) if at < stop else None
                continue
            max_rows = min(room, limits.per_file) if requested[text] else 0
            spans: list[Span] = []
            lines: list[int] = []
            count = 0
            while span is not None and span[0] <= last:
                line = bisect_left(breaks, span[0], line)
                count += 1
                if count <= max_rows:
                    spans.append(span)
                    lines.append(line)
                at = end + 1 if limits.first_only or line == behind else breaks[line] + 1
                span = find(data, at, stop) if at < stop else None
                calls += 1
                if not calls & 1023:
                    check()
            before = bisect_left(breaks, begin)
            found[text] = LineMatches(LazyMatches(whole, begin, before, spans, lines), count)
            room -= len(spans)
    return found


def _stretches(bundle: TextBundle, requested: Iterable[int], most: int) -> Iterator[Span]:
    """Yield ranges that cover the requested texts, and others that are cheaper to scan than to skip.

    A range longer than `most` covers a single text.
    """
    begin = stop = -1
    for text in sorted(requested):
        start, end = bundle.start(text), bundle.ends[text]
        if begin < 0:
            begin = start
        elif start - stop > TURN_BYTES or end - begin > most:
            yield begin, stop
            begin = start
        stop = end
    yield begin, stop
