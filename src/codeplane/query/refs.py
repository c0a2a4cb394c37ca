"""Stored references to definitions and attributes. Nothing is resolved here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.facts.links import CALLS, NAMES, RENAMES, unpack_uses
from codeplane.facts.model import ReferenceRole, Tier, Usage
from codeplane.query.relations import Symbol
from codeplane.query.snapshot import Page, Snapshot, check_limit
from codeplane.store.codec import path_from_text

_MAX_TARGETS = 500
"""Definitions that `list_files_using` looks up; the rest is ignored."""

# Indexing a tuple is much faster than calling an Enum.
_TIERS, _ROLES, _USAGES = tuple(Tier), tuple(ReferenceRole), tuple(Usage)


class UseRow(NamedTuple):
    """A place that uses a definition or an attribute."""

    path: RepoPath
    start_line: int
    start_col: int
    tier: Tier
    role: ReferenceRole
    usage: Usage
    names: bool
    """True if the place is an occurrence of the name"""
    calls: bool
    renames: bool
    """True if the place refers to it by an alias, or constructs a class that it does not name"""
    via: Symbol | None = None
    """Other symbol that is named or called there: a base member, a constructor or its class"""


class RankedUses(NamedTuple):
    page: Page[UseRow]
    """Occurrences of the name except its definition, the most certain first"""
    tiers: dict[Tier, int]
    """Number of uses per tier"""
    renamed: tuple[UseRow, ...]
    """Uses under another name"""


def rank_uses(uses: Sequence[UseRow], defined_at: tuple[RepoPath, int, int], limit: int) -> RankedUses:
    """Rank uses of a definition or an attribute."""
    check_limit(limit)
    found = [row for row in uses if (row.names or not row.renames) and row[:3] != defined_at]
    found.sort(key=lambda row: -row.tier)
    counts = Counter(row.tier for row in found)
    tiers = {tier: counts[tier] for tier in sorted(counts, reverse=True)}
    return RankedUses(Page(tuple(found[:limit]), len(found)), tiers, tuple(row for row in uses if row.renames)[:limit])


def list_uses_of(snapshot: Snapshot, number: int) -> list[UseRow]:
    """List the places that use a definition or an attribute, by path and place."""
    found: list[UseRow] = []
    sql = "SELECT path, places FROM def_references JOIN files USING (file_id) WHERE target = ?"
    for path, places in snapshot.reader.rows(sql, (number,)):
        shown = path_from_text(path)
        for line, column, tier, role, usage, how in unpack_uses(places):
            kinds = (_TIERS[tier], _ROLES[role], _USAGES[usage])
            found.append(UseRow(shown, line, column, *kinds, bool(how & NAMES), bool(how & CALLS), bool(how & RENAMES)))
    found.sort(key=lambda row: row[:3])
    return found


def list_files_using(snapshot: Snapshot, numbers: Collection[int], role: str, limit: int) -> Page[RepoPath]:
    """List files of a role that use one of these definitions, by path."""
    check_limit(limit)
    targets = sorted(set(numbers))[:_MAX_TARGETS]
    if not targets:
        return Page((), 0)
    marks = ", ".join("?" * len(targets))
    sql = f"SELECT DISTINCT path FROM def_references JOIN files USING (file_id) WHERE target IN ({marks}) AND role = ?"
    found = [path_from_text(path) for (path,) in snapshot.reader.rows(f"{sql} ORDER BY path", (*targets, role))]
    return Page(tuple(found[:limit]), len(found))
