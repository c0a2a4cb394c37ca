"""Occurrences of a name and their stored targets. Nothing is resolved here."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import orjson

from codeplane.facts.blocks import NamedRefs, find_refs
from codeplane.facts.links import NAMES, RENAMES, unpack_links, unpack_uses
from codeplane.facts.model import ReferenceRole, Target, Tier, Usage
from codeplane.query.snapshot import Snapshot

Place = tuple[int, int]
"""Line and column."""
_FILES_PER_SELECT = 100


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
    ((_, found),) = list_occurrences_by_file(snapshot, [file_id], name, {})
    return found


def list_occurrences_at(snapshot: Snapshot, file_id: int, places: Collection[Place]) -> list[Occurrence]:
    """List the occurrences at given places of a file, in source order."""
    ((_, found),) = list_occurrences_by_file(snapshot, [file_id], None, {file_id: places})
    return found


def list_occurrences_by_file(
    snapshot: Snapshot, file_ids: Sequence[int], name: str | None, places: Mapping[int, Collection[Place]]
) -> Iterator[tuple[int, list[Occurrence]]]:
    """Yield each file with the occurrences of a name, and those at its `places`, in source order."""
    for start in range(0, len(file_ids), _FILES_PER_SELECT):
        part = file_ids[start : start + _FILES_PER_SELECT]
        rows = snapshot.reader.rows(_FACTS, (name, orjson.dumps(part).decode("ascii")))
        facts = {row[0]: row[1:] for row in rows}
        for file_id in part:
            block, links, anchored, resolvable = facts.get(file_id, (b"", None, None, 0))
            refs = find_refs(block, name, places.get(file_id, ()))
            known = {other: _anchored(snapshot, file_id, other) for other in {*refs.names} - {name}}
            if name is not None:
                known[name] = _places(anchored)
            yield file_id, list(_occurrences(refs, links, known, resolvable=bool(resolvable)))


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


def _occurrences(
    refs: NamedRefs, packed_links: bytes | None, anchored: Mapping[str, Collection[Place]], *, resolvable: bool
) -> Iterator[Occurrence]:
    links = unpack_links(packed_links or b"")
    link_refs = links.refs
    for ref, name, line, column, flags, bound in zip(*refs, strict=True):
        usage = flags >> 2 & 7
        first = bisect_left(link_refs, ref)
        last = bisect_right(link_refs, ref, first)
        tier = _TIERS[max(links.tiers[first:last], default=flags >> 5 & 3)]
        outside = False
        if first == last and usage in _MEMBERS:
            if (line, column) in anchored[name]:
                tier = Tier.ANCHORED
            else:
                outside = resolvable
        targets = tuple(links.targets[which] for which in links.which[first:last])
        target = None if bound is None else _TARGETS[bound]
        yield Occurrence(line, column, name, _ROLES[flags & 3], _USAGES[usage], tier, targets, target, outside)


def _anchored(snapshot: Snapshot, file_id: int, name: str) -> set[Place]:
    """Return the places of unresolved members of this name in a file."""
    sql = "SELECT places FROM unresolved_members WHERE token = ? AND file_id = ?"
    row = snapshot.reader.row(sql, (name, file_id))
    return _places(row[0] if row is not None else None)


def _places(packed: bytes | None) -> set[Place]:
    return {(use.line, use.column) for use in unpack_uses(packed)} if packed else set()


_MEMBERS = (Usage.MEMBER, Usage.MEMBER_CALL)
_FACTS = """
SELECT
    blocks.file_id, block, links, places,
    EXISTS (SELECT 1 FROM file_summaries AS known WHERE known.file_id = blocks.file_id)
FROM blocks
LEFT JOIN file_links USING (file_id)
LEFT JOIN unresolved_members ON unresolved_members.token = ? AND unresolved_members.file_id = blocks.file_id
WHERE blocks.file_id IN (SELECT value FROM json_each(?))
"""
