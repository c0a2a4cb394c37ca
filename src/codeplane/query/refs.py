"""References, as they were resolved when the index was written. Nothing is resolved here."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.facts.model import Certainty, Role, Target, Tier, Usage
from codeplane.query.rows import FileBlock, file_range, find_block
from codeplane.query.snapshot import Page, Snapshot, check_limit
from codeplane.store.codec import ORDINAL_BITS, row_range, split_row_id
from codeplane.store.database import Value


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
    found: list[RefRow] = []
    for (def_id,) in snapshot.reader.rows("SELECT def_id FROM defs WHERE def_uid = ? ORDER BY def_id", (def_uid,)):
        wanted: dict[int, set[int]] = {}
        for (ref_id,) in snapshot.reader.rows("SELECT ref_id FROM ref_links WHERE target_def = ?", (def_id,)):
            file_id, ordinal = split_row_id(ref_id)
            wanted.setdefault(file_id, set()).add(ordinal)
        here, ordinal = split_row_id(def_id)
        binds = _binds_of(find_block(snapshot, here), ordinal)
        for file_id in sorted({*wanted, here}):
            linked = wanted.get(file_id, set())
            proven = binds if file_id == here else set()
            found += [row for row in _rows_of_file(snapshot, file_id) if _stands_for(row, linked, proven)]
    return _page([row for row in found if tier is None or row.tier is tier], limit)


def list_proven_refs(snapshot: Snapshot, def_uid: str, limit: int) -> Page[RefRow]:
    return list_refs_by_def_uid(snapshot, def_uid, Tier.PROVEN, limit)


def list_refs_by_name(
    snapshot: Snapshot, name: str, limit: int, tier: Tier | None = None, unit_id: int | None = None
) -> Page[RefRow]:
    """Every occurrence of an identifier, whatever it stands for."""
    check_limit(limit)
    where = "WHERE name = ?" + (" AND files.unit_id = ?" if unit_id is not None else "")
    parameters: list[Value] = [name] if unit_id is None else [name, unit_id]
    sql = f"SELECT file_id, count FROM name_files JOIN files USING (file_id) {where} ORDER BY files.path"
    files = snapshot.reader.rows(sql, parameters)
    found: list[RefRow] = []
    for file_id, _ in files:
        # Without a tier the counts are known, and files beyond the page need not be unpacked.
        if tier is None and len(found) >= limit:
            break
        found += [row for row in _rows_of_file(snapshot, file_id) if row.name == name]
    if tier is None:
        return replace(_page(found, limit), total=sum(count for _, count in files))
    return _page([row for row in found if row.tier is tier], limit)


def list_refs_in_file(snapshot: Snapshot, path: str, limit: int) -> Page[RefRow]:
    """References of one file in the order in which they stand."""
    check_limit(limit)
    span = file_range(snapshot, path)
    if span is None:
        return Page((), 0)
    return _page(_rows_of_file(snapshot, split_row_id(span[0])[0]), limit)


def _stands_for(row: RefRow, linked: Set[int], binds: Set[int]) -> bool:
    _, ordinal = split_row_id(row.ref_id)
    return ordinal in linked or (row.tier is Tier.PROVEN and row.bind in binds)


def _binds_of(block: FileBlock | None, definition: int) -> set[int]:
    """Ordinals of the bindings that stand for a definition of this file."""
    if block is None:
        return set()
    wanted = (int(Target.DEF), definition)
    return {at for at, bind in enumerate(block.held.binds) if (bind.target_kind, bind.target) == wanted}


def _rows_of_file(snapshot: Snapshot, file_id: int) -> list[RefRow]:
    """References of a file, in document order."""
    block = find_block(snapshot, file_id)
    if block is None:
        return []
    sql = "SELECT ref_id, target_def, tier, certainty FROM ref_links WHERE ref_id BETWEEN ? AND ?"
    links = {ref_id: link for ref_id, *link in snapshot.reader.rows(sql, row_range(file_id))}
    names = block.held.names
    rows: list[RefRow] = []
    for ref_id, ref in enumerate(block.held.refs, file_id << ORDINAL_BITS):
        target, tier, certainty = links.get(ref_id, (None, ref.tier, ref.certainty))
        kinds = (Role(ref.role), Usage(ref.usage), Tier(tier), Certainty(certainty))
        place = (names[ref.name], ref.start_line, ref.start_col, ref.end_col)
        rows.append(RefRow(ref_id, block.path, block.unit_id, ref.scope, *place, *kinds, ref.bind, target))
    return rows


def _page(rows: list[RefRow], limit: int) -> Page[RefRow]:
    ordered = sorted(rows, key=lambda row: (row.path, row.start_line, row.start_col, row.ref_id))
    return Page(tuple(ordered[:limit]), len(rows))
