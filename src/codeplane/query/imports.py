"""Import statements of a file."""

from __future__ import annotations

from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.facts.model import Certainty
from codeplane.query.rows import fetch_page, file_row_range
from codeplane.query.snapshot import Page, Snapshot, check_limit
from codeplane.store.codec import path_from_text
from codeplane.store.database import Row


class ImportRow(NamedTuple):
    import_id: int
    path: RepoPath
    unit_id: int | None
    import_uid: str
    scope: int
    imported_name: str
    alias: str | None
    source_literal: str | None
    import_kind: str
    certainty: Certainty
    start_line: int
    start_col: int
    end_line: int
    end_col: int


def list_imports(snapshot: Snapshot, path: str, limit: int) -> Page[ImportRow]:
    """List the imports of a file in source order."""
    check_limit(limit)
    span = file_row_range(snapshot, path)
    if span is None:
        return Page((), 0)
    return fetch_page(snapshot, _make, _SELECT, f"{_FROM} WHERE import_id BETWEEN ? AND ?", _ORDER, span, limit)


def _make(row: Row) -> ImportRow:
    return ImportRow._make((row[0], path_from_text(row[1]), *row[2:9], Certainty(row[9]), *row[10:]))


_SELECT = (
    "import_id, files.path, files.unit_id, import_uid, scope, imported_name, alias, source_literal, import_kind,"
    " certainty, start_line, start_col, end_line, end_col"
)
_FROM = "FROM imports JOIN files ON files.file_id = import_id >> 20"
_ORDER = "start_line, start_col, import_id"
