"""Edits within one text, as values: a replacement, and the site where it was applied."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from codeplane.base.errors import CodePlaneError


class PatternMatch(NamedTuple):
    """A match by byte offsets of the text in UTF-8, and its replacement."""

    begin: int
    end: int
    new: bytes


class Pattern(Protocol):
    """A compiled pattern and the text that replaces its matches."""

    @property
    def quoted(self) -> str:
        """The pattern as errors show it."""

    def find(self, data: bytes) -> Iterator[PatternMatch]:
        """Yield the matches from left to right; they do not overlap."""

    def is_in(self, data: bytes) -> bool:
        """True if the pattern matches anywhere."""


@dataclass(frozen=True)
class Replacement:
    """New text for a range of lines, for an expected text, or for the matches of a pattern."""

    new: str
    expected: str | None = None
    start: int | None = None
    """First line; with `expected` only a hint."""
    end: int | None = None
    """Last line, inclusive; `start` - 1 inserts before `start`. None: as many lines as `expected` has, or one."""
    replace_all: bool = False
    whole_lines: bool = False
    """True if `expected` is whole lines at `start`, or at one other place; as the hunk of a patch is."""
    pattern: Pattern | None = None


class LineRange(NamedTuple):
    """Lines from 1, inclusive."""

    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.start}-{self.end}" if self.end != self.start else str(self.start)


class EditSite(NamedTuple):
    """Lines of one edit, in the old text and in the new text."""

    before: LineRange
    after: LineRange
    requested: LineRange | None
    """The lines that the edit named, if it was applied elsewhere."""
    reindented: bool = False
    """True if the text matched with another indentation, which was applied to the new text."""


class EditedText(NamedTuple):
    text: str
    sites: tuple[EditSite, ...]
    """In the order of the edits; at most MAX_SITES of each."""
    counts: tuple[int, ...]
    """Number of sites that each edit changed."""


RefusedEdits = list[tuple[int, CodePlaneError]]
"""Edits that cannot be made, by index, with the error."""
