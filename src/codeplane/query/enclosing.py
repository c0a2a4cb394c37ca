"""The innermost definition around a place of a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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


class FileDefs(NamedTuple):
    """Definitions of one file by where they begin, outer before inner."""

    language: str
    rows: tuple[Enclosing, ...]


def read_defs(snapshot: Snapshot, path: str) -> FileDefs:
    """Everything of a file that may enclose something; nothing for a file that is not indexed."""
    return next((defs for _, defs in read_all_defs(snapshot, [path])), FileDefs("", ()))


def read_all_defs(snapshot: Snapshot, paths: Sequence[str]) -> Iterator[tuple[RepoPath, FileDefs]]:
    """The same of many files, in the order given, those that are not indexed left out."""
    wanted = orjson.dumps([path_to_text(path) for path in paths]).decode("utf-8")
    sql = "SELECT path, file_id, language FROM files WHERE path IN (SELECT value FROM json_each(?))"
    known = {
        path_from_text(path): (file_id, language) for path, file_id, language in snapshot.reader.rows(sql, (wanted,))
    }
    for path in paths:
        found = known.get(RepoPath(path))
        if found is not None:
            rows = snapshot.reader.rows(_ROWS, row_range(found[0]))
            yield RepoPath(path), FileDefs(found[1] or "", tuple(map(Enclosing._make, rows)))


def enclosing(defs: FileDefs, places: Sequence[Place]) -> list[Enclosing | None]:
    """For each place, which stand in their order, the innermost definition that it lies in."""
    found: list[Enclosing | None] = []
    open_: list[Enclosing] = []
    at = 0
    for place in places:
        while at < len(defs.rows) and (defs.rows[at].start_line, defs.rows[at].start_col) <= place:
            open_.append(defs.rows[at])
            at += 1
        # What ended before this place encloses no later one either.
        open_ = [row for row in open_ if (row.end_line, row.end_col) > place]
        found.append(open_[-1] if open_ else None)
    return found


_ROWS = (
    "SELECT kind, name, qualified_name, lexical_path, signature, visibility, def_uid, start_line, start_col, end_line,"
    " end_col FROM defs WHERE def_id BETWEEN ? AND ?"
    " ORDER BY start_line, start_col, end_line DESC, end_col DESC, def_id"
)
