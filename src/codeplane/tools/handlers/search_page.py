"""One page of JSON results: as many rows as requested, or as many as fit."""

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
"""Characters of the rows of a default page; with the rest of the answer about 2,000 tokens."""
MAX_CHARS = MAX_ANSWER_CHARS - 3_000
"""Maximum characters of the rows of a page."""


@dataclass(frozen=True)
class ResultPage:
    rows: list[Row]
    cut: bool
    """True if requested rows are left for the next page."""

    @property
    def shown(self) -> int:
        return len(self.rows)


def page_chars(limit: int | None, view: RowOptions, *, person: bool = False) -> int:
    """Return the maximum characters of a page: more if the caller sets a limit or asks for bodies. A person, who has no
    use for a cursor, gets all results up to the limit."""
    if person and limit is not None:
        return sys.maxsize
    return MAX_CHARS if limit is not None or view.needs_context else DEFAULT_CHARS


def fill_page(
    hits: Sequence[Hit], around: Sequence[HitContext], view: RowOptions, exhaustive: bool, limit: int | None, room: int
) -> ResultPage:
    """Return the first rows that fit into `room` characters, at least one: empty pages would never end."""
    wanted = hits[: limit or DEFAULT_LIMIT]
    rows: list[Row] = []
    for hit, beside in zip_longest(wanted, around[: len(wanted)], fillvalue=NO_CONTEXT):
        assert isinstance(hit, Hit) and isinstance(beside, HitContext)
        row = row_of(hit, view, exhaustive=exhaustive, context=beside)
        room -= json_chars(row) + 1
        if rows and room < 0:
            return ResultPage(rows, cut=True)
        rows.append(row)
    return ResultPage(rows, cut=False)


def json_chars(value: object) -> int:
    """Return the characters of a value as JSON; undecodable names count as they are displayed."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return len(text.encode("utf-8", "backslashreplace").decode("utf-8"))
