"""Lexical scopes of files."""

from __future__ import annotations

from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.query.rows import file_range, first, page
from codeplane.query.snapshot import Page, Snapshot, check_limit
from codeplane.store.codec import path_from_text
from codeplane.store.database import Row


class ScopeRow(NamedTuple):
    scope_id: int
    path: RepoPath
    unit_id: int | None
    parent: int | None
    """Ordinal of the enclosing scope in the same file; None for the file itself."""
    kind: str
    start_line: int
    start_col: int
    end_line: int
    end_col: int


def get_scope(snapshot: Snapshot, scope_id: int) -> ScopeRow | None:
    return first(snapshot, _make, _SELECT, f"{_FROM} WHERE scope_id = ?", "scope_id", (scope_id,))


def list_scopes_in_file(snapshot: Snapshot, path: str, limit: int) -> Page[ScopeRow]:
    """Scopes of a file, by their ordinals."""
    check_limit(limit)
    span = file_range(snapshot, path)
    if span is None:
        return Page((), 0)
    return page(snapshot, _make, _SELECT, f"{_FROM} WHERE scope_id BETWEEN ? AND ?", "scope_id", span, limit)


def _make(row: Row) -> ScopeRow:
    return ScopeRow(row[0], path_from_text(row[1]), *row[2:])


_SELECT = "scope_id, files.path, files.unit_id, parent, kind, start_line, start_col, end_line, end_col"
_FROM = "FROM scopes JOIN files ON files.file_id = scope_id >> 20"
