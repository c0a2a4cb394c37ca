"""Places where names are computed at run time: reported, never resolved."""

from __future__ import annotations

from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.query.rows import file_range, json_list, page
from codeplane.query.snapshot import Page, Snapshot, check_limit
from codeplane.store.codec import path_from_text
from codeplane.store.database import Row, Value


class DynamicSiteRow(NamedTuple):
    site_id: int
    path: RepoPath
    unit_id: int | None
    start_line: int
    start_col: int
    pattern_type: str
    extracted_literals: tuple[str, ...]
    has_non_literal_key: bool


def list_dynamic_access_sites(
    snapshot: Snapshot, limit: int, path: str | None = None, unit_id: int | None = None
) -> Page[DynamicSiteRow]:
    """Sites of a file, of a unit, or of all files, by path and position."""
    check_limit(limit)
    where = "WHERE TRUE"
    parameters: list[Value] = []
    if path is not None:
        span = file_range(snapshot, path)
        if span is None:
            return Page((), 0)
        where += " AND site_id BETWEEN ? AND ?"
        parameters.extend(span)
    if unit_id is not None:
        where += " AND files.unit_id = ?"
        parameters.append(unit_id)
    return page(snapshot, _make, _SELECT, f"{_FROM} {where}", _ORDER, parameters, limit)


def _make(row: Row) -> DynamicSiteRow:
    return DynamicSiteRow._make((row[0], path_from_text(row[1]), *row[2:6], json_list(row[6]), bool(row[7])))


_SELECT = (
    "site_id, files.path, files.unit_id, start_line, start_col, pattern_type, extracted_literals, has_non_literal_key"
)
_FROM = "FROM dynamic_sites JOIN files ON files.file_id = site_id >> 20"
_ORDER = "files.path, start_line, start_col, site_id"
