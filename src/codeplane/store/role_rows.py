"""Roles of files, and what attribute files state of them: as rows.

The writer brings the transaction and the errors; here is the SQL.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import apsw

from codeplane.base.paths import RepoPath, subtree_range
from codeplane.languages.role_paths import RoleDecision
from codeplane.store.codec import path_from_text, path_to_text, storable


class JudgedFile(NamedTuple):
    """A file with its role, and all that the role follows from besides its path and the attributes."""

    path: RepoPath
    role: str
    evidence: str
    header: str | None
    lexical: int
    """Whether the text index has a document of it, which knows on which side of the scopes the role lies."""


def judged_files(connection: apsw.Connection, directory: RepoPath) -> list[JudgedFile]:
    sql, parameters = "SELECT path, role, evidence, header, lexical FROM files", tuple[str, ...]()
    if directory:
        sql += " WHERE path > ? AND path < ?"
        parameters = subtree_range(path_to_text(directory))
    found = connection.execute(f"{sql} ORDER BY path", parameters)
    return [JudgedFile(path_from_text(path), *rest) for path, *rest in found]


def write_roles(connection: apsw.Connection, judged: Mapping[RepoPath, RoleDecision]) -> None:
    values = [(each.role.value, storable(each.evidence), path_to_text(path)) for path, each in judged.items()]
    connection.executemany("UPDATE files SET role = ?, evidence = ? WHERE path = ?", values)


def read_attributes(connection: apsw.Connection) -> list[tuple[RepoPath, str]]:
    found = connection.execute("SELECT path, statements FROM attributes ORDER BY path")
    return [(path_from_text(path), statements) for path, statements in found]


def write_attributes(connection: apsw.Connection, changed: Mapping[RepoPath, str | None]) -> None:
    gone = [(path_to_text(path),) for path, statements in changed.items() if statements is None]
    connection.executemany("DELETE FROM attributes WHERE path = ?", gone)
    values = [(path_to_text(path), statements) for path, statements in changed.items() if statements is not None]
    connection.executemany("INSERT OR REPLACE INTO attributes VALUES (?, ?)", values)
