"""Files of the index, their problems, and counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from codeplane.base.paths import RepoPath, subtree_range
from codeplane.query.rows import fetch_first, fetch_page, file_row_range
from codeplane.query.snapshot import Page, Snapshot, check_limit
from codeplane.store.codec import path_from_text, path_to_text
from codeplane.store.database import Row, Value
from codeplane.store.records import FileState


class FileInfo(NamedTuple):
    file_id: int
    path: RepoPath
    unit_id: int | None
    language: str | None
    family: str | None
    size: int
    digest: str | None
    encoding: str | None
    lines: int
    state: FileState
    reason: str | None
    epoch: int
    """Epoch in which its content was last indexed"""
    role: str
    evidence: str
    """Reason for its role; empty for plain source code"""


class ProblemRow(NamedTuple):
    path: RepoPath
    code: str
    line: int
    message: str


class IndexSummary(NamedTuple):
    files: int
    definitions: int
    references: int
    scopes: int
    imports: int
    problems: int
    source_bytes: int
    """Size of all files whose text was read"""
    states: Mapping[str, int]
    """Files by state"""
    reasons: Mapping[str, int]
    """Skipped and failed files by reason"""
    languages: tuple[tuple[str, int, int, int], ...]
    """(language, indexed files, definitions, references), by language"""


def get_file(snapshot: Snapshot, path: str) -> FileInfo | None:
    return fetch_first(snapshot, _make, _SELECT, "FROM files WHERE path = ?", "path", (path_to_text(path),))


def list_files(
    snapshot: Snapshot,
    limit: int,
    directory: str = "",
    language: str | None = None,
    state: FileState | None = None,
    after: str | None = None,
) -> Page[FileInfo]:
    """List files under a directory by path. `after` continues after a path; the total counts from there."""
    where = "FROM files WHERE TRUE"
    parameters: list[Value] = []
    if directory:
        where += " AND path > ? AND path < ?"
        parameters += subtree_range(path_to_text(directory))
    if language is not None:
        where += " AND language = ?"
        parameters.append(language)
    if state is not None:
        where += " AND state = ?"
        parameters.append(state.value)
    if after is not None:
        where += " AND path > ?"
        parameters.append(path_to_text(after))
    return fetch_page(snapshot, _make, _SELECT, where, "path", parameters, limit)


def list_problems(snapshot: Snapshot, limit: int, path: str | None = None) -> Page[ProblemRow]:
    """List problems in sources by path and line."""
    check_limit(limit)
    source = "FROM problems JOIN files ON files.file_id = problem_id >> 20"
    parameters: tuple[int, ...] = ()
    if path is not None:
        span = file_row_range(snapshot, path)
        if span is None:
            return Page((), 0)
        source += " WHERE problem_id BETWEEN ? AND ?"
        parameters = span
    select, order = "files.path, code, line, message", "files.path, line, problem_id"
    return fetch_page(snapshot, _make_problem, select, source, order, parameters, limit)


def summarize_index(snapshot: Snapshot) -> IndexSummary:
    """Return the counts of an epoch, from the counts stored per file."""
    files, definitions, references, scopes, imports, problems, source_bytes = snapshot.reader.rows(_TOTALS)[0]
    return IndexSummary(
        files=files,
        definitions=definitions,
        references=references,
        scopes=scopes,
        imports=imports,
        problems=problems,
        source_bytes=source_bytes,
        states=_counts(snapshot, "SELECT state, count(*) FROM files GROUP BY 1 ORDER BY 1"),
        reasons=_counts(
            snapshot,
            "SELECT reason, count(*) FROM files WHERE state IN ('skipped', 'failed') AND reason IS NOT NULL"
            " GROUP BY 1 ORDER BY 1",
        ),
        languages=tuple(
            snapshot.reader.rows(
                "SELECT language, count(*), sum(defs), sum(refs) FROM files"
                " WHERE state = 'indexed' AND language IS NOT NULL GROUP BY 1 ORDER BY 1"
            )
        ),
    )


def count_roles(snapshot: Snapshot, directory: str = "") -> dict[str, int]:
    """Count files at or under a directory by role."""
    if not directory:
        return _counts(snapshot, "SELECT role, count(*) FROM files GROUP BY 1 ORDER BY 1")
    text = path_to_text(directory)
    sql = "SELECT role, count(*) FROM files WHERE path > ? AND path < ? GROUP BY 1 ORDER BY 1"
    return _counts(snapshot, sql, subtree_range(text))


def _counts(snapshot: Snapshot, sql: str, parameters: tuple[Value, ...] = ()) -> dict[str, int]:
    return {str(name): int(number) for name, number in snapshot.reader.rows(sql, parameters)}


def _make(row: Row) -> FileInfo:
    file_id, path, *about, state, reason, epoch, role, evidence = row
    known = (file_id, path_from_text(path), *about, FileState(state), reason, epoch, role, evidence)
    return FileInfo._make(known)


def _make_problem(row: Row) -> ProblemRow:
    return ProblemRow(path_from_text(row[0]), *row[1:])


_SELECT = (
    "file_id, path, unit_id, language, family, size, nullif(lower(hex(digest)), ''), encoding, lines, state, reason,"
    " epoch, role, evidence"
)
_TOTALS = (
    "SELECT count(*), coalesce(sum(defs), 0), coalesce(sum(refs), 0), coalesce(sum(scopes), 0),"
    " coalesce(sum(imports), 0), coalesce(sum(problems), 0),"
    " coalesce(sum(CASE WHEN lexical THEN size END), 0) FROM files"
)
