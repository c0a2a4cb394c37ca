"""Occurrences of a name, and what each is known to stand for. Nothing is resolved here."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from codeplane.facts.model import Role, Target, Tier, Usage
from codeplane.query.rows import FileBlock, find_block
from codeplane.query.snapshot import Snapshot
from codeplane.store.codec import ORDINAL_MASK, row_id, row_range, split_row_id


class Occurrence(NamedTuple):
    line: int
    column: int
    """From 0, in characters."""
    name: str
    role: Role
    usage: Usage
    tier: Tier
    """How well it is known what it stands for; of a name that is bound to an import, that it is this import."""
    target_def: int | None
    """Id of the definition that it stands for, in any file."""
    bound: Target | None
    """What the binding in its own file holds, if it has one: UNKNOWN is a parameter or a variable."""


def list_occurrences(snapshot: Snapshot, file_id: int, name: str) -> list[Occurrence]:
    """Every occurrence of a name in a file, in document order."""
    block = find_block(snapshot, file_id)
    if block is None or name not in block.held.names:
        return []
    ordinal = block.held.names.index(name)
    numbers = [number for number, held in enumerate(block.held.refs.columns.names) if held == ordinal]
    return list(_occurrences(snapshot, block, numbers))


def list_occurrences_at(snapshot: Snapshot, file_id: int, numbers: Collection[int]) -> list[Occurrence]:
    """The occurrences of a file that have these ordinals, in document order."""
    block = find_block(snapshot, file_id)
    return [] if block is None else list(_occurrences(snapshot, block, sorted(numbers)))


def list_linked(snapshot: Snapshot, def_ids: Collection[int]) -> dict[int, set[int]]:
    """Ordinals of the references of all files that were found to stand for one of the definitions, by file."""
    found: dict[int, set[int]] = {}
    for def_id in sorted(def_ids):
        for (ref_id,) in snapshot.reader.rows("SELECT ref_id FROM ref_links WHERE target_def = ?", (def_id,)):
            file_id, ordinal = split_row_id(ref_id)
            found.setdefault(file_id, set()).add(ordinal)
    return found


# Looked up, since to make a member of an enumeration takes longer than all the rest.
_TARGETS, _TIERS, _ROLES, _USAGES = tuple(Target), tuple(Tier), tuple(Role), tuple(Usage)


def _occurrences(snapshot: Snapshot, block: FileBlock, numbers: Collection[int]) -> Iterator[Occurrence]:
    held, file_id = block.held, block.file_id
    sql = "SELECT ref_id, target_def, tier FROM ref_links WHERE ref_id BETWEEN ? AND ?"
    links = {ref_id & ORDINAL_MASK: link for ref_id, *link in snapshot.reader.rows(sql, row_range(file_id))}
    columns = held.refs.columns
    for number in numbers:
        flags, at = columns.flags[number], columns.binds[number]
        bind = held.binds[at - 1] if at else None
        bound = None if bind is None else _TARGETS[bind.target_kind]
        tier = _TIERS[flags >> 5 & 3]
        target = None
        if number in links:
            target, tier = links[number][0], Tier(links[number][1])
        elif bind is not None and bound is Target.DEF and bind.target is not None and tier is Tier.PROVEN:
            target = row_id(file_id, bind.target)
        yield Occurrence(
            columns.lines[number],
            columns.columns[number],
            held.names[columns.names[number]],
            _ROLES[flags & 3],
            _USAGES[flags >> 2 & 7],
            tier,
            target,
            bound,
        )
