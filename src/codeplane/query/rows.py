"""The SQL that every question shares: pages, and rows of one file found by their range."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import orjson

from codeplane.query.snapshot import Page, Snapshot, check_limit
from codeplane.store.codec import path_to_text, row_range
from codeplane.store.database import Row, Value

T = TypeVar("T")


def page(
    snapshot: Snapshot,
    make: Callable[[Row], T],
    select: str,
    source: str,
    order: str,
    parameters: Sequence[Value],
    limit: int,
) -> Page[T]:
    """One page of `SELECT select source ORDER BY order`; it is counted only when it is full."""
    check_limit(limit)
    sql = f"SELECT {select} {source} ORDER BY {order} LIMIT {int(limit)}"
    found = tuple(make(row) for row in snapshot.reader.rows(sql, parameters))
    total = len(found)
    if total == limit:
        total = snapshot.reader.count(f"SELECT count(*) {source}", parameters)
    return Page(found, total)


def first(
    snapshot: Snapshot, make: Callable[[Row], T], select: str, source: str, order: str, parameters: Sequence[Value]
) -> T | None:
    row = snapshot.reader.row(f"SELECT {select} {source} ORDER BY {order} LIMIT 1", parameters)
    return None if row is None else make(row)


def file_range(snapshot: Snapshot, path: str) -> tuple[int, int] | None:
    """The ids that rows of this path may have; None for a path that is not indexed."""
    row = snapshot.reader.row("SELECT file_id FROM files WHERE path = ?", (path_to_text(path),))
    return None if row is None else row_range(int(row[0]))


def json_list(text: str | None) -> tuple[str, ...]:
    return tuple(orjson.loads(text)) if text else ()
