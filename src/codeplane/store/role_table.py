"""Roles of files, and what they follow from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from codeplane.base.paths import RepoPath, subtree_range
from codeplane.languages.role_paths import RoleDecision
from codeplane.store.codec import path_from_text, path_to_text, storable
from codeplane.store.session import WriteSession


class FileRole(NamedTuple):
    """A file with its role and all that the role follows from, except its path and the attribute files."""

    path: RepoPath
    role: str
    evidence: str
    header: str | None
    lexical: int
    """1 if the text index has a document of the file, which records whether the role is a runtime role."""


class RoleTable:
    def __init__(self, session: WriteSession) -> None:
        self._session = session

    def list_files(self, directory: RepoPath) -> list[FileRole]:
        """Return the files under a directory by path."""
        sql, parameters = "SELECT path, role, evidence, header, lexical FROM files", tuple[str, ...]()
        if directory:
            sql += " WHERE path > ? AND path < ?"
            parameters = subtree_range(path_to_text(directory))
        found = self._session.rows(f"{sql} ORDER BY path", parameters)
        return [FileRole(path_from_text(path), *rest) for path, *rest in found]

    def write(self, roles: Mapping[RepoPath, RoleDecision]) -> None:
        """Change the roles of files whose documents stay as they are."""
        values = [(each.role.value, storable(each.evidence), path_to_text(path)) for path, each in roles.items()]
        with self._session:
            self._session.connection.executemany("UPDATE files SET role = ?, evidence = ? WHERE path = ?", values)
            self._session.derived_changed = self._session.derived_changed or bool(roles)
