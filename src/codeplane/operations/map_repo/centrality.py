"""Which files the rest of a repository rests on: by who uses what they define, as the index has resolved it.

A user counts for as many definitions as it uses, up to a bound; sources count more than tests, which use everything.
The more users lie in one folder, the less each adds: fifty translations need the same three functions. Many definitions
make a file weightier than one helper that all use. Whole numbers throughout: the same index has the same order
everywhere. Where names are not resolved beyond their file nothing is known, and definitions alone count.
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
_OF_SOURCES = 8
_OF_OTHERS = 1
_SCALE = 100
"""So that roots keep a digit behind the point."""
_LEAST_SHARE = 50
"""A file is no key file that bears so many times less than the first."""


class UsageCount(NamedTuple):
    """How widely one definition is used outside of its file."""

    files: int
    weight: int


@dataclass(frozen=True)
class Centrality:
    users: Mapping[int, int] = field(default_factory=dict)
    """How many files use something of each file."""
    weights: Mapping[int, int] = field(default_factory=dict)
    """How much rests on each file; those on which nothing is known to rest are left out."""
    pairs: Sequence[Row] = ()
    """(definition, file that uses it), its own file aside."""


def find_centrality(snapshot: Snapshot, files: Sequence[FileOverview], roles: Mapping[int, str]) -> Centrality:
    pairs = list_uses_elsewhere(snapshot)
    names: dict[tuple[int, int], int] = {}
    for def_id, user in pairs:
        edge = (def_id >> 20, user)
        names[edge] = names.get(edge, 0) + 1
    for used, user in list_imports_elsewhere(snapshot):
        names[used, user] = names.get((used, user), 0) + 1
    folders, worth = _number_folders(files), _find_worth(roles)
    users: dict[int, int] = {}
    shares: dict[tuple[int, int], int] = {}
    for (used, user), number in names.items():
        users[used] = users.get(used, 0) + 1
        share = (used, folders[user])
        shares[share] = shares.get(share, 0) + worth[user] * min(number, _MAX_NAMES)
    rests = _add_up(shares)
    weights = {
        file.file_id: rests[file.file_id] * isqrt(_SCALE * file.definitions)
        for file in files
        if file.definitions and file.file_id in rests
    }
    return Centrality(users, weights, pairs)


def weigh_uses(
    centrality: Centrality, wanted: Collection[int], files: Sequence[FileOverview], roles: Mapping[int, str]
) -> dict[int, UsageCount]:
    """How widely each of these definitions is used; those that only their own file uses are left out."""
    folders, worth = _number_folders(files), _find_worth(roles)
    counts: dict[int, int] = {}
    shares: dict[tuple[int, int], int] = {}
    for def_id, user in centrality.pairs:
        if def_id in wanted:
            counts[def_id] = counts.get(def_id, 0) + 1
            share = (def_id, folders[user])
            shares[share] = shares.get(share, 0) + worth[user]
    return {def_id: UsageCount(counts[def_id], weight) for def_id, weight in _add_up(shares).items()}


def key_files(files: Sequence[FileOverview], roles: Mapping[int, str], centrality: Centrality) -> list[tuple[str, int]]:
    """Sources on which the most rests, each with how many files use it."""
    weights = centrality.weights
    sources = [file for file in files if roles[file.file_id] == Role.SOURCE and file.file_id in weights]
    least = max((weights[file.file_id] for file in sources), default=0) // _LEAST_SHARE
    ranked = sorted(
        (file for file in sources if weights[file.file_id] > least),
        key=lambda file: (-weights[file.file_id], file.path),
    )
    return [(file.path, centrality.users[file.file_id]) for file in ranked]


def _number_folders(files: Sequence[FileOverview]) -> dict[int, int]:
    numbers: dict[str, int] = {}
    return {file.file_id: numbers.setdefault(parent(file.path), len(numbers)) for file in files}


def _find_worth(roles: Mapping[int, str]) -> dict[int, int]:
    return {file_id: _OF_SOURCES if role == Role.SOURCE else _OF_OTHERS for file_id, role in roles.items()}


def _add_up(shares: Mapping[tuple[int, int], int]) -> dict[int, int]:
    """Of (thing, folder) and what the users in that folder count for."""
    found: dict[int, int] = {}
    for (thing, _), share in shares.items():
        found[thing] = found.get(thing, 0) + isqrt(_SCALE * share)
    return found
