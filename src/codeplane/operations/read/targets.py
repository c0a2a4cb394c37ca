"""What a caller may write for what they want to read, and what it says by itself.

`path`, `path:10-20`, `path:10-`, `path:10`, `path#L10-L20`, `path#name`, `path#name@line`, `Class.name`, `a::b`. Pure:
whether there is such a file or symbol is found out by whoever reads.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Mode = Literal["file", "symbol", "snippet", "diff_preview"]
MODES: tuple[Mode, ...] = ("file", "symbol", "snippet", "diff_preview")


@dataclass(frozen=True)
class ReadTarget:
    """One thing to read. Without a mode, what is written decides, and what is there."""

    written: str
    mode: Mode | None = None
    symbol: str | None = None
    """A name within the file that is written."""
    first: int | None = None
    last: int | None = None


@dataclass(frozen=True)
class LineRange:
    """A file and lines of it."""

    path: str
    first: int
    last: int | None
    point: bool = False
    """Whether one line is named, so that what lies around it is meant."""


def parse_line_range(written: str) -> LineRange | None:
    """The lines that a target names, if it does."""
    ranged = _RANGE.fullmatch(written)
    if ranged is not None:
        return LineRange(ranged[1], int(ranged[2]), int(ranged[3]) if ranged[3] else None)
    point = _POINT.fullmatch(written)
    return LineRange(point[1], int(point[2]), int(point[2]), point=True) if point is not None else None


def is_symbol_only(written: str) -> bool:
    """Whether it can only be a symbol, whatever files there are."""
    return "::" in written and "/" not in written and "#" not in written


_RANGE = re.compile(r"(.+?)(?::|#)L?([1-9][0-9]{0,8})-(?:L?([1-9][0-9]{0,8}))?", re.DOTALL)
_POINT = re.compile(r"(.+?)(?::|#L)([1-9][0-9]{0,8})(?::[0-9]{1,9})?", re.DOTALL)
