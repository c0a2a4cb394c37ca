"""What the sources export, ordered by how much of the repository uses it.

Who uses a definition is known where names are resolved beyond their file. In other languages the files in which its
name occurs stand for that, divided among all that export the name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from codeplane.base.symbols import symbol_ref
from codeplane.index.resolve.registry import resolved_languages
from codeplane.languages.role_paths import Role
from codeplane.operations.map_repo.centrality import Centrality, UsageCount, weigh_uses
from codeplane.query.overview import (
    ExportBrief,
    FileOverview,
    count_files_naming,
    list_export_briefs,
    list_exported,
)
from codeplane.query.snapshot import Snapshot


class PublicName(NamedTuple):
    symbol_ref: str
    kind: str
    file_count: int
    """Files that use it."""

    def as_dict(self) -> dict[str, object]:
        fields: dict[str, object] = {"symbol_ref": self.symbol_ref, "kind": self.kind}
        return fields | ({"file_count": self.file_count} if self.file_count else {})


MAX_CANDIDATES = 200
"""Definitions of which more is looked up than how widely they are used."""

_SHORTEST = 3
_VALUES = frozenset({"variable", "constant"})
_VALUE_SHARE = 2
"""Functions and types tell more than values do."""


def find_public_api(
    snapshot: Snapshot,
    files: Sequence[FileOverview],
    users: Sequence[FileOverview],
    roles: Mapping[int, str],
    centrality: Centrality,
) -> tuple[list[PublicName], int]:
    """Exported definitions of sources among `files`, the most widely used first, and how many are exported in all.

    `users` are all files of the repository.
    """
    by_id = {file.file_id: file for file in files}
    sources = {file_id for file_id in by_id if roles[file_id] == Role.SOURCE}
    exported = {def_id for def_id in list_exported(snapshot) if def_id >> 20 in sources}
    uses = weigh_uses(centrality, exported, users, roles)
    uses |= _count_naming(
        snapshot, [def_id for def_id in exported if by_id[def_id >> 20].language not in resolved_languages()]
    )
    # What nobody uses here may still be what others come for; it follows.
    left = MAX_CANDIDATES - len(uses)
    unused = sorted(exported - uses.keys(), key=lambda def_id: (by_id[def_id >> 20].path, def_id)) if left > 0 else []
    uses |= dict.fromkeys(unused[: max(0, left)], UsageCount(0, 0))
    likely = sorted(uses, key=lambda def_id: (-uses[def_id].weight, by_id[def_id >> 20].path, def_id))[:MAX_CANDIDATES]
    ranked: list[tuple[int, str, int, PublicName]] = []
    seen: set[tuple[str, object]] = set()
    for each in _plain(snapshot, likely):
        path, use = by_id[each.def_id >> 20].path, uses[each.def_id]
        # A file may define one name once for each of its forms, and a header declares what a source defines.
        alike = {(each.name, path), (each.name, use if use.files else path)}
        if seen.isdisjoint(alike):
            seen |= alike
            weight = use.weight * (1 if each.kind in _VALUES else _VALUE_SHARE)
            reference = symbol_ref(path, each.lexical_path, each.start_line)
            ranked.append((-weight, path, each.start_line, PublicName(reference, each.kind, use.files)))
    return [public for *_, public in sorted(ranked)], len(exported)


def _plain(snapshot: Snapshot, def_ids: Sequence[int]) -> list[ExportBrief]:
    return [
        each
        for each in list_export_briefs(snapshot, def_ids)
        if len(each.name) >= _SHORTEST and not each.name.startswith("_") and each.kind != "module"
    ]


def _count_naming(snapshot: Snapshot, def_ids: Sequence[int]) -> dict[int, UsageCount]:
    """In how many files the name of each occurs beside its own, divided among those that export the name."""
    found = _plain(snapshot, def_ids) if def_ids else []
    shares = Counter(each.name for each in found)
    mentions = count_files_naming(snapshot, shares) if shares else {}
    counts = {each.def_id: max(0, mentions.get(each.name, 0) - 1) // shares[each.name] for each in found}
    return {def_id: UsageCount(count, count) for def_id, count in counts.items() if count}
