"""What the sources export, ordered by how much of the repository uses it.

A file counts as a user of a name when the name occurs in it and it imports from the folder
that exports it: occurrences alone would put `Type` and `join` first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from codeplane.base.paths import parent
from codeplane.base.symbols import symbol_ref
from codeplane.languages.role_paths import Role
from codeplane.operations.map_repo.links import count_users, find_importers
from codeplane.query.overview import (
    ExportBrief,
    FileBrief,
    ImportBrief,
    count_files_naming,
    count_members,
    list_export_briefs,
    list_namings,
)
from codeplane.query.snapshot import Snapshot


class PublicName(NamedTuple):
    symbol_ref: str
    kind: str
    file_count: int
    """Files that use it."""

    def as_dict(self) -> dict[str, object]:
        return {"symbol_ref": self.symbol_ref, "kind": self.kind, "file_count": self.file_count}


MAX_CANDIDATES = 200
"""Names that occur in the most files; only of these the users are counted."""

_SHORTEST = 3
_MEMBER_SHARE = 0.2
"""Occurrences of a name that members have too may mean these."""
_VALUES = frozenset({"variable", "constant"})
_VALUE_SHARE = 0.5
"""Functions and types tell more than values do."""


def find_public_api(
    snapshot: Snapshot,
    files: Sequence[FileBrief],
    roles: Mapping[int, str],
    imports: Sequence[ImportBrief],
    repo_name: str,
) -> tuple[list[PublicName], int]:
    """Exported definitions of source files, the most widely used first, and how many there are in all."""
    by_id = {file.file_id: file for file in files}
    exporters = _find_exporters(snapshot, roles)
    mentions = count_files_naming(snapshot, exporters)
    likely = sorted(exporters, key=lambda name: (-mentions.get(name, 0) / len(exporters[name]), name))[:MAX_CANDIDATES]
    namings = list_namings(snapshot, likely)
    importers = find_importers(files, imports, repo_name)
    homes = {file.file_id: parent(file.path) for file in files}
    members = count_members(snapshot, likely)
    by_name = _find_importers_of_names(imports, set(likely))
    ranked: list[tuple[float, str, int, PublicName]] = []
    for name in likely:
        for each in exporters[name]:
            path = by_id[each.file_id].path
            # What only one file exports is meant by whoever imports that name, through whatever re-exports.
            known = by_name.get(name, set()) if len(exporters[name]) == 1 else set()
            users = count_users(importers, homes[each.file_id], namings.get(name, ()), homes, known)
            reference = symbol_ref(path, each.lexical_path, each.start_line)
            share = _VALUE_SHARE if each.kind in _VALUES else 1.0
            weight = share * users / (len(exporters[name]) + members.get(name, 0) * _MEMBER_SHARE)
            ranked.append((-weight, path, each.start_line, PublicName(reference, each.kind, users)))
    total = sum(map(len, exporters.values()))
    return [public for *_, public in sorted(ranked)], total


def _find_importers_of_names(imports: Sequence[ImportBrief], names: set[str]) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for each in imports:
        if each.name in names:
            found.setdefault(each.name, set()).add(each.file_id)
    return found


def _find_exporters(snapshot: Snapshot, roles: Mapping[int, str]) -> dict[str, list[ExportBrief]]:
    found: dict[str, list[ExportBrief]] = {}
    for each in list_export_briefs(snapshot):
        plain = len(each.name) >= _SHORTEST and not each.name.startswith("_") and each.kind != "module"
        if plain and roles[each.file_id] == Role.SOURCE:
            known = found.setdefault(each.name, [])
            # A file may export one name twice: as itself and as its default, or once for each of its forms.
            if not known or known[-1].file_id != each.file_id:
                known.append(each)
    return found
