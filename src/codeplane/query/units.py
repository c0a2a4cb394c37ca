"""Units of an epoch, their files and notes."""

from __future__ import annotations

from typing import NamedTuple

import orjson

from codeplane.base.paths import RepoPath, subtree_range
from codeplane.query.rows import fetch_page
from codeplane.query.snapshot import Page, Snapshot
from codeplane.store.codec import path_to_text
from codeplane.store.database import Row, Value
from codeplane.store.unit_table import UNIT_COLUMNS, UnitRow, unit_from_row


class UnitInfo(NamedTuple):
    unit: UnitRow
    files: int


class UnitNote(NamedTuple):
    """A problem in a marker file."""

    path: RepoPath
    text: str


def list_units(
    snapshot: Snapshot, limit: int, directory: str = "", family: str | None = None, with_empty: bool = False
) -> Page[UnitInfo]:
    """List units at or under a directory, by root and family; `with_empty` includes units without files."""
    where, parameters = "FROM units WHERE TRUE", list[Value]()
    if directory:
        text = path_to_text(directory)
        where += " AND (root = ? OR (root > ? AND root < ?))"
        parameters += [text, *subtree_range(text)]
    if family is not None:
        where += " AND family = ?"
        parameters.append(family)
    if not with_empty:
        where += " AND state != 'empty'"
    counts: dict[int, int] = dict(snapshot.reader.rows(_COUNTS))

    def make(row: Row) -> UnitInfo:
        unit = unit_from_row(row)
        return UnitInfo(unit, int(counts.get(unit.unit_id, 0)))

    return fetch_page(snapshot, make, UNIT_COLUMNS, where, "root, family", parameters, limit)


def list_all_units(snapshot: Snapshot, family: str | None = None) -> tuple[UnitRow, ...]:
    """List all units, optionally of one family; unit discovery bounds their number."""
    where, parameters = ("WHERE family = ?", (family,)) if family is not None else ("", ())
    sql = f"SELECT {UNIT_COLUMNS} FROM units {where} ORDER BY family, root"
    return tuple(unit_from_row(row) for row in snapshot.reader.rows(sql, parameters))


def list_unit_notes(snapshot: Snapshot) -> tuple[UnitNote, ...]:
    row = snapshot.reader.row("SELECT value FROM meta WHERE key = 'unit_notes'")
    return tuple(UnitNote(RepoPath(path), text) for path, text in orjson.loads(row[0])) if row is not None else ()


_COUNTS = "SELECT unit_id, count(*) FROM files WHERE unit_id IS NOT NULL GROUP BY unit_id"
