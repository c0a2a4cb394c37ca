"""The SQL that every question shares: pages, and rows of one file found by their range."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import orjson

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.facts.blocks import Unpacked, unpack
from codeplane.facts.links import Links, unpack_links
from codeplane.query.snapshot import Page, Snapshot, check_limit
from codeplane.store.codec import path_from_text, path_to_text, row_range
from codeplane.store.database import Row, Value

T = TypeVar("T")


def fetch_page(
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


def fetch_first(
    snapshot: Snapshot, make: Callable[[Row], T], select: str, source: str, order: str, parameters: Sequence[Value]
) -> T | None:
    row = snapshot.reader.row(f"SELECT {select} {source} ORDER BY {order} LIMIT 1", parameters)
    return None if row is None else make(row)


def file_row_range(snapshot: Snapshot, path: str) -> tuple[int, int] | None:
    """The ids that rows of this path may have; None for a path that is not indexed."""
    row = snapshot.reader.row("SELECT file_id FROM files WHERE path = ?", (path_to_text(path),))
    return None if row is None else row_range(int(row[0]))


class FileBlock(NamedTuple):
    """The packed facts of a file, and whose they are."""

    file_id: int
    path: RepoPath
    unit_id: int | None
    held: Unpacked


def find_block(snapshot: Snapshot, file_id: int) -> FileBlock | None:
    """None for a file that is not there, or has no facts."""
    found = snapshot.reader.row(
        "SELECT path, unit_id, block FROM files JOIN blocks USING (file_id) WHERE file_id = ?", (file_id,)
    )
    return None if found is None else FileBlock(file_id, path_from_text(found[0]), found[1], unpack(found[2]))


def has_unresolved(snapshot: Snapshot) -> bool:
    """Whether what is known of some references is that of other texts."""
    return snapshot.reader.row("SELECT 1 FROM unresolved_files LIMIT 1") is not None


def require_links(snapshot: Snapshot) -> None:
    """NOT_READY while changes of this epoch are not resolved: what is known of references is that of other texts."""
    if not has_unresolved(snapshot):
        return
    found = snapshot.reader.row("SELECT COUNT(*) FROM unresolved_files")
    raise CodePlaneError(
        ErrorCode.NOT_READY,
        "references are being resolved after a change",
        details={"phase": "resolving", "files_left": found[0] if found is not None else 0},
        remedy="Ask again in a moment.",
    )


def find_links(snapshot: Snapshot, file_id: int) -> Links:
    """What the references of a file stand for."""
    found = snapshot.reader.row("SELECT links FROM file_links WHERE file_id = ?", (file_id,))
    return Links() if found is None else unpack_links(found[0])


def json_list(text: str | None) -> tuple[str, ...]:
    return tuple(orjson.loads(text)) if text else ()
