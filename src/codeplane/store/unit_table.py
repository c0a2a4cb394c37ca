"""Rows of units, and the unit of each file. A unit's number follows from its family and root (`schema.unit_of`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import orjson

from codeplane.base.paths import ROOT, RepoPath, subtree_range
from codeplane.store.codec import path_from_text, path_to_text
from codeplane.store.database import Row, Value
from codeplane.store.errors import sqlite_errors
from codeplane.store.schema import column_names, insert_sql
from codeplane.store.session import WriteSession


class UnitRow(NamedTuple):
    """Fields in the order of the table's columns."""

    unit_id: int
    family: str
    root: RepoPath
    name: str
    tier: str
    marker: RepoPath
    state: str
    evidence: str
    """Reason why it is a unit."""
    sample: tuple[tuple[RepoPath, bool], ...]
    """Its shortest paths, and whether each parsed without problems."""


class FamilyFile(NamedTuple):
    """A file with all that decides its unit."""

    path: RepoPath
    family: str
    unit_id: int | None
    state: str
    lines: int
    facts: int
    problems: int


UNIT_COLUMNS = ", ".join(column_names("units"))
_FAMILY_FILES = "SELECT path, family, unit_id, state, lines, defs + imports + refs, problems FROM files"


def unit_from_row(row: Row) -> UnitRow:
    unit = UnitRow(*row)
    sample = tuple((path_from_text(path), passed) for path, passed in orjson.loads(row[-1]))
    return unit._replace(root=path_from_text(unit.root), marker=path_from_text(unit.marker), sample=sample)


class UnitTable:
    def __init__(self, session: WriteSession) -> None:
        self._session = session

    def read(self) -> list[UnitRow]:
        rows = self._session.rows(f"SELECT {UNIT_COLUMNS} FROM units ORDER BY unit_id")
        return [unit_from_row(row) for row in rows]

    def write(self, removed: Iterable[int], changed: Iterable[UnitRow]) -> None:
        with self._session:
            connection = self._session.connection
            connection.executemany("DELETE FROM units WHERE unit_id = ?", [(unit_id,) for unit_id in removed])
            connection.executemany(insert_sql("units", replace=True), map(_unit_values, changed))
            self._session.derived_changed = True

    def list_files(self, families: Iterable[str], root: RepoPath = ROOT) -> Iterator[FamilyFile]:
        """Yield files of these families under a root, unordered. Do not write while iterating."""
        wanted = sorted(families)
        sql = f"{_FAMILY_FILES} WHERE family IN ({','.join('?' * len(wanted))})"
        parameters: list[Value] = list(wanted)
        if root:
            sql += " AND path > ? AND path < ?"
            parameters += subtree_range(path_to_text(root))
        with sqlite_errors():
            for path, *rest in self._session.connection.execute(sql, parameters):
                yield FamilyFile(path_from_text(path), *rest)

    def move_file(self, path: RepoPath, unit_id: int | None) -> None:
        with self._session:
            sql = "UPDATE files SET unit_id = ? WHERE path = ?"
            self._session.connection.execute(sql, (unit_id, path_to_text(path)))
            self._session.derived_changed = True


def _unit_values(row: UnitRow) -> tuple[Value, ...]:
    sample = orjson.dumps([(path_to_text(path), passed) for path, passed in row.sample]).decode()
    values: dict[str, Value] = {**row._asdict(), "sample": sample}
    values |= {"root": path_to_text(row.root), "marker": path_to_text(row.marker)}
    return tuple(values[name] for name in column_names("units"))
