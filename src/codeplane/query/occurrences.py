"""Occurrences of a name and their stored targets. Nothing is resolved here."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from codeplane.facts.links import NAMES, RENAMES, unpack_uses
from codeplane.facts.model import ReferenceRole, Target, Tier, Usage
from codeplane.query.rows import FileBlock, find_block, find_links
from codeplane.query.snapshot import Snapshot


class Occurrence(NamedTuple):
    line: int
    column: int
    """0-based, in characters"""
    name: str
    role: ReferenceRole
    usage: Usage
    tier: Tier
    """Certainty of the targets; for a name that is bound to an import, of that binding"""
    targets: tuple[int, ...]
    """Numbers of the definitions and attributes that it refers to"""
    bound: Target | None
    """Target of its binding in the file, if any; UNKNOWN for a parameter or variable"""
    outside: bool = False
    """True for a member of something outside of the repository"""

    @property
    def is_elsewhere(self) -> bool:
        """True if it is known to refer to something: a definition, a variable, or a name of another library."""
        is_variable = self.tier is Tier.PROVEN and self.bound is Target.UNKNOWN
        return bool(self.targets) or self.outside or is_variable


def list_occurrences(snapshot: Snapshot, file_id: int, name: str) -> list[Occurrence]:
    """List the occurrences of a name in a file, in source order."""
    block = find_block(snapshot, file_id)
    if block is None or name not in block.facts.names:
        return []
    ordinal = block.facts.names.index(name)
    numbers = [number for number, other in enumerate(block.facts.refs.columns.names) if other == ordinal]
    return list(_occurrences(snapshot, block, numbers))


def list_occurrences_at(snapshot: Snapshot, file_id: int, places: Collection[tuple[int, int]]) -> list[Occurrence]:
    """List the occurrences at given places of a file, in source order."""
    block = find_block(snapshot, file_id)
    if block is None:
        return []
    columns = block.facts.refs.columns
    there = enumerate(zip(columns.lines, columns.columns, strict=True))
    return list(_occurrences(snapshot, block, [number for number, place in there if place in places]))


def list_linked_places(snapshot: Snapshot, targets: Collection[int]) -> dict[int, set[tuple[int, int]]]:
    """Return the places that refer to one of the targets under any name, by file."""
    found: dict[int, set[tuple[int, int]]] = {}
    for target in sorted(targets):
        for file_id, places in snapshot.reader.rows(
            "SELECT file_id, places FROM def_references WHERE target = ?", (target,)
        ):
            here = {(use.line, use.column) for use in unpack_uses(places) if use.how & (NAMES | RENAMES)}
            if here:
                found.setdefault(file_id, set()).update(here)
    return found


# Indexing a tuple is much faster than calling an Enum.
_TARGETS, _TIERS, _ROLES, _USAGES = tuple(Target), tuple(Tier), tuple(ReferenceRole), tuple(Usage)


def _occurrences(snapshot: Snapshot, block: FileBlock, numbers: Collection[int]) -> Iterator[Occurrence]:
    facts, file_id = block.facts, block.file_id
    links = find_links(snapshot, file_id)
    linked: dict[int, list[tuple[int, int]]] = {}
    for ref, which, tier in zip(links.refs, links.which, links.tiers, strict=True):
        linked.setdefault(ref, []).append((links.targets[which], tier))
    columns = facts.refs.columns
    anchored = _anchored(snapshot, file_id, {facts.names[columns.names[number]] for number in numbers})
    resolvable = snapshot.reader.row("SELECT 1 FROM file_summaries WHERE file_id = ?", (file_id,)) is not None
    for number in numbers:
        flags, at = columns.flags[number], columns.binds[number]
        bind = facts.binds[at - 1] if at else None
        bound = None if bind is None else _TARGETS[bind.target_kind]
        stands_for = linked.get(number, ())
        tier = _TIERS[max((tier for _, tier in stands_for), default=flags >> 5 & 3)]
        outside = False
        if not stands_for and flags >> 2 & 7 in _MEMBERS:
            if (columns.lines[number], columns.columns[number]) in anchored:
                tier = Tier.ANCHORED
            else:
                outside = resolvable
        yield Occurrence(
            columns.lines[number],
            columns.columns[number],
            facts.names[columns.names[number]],
            _ROLES[flags & 3],
            _USAGES[flags >> 2 & 7],
            tier,
            tuple(target for target, _ in stands_for),
            bound,
            outside,
        )


def _anchored(snapshot: Snapshot, file_id: int, names: Collection[str]) -> set[tuple[int, int]]:
    """Return the places of unresolved members of these names in a file."""
    found: set[tuple[int, int]] = set()
    for name in sorted(names):
        row = snapshot.reader.row(
            "SELECT places FROM unresolved_members WHERE token = ? AND file_id = ?", (name, file_id)
        )
        found |= {(use.line, use.column) for use in unpack_uses(row[0])} if row is not None else set()
    return found


_MEMBERS = (Usage.MEMBER, Usage.MEMBER_CALL)
