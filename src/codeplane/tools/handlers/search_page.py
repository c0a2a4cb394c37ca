"""One page of results: as many rows as were asked for, or as many as fit."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from codeplane.base.limits import MAX_ANSWER_CHARS
from codeplane.operations.search.hit_context import NO_CONTEXT, HitContext
from codeplane.operations.search.model import Hit
from codeplane.operations.search.result_rows import Row, RowOptions, row_of

DEFAULT_LIMIT = 20
DEFAULT_CHARS = 7_300
"""Of the rows of an answer whose size nobody asked for; with the rest of it about two thousand tokens."""
MAX_CHARS = MAX_ANSWER_CHARS - 3_000
"""Of the rows of any answer."""


@dataclass(frozen=True)
class Page:
    rows: list[Row]
    cut: bool
    """Whether rows that were asked for are left to the next page."""

    @property
    def shown(self) -> int:
        return len(self.rows)


def room_for(limit: int | None, view: RowOptions, *, person: bool = False) -> int:
    """Who names a limit, or wants to see bodies, has asked for more than the usual size; a person, who has no use for
    a cursor, gets all of the limit."""
    if person and limit is not None:
        return sys.maxsize
    return MAX_CHARS if limit is not None or view.looks_around else DEFAULT_CHARS


def fill_page(
    hits: Sequence[Hit], around: Sequence[HitContext], view: RowOptions, exhaustive: bool, limit: int | None, room: int
) -> Page:
    """The first rows that fit into `room`, at least one: a page that shows nothing would never end."""
    wanted = hits[: limit or DEFAULT_LIMIT]
    rows: list[Row] = []
    for hit, beside in zip_longest(wanted, around[: len(wanted)], fillvalue=NO_CONTEXT):
        assert isinstance(hit, Hit) and isinstance(beside, HitContext)
        row = row_of(hit, view, exhaustive=exhaustive, around=beside)
        room -= size_of(row) + 1
        if rows and room < 0:
            return Page(rows, cut=True)
        rows.append(row)
    return Page(rows, cut=False)


def size_of(value: object) -> int:
    """Characters of a value as JSON; names that are no text count as they are shown."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return len(text.encode("utf-8", "backslashreplace").decode("utf-8"))
