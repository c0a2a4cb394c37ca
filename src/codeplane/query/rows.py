"""SQL shared by all queries: pages, and rows of one file by their id range."""

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
    """Return one page of `SELECT select source ORDER BY order`; the total is counted only if the page is full."""
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
    """Return the first and last id that rows of a file may have; None for a path that is not indexed."""
    row = snapshot.reader.row("SELECT file_id FROM files WHERE path = ?", (path_to_text(path),))
    return None if row is None else row_range(int(row[0]))


class FileBlock(NamedTuple):
    """Facts of a file."""

    file_id: int
    path: RepoPath
    unit_id: int | None
    facts: Unpacked


def find_block(snapshot: Snapshot, file_id: int) -> FileBlock | None:
    """Return the facts of a file; None if it has none."""
    found = snapshot.reader.row(
        "SELECT path, unit_id, block FROM files JOIN blocks USING (file_id) WHERE file_id = ?", (file_id,)
    )
    return None if found is None else FileBlock(file_id, path_from_text(found[0]), found[1], unpack(found[2]))


def has_unresolved(snapshot: Snapshot) -> bool:
    """True if some references were resolved for an older text."""
    return snapshot.reader.row("SELECT 1 FROM unresolved_files LIMIT 1") is not None


def require_links(snapshot: Snapshot) -> None:
    """Raise NOT_READY while references of this epoch are not resolved: stored ones may belong to an older text."""
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
    """Return the targets of the references of a file."""
    found = snapshot.reader.row("SELECT links FROM file_links WHERE file_id = ?", (file_id,))
    return Links() if found is None else unpack_links(found[0])


def json_list(text: str | None) -> tuple[str, ...]:
    return tuple(orjson.loads(text)) if text else ()
