"""Units, what marker files declare, and which file belongs to which unit: as rows.

The writer brings the transaction and the errors; here is the SQL. A unit's number is made by
`schema.unit_of`, so a row says nothing about when its unit was found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import apsw
import orjson

from codeplane.base.paths import RepoPath, subtree_range
from codeplane.store.codec import path_from_text, path_to_text, storable
from codeplane.store.database import Row, Value


class UnitRow(NamedTuple):
    """A unit as it is kept. `evidence` says why it is one, `sample` how its shortest paths came out of the parser."""

    unit_id: int
    family: str
    root: RepoPath
    name: str
    tier: str
    marker: RepoPath
    state: str
    evidence: str
    sample: tuple[tuple[RepoPath, bool], ...]


class FamilyFile(NamedTuple):
    """What decides which unit a file belongs to, and how it came out of its parser."""

    path: RepoPath
    family: str
    unit_id: int | None
    state: str
    lines: int
    facts: int
    problems: int


UNIT_COLUMNS = ", ".join(UnitRow._fields)


def unit_from_row(row: Row) -> UnitRow:
    unit_id, family, root, name, tier, marker, state, evidence, sample = row
    paths = tuple((path_from_text(path), passed) for path, passed in orjson.loads(sample))
    return UnitRow(unit_id, family, path_from_text(root), name, tier, path_from_text(marker), state, evidence, paths)


def read_units(connection: apsw.Connection) -> list[UnitRow]:
    return [unit_from_row(row) for row in connection.execute(f"SELECT {UNIT_COLUMNS} FROM units ORDER BY unit_id")]


def write_units(connection: apsw.Connection, gone: Iterable[int], changed: Iterable[UnitRow]) -> None:
    connection.executemany("DELETE FROM units WHERE unit_id = ?", [(unit_id,) for unit_id in gone])
    connection.executemany("INSERT OR REPLACE INTO units VALUES (?,?,?,?,?,?,?,?,?)", map(_unit_values, changed))


def _unit_values(row: UnitRow) -> tuple[Value, ...]:
    sample = orjson.dumps([(path_to_text(path), passed) for path, passed in row.sample]).decode()
    root, marker = path_to_text(row.root), path_to_text(row.marker)
    return (row.unit_id, row.family, root, row.name, row.tier, marker, row.state, row.evidence, sample)


def read_manifests(connection: apsw.Connection) -> list[tuple[RepoPath, str]]:
    found = connection.execute("SELECT path, declared FROM manifests ORDER BY path")
    return [(path_from_text(path), declared) for path, declared in found]


def write_manifests(connection: apsw.Connection, changed: Mapping[RepoPath, str | None]) -> None:
    gone = [(path_to_text(path),) for path, declared in changed.items() if declared is None]
    connection.executemany("DELETE FROM manifests WHERE path = ?", gone)
    values = [(path_to_text(path), storable(declared)) for path, declared in changed.items() if declared is not None]
    connection.executemany("INSERT OR REPLACE INTO manifests VALUES (?, ?)", values)


def family_files(connection: apsw.Connection, families: Iterable[str], root: RepoPath) -> Iterator[FamilyFile]:
    """Files of some families beneath a root, in no order."""
    wanted = sorted(families)
    sql = f"{_FAMILY_FILES} WHERE family IN ({','.join('?' * len(wanted))})"
    parameters: list[Value] = list(wanted)
    if root:
        sql += " AND path > ? AND path < ?"
        parameters += subtree_range(path_to_text(root))
    for path, *rest in connection.execute(sql, parameters):
        yield FamilyFile(path_from_text(path), *rest)


def move_file(connection: apsw.Connection, file_id: int, unit_id: int | None) -> None:
    connection.execute("UPDATE files SET unit_id = ? WHERE file_id = ?", (unit_id, file_id))


_FAMILY_FILES = "SELECT path, family, unit_id, state, lines, defs + imports + refs, problems FROM files"
