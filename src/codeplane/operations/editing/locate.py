"""From an edit to the text that comes of it: where it belongs, and what stands there afterwards. Pure.

Lines end at LF, as everywhere here, and all edits of a file name places of the text as it was.
What lies outside of the places stays byte for byte. New text takes on the line endings that
it is put among, and the last line of a place keeps its own end. Where a text has several kinds,
a line keeps the ending of the one in whose place it stands. A place is found by what is
expected there, if need be elsewhere than it was said to be; where two are found, none is taken.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, count, pairwise
from operator import add
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode

MAX_SHOWN = 5
MAX_FOUND = 100
"""Places that are counted; more are not looked for."""

ENDINGS = {"lf": "\n", "crlf": "\r\n", "cr": "\r", "none": "\n"}


@dataclass(frozen=True)
class Replacement:
    """New text for the lines of a place, or for what is expected, wherever in the text that is."""

    new: str
    expected: str | None = None
    start: int | None = None
    end: int | None = None
    """Inclusive; one less than `start`: new lines before it. None for as many lines as are expected, or one."""


class Lines(NamedTuple):
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.start}-{self.end}" if self.end != self.start else str(self.start)


class EditSite(NamedTuple):
    """Where an edit took place: lines of the text before, lines of the text after."""

    before: Lines
    after: Lines
    said: Lines | None
    """The lines that were named, if they were others."""


class Edited(NamedTuple):
    text: str
    sites: tuple[EditSite, ...]
    """In the order of the edits."""


def edit_text(text: str, edits: Sequence[Replacement], line_ending: str) -> Edited:
    """Apply all edits at once. EDIT_NOT_FOUND, EDIT_AMBIGUOUS, EDIT_OVERLAP or ARGUMENT_INVALID where one cannot be."""
    source = _Source(text, line_ending)
    cuts = [source.cut(number, edit) for number, edit in enumerate(edits)]
    ordered = sorted(cuts, key=lambda cut: (cut.begin, cut.end, cut.number))
    for before, after in pairwise(ordered):
        if before.end > after.begin:
            raise CodePlaneError(
                ErrorCode.EDIT_OVERLAP,
                f"edits {before.number + 1} and {after.number + 1} of the file change the same lines",
                details={"lines": [str(before.lines), str(after.lines)]},
                remedy="Make them one edit.",
            )
    pieces: list[str] = []
    sites: dict[int, EditSite] = {}
    position = shift = 0
    for cut in ordered:
        pieces += (text[position : cut.begin], cut.text)
        position = cut.end
        first = cut.lines.start + shift
        shift += cut.text.count("\n") - text.count("\n", cut.begin, cut.end)
        # A text that was empty, or that ends without a line ending, has one line more than endings.
        written = first + cut.text.removesuffix("\n").count("\n") if cut.text else first - 1
        sites[cut.number] = EditSite(cut.lines, Lines(first, max(cut.lines.end + shift, written)), cut.said)
    pieces.append(text[position:])
    result = "".join(pieces)
    height = count_lines(result)
    return Edited(result, tuple(_within(sites[number], height) for number in range(len(edits))))


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


def _within(site: EditSite, height: int) -> EditSite:
    """The site without lines that a text of so many does not have."""
    first, last = site.after
    return site._replace(after=Lines(first, max(first - 1, min(last, height))))


class _Cut(NamedTuple):
    number: int
    begin: int
    end: int
    text: str
    lines: Lines
    said: Lines | None


class _Source:
    """One text, with what is needed to find places in it, made when it is first needed."""

    def __init__(self, text: str, line_ending: str) -> None:
        self.text = text
        self._line_ending = line_ending
        lengths = accumulate(map(len, text.split("\n")))
        self._starts = [0, *map(add, lengths, count(1))][:-1]
        self._count = count_lines(text)
        self._plain: str | None = None
        self._dropped: list[int] = []

    def cut(self, number: int, edit: Replacement) -> _Cut:
        if edit.start is None:
            return self._cut_text(number, edit)
        lines, said = self._lines(edit, edit.start)
        begin = self._offset(lines.start)
        end = max(begin, self._offset(lines.end + 1))
        return _Cut(number, begin, end, self._new_lines(edit.new, lines, begin, end), lines, said)

    def _cut_text(self, number: int, edit: Replacement) -> _Cut:
        """What is expected may be a part of a line, and stands in the text once."""
        expected = self._normal(edit.expected or "")
        if not expected:
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                "an update says neither which lines nor which text it replaces",
                expected="start_line and end_line, or expected_content",
                received="neither",
            )
        plain = self._plain_text()
        found = _occurrences(plain, expected)
        if len(found) != 1:
            raise self._not_one([plain.count("\n", 0, at) + 1 for at in found], expected, None)
        begin, end = self._raw(found[0]), self._raw(found[0] + len(expected))
        first = bisect_right(self._starts, begin)
        # A text that ends with a line ending ends on that line.
        last = bisect_right(self._starts, max(begin, end - 1))
        return _Cut(number, begin, end, self._ended(_plain(edit.new), begin, end), Lines(first, last), None)

    def _lines(self, edit: Replacement, start: int) -> tuple[Lines, Lines | None]:
        """The lines of a place, and those that were named if they are others."""
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
        if edit.end is not None and edit.end < start:
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"lines {start} to {edit.end} hold nothing that could be expected",
                expected="end_line from start_line; to insert, expected_file_sha256 instead of expected_content",
                received=f"{start} to {edit.end}",
            )
        expected = edit.expected.replace("\r\n", "\n").removesuffix("\n")
        height = expected.count("\n") + 1
        said = Lines(start, start + height - 1 if edit.end is None else edit.end)
        if said.end == start + height - 1 and self._stands_at(start, said.end, expected):
            return said, None
        found = self._lines_of(expected)
        if len(found) != 1:
            raise self._not_one(found, expected, said)
        return Lines(found[0], found[0] + height - 1), said

    def _stands_at(self, start: int, end: int, expected: str) -> bool:
        if not 1 <= start <= end <= self._count:
            return False
        lines = self.text[self._offset(start) : self._offset(end + 1)]
        return lines.replace("\r\n", "\n").removesuffix("\n") == expected

    def _lines_of(self, expected: str) -> list[int]:
        """Where these whole lines stand, by number."""
        if not self._count:
            return []
        plain = self.text.replace("\r\n", "\n").removesuffix("\n")
        framed = f"\n{plain}\n"
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

    def _normal(self, text: str) -> str:
        plain = _plain(text)
        return plain.replace("\r", "\n") if self._line_ending == "cr" else plain

    def _plain_text(self) -> str:
        """The text with LF alone, to look things up in; `_raw` leads back."""
        if self._plain is None:
            self._plain = self._normal(self.text)
            pairs = [match.start() for match in _CRLF.finditer(self.text)]
            self._dropped = [at - passed for passed, at in enumerate(pairs)]
        return self._plain

    def _raw(self, at: int) -> int:
        return at + bisect_left(self._dropped, at)

    def _not_one(self, found: list[int], expected: str, said: Lines | None) -> CodePlaneError:
        if found:
            shown = ", ".join(map(str, found[:MAX_SHOWN])) + (" ..." if len(found) > MAX_SHOWN else "")
            count = f"{len(found)} or more" if len(found) == MAX_FOUND else str(len(found))
            return CodePlaneError(
                ErrorCode.EDIT_AMBIGUOUS,
                f"expected_content stands in {count} places: lines {shown}",
                details={"lines": found[:MAX_SHOWN], "total": len(found)},
                remedy="Say which by start_line, or expect more of the text around it.",
            )
        details: dict[str, object] = {}
        remedy = "Read the file again."
        similar = self._similar(expected)
        if similar is not None:
            details["similar_lines"] = str(similar)
            remedy = f"Lines {similar} differ from it in white space alone: expect them as they are."
        elif said is not None and expected in self._plain_text():
            remedy = "With start_line whole lines are expected; leave start_line out to replace a part of a line."
        elif (nearest := self._nearest(expected)) is not None:
            details["nearest_lines"] = str(nearest)
            remedy = f"Most of it stands at lines {nearest}: read them again."
        return CodePlaneError(
            ErrorCode.EDIT_NOT_FOUND, "expected_content is not in the file", details=details, remedy=remedy
        )

    def _similar(self, expected: str) -> Lines | None:
        """The first lines that differ from what is expected in white space alone."""
        wanted = [_SPACE.sub("", line) for line in expected.strip("\n").split("\n")]
        if not any(wanted):
            return None
        lines = [_SPACE.sub("", line) for line in self._plain_text().split("\n")]
        for at in range(len(lines) - len(wanted) + 1):
            if lines[at] == wanted[0] and lines[at : at + len(wanted)] == wanted:
                return Lines(at + 1, at + len(wanted))
        return None

    def _nearest(self, expected: str) -> Lines | None:
        """The lines that are, at their places, the same as at least half of those that are expected."""
        wanted = [_SPACE.sub("", line) for line in expected.strip("\n").split("\n")]
        places: dict[str, list[int]] = {line: [] for line in wanted if line}
        for number, line in enumerate(self._plain_text().split("\n"), 1):
            if (known := places.get(_SPACE.sub("", line))) is not None and len(known) < MAX_FOUND:
                known.append(number)
        votes = Counter(number - at for at, line in enumerate(wanted) if line for number in places[line])
        first, held = max(votes.items(), key=lambda vote: (vote[1], -vote[0]), default=(0, 0))
        if held < 2 or held * 2 < sum(map(bool, wanted)):
            return None
        return Lines(max(1, first), min(self._count, first + len(wanted) - 1))


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _pieces(text: str) -> list[str]:
    """Lines with their ends; what lies behind the last end is one too."""
    return _LINE.findall(text)


def _occurrences(text: str, wanted: str) -> list[int]:
    """Every place, also those that overlap: two of them are two."""
    found: list[int] = []
    at = text.find(wanted)
    while at >= 0 and len(found) < MAX_FOUND:
        found.append(at)
        at = text.find(wanted, at + 1)
    return found


_CRLF = re.compile("\r\n")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_SPACE = re.compile(r"\s+")
