"""Locate an edit in a text. Pure.

A site is found by the expected text: exactly as written, or else by whole lines that differ in indentation alone. A
line number is a hint: of several matches the nearest is taken. Without a line number, several matches are an error.
Text is searched with LF line endings; offsets are mapped back to the original text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, count, islice
from operator import add
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.edits.indentation import complete_shift, find_shift, find_unit, without_indent
from codeplane.edits.line_endings import crlf_to_lf, ending_at, restore_endings, to_lf
from codeplane.edits.nearest import find_nearest
from codeplane.edits.text_edit import LineRange, Pattern, Replacement

MAX_SHOWN = 5
MAX_FOUND = 100
"""Matches beyond this number are not counted."""
MAX_MATCHES = 100_000
"""Maximum number of matches of a pattern in one file."""
MAX_QUOTED = 40

_CRLF = re.compile("\r\n")


class Cut(NamedTuple):
    """A range of the original text and its replacement."""

    number: int
    """Index of the edit."""
    begin: int
    end: int
    text: str
    lines: LineRange
    requested: LineRange | None = None
    reindented: bool = False


class _IndentMatch(NamedTuple):
    """Whole lines that equal the expected text except for indentation, by offsets of the LF text."""

    line: int
    begin: int
    end: int
    text: str
    reindented: bool


def line_count(text: str) -> int:
    return text.count("\n") + (1 if text and not text.endswith("\n") else 0)


class SourceText:
    """A text with lazily built lookup tables."""

    def __init__(self, text: str, line_ending: str) -> None:
        self.text = text
        self._line_ending = line_ending
        self._starts = _line_starts(text)
        self._count = line_count(text)
        self._plain: str | None = None
        self._plain_starts: list[int] = []
        self._removed: list[int] = []
        """Offsets in the LF text at which a CR was removed."""

    def locate(self, number: int, edit: Replacement, check: Callable[[], None]) -> list[Cut]:
        """Return the cuts of an edit; raises EDIT_NOT_FOUND, EDIT_AMBIGUOUS or ARGUMENT_INVALID."""
        if edit.pattern is not None:
            return self._locate_pattern(number, edit.pattern, check)
        if edit.start is not None and (edit.expected is None or edit.whole_lines):
            lines, requested = self._locate_lines(edit, edit.start)
            return [self._cut_lines(number, edit.new, lines, requested)]
        return self._locate_text(number, edit)

    def _cut_lines(self, number: int, new: str, lines: LineRange, requested: LineRange | None) -> Cut:
        begin = self._offset(lines.start)
        end = max(begin, self._offset(lines.end + 1))
        return Cut(number, begin, end, self._new_lines(new, lines, begin, end), lines, requested)

    def _locate_pattern(self, number: int, pattern: Pattern, check: Callable[[], None]) -> list[Cut]:
        plain = self._plain_text()
        data = plain.encode("utf-8")
        is_ascii = len(data) == len(plain)
        cuts: list[Cut] = []
        bytes_seen = chars_seen = 0
        for found in pattern.find(data):
            check()
            if len(cuts) >= MAX_MATCHES:
                raise CodePlaneError(
                    ErrorCode.FILE_TOO_LARGE, f"the pattern matches more than {MAX_MATCHES:,} times in one file"
                )
            chars_seen += found.begin - bytes_seen if is_ascii else len(data[bytes_seen : found.begin].decode("utf-8"))
            length = found.end - found.begin if is_ascii else len(data[found.begin : found.end].decode("utf-8"))
            bytes_seen = found.begin
            new = found.new.decode("utf-8", "surrogatepass")
            cuts.append(self._cut_plain(number, chars_seen, chars_seen + length, new))
        return cuts

    def _locate_text(self, number: int, edit: Replacement) -> list[Cut]:
        """Locate the expected text, which may be part of a line."""
        expected = to_lf(edit.expected or "", self._line_ending)
        if not expected:
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                "an update names neither lines nor text to replace",
                expected="old_text, or start_line and end_line",
                received="neither",
            )
        _require_forward(edit)
        plain, new = self._plain_text(), crlf_to_lf(edit.new)
        if edit.replace_all:
            offsets = list(_disjoint_matches(plain, expected))
            if offsets:
                return [self._cut_plain(number, offset, offset + len(expected), new) for offset in offsets]
        else:
            found = _matches(plain, expected) if edit.start is None else self._nearest(expected, edit.start)
            if len(found) > 1:
                raise self._ambiguous([bisect_right(self._plain_starts, offset) for offset in found], expected)
            if found:
                return [self._cut_match(number, edit, found[0], len(expected))]
        return [self._cut_reindented(number, edit, match) for match in self._require_indent_match(expected, edit)]

    def _nearest(self, expected: str, line: int) -> list[int]:
        """Return matches that start in the line; or else the nearest, whole lines before parts of lines.

        Several if they are equally near.
        """
        plain = self._plain_text()
        framed, framed_text = ("\n" + text.removesuffix("\n") + "\n" for text in (expected, plain))
        here = self._matches_in_line(expected, line)
        if here:
            return [offset for offset in here if framed_text.startswith(framed, offset)] or here
        begin, end = self._plain_offset(line), self._plain_offset(line + 1)
        for text, wanted in ((framed_text, framed), (plain, expected)):
            neighbours = (text.rfind(wanted, 0, begin + len(wanted) - 1), text.find(wanted, end))
            found = {
                offset: bisect_right(self._plain_starts, offset)
                for offset in neighbours
                if offset >= 0 and plain.startswith(expected, offset)
            }
            if found:
                least = min(abs(own - line) for own in found.values())
                nearest = [offset for offset, own in found.items() if abs(own - line) == least]
                if text is framed_text:
                    return nearest
                return [near for offset in nearest for near in self._matches_in_line(expected, found[offset])]
        return []

    def _matches_in_line(self, expected: str, line: int) -> list[int]:
        """Return the matches that start in a line."""
        plain, offset, end = self._plain_text(), self._plain_offset(line), self._plain_offset(line + 1)
        found: list[int] = []
        while len(found) < MAX_FOUND and (offset := plain.find(expected, offset, end + len(expected) - 1)) >= 0:
            found.append(offset)
            offset += 1
        return found

    def _cut_match(self, number: int, edit: Replacement, offset: int, length: int) -> Cut:
        cut = self._cut_plain(number, offset, offset + length, crlf_to_lf(edit.new))
        requested = _requested_lines(edit, cut.lines)
        if edit.end is None or not self._is_whole_lines(cut):
            return cut._replace(requested=requested)
        return self._cut_lines(number, edit.new, cut.lines, requested)

    def _is_whole_lines(self, cut: Cut) -> bool:
        begin, end = self._offset(cut.lines.start), self._offset(cut.lines.end + 1)
        return cut.begin == begin and (cut.end == end or not self.text[cut.end : end].strip("\r\n"))

    def _cut_plain(self, number: int, start: int, stop: int, new: str) -> Cut:
        """Make a cut from offsets of the LF text."""
        begin, end = self._raw_offset(start), self._raw_offset(stop)
        first = bisect_right(self._starts, begin)
        # A text that ends with a line ending ends on that line.
        last = bisect_right(self._starts, max(begin, end - 1))
        ended = restore_endings(new, self.text, begin, end, self._line_ending)
        return Cut(number, begin, end, ended, LineRange(first, last))

    def _require_indent_match(self, expected: str, edit: Replacement) -> list[_IndentMatch]:
        """Return the matches that ignore indentation. Raises EDIT_NOT_FOUND, or EDIT_AMBIGUOUS if there are several."""
        matches = self._indent_matches(expected, crlf_to_lf(edit.new))
        found = list(islice(matches, None if edit.replace_all else MAX_FOUND))
        if edit.start is not None and found:
            least = min(abs(match.line - edit.start) for match in found)
            found = [match for match in found if abs(match.line - edit.start) == least]
        if not found:
            raise self._not_found(expected)
        if len(found) > 1 and not edit.replace_all:
            raise self._ambiguous([match.line for match in found], expected)
        return found

    def _indent_matches(self, expected: str, new: str) -> Iterator[_IndentMatch]:
        wanted_lines = expected.removesuffix("\n").split("\n")
        if not expected.strip():
            return
        plain = self._plain_text()
        lines = plain.removesuffix("\n").split("\n")
        unit = find_unit(lines)
        unindented = "\n".join(("", *map(without_indent, lines), ""))
        wanted = "\n".join(("", *map(without_indent, wanted_lines), ""))
        offset, counted, line = unindented.find(wanted), 0, 1
        while offset >= 0:
            line += unindented.count("\n", counted, offset)
            counted = offset
            actual = lines[line - 1 : line - 1 + len(wanted_lines)]
            shift = find_shift(wanted_lines, actual, unit)
            text = complete_shift(shift, new).apply(new) if shift is not None else None
            step = 1
            if text is not None:
                begin, end = self._plain_offset(line), self._plain_offset(line + len(wanted_lines))
                if not expected.endswith("\n"):
                    end = begin + len("\n".join(actual))
                elif not plain.endswith("\n", begin, end):
                    text = text.removesuffix("\n")
                yield _IndentMatch(line, begin, end, text, wanted_lines != actual)
                step = len(wanted) - 1
            offset = unindented.find(wanted, offset + step)

    def _cut_reindented(self, number: int, edit: Replacement, match: _IndentMatch) -> Cut:
        cut = self._cut_plain(number, match.begin, match.end, match.text)
        return cut._replace(requested=_requested_lines(edit, cut.lines), reindented=match.reindented)

    def _locate_lines(self, edit: Replacement, start: int) -> tuple[LineRange, LineRange | None]:
        """Return the lines to replace, and the requested lines if they are others."""
        if edit.expected is None:
            end = start if edit.end is None else edit.end
            if not (1 <= start <= self._count + 1 and start - 1 <= end <= self._count):
                raise CodePlaneError(
                    ErrorCode.ARGUMENT_INVALID,
                    f"lines {start} to {end} are not in the file, which has {self._count}",
                    expected=f"start_line from 1 to {self._count + 1}, end_line from start_line - 1 to {self._count}",
                    received=f"{start} to {end}",
                )
            return LineRange(start, end), None
        _require_forward(edit)
        expected = crlf_to_lf(edit.expected).removesuffix("\n")
        height = expected.count("\n") + 1
        requested = LineRange(start, start + height - 1 if edit.end is None else edit.end)
        if requested.end == start + height - 1 and self._is_at(start, requested.end, expected):
            return requested, None
        found = self._lines_of(expected)
        if not found:
            raise self._not_found(expected)
        if len(found) > 1:
            raise self._ambiguous(found, expected)
        return LineRange(found[0], found[0] + height - 1), requested

    def _is_at(self, start: int, end: int, expected: str) -> bool:
        if not 1 <= start <= end <= self._count:
            return False
        lines = self.text[self._offset(start) : self._offset(end + 1)]
        return crlf_to_lf(lines).removesuffix("\n") == expected

    def _lines_of(self, expected: str) -> list[int]:
        """Return the numbers of the lines at which these whole lines start."""
        if not self._count:
            return []
        framed = "\n" + crlf_to_lf(self.text).removesuffix("\n") + "\n"
        found: list[int] = []
        counted, line = 0, 1
        for offset in _matches(framed, f"\n{expected}\n"):
            line += framed.count("\n", counted, offset)
            counted = offset
            found.append(line)
        return found

    def _new_lines(self, new: str, lines: LineRange, begin: int, end: int) -> str:
        if new == "":
            return ""
        text, ending = self.text, ending_at(self.text, begin, self._line_ending)
        body = to_lf(new, self._line_ending)
        if begin == end and lines.start > self._count:
            # After the last line. If that has no ending it gets one, so that the file ends as before.
            if not text:
                return restore_endings(body, text, 0, 0, self._line_ending)
            body = body.removesuffix("\n").replace("\n", ending)
            return body + ending if text.endswith(("\n", ending)) else ending + body
        is_closed = begin == end or text.endswith(("\n", ending), begin, end)
        body = body.removesuffix("\n") + ("\n" if is_closed else "")
        return restore_endings(body, text, begin, end, self._line_ending)

    def _offset(self, line: int) -> int:
        return self._starts[line - 1] if line <= len(self._starts) else len(self.text)

    def _plain_offset(self, line: int) -> int:
        plain = self._plain_text()
        return self._plain_starts[line - 1] if line <= len(self._plain_starts) else len(plain)

    def _plain_text(self) -> str:
        """Return the text with LF alone; `_raw_offset` maps its offsets back."""
        if self._plain is None:
            self._plain = to_lf(self.text, self._line_ending)
            self._plain_starts = _line_starts(self._plain)
            pairs = [match.start() for match in _CRLF.finditer(self.text)]
            self._removed = [offset - passed for passed, offset in enumerate(pairs)]
        return self._plain

    def _raw_offset(self, offset: int) -> int:
        return offset + bisect_left(self._removed, offset)

    def _ambiguous(self, lines: Sequence[int], expected: str) -> CodePlaneError:
        distinct = list(dict.fromkeys(lines))
        shown = ", ".join(map(str, distinct[:MAX_SHOWN])) + (", ..." if len(distinct) > MAX_SHOWN else "")
        total = f"{len(lines)} or more" if len(lines) == MAX_FOUND else str(len(lines))
        is_one_line = len(distinct) == 1
        choose = "" if is_one_line else f"start_line={distinct[0]} or another of them, "
        return CodePlaneError(
            ErrorCode.EDIT_AMBIGUOUS,
            f"{_quote(expected)} occurs {total} times ({'line' if is_one_line else 'lines'} {shown})",
            details={"lines": list(lines[:MAX_SHOWN]), "total": len(lines)},
            remedy=f"Add {choose}replace_all=true, or more of the text around it.",
        )

    def _not_found(self, expected: str) -> CodePlaneError:
        details: dict[str, object] = {}
        remedy = "Read the file again: no similar text was found in it."
        nearest = find_nearest(expected, self._plain_text().removesuffix("\n").split("\n"))
        if nearest is not None:
            lines = LineRange(nearest.first, nearest.last)
            details["similar_lines" if nearest.same_words else "nearest_lines"] = str(lines)
            place = f"line {lines}" if lines.start == lines.end else f"lines {lines}"
            heading = "differs only in white space" if nearest.same_words else "nearest"
            details["excerpt"] = [f"{heading}: {place} (- old_text, + file)", *nearest.excerpt]
            remedy = "Send old_text as it is in the file."
        return CodePlaneError(
            ErrorCode.EDIT_NOT_FOUND, f"old_text {_quote(expected)} is not there", details=details, remedy=remedy
        )


def _require_forward(edit: Replacement) -> None:
    if edit.start is not None and edit.end is not None and edit.end < edit.start:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"lines {edit.start} to {edit.end} contain no text to replace",
            expected="end_line of at least start_line; to insert lines, expected_file_sha256 instead of old_text",
            received=f"{edit.start} to {edit.end}",
        )


def _requested_lines(edit: Replacement, found: LineRange) -> LineRange | None:
    """Return the lines that an edit named, if the text is elsewhere."""
    if edit.start is None:
        return None
    requested = LineRange(edit.start, edit.start + found.end - found.start if edit.end is None else edit.end)
    return requested if requested != found else None


def _quote(text: str) -> str:
    """Return the start of the first line, in quotes."""
    first, _, rest = text.strip().partition("\n")
    is_cut = len(first) > MAX_QUOTED
    return f"'{display(first[:MAX_QUOTED])}{'…' if is_cut or rest else ''}'"


def _line_starts(text: str) -> list[int]:
    lengths = accumulate(map(len, text.split("\n")))
    return [0, *map(add, lengths, count(1))][:-1]


def _matches(text: str, wanted: str) -> list[int]:
    """Return match offsets, overlapping ones included. At most MAX_FOUND."""
    found: list[int] = []
    offset = text.find(wanted)
    while offset >= 0 and len(found) < MAX_FOUND:
        found.append(offset)
        offset = text.find(wanted, offset + 1)
    return found


def _disjoint_matches(text: str, wanted: str) -> Iterator[int]:
    """Yield match offsets from left to right, without overlaps."""
    offset = text.find(wanted)
    while offset >= 0:
        yield offset
        offset = text.find(wanted, offset + len(wanted))
