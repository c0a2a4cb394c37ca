"""Exported definitions of source files, by how widely they are used.

Uses are known in languages with cross-file name resolution. In other languages, the number of files with the name is
used instead, divided among all definitions that export the name.
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

    def as_dict(self) -> dict[str, object]:
        fields: dict[str, object] = {"symbol_ref": self.symbol_ref, "kind": self.kind}
        return fields | ({"file_count": self.file_count} if self.file_count else {})


MAX_CANDIDATES = 200
"""Maximum definitions that are examined beyond their use counts."""

_SHORTEST = 3
_VALUES = frozenset({"variable", "constant"})
_VALUE_SHARE = 2
"""Functions and types weigh more than values."""


def find_public_api(
    snapshot: Snapshot,
    files: Sequence[FileOverview],
    users: Sequence[FileOverview],
    roles: Mapping[int, str],
    centrality: Centrality,
) -> tuple[list[PublicName], int]:
    """Return exported definitions of source files among `files`, the most used first, and their total.

    `users` are all files of the repository.
    """
    by_id = {file.file_id: file for file in files}
    sources = {file_id for file_id in by_id if roles[file_id] == Role.SOURCE}
    exported = {def_id for def_id in list_exported(snapshot) if def_id >> 20 in sources}
    uses = weigh_uses(centrality, exported, users, roles)
    resolved = resolved_languages()
    uses |= _count_naming(snapshot, [def_id for def_id in exported if by_id[def_id >> 20].language not in resolved])
    # Unused exports may still be the public API; they come last.
    left = MAX_CANDIDATES - len(uses)
    unused = sorted(exported - uses.keys(), key=lambda def_id: (by_id[def_id >> 20].path, def_id)) if left > 0 else []
    uses |= dict.fromkeys(unused[: max(0, left)], UsageCount(0, 0))
    likely = sorted(uses, key=lambda def_id: (-uses[def_id].weight, by_id[def_id >> 20].path, def_id))[:MAX_CANDIDATES]
    ranked: list[tuple[int, str, int, PublicName]] = []
    seen: set[tuple[str, object]] = set()
    for each in _list_named(snapshot, likely):
        path, use = by_id[each.def_id >> 20].path, uses[each.def_id]
        # A file may define a name once per overload, and a header declares what a source file defines.
        alike = {(each.name, path), (each.name, use if use.files else path)}
        if seen.isdisjoint(alike):
            seen |= alike
            weight = use.weight * (1 if each.kind in _VALUES else _VALUE_SHARE)
            reference = symbol_ref(path, each.lexical_path, each.start_line)
            ranked.append((-weight, path, each.start_line, PublicName(reference, each.kind, use.files)))
    return [public for *_, public in sorted(ranked)], len(exported)


def _list_named(snapshot: Snapshot, def_ids: Sequence[int]) -> list[ExportBrief]:
    return [
        each
        for each in list_export_briefs(snapshot, def_ids)
        if len(each.name) >= _SHORTEST and not each.name.startswith("_") and each.kind != "module"
    ]


def _count_naming(snapshot: Snapshot, def_ids: Sequence[int]) -> dict[int, UsageCount]:
    """Count the other files that contain each name, divided among the definitions that export it."""
    found = _list_named(snapshot, def_ids) if def_ids else []
    shares = Counter(each.name for each in found)
    mentions = count_files_naming(snapshot, shares) if shares else {}
    counts = {each.def_id: max(0, mentions.get(each.name, 0) - 1) // shares[each.name] for each in found}
    return {def_id: UsageCount(count, count) for def_id, count in counts.items() if count}
