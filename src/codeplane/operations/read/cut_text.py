"""Truncation to whole lines, bounded by lines, characters, and characters as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import orjson

from codeplane.operations.read.documents import TextBody

_MAX_CHAR_BYTES = 4
_PART_ROOM = 60
"""JSON characters of a part besides its text."""


@dataclass(frozen=True)
class CutLimits:
    """Limits of one passage."""

    lines: int
    chars: int
    room: int
    """Maximum characters as JSON."""


class CutText(NamedTuple):
    content: str
    last: int
    """The last line shown; the line before the first if nothing fits."""
    within_line: bool = False
    """True if that line is truncated because it exceeds all limits."""


def cut(body: TextBody, first: int, last: int, bounds: CutLimits) -> CutText:
    """Return lines from `first` up to `last`, within the limits."""
    end = min(last, first + bounds.lines - 1)
    if end < first:
        return CutText("", first - 1)
    data = body.between(first, end)
    if _fits(data, bounds):
        return CutText(data.decode("utf-8"), end)
    lines: list[str] = []
    chars, room, at = bounds.chars, bounds.room, 0
    while at < len(data):
        following = data.find(b"\n", at) + 1 or len(data)
        if following - at > chars * _MAX_CHAR_BYTES:
            break
        text = data[at:following].decode("utf-8")
        chars -= len(text)
        room -= json_chars(text)
        if chars < 0 or room < 0:
            break
        lines.append(text)
        at = following
    if lines:
        return CutText("".join(lines), first + len(lines) - 1)
    line = data[: data.find(b"\n") + 1 or len(data)]
    piece = piece_of(line, 0, bounds)
    return CutText(piece, first, within_line=True) if piece else CutText("", first - 1)


class CutPart(NamedTuple):
    """Consecutive lines that are shown."""

    first: int
    last: int
    content: str


class CutParts(NamedTuple):
    parts: tuple[CutPart, ...]
    last: int
    """The last line that is shown or deliberately omitted."""
    within_line: bool = False
    """True if the last part ends inside of a line."""

    @property
    def whole(self) -> CutText:
        return CutText("".join(part.content for part in self.parts), self.last, self.within_line)


def cut_parts(
    body: TextBody, first: int, last: int, bounds: CutLimits, left_out: Sequence[tuple[int, int]]
) -> CutParts:
    """Return lines from `first` to `last` without those in `left_out`, which are sorted and do not count."""
    parts: list[CutPart] = []
    at = first
    for start, end in (*left_out, (last + 1, last)):
        if at < start:
            shown = cut(body, at, start - 1, bounds)
            if shown.content:
                parts.append(CutPart(at, shown.last, shown.content))
            if shown.within_line or shown.last < start - 1:
                return CutParts(tuple(parts), shown.last, shown.within_line)
            size = len(shown.content)
            room = bounds.room - json_chars(shown.content) - _PART_ROOM
            bounds = CutLimits(bounds.lines - (start - at), bounds.chars - size, max(0, room))
        at = end + 1
    return CutParts(tuple(parts), last)


def piece_of(data: bytes, start: int, bounds: CutLimits) -> str:
    """Return text from a byte offset on, regardless of lines."""
    piece = data[start : start + bounds.chars * _MAX_CHAR_BYTES].decode("utf-8", "ignore")[: bounds.chars]
    # An escaped character takes up to six characters, so a few rounds suffice.
    while piece and (over := json_chars(piece) - bounds.room) > 0:
        piece = piece[: max(0, len(piece) - max(1, over // 6 + 1))]
    return piece


def json_chars(text: str) -> int:
    """Return the length of a text as a JSON string, without quotes."""
    dumped = orjson.dumps(text)
    return (len(dumped) if dumped.isascii() else len(dumped.decode("utf-8"))) - 2


def _fits(data: bytes, bounds: CutLimits) -> bool:
    if len(data) > bounds.chars * _MAX_CHAR_BYTES:
        return False
    text = data.decode("utf-8")
    return len(text) <= bounds.chars and json_chars(text) <= bounds.room
