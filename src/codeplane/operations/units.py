"""Build units, and the unit that owns a file."""

from __future__ import annotations

from dataclasses import dataclass

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display, normalize
from codeplane.index.unit_assignment import candidate_of
from codeplane.index.units.markers import EXCLUDED_DIRECTORIES, includes
from codeplane.index.units.model import State
from codeplane.index.units.routing import UnitRoots
from codeplane.index.units.validation import describe_sample
from codeplane.languages.registry import families
from codeplane.operations.missing_paths import nothing_indexed
from codeplane.operations.refs import Reads
from codeplane.query.files import FileInfo, get_file, list_files
from codeplane.query.snapshot import Snapshot
from codeplane.query.units import UnitInfo, UnitNote, list_all_units, list_unit_notes, list_units
from codeplane.store.unit_table import UnitRow
from codeplane.workspace.freshness import FreshResult


@dataclass(frozen=True)
class ListedUnit:
    """A unit with its include and exclude globs, relative to its root."""

    info: UnitInfo
    why: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]


@dataclass(frozen=True)
class UnitOwner:
    """Owner of one file."""

    path: str
    family: str | None
    unit: UnitRow | None
    why: str
    closest: UnitRow | None = None
    """Closest build root of its family, if that does not own it."""


@dataclass(frozen=True)
class UnitsAnswer:
    units: tuple[ListedUnit, ...]
    total: int
    owner: UnitOwner | None
    notes: tuple[UnitNote, ...]


def find_units(
    reads: Reads, path: str | None, family: str | None = None, *, with_empty: bool = False, limit: int = 1000
) -> FreshResult[UnitsAnswer]:
    """Return the owner of a file; without a path, or for a directory, the units at or under it."""
    if family is not None and family not in families():
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"no language family '{display(family)}'",
            expected=", ".join(families()),
            received=display(family),
            example="cpl units --family python",
        )
    inside = normalize(path) if path else ""

    def ask(snapshot: Snapshot) -> UnitsAnswer:
        file = get_file(snapshot, inside) if inside else None
        notes = list_unit_notes(snapshot)
        if file is not None:
            return UnitsAnswer((), 0, _owner(file, *_read_unit_roots(snapshot, file.family)), notes)
        found = list_units(snapshot, limit, inside, family, with_empty)
        if inside and not found.rows and not list_files(snapshot, 1, inside).total:
            raise nothing_indexed(inside)
        unit_roots, _ = _read_unit_roots(snapshot, family)
        return UnitsAnswer(tuple(_listed(info, unit_roots) for info in found.rows), found.total, None, notes)

    return reads(ask)


def unit_markers(snapshot: Snapshot, directory: str = "", limit: int = 50) -> list[str]:
    """Return marker files of units that own files (pyproject.toml, web/package.json), largest unit first."""
    found = [info for info in list_units(snapshot, limit, directory).rows if info.files and info.unit.marker]
    found.sort(key=lambda info: (-info.files, info.unit.root, info.unit.family))
    return list(dict.fromkeys(info.unit.marker for info in found))


def _read_unit_roots(snapshot: Snapshot, family: str | None) -> tuple[UnitRoots, dict[int, UnitRow]]:
    rows = list_all_units(snapshot, family)
    return UnitRoots(map(candidate_of, rows)), {row.unit_id: row for row in rows}


def _listed(info: UnitInfo, unit_roots: UnitRoots) -> ListedUnit:
    candidate = candidate_of(info.unit)
    return ListedUnit(info, why_of(info.unit), includes(info.unit.family), unit_roots.excludes_of(candidate))


def why_of(unit: UnitRow) -> str:
    """Return the evidence for the state of a unit."""
    proof = describe_sample(unit.state, unit.sample)
    return f"{unit.evidence}; {proof}" if proof else unit.evidence


def _owner(file: FileInfo, unit_roots: UnitRoots, rows: dict[int, UnitRow]) -> UnitOwner:
    if file.family is None:
        return UnitOwner(file.path, None, None, "it belongs to no language family")
    around = unit_roots.closest(file.path, file.family)
    if around is None:
        return UnitOwner(file.path, file.family, None, f"no build root of {file.family} contains it")
    row = rows[around.unit_id]
    place = f"'{around.root}'" if around.root else "the whole repository"
    if file.unit_id == around.unit_id:
        why = f"{place} is its closest build root of {file.family}: {why_of(row)}"
        return UnitOwner(file.path, file.family, row, why)
    skip = len(around.root) + 1 if around.root else 0
    between = [name for name in file.path[skip:].split("/")[:-1] if name in EXCLUDED_DIRECTORIES]
    if between:
        why = f"'{between[0]}' is between it and its closest build root, and is excluded from every unit"
    elif row.state == State.VALID:
        why = f"{place} is its closest build root of {file.family}, which includes no file of this name"
    else:
        why = f"{place} is its closest build root of {file.family}, with state {row.state}: {why_of(row)}"
    return UnitOwner(file.path, file.family, None, why, row)
