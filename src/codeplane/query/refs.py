"""References, as they were resolved when the index was written. Nothing is resolved here."""

from __future__ import annotations

from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.facts.model import Certainty, Role, Target, Tier, Usage
from codeplane.query.rows import file_range, page
from codeplane.query.snapshot import Page, Snapshot, check_limit
from codeplane.store.codec import path_from_text, row_range, split_row_id
from codeplane.store.database import Row, Value


class RefRow(NamedTuple):
    ref_id: int
    path: RepoPath
    unit_id: int | None
    scope: int
    name: str
    start_line: int
    start_col: int
    end_col: int
    role: Role
    usage: Usage
    tier: Tier
    certainty: Certainty
    bind: int | None
    target_def: int | None
    """Id of the definition, in any file, that a STRONG reference stands for."""


def list_refs_by_def_uid(snapshot: Snapshot, def_uid: str, tier: Tier | None, limit: int) -> Page[RefRow]:
    """References that stand for this definition: PROVEN by a binding of its file, or linked to it from any file.

    ANCHORED and UNKNOWN references stand for no definition in particular, so for them the page is empty.
    """
    check_limit(limit)
    clauses: list[str] = []
    parameters: list[Value] = []
    for (def_id,) in snapshot.reader.rows("SELECT def_id FROM defs WHERE def_uid = ? ORDER BY def_id", (def_uid,)):
        if tier in (None, Tier.PROVEN):
            clauses.append(_PROVEN)
            parameters += _proven_parameters(def_id)
        clauses.append("refs.target_def = ?" if tier is None else "(refs.target_def = ? AND refs.tier = ?)")
        parameters += [def_id] if tier is None else [def_id, int(tier)]
    if not clauses:
        return Page((), 0)
    return page(snapshot, _make, _SELECT, f"{_FROM} WHERE {' OR '.join(clauses)}", _ORDER, parameters, limit)


def list_proven_refs(snapshot: Snapshot, def_uid: str, limit: int) -> Page[RefRow]:
    return list_refs_by_def_uid(snapshot, def_uid, Tier.PROVEN, limit)


def list_refs_by_name(
    snapshot: Snapshot, name: str, limit: int, tier: Tier | None = None, unit_id: int | None = None
) -> Page[RefRow]:
    """Every occurrence of an identifier, whatever it stands for."""
    where = "WHERE refs.name_id = (SELECT name_id FROM names WHERE name = ?)"
    parameters: list[Value] = [name]
    if tier is not None:
        where += " AND refs.tier = ?"
        parameters.append(int(tier))
    if unit_id is not None:
        where += " AND files.unit_id = ?"
        parameters.append(unit_id)
    return page(snapshot, _make, _SELECT, f"{_FROM} {where}", _ORDER, parameters, limit)


def list_refs_in_file(snapshot: Snapshot, path: str, limit: int) -> Page[RefRow]:
    """References of one file in the order in which they stand."""
    check_limit(limit)
    span = file_range(snapshot, path)
    if span is None:
        return Page((), 0)
    return page(snapshot, _make, _SELECT, f"{_FROM} WHERE ref_id BETWEEN ? AND ?", _ORDER, span, limit)


def _proven_parameters(def_id: int) -> list[Value]:
    file_id, ordinal = split_row_id(def_id)
    span = row_range(file_id)
    return [*span, int(Tier.PROVEN), *span, int(Target.DEF), ordinal]


def _make(row: Row) -> RefRow:
    ref_id, path, unit_id, scope, name, line, col, end, role, usage, tier, certainty, bind, target = row
    kinds = (Role(role), Usage(usage), Tier(tier), Certainty(certainty))
    return RefRow(ref_id, path_from_text(path), unit_id, scope, name, line, col, end, *kinds, bind, target)


_SELECT = (
    "ref_id, files.path, files.unit_id, scope, (SELECT name FROM names WHERE names.name_id = refs.name_id),"
    " start_line, start_col, end_col, role, usage, tier, certainty, bind, target_def"
)
_FROM = "FROM refs JOIN files ON files.file_id = ref_id >> 20"
_ORDER = "files.path, start_line, start_col, ref_id"
_PROVEN = (
    "(refs.ref_id BETWEEN ? AND ? AND refs.tier = ? AND refs.bind IN (SELECT bind_id & 1048575 FROM binds"
    " WHERE bind_id BETWEEN ? AND ? AND target_kind = ? AND target = ?))"
)
