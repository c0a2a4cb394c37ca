"""Definitions of one file with what an outline needs of them, and paths that resemble one that is not there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from codeplane.base.paths import RepoPath, parent
from codeplane.facts.model import Def
from codeplane.query.rows import file_range
from codeplane.query.snapshot import Snapshot
from codeplane.store.codec import ORDINAL_MASK, path_from_text, path_to_text

MAX_DEFS = 50_000
"""More than any file has that is small enough to be parsed."""

_ALIKE = 0.75


class OutlineRow(NamedTuple):
    ordinal: int
    parent: int | None
    """Ordinal of the definition that this one is nested in."""
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
    """Every definition of a file by span, then name, then ordinal; none for a file that is not there."""
    span = file_range(snapshot, path)
    if span is None:
        return ()
    return tuple(map(OutlineRow._make, snapshot.reader.rows(_ROWS, (ORDINAL_MASK, *span))))


def outline_rows(defs: Iterable[Sequence[Any]]) -> tuple[OutlineRow, ...]:
    """Definitions that a worker found in a text, in the same order."""
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
    """Indexed files called like this one, or nearly so; those whose folders have most in common first."""
    wanted = path.rpartition("/")[2].lower()
    folders = set(path.lower().split("/")[:-1])
    found: list[tuple[float, int, str]] = []
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    for (stored,) in snapshot.reader.rows("SELECT path FROM files"):
        folder, _, name = stored.lower().rpartition("/")
        if name != wanted:
            matcher.set_seq1(name)
            if not (matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE):
                continue
        alike = 1.0 if name == wanted else matcher.ratio()
        if alike >= _ALIKE:
            found.append((-alike, -len(folders.intersection(folder.split("/"))), stored))
    return tuple(path_from_text(stored) for _, _, stored in sorted(found)[:limit])


def first_files_beneath(snapshot: Snapshot, directory: str, limit: int) -> tuple[RepoPath, ...]:
    """Files of a directory that have definitions, its own before those of its folders; empty where it is none."""
    stored = path_to_text(directory)
    # '0' follows '/': the range holds exactly the paths that begin with the directory and a slash.
    sql = "SELECT path FROM files WHERE path > ? AND path < ? ORDER BY defs = 0, path LIMIT 200"
    found = [path_from_text(path) for (path,) in snapshot.reader.rows(sql, (f"{stored}/", f"{stored}0"))]
    return tuple(sorted(found, key=lambda path: parent(path) != directory)[:limit])


_ROWS = (
    "SELECT def_id & ?, parent, def_uid, kind, name, qualified_name, lexical_path, start_line, start_col, end_line,"
    f" end_col, signature FROM defs WHERE def_id BETWEEN ? AND ? ORDER BY 8, 9, 10, 11, 5, 1 LIMIT {MAX_DEFS}"
)
