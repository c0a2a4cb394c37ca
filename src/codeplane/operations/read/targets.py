"""Read targets, parsed without looking at files or symbols.

`path`, `path:10-20`, `path:10-`, `path:10`, `path#L10-L20`, `path#name`, `path#name@line`, `Class.name`, `a::b`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Mode = Literal["file", "symbol", "snippet", "diff_preview"]
MODES: tuple[Mode, ...] = ("file", "symbol", "snippet", "diff_preview")


@dataclass(frozen=True)
class ReadTarget:
    """One thing to read. Without a mode, the mode is inferred."""

    written: str
    mode: Mode | None = None
    symbol: str | None = None
    """Name of a symbol in the written file."""
    first: int | None = None
    last: int | None = None


@dataclass(frozen=True)
class TargetLines:
    path: str
    first: int
    last: int | None
    is_single: bool = False
    """True for a single line, whose enclosing symbol or surroundings are meant."""


def parse_line_range(written: str) -> TargetLines | None:
    """Return the lines that a target names, if any."""
    ranged = _RANGE.fullmatch(written)
    if ranged is not None:
        return TargetLines(ranged[1], int(ranged[2]), int(ranged[3]) if ranged[3] else None)
    point = _POINT.fullmatch(written)
    return TargetLines(point[1], int(point[2]), int(point[2]), is_single=True) if point is not None else None


def is_symbol_only(written: str) -> bool:
    """True if the target can only be a symbol, whatever files exist."""
    return "::" in written and "/" not in written and "#" not in written


_RANGE = re.compile(r"(.+?)(?::|#)L?([1-9][0-9]{0,8})-(?:L?([1-9][0-9]{0,8}))?", re.DOTALL)
_POINT = re.compile(r"(.+?)(?::|#L)([1-9][0-9]{0,8})(?::[0-9]{1,9})?", re.DOTALL)
