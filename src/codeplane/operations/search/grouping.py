"""Matches put together: one result for each definition, or for each file, that has some.

The first match stands for its group, and says how many there are.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from codeplane.operations.search.model import GroupBy, Hit


def group_matches(hits: Sequence[Hit], group_by: GroupBy | None) -> list[Hit]:
    """Groups in the order of their first matches."""
    if group_by is None:
        return list(hits)
    groups: dict[Hashable, list[Hit]] = {}
    for hit in hits:
        groups.setdefault(group_key(hit, group_by), []).append(hit)
    return [group[0]._replace(collapsed=sum(1 + hit.collapsed for hit in group) - 1) for group in groups.values()]


def group_key(hit: Hit, group_by: GroupBy) -> Hashable:
    """What a hit is put together by; matches outside of definitions belong to their file."""
    return hit.path if group_by == "file" else (hit.path, hit.def_uid, hit.tier)
