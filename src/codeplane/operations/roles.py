"""File roles: counts, and the evidence for the role of one file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from codeplane.base.paths import normalize
from codeplane.languages.role_paths import Role
from codeplane.operations.missing_paths import nothing_indexed
from codeplane.query.files import FileInfo, count_roles, get_file
from codeplane.query.snapshot import Snapshot
from codeplane.workspace.freshness import Freshness, FreshResult

Reads = Callable[[Callable[[Snapshot], Any]], FreshResult[Any]]
"""Runs a function against one fresh snapshot of the index."""


@dataclass(frozen=True)
class RolesAnswer:
    file: FileInfo | None
    """The requested file."""
    counts: Mapping[str, int]
    """File counts by role, without empty roles."""
    epoch: int
    freshness: Freshness


def find_roles(reads: Reads, path: str | None) -> RolesAnswer:
    """Return the role of a file; without a path, or for a directory, file counts by role."""
    inside = normalize(path) if path else ""

    def ask(snapshot: Snapshot) -> tuple[FileInfo | None, dict[str, int]]:
        file = get_file(snapshot, inside) if inside else None
        if file is not None:
            return file, {}
        counts = count_roles(snapshot, inside)
        if inside and not counts:
            raise nothing_indexed(inside)
        return None, {role.value: counts[role] for role in Role if role in counts}

    read = reads(ask)
    file, counts = read.value
    return RolesAnswer(file, counts, read.epoch, read.freshness)
