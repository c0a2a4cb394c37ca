"""Centrality of files: how much of the repository uses their definitions, by resolved references.

A using file counts for the number of definitions that it uses, up to a limit; source files count more than tests, which
use everything. Several users in one directory add sublinearly: fifty translations need the same three functions. Many
used definitions weigh more than one helper that everyone uses. All arithmetic is on integers, so the order is
reproducible. Without cross-file name resolution, only definitions count.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import isqrt
from typing import NamedTuple

from codeplane.base.paths import parent
from codeplane.languages.role_paths import Role
from codeplane.query.overview import FileOverview, list_imports_elsewhere, list_uses_elsewhere
from codeplane.query.snapshot import Snapshot
from codeplane.store.database import Row

_MAX_NAMES = 10
_SOURCE_WEIGHT = 8
_OTHER_WEIGHT = 1
_SCALE = 100
"""Scale that keeps one decimal digit in square roots."""
_MIN_FRACTION = 50
"""Key files must weigh at least this fraction of the first."""


class UsageCount(NamedTuple):
    """Use of one definition outside of its file."""

    files: int
    weight: int


@dataclass(frozen=True)
class Centrality:
    users: Mapping[int, int] = field(default_factory=dict)
    """Number of files that use each file."""
    weights: Mapping[int, int] = field(default_factory=dict)
    """Centrality by file id; files without known users are omitted."""
    pairs: Sequence[Row] = ()
    """(definition, using file), without the defining file."""


def find_centrality(snapshot: Snapshot, files: Sequence[FileOverview], roles: Mapping[int, str]) -> Centrality:
    pairs = list_uses_elsewhere(snapshot)
    names: dict[tuple[int, int], int] = {}
    for def_id, user in pairs:
        edge = (def_id >> 20, user)
        names[edge] = names.get(edge, 0) + 1
    for used, user in list_imports_elsewhere(snapshot):
        names[used, user] = names.get((used, user), 0) + 1
    folders, user_weights = _number_folders(files), _user_weights(roles)
    users: dict[int, int] = {}
    shares: dict[tuple[int, int], int] = {}
    for (used, user), number in names.items():
        users[used] = users.get(used, 0) + 1
        share = (used, folders[user])
        shares[share] = shares.get(share, 0) + user_weights[user] * min(number, _MAX_NAMES)
    totals = _sum_roots(shares)
    weights = {
        file.file_id: totals[file.file_id] * isqrt(_SCALE * file.definitions)
        for file in files
        if file.definitions and file.file_id in totals
    }
    return Centrality(users, weights, pairs)


def weigh_uses(
    centrality: Centrality, definitions: Collection[int], files: Sequence[FileOverview], roles: Mapping[int, str]
) -> dict[int, UsageCount]:
    """Return the use of each definition; those used only in their own file are omitted."""
    folders, user_weights = _number_folders(files), _user_weights(roles)
    counts: dict[int, int] = {}
    shares: dict[tuple[int, int], int] = {}
    for def_id, user in centrality.pairs:
        if def_id in definitions:
            counts[def_id] = counts.get(def_id, 0) + 1
            share = (def_id, folders[user])
            shares[share] = shares.get(share, 0) + user_weights[user]
    return {def_id: UsageCount(counts[def_id], weight) for def_id, weight in _sum_roots(shares).items()}


def key_files(files: Sequence[FileOverview], roles: Mapping[int, str], centrality: Centrality) -> list[tuple[str, int]]:
    """Return the most central source files, each with the number of files that use it."""
    weights = centrality.weights
    sources = [file for file in files if roles[file.file_id] == Role.SOURCE and file.file_id in weights]
    least = max((weights[file.file_id] for file in sources), default=0) // _MIN_FRACTION
    ranked = sorted(
        (file for file in sources if weights[file.file_id] > least),
        key=lambda file: (-weights[file.file_id], file.path),
    )
    return [(file.path, centrality.users[file.file_id]) for file in ranked]


def _number_folders(files: Sequence[FileOverview]) -> dict[int, int]:
    numbers: dict[str, int] = {}
    return {file.file_id: numbers.setdefault(parent(file.path), len(numbers)) for file in files}


def _user_weights(roles: Mapping[int, str]) -> dict[int, int]:
    return {file_id: _SOURCE_WEIGHT if role == Role.SOURCE else _OTHER_WEIGHT for file_id, role in roles.items()}


def _sum_roots(shares: Mapping[tuple[int, int], int]) -> dict[int, int]:
    """Sum the square roots of the shares per directory."""
    found: dict[int, int] = {}
    for (thing, _), share in shares.items():
        found[thing] = found.get(thing, 0) + isqrt(_SCALE * share)
    return found
