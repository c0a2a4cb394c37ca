"""Definitions for the outline of a file, and paths similar to a missing one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from codeplane.base.edit_distance import edit_distance
from codeplane.base.paths import RepoPath, basename, parent, subtree_range
from codeplane.facts.model import Def
from codeplane.query.rows import file_row_range
from codeplane.query.snapshot import Snapshot
from codeplane.store.codec import ORDINAL_MASK, path_from_text, path_to_text

MAX_DEFS = 50_000
"""No file that is small enough to be parsed has more."""

_LONG_STEM = 8
"""Two misspelled characters are accepted in a file name of this length without its suffix, one in a shorter name."""


class OutlineRow(NamedTuple):
    ordinal: int
    parent: int | None
    """Ordinal of the enclosing definition"""
    def_uid: str
    kind: str
    name: str
    qualified_name: str
    lexical_path: str
    start_line: int
    start_col: int
    end_line: int
    end_col: int
    signature: str


def list_outline_rows(snapshot: Snapshot, path: str) -> tuple[OutlineRow, ...]:
    """List the definitions of a file by span, then name, then ordinal; empty for a file that is not indexed."""
    span = file_row_range(snapshot, path)
    if span is None:
        return ()
    return tuple(map(OutlineRow._make, snapshot.reader.rows(_ROWS, (ORDINAL_MASK, *span))))


def outline_rows_from_defs(defs: Iterable[Sequence[Any]]) -> tuple[OutlineRow, ...]:
    """Convert definitions that a worker extracted from a text, in the order of `list_outline_rows`."""
    rows = [
        OutlineRow(
            ordinal,
            each.parent,
            each.def_uid,
            each.kind,
            each.name,
            each.qualified_name,
            each.lexical_path,
            each.start_line,
            each.start_col,
            each.end_line,
            each.end_col,
            each.signature,
        )
        for ordinal, each in enumerate(Def(*row) for row in defs)
    ]
    return tuple(sorted(rows, key=lambda row: (*row[7:11], row.name.encode("utf-8", "surrogatepass"), row.ordinal)))


def nearest_paths(snapshot: Snapshot, path: str, limit: int) -> tuple[RepoPath, ...]:
    """Return indexed files with this file name, exact or misspelled; the most directories in common first."""
    wanted = basename(path).lower()
    stem, suffix = _split_suffix(wanted)
    edits = 2 if len(stem) >= _LONG_STEM else 1 if len(stem) > 1 else 0
    directories = set(path.lower().split("/")[:-1])
    letters = Counter(stem)
    found: list[tuple[int, int, str]] = []
    for (stored,) in snapshot.reader.rows("SELECT path FROM files"):
        directory, _, name = stored.lower().rpartition("/")
        distance = 0
        if name != wanted:
            other, other_suffix = _split_suffix(name)
            # A different suffix counts as one edit: '.js' for '.ts'. Length and letters rule out most names at once.
            distance = int(suffix != other_suffix)
            if abs(len(other) - len(stem)) + distance > edits or (letters - Counter(other)).total() > edits:
                continue
            distance += edit_distance(stem, other)
        if distance <= edits:
            found.append((distance, -len(directories.intersection(directory.split("/"))), stored))
    return tuple(path_from_text(stored) for _, _, stored in sorted(found)[:limit])


def _split_suffix(name: str) -> tuple[str, str]:
    stem, dot, suffix = name.rpartition(".")
    return (stem, suffix) if dot and stem else (name, "")


def list_directory_files(snapshot: Snapshot, directory: str, limit: int) -> tuple[RepoPath, ...]:
    """List files under a directory: direct children first, then files with definitions. Empty if it is not one."""
    stored = path_to_text(directory)
    sql = "SELECT path FROM files WHERE path > ? AND path < ? ORDER BY defs = 0, path LIMIT 200"
    found = [path_from_text(path) for (path,) in snapshot.reader.rows(sql, subtree_range(stored))]
    return tuple(sorted(found, key=lambda path: parent(path) != directory)[:limit])


_ROWS = (
    "SELECT def_id & ?, parent, def_uid, kind, name, qualified_name, lexical_path, start_line, start_col, end_line,"
    f" end_col, signature FROM defs WHERE def_id BETWEEN ? AND ? ORDER BY 8, 9, 10, 11, 5, 1 LIMIT {MAX_DEFS}"
)
