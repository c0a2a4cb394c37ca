"""From edits to the text that they make: where each one applies, and what it puts there. Pure.

Lines end at LF, and all edits of a file refer to the text as it was. Text outside the edited places stays byte for
byte. New text takes on the line endings around it, and the last line of a replaced range keeps its own ending. In a
text with several kinds of endings, a line keeps the ending of the line that it replaces.

A place is found by the text that is expected there: exactly as it is written, or else by whole lines that differ from
it in indentation alone. A line number is a hint: of several matches the nearest is taken. Without one, several matches
are an error.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, count, islice, pairwise
from operator import add
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.operations.editing.indentation import complete_shift, find_shift, find_unit, without_indent
from codeplane.operations.editing.nearest import find_nearest
from codeplane.operations.editing.substitution import MAX_MATCHES, Substitution

MAX_SHOWN = 5
MAX_FOUND = 100
"""Matches that are counted; more are not looked for."""
MAX_SITES = 20
"""Sites that are recorded of one edit that replaces many."""
MAX_QUOTED = 40

ENDINGS = {"lf": "\n", "crlf": "\r\n", "cr": "\r", "none": "\n"}


@dataclass(frozen=True)
class Replacement:
    """New text for lines, for an expected text wherever it is, or for the matches of a pattern."""

    new: str
    expected: str | None = None
    start: int | None = None
    """First line; with `expected` a hint."""
    end: int | None = None
    """Inclusive; one less than `start`: new lines before it. None for as many lines as are expected, or one."""
    replaces_all: bool = False
    whole_lines: bool = False
    """Whether `expected` is whole lines at `start`, or at one other place; as the hunk of a patch is."""
    pattern: Substitution | None = None


class Lines(NamedTuple):
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.start}-{self.end}" if self.end != self.start else str(self.start)


class EditSite(NamedTuple):
    """Lines of one edit, in the old text and in the new text."""

    before: Lines
    after: Lines
    said: Lines | None
    """The lines that were named, if they were others."""
    reindented: bool = False
    """True if the text matched with another indentation, which was applied to the new text."""


class Edited(NamedTuple):
    text: str
    sites: tuple[EditSite, ...]
    """In the order of the edits; of each at most MAX_SITES."""
    counts: tuple[int, ...]
    """Number of places that each edit changed."""


Refused = list[tuple[int, CodePlaneError]]
"""Edits by index that cannot be made, and why."""


def edit_text(
    text: str,
    edits: Sequence[Replacement],
    line_ending: str,
    refused: Refused | None = None,
    check: Callable[[], None] = lambda: None,
) -> Edited:
    """Apply all edits at once.

    EDIT_NOT_FOUND, EDIT_AMBIGUOUS, EDIT_OVERLAP or ARGUMENT_INVALID where one cannot be made; with `refused` the errors
    of all edits are added to it instead, and the text stays as it is. `check` is called now and then, and may raise.
    """
    source = _Source(text, line_ending)
    cuts: list[_Cut] = []
    failed: Refused = []
    for number, edit in enumerate(edits):
        try:
            cuts += source.cuts(number, edit, check)
        except CodePlaneError as error:
            if refused is None or error.code not in _REFUSALS:
                raise
            failed.append((number, error))
    if failed and refused is not None:
        refused += failed
        return Edited(text, (), (0,) * len(edits))
    ordered = sorted(cuts, key=lambda cut: (cut.begin, cut.end, cut.number))
    _require_apart(ordered)
    pieces: list[str] = []
    sites: list[list[EditSite]] = [[] for _ in edits]
    counts = [0] * len(edits)
    position = shift = 0
    for cut in ordered:
        pieces += (text[position : cut.begin], cut.text)
        position = cut.end
        first = cut.lines.start + shift
        shift += cut.text.count("\n") - text.count("\n", cut.begin, cut.end)
        counts[cut.number] += 1
        if counts[cut.number] > MAX_SITES:
            continue
        # A text that was empty, or that ends without a line ending, has one line more than endings.
        written = first + cut.text.removesuffix("\n").count("\n") if cut.text else first - 1
        after = Lines(first, max(cut.lines.end + shift, written))
        sites[cut.number].append(EditSite(cut.lines, after, cut.said, cut.reindented))
    pieces.append(text[position:])
    result = "".join(pieces)
    height = count_lines(result)
    return Edited(result, tuple(_clamp(site, height) for own in sites for site in own), tuple(counts))


def with_endings(text: str, line_ending: str) -> str:
    """Text with the line endings of a file; as it is, where the file has several kinds."""
    if line_ending not in ENDINGS:
        return text
    plain = text.replace("\r\n", "\n")
    return plain.replace("\n", ENDINGS[line_ending]) if line_ending in ("crlf", "cr") else plain


def with_final_newline(text: str, wanted: bool, line_ending: str) -> str:
    """Text that ends with a line ending, or without one."""
    if wanted:
        return text if not text or text.endswith(("\n", "\r")) else text + ENDINGS.get(line_ending, "\n")
    return text.removesuffix("\n").removesuffix("\r")


def count_lines(text: str) -> int:
    return text.count("\n") + (1 if text and not text.endswith("\n") else 0)


def _clamp(site: EditSite, height: int) -> EditSite:
    """The site without lines that a text of so many does not have."""
    first, last = site.after
    return site._replace(after=Lines(first, max(first - 1, min(last, height))))


_REFUSALS = frozenset({ErrorCode.EDIT_NOT_FOUND, ErrorCode.EDIT_AMBIGUOUS, ErrorCode.ARGUMENT_INVALID})
"""Errors of one edit that say nothing about the others."""


class _Cut(NamedTuple):
    number: int
    begin: int
    end: int
    text: str
    lines: Lines
    said: Lines | None = None
    reindented: bool = False


def _require_apart(ordered: Sequence[_Cut]) -> None:
    for before, after in pairwise(ordered):
        if before.end > after.begin:
            raise CodePlaneError(
                ErrorCode.EDIT_OVERLAP,
                f"edits {before.number + 1} and {after.number + 1} of the file change the same lines",
                details={"lines": [str(before.lines), str(after.lines)]},
                remedy="Combine them into one edit.",
            )


class _Source:
    """One text, with what is needed to find places in it, computed when it is first needed."""

    def __init__(self, text: str, line_ending: str) -> None:
        self.text = text
        self._line_ending = line_ending
        self._starts = _line_starts(text)
        self._count = count_lines(text)
        self._plain: str | None = None
        self._plain_starts: list[int] = []
        self._dropped: list[int] = []

    def cuts(self, number: int, edit: Replacement, check: Callable[[], None]) -> list[_Cut]:
        if edit.pattern is not None:
            return self._cut_matches(number, edit.pattern, check)
        if edit.start is not None and (edit.expected is None or edit.whole_lines):
            lines, said = self._lines(edit, edit.start)
            return [self._cut_lines(number, edit.new, lines, said)]
        return self._cut_text(number, edit)

    def _cut_lines(self, number: int, new: str, lines: Lines, said: Lines | None) -> _Cut:
        begin = self._offset(lines.start)
        end = max(begin, self._offset(lines.end + 1))
        return _Cut(number, begin, end, self._new_lines(new, lines, begin, end), lines, said)

    def _cut_matches(self, number: int, pattern: Substitution, check: Callable[[], None]) -> list[_Cut]:
        plain = self._plain_text()
        data = plain.encode("utf-8")
        is_ascii = len(data) == len(plain)
        cuts: list[_Cut] = []
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

    def _cut_text(self, number: int, edit: Replacement) -> list[_Cut]:
        """Offset of the expected text, which may be part of a line."""
        expected = self._normal(edit.expected or "")
        if not expected:
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                "an update says neither which lines nor which text it replaces",
                expected="old_text, or start_line and end_line",
                received="neither",
            )
        _require_forward(edit)
        if edit.replaces_all:
            everywhere = list(_apart(self._plain_text(), expected))
            if everywhere:
                return [self._cut_plain(number, at, at + len(expected), _plain(edit.new)) for at in everywhere]
            return [self._cut_shifted(number, edit, place) for place in self._require_shifted(expected, edit)]
        plain = self._plain_text()
        found = _occurrences(plain, expected) if edit.start is None else self._nearest(expected, edit.start)
        if len(found) > 1:
            raise self._ambiguous([bisect_right(self._plain_starts, at) for at in found], expected)
        if found:
            return [self._cut_found(number, edit, found[0], len(expected))]
        return [self._cut_shifted(number, edit, place) for place in self._require_shifted(expected, edit)]

    def _nearest(self, expected: str, line: int) -> list[int]:
        """Matches that start in the line; or else the nearest, with whole lines before parts of lines.

        Several where they are equally near.
        """
        plain = self._plain_text()
        framed, framed_text = ("\n" + text.removesuffix("\n") + "\n" for text in (expected, plain))
        here = self._in_line(expected, line)
        if here:
            return [at for at in here if framed_text.startswith(framed, at)] or here
        begin, end = self._plain_offset(line), self._plain_offset(line + 1)
        for text, wanted in ((framed_text, framed), (plain, expected)):
            around = (text.rfind(wanted, 0, begin + len(wanted) - 1), text.find(wanted, end))
            found = {
                at: bisect_right(self._plain_starts, at) for at in around if at >= 0 and plain.startswith(expected, at)
            }
            if found:
                least = min(abs(own - line) for own in found.values())
                nearest = [at for at, own in found.items() if abs(own - line) == least]
                is_whole = text is framed_text
                return nearest if is_whole else [near for at in nearest for near in self._in_line(expected, found[at])]
        return []

    def _in_line(self, expected: str, line: int) -> list[int]:
        """Matches that start in a line."""
        plain, at, end = self._plain_text(), self._plain_offset(line), self._plain_offset(line + 1)
        found: list[int] = []
        while len(found) < MAX_FOUND and (at := plain.find(expected, at, end + len(expected) - 1)) >= 0:
            found.append(at)
            at += 1
        return found

    def _cut_found(self, number: int, edit: Replacement, at: int, length: int) -> _Cut:
        cut = self._cut_plain(number, at, at + length, _plain(edit.new))
        said = _differs(edit, cut.lines)
        if edit.end is None or not self._is_whole_lines(cut):
            return cut._replace(said=said)
        return self._cut_lines(number, edit.new, cut.lines, said)

    def _is_whole_lines(self, cut: _Cut) -> bool:
        begin, end = self._offset(cut.lines.start), self._offset(cut.lines.end + 1)
        return cut.begin == begin and (cut.end == end or not self.text[cut.end : end].strip("\r\n"))

    def _cut_plain(self, number: int, at: int, stop: int, new: str) -> _Cut:
        """A cut by offsets of the text with LF alone."""
        begin, end = self._raw(at), self._raw(stop)
        first = bisect_right(self._starts, begin)
        # A text that ends with a line ending ends on that line.
        last = bisect_right(self._starts, max(begin, end - 1))
        return _Cut(number, begin, end, self._ended(new, begin, end), Lines(first, last))

    def _require_shifted(self, expected: str, edit: Replacement) -> list[_Shifted]:
        """Whole lines that are the expected text but for their indentation; EDIT_NOT_FOUND or EDIT_AMBIGUOUS."""
        found = list(islice(self._shifted(expected, _plain(edit.new)), None if edit.replaces_all else MAX_FOUND))
        if edit.start is not None and found:
            least = min(abs(place.line - edit.start) for place in found)
            found = [place for place in found if abs(place.line - edit.start) == least]
        if not found:
            raise self._not_found(expected)
        if len(found) > 1 and not edit.replaces_all:
            raise self._ambiguous([place.line for place in found], expected)
        return found

    def _shifted(self, expected: str, new: str) -> Iterator[_Shifted]:
        given = expected.removesuffix("\n").split("\n")
        if not expected.strip():
            return
        plain = self._plain_text()
        lines = plain.removesuffix("\n").split("\n")
        unit = find_unit(lines)
        bare = "\n".join(("", *map(without_indent, lines), ""))
        wanted = "\n".join(("", *map(without_indent, given), ""))
        at, counted, line = bare.find(wanted), 0, 1
        while at >= 0:
            line += bare.count("\n", counted, at)
            counted = at
            actual = lines[line - 1 : line - 1 + len(given)]
            shift = find_shift(given, actual, unit)
            text = complete_shift(shift, new).apply(new) if shift is not None else None
            step = 1
            if text is not None:
                begin, end = self._plain_offset(line), self._plain_offset(line + len(given))
                if not expected.endswith("\n"):
                    end = begin + len("\n".join(actual))
                elif not plain.endswith("\n", begin, end):
                    text = text.removesuffix("\n")
                yield _Shifted(line, begin, end, text, given != actual)
                step = len(wanted) - 1
            at = bare.find(wanted, at + step)

    def _cut_shifted(self, number: int, edit: Replacement, place: _Shifted) -> _Cut:
        cut = self._cut_plain(number, place.begin, place.end, place.text)
        return cut._replace(said=_differs(edit, cut.lines), reindented=place.reindented)

    def _lines(self, edit: Replacement, start: int) -> tuple[Lines, Lines | None]:
        """Lines that an edit names, or at which its whole lines are; and those that were named if they are others."""
        if edit.expected is None:
            end = start if edit.end is None else edit.end
            if not (1 <= start <= self._count + 1 and start - 1 <= end <= self._count):
                raise CodePlaneError(
                    ErrorCode.ARGUMENT_INVALID,
                    f"lines {start} to {end} are not in the file, which has {self._count}",
                    expected=f"start_line from 1 to {self._count + 1}, end_line from start_line - 1 to {self._count}",
                    received=f"{start} to {end}",
                )
            return Lines(start, end), None
        _require_forward(edit)
        expected = _plain(edit.expected).removesuffix("\n")
        height = expected.count("\n") + 1
        said = Lines(start, start + height - 1 if edit.end is None else edit.end)
        if said.end == start + height - 1 and self._is_at(start, said.end, expected):
            return said, None
        found = self._lines_of(expected)
        if not found:
            raise self._not_found(expected)
        if len(found) > 1:
            raise self._ambiguous(found, expected)
        return Lines(found[0], found[0] + height - 1), said

    def _is_at(self, start: int, end: int, expected: str) -> bool:
        if not 1 <= start <= end <= self._count:
            return False
        lines = self.text[self._offset(start) : self._offset(end + 1)]
        return _plain(lines).removesuffix("\n") == expected

    def _lines_of(self, expected: str) -> list[int]:
        """Numbers of the lines at which these whole lines start."""
        if not self._count:
            return []
        framed = "\n" + _plain(self.text).removesuffix("\n") + "\n"
        found: list[int] = []
        counted, line = 0, 1
        for at in _occurrences(framed, f"\n{expected}\n"):
            line += framed.count("\n", counted, at)
            counted = at
            found.append(line)
        return found

    def _new_lines(self, new: str, lines: Lines, begin: int, end: int) -> str:
        if new == "":
            return ""
        text, ending = self.text, self._ending_at(begin)
        body = self._normal(new)
        if begin == end and lines.start > self._count:
            # Behind the last line. One without an end gets one, so that the file ends as it did.
            if not text:
                return self._ended(body, 0, 0)
            body = body.removesuffix("\n").replace("\n", ending)
            return body + ending if text.endswith(("\n", ending)) else ending + body
        closed = begin == end or text.endswith(("\n", ending), begin, end)
        return self._ended(body.removesuffix("\n") + ("\n" if closed else ""), begin, end)

    def _ended(self, plain: str, begin: int, end: int) -> str:
        """New text for a place, with line endings in place of LF."""
        if self._line_ending not in ENDINGS:
            return self._ended_by_line(plain, begin, end)
        return plain.replace("\n", ENDINGS[self._line_ending])

    def _ended_by_line(self, plain: str, begin: int, end: int) -> str:
        """In a text with several kinds of endings: lines that stay keep theirs, others take on that of the line in
        whose place they come, and those for which there is none that of the place."""
        old, new = _pieces(self.text[begin:end]), _pieces(plain)
        same = [_plain(before) == after for before, after in zip(old, new, strict=False)]
        head = next((at for at, holds in enumerate(same) if not holds), len(same))
        tail = 0
        while tail < len(same) - head and _plain(old[-1 - tail]) == new[-1 - tail]:
            tail += 1
        replaced, ending = old[head : len(old) - tail], self._ending_at(begin)
        ended: list[str] = old[:head]
        for at, line in enumerate(new[head : len(new) - tail]):
            own = replaced[at] if at < len(replaced) and replaced[at].endswith("\n") else ending
            ended.append(line[:-1] + ("\r\n" if own.endswith("\r\n") else "\n") if line.endswith("\n") else line)
        return "".join(ended + old[len(old) - tail :])

    def _ending_at(self, begin: int) -> str:
        """That of the file; where it has several, that of the line, or else of the one before."""
        known = ENDINGS.get(self._line_ending)
        if known is not None:
            return known
        at = self.text.find("\n", begin)
        if at < 0:
            at = self.text.rfind("\n", 0, begin)
        return "\r\n" if at > 0 and self.text[at - 1] == "\r" else "\n"

    def _offset(self, line: int) -> int:
        return self._starts[line - 1] if line <= len(self._starts) else len(self.text)

    def _plain_offset(self, line: int) -> int:
        self._plain_text()
        return self._plain_starts[line - 1] if line <= len(self._plain_starts) else len(self._plain_text())

    def _normal(self, text: str) -> str:
        plain = _plain(text)
        return plain.replace("\r", "\n") if self._line_ending == "cr" else plain

    def _plain_text(self) -> str:
        """The text with LF alone, to look things up in; `_raw` leads back."""
        if self._plain is None:
            self._plain = self._normal(self.text)
            self._plain_starts = _line_starts(self._plain)
            pairs = [match.start() for match in _CRLF.finditer(self.text)]
            self._dropped = [at - passed for passed, at in enumerate(pairs)]
        return self._plain

    def _raw(self, at: int) -> int:
        return at + bisect_left(self._dropped, at)

    def _ambiguous(self, lines: Sequence[int], expected: str) -> CodePlaneError:
        distinct = list(dict.fromkeys(lines))
        shown = ", ".join(map(str, distinct[:MAX_SHOWN])) + (", ..." if len(distinct) > MAX_SHOWN else "")
        total = f"{len(lines)} or more" if len(lines) == MAX_FOUND else str(len(lines))
        on_one = len(distinct) == 1
        choose = "" if on_one else f"start_line={distinct[0]} or another of them, "
        return CodePlaneError(
            ErrorCode.EDIT_AMBIGUOUS,
            f"{_quoted(expected)} occurs {total} times ({'line' if on_one else 'lines'} {shown})",
            details={"lines": list(lines[:MAX_SHOWN]), "total": len(lines)},
            remedy=f"Add {choose}replace_all=true, or more of the text around it.",
        )

    def _not_found(self, expected: str) -> CodePlaneError:
        details: dict[str, object] = {}
        remedy = "Read the file again: nothing in it is like this text."
        nearest = find_nearest(expected, self._plain_text().removesuffix("\n").split("\n"))
        if nearest is not None:
            lines = Lines(nearest.first, nearest.last)
            details["similar_lines" if nearest.same_words else "nearest_lines"] = str(lines)
            place = f"line {lines}" if lines.start == lines.end else f"lines {lines}"
            what = "differs only in white space" if nearest.same_words else "nearest"
            details["excerpt"] = [f"{what}: {place} (- old_text, + file)", *nearest.excerpt]
            remedy = "Send old_text as it is in the file."
        return CodePlaneError(
            ErrorCode.EDIT_NOT_FOUND, f"old_text {_quoted(expected)} is not there", details=details, remedy=remedy
        )


class _Shifted(NamedTuple):
    """Whole lines that are an expected text but for their indentation, by offsets of the text with LF alone."""

    line: int
    begin: int
    end: int
    text: str
    reindented: bool


def _require_forward(edit: Replacement) -> None:
    if edit.start is not None and edit.end is not None and edit.end < edit.start:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"lines {edit.start} to {edit.end} hold no text that could be replaced",
            expected="end_line of at least start_line; to insert lines, expected_file_sha256 instead of old_text",
            received=f"{edit.start} to {edit.end}",
        )


def _differs(edit: Replacement, found: Lines) -> Lines | None:
    """The lines that an edit named, if the text is at others."""
    if edit.start is None:
        return None
    said = Lines(edit.start, edit.start + found.end - found.start if edit.end is None else edit.end)
    return said if said != found else None


def _quoted(text: str) -> str:
    """The first words of a text, to recognise it by."""
    first, _, rest = text.strip().partition("\n")
    cut = len(first) > MAX_QUOTED
    return f"'{display(first[:MAX_QUOTED])}{'…' if cut or rest else ''}'"


def _line_starts(text: str) -> list[int]:
    lengths = accumulate(map(len, text.split("\n")))
    return [0, *map(add, lengths, count(1))][:-1]


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _pieces(text: str) -> list[str]:
    """Lines with their endings; text behind the last ending is one too."""
    return _LINE.findall(text)


def _occurrences(text: str, wanted: str) -> list[int]:
    """Matches, also those that overlap: two of them are two. At most MAX_FOUND."""
    found: list[int] = []
    at = text.find(wanted)
    while at >= 0 and len(found) < MAX_FOUND:
        found.append(at)
        at = text.find(wanted, at + 1)
    return found


def _apart(text: str, wanted: str) -> Iterator[int]:
    """Every match from left to right, without those that overlap an earlier one."""
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + len(wanted))


_CRLF = re.compile("\r\n")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
