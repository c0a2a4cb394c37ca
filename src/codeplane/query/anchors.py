"""Unresolved member accesses, grouped by name and receiver shape: counts and examples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from codeplane.base.limits import MAX_EXEMPLARS
from codeplane.base.paths import RepoPath
from codeplane.facts.links import SHAPES, unpack_uses
from codeplane.query.snapshot import Snapshot
from codeplane.store.codec import path_from_text
from codeplane.store.database import Row


class Exemplar(NamedTuple):
    path: RepoPath
    line: int
    column: int


class AnchorGroupRow(NamedTuple):
    unit_id: int | None
    member_token: str
    receiver_shape: str
    total_count: int
    exemplars: tuple[Exemplar, ...]
    """First references by path and position"""


def list_anchor_groups_of(snapshot: Snapshot, member_token: str) -> list[AnchorGroupRow]:
    """List the groups of a member name in all units, the largest first."""
    groups = _groups(snapshot.reader.rows(f"{_SELECT} WHERE token = ?", (member_token,)))
    return sorted(groups.values(), key=_rank)


def _groups(rows: Iterable[Row]) -> dict[tuple[int | None, str, str], AnchorGroupRow]:
    found: dict[tuple[int | None, str, str], list[Exemplar]] = {}
    for path, unit_id, token, places in sorted(rows, key=lambda row: row[0]):
        for use in unpack_uses(places):
            same = found.setdefault((unit_id, token, SHAPES[use.how]), [])
            same.append(Exemplar(path_from_text(path), use.line, use.column))
    return {key: AnchorGroupRow(*key, len(same), tuple(sorted(same)[:MAX_EXEMPLARS])) for key, same in found.items()}


def _rank(row: AnchorGroupRow) -> tuple[object, ...]:
    return -row.total_count, row.member_token, row.receiver_shape, row.unit_id is not None, row.unit_id or 0


_SELECT = "SELECT path, unit_id, token, places FROM unresolved_members JOIN files USING (file_id)"
