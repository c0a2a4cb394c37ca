"""Lexical scopes of files."""

from __future__ import annotations

from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.query.rows import file_range, find_block
from codeplane.query.snapshot import Page, Snapshot, check_limit
from codeplane.store.codec import row_id, split_row_id


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
    file_id, ordinal = split_row_id(scope_id)
    rows = _rows(snapshot, file_id)
    return rows[ordinal] if ordinal < len(rows) else None


def list_scopes_in_file(snapshot: Snapshot, path: str, limit: int) -> Page[ScopeRow]:
    """Scopes of a file, by their ordinals."""
    check_limit(limit)
    span = file_range(snapshot, path)
    rows = _rows(snapshot, split_row_id(span[0])[0]) if span is not None else []
    return Page(tuple(rows[:limit]), len(rows))


def _rows(snapshot: Snapshot, file_id: int) -> list[ScopeRow]:
    block = find_block(snapshot, file_id)
    if block is None:
        return []
    return [
        ScopeRow(row_id(file_id, ordinal), block.path, block.unit_id, *scope)
        for ordinal, scope in enumerate(block.held.scopes)
    ]
