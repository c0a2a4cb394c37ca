"""Queries over the whole repository, for summaries such as the repository map.

They return all rows, with few columns; the operation that summarizes them bounds the result.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

import orjson

from codeplane.base.paths import RepoPath, subtree_range
from codeplane.query.snapshot import Snapshot
from codeplane.store.codec import path_from_text, path_to_text
from codeplane.store.database import Row


class FileOverview(NamedTuple):
    file_id: int
    path: RepoPath
    language: str
    """Empty for a file without a grammar"""
    lines: int
    definitions: int
    role: str


class ListedFile(NamedTuple):
    path: RepoPath
    language: str | None
    lines: int
    size: int
    role: str
    reason: str | None
    """Why the file is not fully indexed"""


class ImportBrief(NamedTuple):
    file_id: int
    source: str
    """Module as it is written"""
    names: int
    """Number of names that the file imports from it"""


class ExportBrief(NamedTuple):
    def_id: int
    name: str
    """Name of the definition, not of the export"""
    kind: str
    lexical_path: str
    start_line: int


class MainBrief(NamedTuple):
    file_id: int
    kind: str
    lexical_path: str
    start_line: int
    signature: str


def list_file_overviews(snapshot: Snapshot) -> list[FileOverview]:
    """List all files by path."""
    sql = "SELECT file_id, path, coalesce(language, ''), lines, defs, role FROM files ORDER BY path"
    return [FileOverview(file_id, path_from_text(path), *rest) for file_id, path, *rest in snapshot.reader.rows(sql)]


def list_files_under(snapshot: Snapshot, path: str) -> list[ListedFile]:
    """List the file at a path, or the files under it, by path."""
    sql = "SELECT path, language, lines, size, role, reason FROM files"
    parameters: tuple[str, ...] = ()
    if path:
        text = path_to_text(path)
        sql += " WHERE path = ? OR (path > ? AND path < ?)"
        parameters = (text, *subtree_range(text))
    rows = snapshot.reader.rows(f"{sql} ORDER BY path", parameters)
    return [ListedFile(path_from_text(path), *rest) for path, *rest in rows]


def count_lines_by_language(snapshot: Snapshot) -> dict[str, int]:
    """Count the lines of parsed files by language."""
    sql = (
        "SELECT language, sum(lines) FROM files WHERE state = 'indexed' AND language IS NOT NULL GROUP BY 1 ORDER BY 1"
    )
    return {str(language): int(lines) for language, lines in snapshot.reader.rows(sql)}


def list_import_briefs(snapshot: Snapshot) -> list[ImportBrief]:
    """List the modules that each file imports, by file id, without `from __future__`."""
    sql = (
        "SELECT import_id >> 20, source_literal, count(*) FROM imports"
        " WHERE source_literal IS NOT NULL AND source_literal <> '' AND import_kind <> 'python_future'"
        " GROUP BY 1, 2 ORDER BY 1, 2"
    )
    return list(map(ImportBrief._make, snapshot.reader.rows(sql)))


def list_exported(snapshot: Snapshot) -> frozenset[int]:
    """Return the ids of exported definitions."""
    rows = snapshot.reader.rows("SELECT target_def FROM export_entries WHERE target_def IS NOT NULL")
    return frozenset(int(row[0]) for row in rows)


def list_export_briefs(snapshot: Snapshot, def_ids: Iterable[int]) -> list[ExportBrief]:
    """Read exported definitions by id."""
    sql = (
        "SELECT def_id, name, kind, lexical_path, start_line FROM json_each(?) JOIN defs ON def_id = value"
        " ORDER BY def_id"
    )
    return list(map(ExportBrief._make, snapshot.reader.rows(sql, (orjson.dumps(sorted(def_ids)).decode(),))))


def list_mains(snapshot: Snapshot) -> list[MainBrief]:
    """List the functions and methods named `main`, by file id."""
    sql = (
        "SELECT def_id >> 20, kind, lexical_path, start_line, signature FROM defs"
        " WHERE lower(name) = 'main' AND name = 'main' AND kind IN ('function', 'method') ORDER BY def_id"
    )
    return list(map(MainBrief._make, snapshot.reader.rows(sql)))


def list_inner_modules(snapshot: Snapshot, names: Collection[str]) -> list[tuple[int, str]]:
    """List (file, name) of modules with these names that are declared inside of a file."""
    sql = (
        "SELECT DISTINCT def_id >> 20, name FROM json_each(?) JOIN defs ON lower(name) = lower(value) AND name = value"
        " WHERE kind = 'module' ORDER BY 1, 2"
    )
    return [(int(file_id), str(name)) for file_id, name in snapshot.reader.rows(sql, (_json(sorted(names)),))]


def count_files_naming(snapshot: Snapshot, names: Iterable[str]) -> dict[str, int]:
    """Count the files in which each identifier occurs, without identifiers that occur nowhere."""
    sql = "SELECT name, count(*) FROM name_files WHERE name IN (SELECT value FROM json_each(?)) GROUP BY name"
    return {str(name): int(count) for name, count in snapshot.reader.rows(sql, (_json(sorted(set(names))),))}


def list_uses_elsewhere(snapshot: Snapshot) -> list[Row]:
    """List (definition, file) for each file that uses a definition of another file."""
    return snapshot.reader.rows(
        "WITH shared AS MATERIALIZED (SELECT target FROM def_references GROUP BY target HAVING count(*) > 1)"
        " SELECT def_id, def_references.file_id FROM shared JOIN defs ON def_uid = printf('%016x', target)"
        " JOIN def_references USING (target) WHERE def_id >> 20 <> def_references.file_id"
    )


def list_imports_elsewhere(snapshot: Snapshot) -> list[Row]:
    """List (file, file that imports it)."""
    return snapshot.reader.rows("SELECT target, file_id FROM file_imports WHERE target <> file_id")


def list_files_naming(snapshot: Snapshot, name: str) -> frozenset[int]:
    """Return the ids of files in which an identifier occurs."""
    return frozenset(
        int(row[0]) for row in snapshot.reader.rows("SELECT file_id FROM name_files WHERE name = ?", (name,))
    )


def _json(names: list[str]) -> str:
    return orjson.dumps(names).decode()
