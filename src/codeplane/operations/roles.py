"""File roles: counts, and the evidence for the role of one file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from codeplane.base.paths import normalize
from codeplane.languages.role_paths import Role
from codeplane.operations.missing_paths import nothing_indexed
from codeplane.operations.refs import Reads
from codeplane.query.files import FileInfo, count_roles, get_file
from codeplane.query.snapshot import Snapshot
from codeplane.workspace.freshness import FreshResult


@dataclass(frozen=True)
class RolesAnswer:
    file: FileInfo | None
    """The requested file."""
    counts: Mapping[str, int]
    """File counts by role, without empty roles."""


def find_roles(reads: Reads, path: str | None) -> FreshResult[RolesAnswer]:
    """Return the role of a file; without a path, or for a directory, file counts by role."""
    inside = normalize(path) if path else ""

    def ask(snapshot: Snapshot) -> RolesAnswer:
        file = get_file(snapshot, inside) if inside else None
        if file is not None:
            return RolesAnswer(file, {})
        counts = count_roles(snapshot, inside)
        if inside and not counts:
            raise nothing_indexed(inside)
        return RolesAnswer(None, {role.value: counts[role] for role in Role if role in counts})

    return reads(ask)
