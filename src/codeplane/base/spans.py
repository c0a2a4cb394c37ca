"""Positions in a text: lines count from 1, columns from 0 in characters, ends of lines inclusive."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """From (start_line, start_col) to (end_line, end_col); end_col is exclusive, end_line inclusive."""

    start_line: int
    start_col: int
    end_line: int
    end_col: int
