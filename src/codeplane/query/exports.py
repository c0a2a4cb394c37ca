"""What units export: their surfaces, the entries of these, and re-exports."""

from __future__ import annotations

from typing import NamedTuple

import orjson

from codeplane.base.paths import RepoPath
from codeplane.facts.model import Certainty, ThunkMode
from codeplane.query.rows import first, json_list, page
from codeplane.query.snapshot import Page, Snapshot
from codeplane.store.codec import path_from_text
from codeplane.store.database import Row


class SurfaceRow(NamedTuple):
    surface_id: int
    unit_id: int
    surface_hash: str
    epoch: int
    """The epoch in which it last changed."""


class EntryRow(NamedTuple):
    entry_id: int
    path: RepoPath
    surface_id: int
    exported_name: str
    def_uid: str | None
    certainty: Certainty
    evidence_kind: str


class ThunkRow(NamedTuple):
    thunk_id: int
    path: RepoPath
    source_unit: int
    target_unit: int | None
    source_literal: str
    mode: ThunkMode
    explicit_names: tuple[str, ...]
    alias_map: tuple[tuple[str, str], ...]
    evidence_kind: str


def get_export_surface(snapshot: Snapshot, unit_id: int) -> SurfaceRow | None:
    select = "surface_id, unit_id, surface_hash, epoch"
    source = "FROM export_surfaces WHERE unit_id = ?"
    return first(snapshot, SurfaceRow._make, select, source, "surface_id", (unit_id,))


def list_export_entries(
    snapshot: Snapshot, surface_id: int, limit: int, exported_name: str | None = None
) -> Page[EntryRow]:
    """Entries of a surface by name, then by path; optionally of one name."""
    select = (
        "entry_id, files.path, surface_id, exported_name,"
        " (SELECT def_uid FROM defs WHERE def_id = target_def), certainty, evidence_kind"
    )
    source = "FROM export_entries JOIN files ON files.file_id = entry_id >> 20 WHERE surface_id = ?"
    parameters: tuple[int | str, ...] = (surface_id,)
    if exported_name is not None:
        source += " AND exported_name = ?"
        parameters = (surface_id, exported_name)
    return page(snapshot, _make_entry, select, source, "exported_name, files.path, entry_id", parameters, limit)


def list_export_thunks(snapshot: Snapshot, unit_id: int, limit: int) -> Page[ThunkRow]:
    """Re-exports that stand in files of a unit."""
    select = (
        "thunk_id, files.path, source_unit, target_unit, source_literal, mode, explicit_names, alias_map, evidence_kind"
    )
    source = "FROM export_thunks JOIN files ON files.file_id = thunk_id >> 20 WHERE source_unit = ?"
    return page(snapshot, _make_thunk, select, source, "files.path, thunk_id", (unit_id,), limit)


def _make_entry(row: Row) -> EntryRow:
    return EntryRow._make((row[0], path_from_text(row[1]), *row[2:5], Certainty(row[5]), row[6]))


def _make_thunk(row: Row) -> ThunkRow:
    thunk_id, path, source, target, literal, mode, names, aliases, evidence = row
    pairs = tuple((str(name), str(alias)) for name, alias in (orjson.loads(aliases) if aliases else ()))
    place = (thunk_id, path_from_text(path), source, target, literal)
    return ThunkRow(*place, ThunkMode(mode), json_list(names), pairs, evidence)
