"""References, as they were resolved when the index was written. Nothing is resolved here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.facts.links import CALLS, NAMES, RENAMES, uid_number, uid_text, unpack_uses
from codeplane.facts.model import Certainty, Role, Tier, Usage
from codeplane.query.relations import Symbol
from codeplane.query.rows import file_range, find_block, find_links
from codeplane.query.snapshot import Page, Snapshot, check_limit
from codeplane.store.codec import ORDINAL_BITS, ORDINAL_MASK, path_from_text, split_row_id
from codeplane.store.database import Value

# Looked up, since to make a member of an enumeration takes longer than all the rest.
_TIERS, _ROLES, _USAGES = tuple(Tier), tuple(Role), tuple(Usage)


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
    targets: tuple[str, ...]
    """Identities of what it stands for, definitions or attributes of any file."""


class UseRow(NamedTuple):
    """A place that uses a definition or an attribute."""

    path: RepoPath
    start_line: int
    start_col: int
    tier: Tier
    role: Role
    usage: Usage
    names: bool
    """It is an occurrence of its name."""
    calls: bool
    renames: bool
    """It stands for it under another name, that of an alias."""
    via: Symbol | None = None
    """Another symbol that is named or called there: a base member, a constructor or its class."""


def list_refs_by_def_uid(snapshot: Snapshot, def_uid: str, tier: Tier | None, limit: int) -> Page[UseRow]:
    """Places that are known to use a definition or an attribute, the place that defines it among them.

    ANCHORED and UNKNOWN references stand for no definition in particular, so for them the page is empty.
    """
    check_limit(limit)
    found = [row for row in list_uses_of(snapshot, uid_number(def_uid)) if tier is None or row.tier is tier]
    return Page(tuple(found[:limit]), len(found))


class RankedUses(NamedTuple):
    page: Page[UseRow]
    """Occurrences of the name but the one that defines it, the best known first."""
    tiers: dict[Tier, int]
    """How many there are of each."""
    renamed: tuple[UseRow, ...]
    """Uses under another name."""


def rank_uses(uses: Sequence[UseRow], defined_at: tuple[RepoPath, int, int], limit: int) -> RankedUses:
    """Uses of a definition or an attribute, its calls under any name included."""
    check_limit(limit)
    found = [row for row in uses if (row.names or row.via or not row.renames) and row[:3] != defined_at]
    found.sort(key=lambda row: -row.tier)
    counts = Counter(row.tier for row in found)
    tiers = {tier: counts[tier] for tier in sorted(counts, reverse=True)}
    return RankedUses(Page(tuple(found[:limit]), len(found)), tiers, tuple(row for row in uses if row.renames)[:limit])


def list_uses_of(snapshot: Snapshot, number: int) -> list[UseRow]:
    """Every place that uses a definition or an attribute, by path and place."""
    found: list[UseRow] = []
    sql = "SELECT path, places FROM uses JOIN files USING (file_id) WHERE target = ?"
    for path, places in snapshot.reader.rows(sql, (number,)):
        shown = path_from_text(path)
        for line, column, tier, role, usage, how in unpack_uses(places):
            kinds = (_TIERS[tier], _ROLES[role], _USAGES[usage])
            found.append(UseRow(shown, line, column, *kinds, bool(how & NAMES), bool(how & CALLS), bool(how & RENAMES)))
    found.sort(key=lambda row: row[:3])
    return found


def list_proven_refs(snapshot: Snapshot, def_uid: str, limit: int) -> Page[UseRow]:
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


def _rows_of_file(snapshot: Snapshot, file_id: int) -> list[RefRow]:
    """References of a file, in document order."""
    block = find_block(snapshot, file_id)
    if block is None:
        return []
    links = find_links(snapshot, file_id)
    linked: dict[int, tuple[tuple[str, ...], int]] = {}
    for number, which, level in zip(links.refs, links.which, links.tiers, strict=True):
        before, best = linked.get(number, ((), 0))
        linked[number] = ((*before, uid_text(links.targets[which])), max(best, level))
    names = block.held.names
    rows: list[RefRow] = []
    for ref_id, ref in enumerate(block.held.refs, file_id << ORDINAL_BITS):
        targets, tier = linked.get(ref_id & ORDINAL_MASK, ((), ref.tier))
        kinds = (_ROLES[ref.role], _USAGES[ref.usage], _TIERS[tier], Certainty(ref.certainty))
        place = (names[ref.name], ref.start_line, ref.start_col, ref.end_col)
        rows.append(RefRow(ref_id, block.path, block.unit_id, ref.scope, *place, *kinds, ref.bind, targets))
    return rows


def _page(rows: list[RefRow], limit: int) -> Page[RefRow]:
    ordered = sorted(rows, key=lambda row: (row.path, row.start_line, row.start_col, row.ref_id))
    return Page(tuple(ordered[:limit]), len(rows))
