"""The innermost definition around a place of a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import orjson

from codeplane.base.paths import RepoPath
from codeplane.query.snapshot import Snapshot
from codeplane.store.codec import path_from_text, path_to_text, row_range

Place = tuple[int, int]
"""Line and column; lines count from 1, columns from 0."""


class Enclosing(NamedTuple):
    kind: str
    name: str
    qualified_name: str
    lexical_path: str
    signature: str
    visibility: str
    def_uid: str
    start_line: int
    start_col: int
    end_line: int
    end_col: int


def enclose_all(
    snapshot: Snapshot, places: Mapping[RepoPath, Sequence[Place]]
) -> Iterator[tuple[RepoPath, str, list[Enclosing | None]]]:
    """Path, language and what encloses each place, which stand in their order, of each file that is indexed."""
    wanted = orjson.dumps([path_to_text(path) for path in places]).decode("utf-8")
    sql = "SELECT path, file_id, language FROM files WHERE path IN (SELECT value FROM json_each(?))"
    known = {
        path_from_text(path): (file_id, language) for path, file_id, language in snapshot.reader.rows(sql, (wanted,))
    }
    for path, asked in places.items():
        if path in known:
            file_id, language = known[path]
            # What ends before the first place or begins after the last one encloses none of them.
            rows = snapshot.reader.rows(_ROWS, (*row_range(file_id), asked[-1][0], asked[0][0])) if asked else ()
            yield path, language or "", _enclosing(list(map(Enclosing._make, rows)), asked)


def _enclosing(rows: list[Enclosing], places: Sequence[Place]) -> list[Enclosing | None]:
    """Of definitions by where they begin, outer before inner, the innermost around each place."""
    found: list[Enclosing | None] = []
    open_: list[Enclosing] = []
    at = 0
    for place in places:
        while at < len(rows) and (rows[at].start_line, rows[at].start_col) <= place:
            open_.append(rows[at])
            at += 1
        # What ended before this place encloses no later one either.
        open_ = [row for row in open_ if (row.end_line, row.end_col) > place]
        found.append(open_[-1] if open_ else None)
    return found


_ROWS = (
    "SELECT kind, name, qualified_name, lexical_path, signature, visibility, def_uid, start_line, start_col, end_line,"
    " end_col FROM defs WHERE def_id BETWEEN ? AND ? AND start_line <= ? AND end_line >= ?"
    " ORDER BY start_line, start_col, end_line DESC, end_col DESC, def_id"
)
