"""Groups of references that cannot be told apart: how many, and a few of each."""

from __future__ import annotations

from typing import NamedTuple

import orjson

from codeplane.query.rows import first, page
from codeplane.query.snapshot import Page, Snapshot
from codeplane.store.database import Row


class AnchorGroupRow(NamedTuple):
    group_id: int
    unit_id: int
    member_token: str
    receiver_shape: str
    total_count: int
    exemplar_ids: tuple[int, ...]
    """Ids of some of its references, ordered by path and position."""


def get_anchor_group(snapshot: Snapshot, unit_id: int, member_token: str, receiver_shape: str) -> AnchorGroupRow | None:
    source = f"{_FROM} WHERE unit_id = ? AND member_token = ? AND receiver_shape = ?"
    return first(snapshot, _make, _SELECT, source, "group_id", (unit_id, member_token, receiver_shape))


def list_anchor_groups(snapshot: Snapshot, unit_id: int, limit: int) -> Page[AnchorGroupRow]:
    """Groups of a unit, the largest first."""
    order = "total_count DESC, member_token, receiver_shape"
    return page(snapshot, _make, _SELECT, f"{_FROM} WHERE unit_id = ?", order, (unit_id,), limit)


def _make(row: Row) -> AnchorGroupRow:
    return AnchorGroupRow._make((*row[:5], tuple(orjson.loads(row[5]))))


_SELECT = "group_id, unit_id, member_token, receiver_shape, total_count, exemplar_ids"
_FROM = "FROM anchor_groups"
