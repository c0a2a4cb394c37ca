"""Occurrences of a name, and what each is known to stand for. Nothing is resolved here."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from codeplane.facts.links import NAMES, RENAMES, unpack_uses
from codeplane.facts.model import Role, Target, Tier, Usage
from codeplane.query.rows import FileBlock, find_block, find_links
from codeplane.query.snapshot import Snapshot


class Occurrence(NamedTuple):
    line: int
    column: int
    """From 0, in characters."""
    name: str
    role: Role
    usage: Usage
    tier: Tier
    """How well it is known what it stands for; of a name that is bound to an import, that it is this import."""
    targets: tuple[int, ...]
    """Numbers of what it stands for, definitions or attributes of any file."""
    bound: Target | None
    """What the binding in its own file holds, if it has one: UNKNOWN is a parameter or a variable."""
    outside: bool = False
    """A member of something that is known not to be of the repository."""

    @property
    def is_elsewhere(self) -> bool:
        """Whether it is known to stand for something: a definition, a variable, something of another library."""
        is_variable = self.tier is Tier.PROVEN and self.bound is Target.UNKNOWN
        return bool(self.targets) or self.outside or is_variable


def list_occurrences(snapshot: Snapshot, file_id: int, name: str) -> list[Occurrence]:
    """Every occurrence of a name in a file, in document order."""
    block = find_block(snapshot, file_id)
    if block is None or name not in block.held.names:
        return []
    ordinal = block.held.names.index(name)
    numbers = [number for number, held in enumerate(block.held.refs.columns.names) if held == ordinal]
    return list(_occurrences(snapshot, block, numbers))


def list_occurrences_at(snapshot: Snapshot, file_id: int, places: Collection[tuple[int, int]]) -> list[Occurrence]:
    """The occurrences of a file at these places, in document order."""
    block = find_block(snapshot, file_id)
    if block is None:
        return []
    columns = block.held.refs.columns
    there = enumerate(zip(columns.lines, columns.columns, strict=True))
    return list(_occurrences(snapshot, block, [number for number, place in there if place in places]))


def list_linked_places(snapshot: Snapshot, targets: Collection[int]) -> dict[int, set[tuple[int, int]]]:
    """Places, in all files, that were found to stand for one of the targets under any name; by file."""
    found: dict[int, set[tuple[int, int]]] = {}
    for target in sorted(targets):
        for file_id, places in snapshot.reader.rows(
            "SELECT file_id, places FROM def_references WHERE target = ?", (target,)
        ):
            here = {(use.line, use.column) for use in unpack_uses(places) if use.how & (NAMES | RENAMES)}
            if here:
                found.setdefault(file_id, set()).update(here)
    return found


# Looked up, since to make a member of an enumeration takes longer than all the rest.
_TARGETS, _TIERS, _ROLES, _USAGES = tuple(Target), tuple(Tier), tuple(Role), tuple(Usage)


def _occurrences(snapshot: Snapshot, block: FileBlock, numbers: Collection[int]) -> Iterator[Occurrence]:
    held, file_id = block.held, block.file_id
    links = find_links(snapshot, file_id)
    linked: dict[int, list[tuple[int, int]]] = {}
    for ref, which, tier in zip(links.refs, links.which, links.tiers, strict=True):
        linked.setdefault(ref, []).append((links.targets[which], tier))
    columns = held.refs.columns
    anchored = _anchored(snapshot, file_id, {held.names[columns.names[number]] for number in numbers})
    resolvable = snapshot.reader.row("SELECT 1 FROM file_summaries WHERE file_id = ?", (file_id,)) is not None
    for number in numbers:
        flags, at = columns.flags[number], columns.binds[number]
        bind = held.binds[at - 1] if at else None
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
            held.names[columns.names[number]],
            _ROLES[flags & 3],
            _USAGES[flags >> 2 & 7],
            tier,
            tuple(target for target, _ in stands_for),
            bound,
            outside,
        )


def _anchored(snapshot: Snapshot, file_id: int, names: Collection[str]) -> set[tuple[int, int]]:
    """Places of a file where members of these names stand that could not be resolved."""
    found: set[tuple[int, int]] = set()
    for name in sorted(names):
        row = snapshot.reader.row(
            "SELECT places FROM unresolved_members WHERE token = ? AND file_id = ?", (name, file_id)
        )
        found |= {(use.line, use.column) for use in unpack_uses(row[0])} if row is not None else set()
    return found


_MEMBERS = (Usage.MEMBER, Usage.MEMBER_CALL)
