"""Tables of one text per path: manifests, attribute files and build configurations."""

from __future__ import annotations

from collections.abc import Mapping

from codeplane.base.paths import RepoPath
from codeplane.store.codec import path_from_text, path_to_text, storable
from codeplane.store.schema import column_names, insert_sql
from codeplane.store.session import WriteSession


class PathTable:
    def __init__(self, session: WriteSession, table: str) -> None:
        self._session = session
        self._table = table
        _, self._column = column_names(table)

    def read(self) -> list[tuple[RepoPath, str]]:
        """Return all rows by path."""
        found = self._session.rows(f"SELECT path, {self._column} FROM {self._table} ORDER BY path")
        return [(path_from_text(path), text) for path, text in found]

    def get(self, path: RepoPath) -> str | None:
        sql = f"SELECT {self._column} FROM {self._table} WHERE path = ?"
        found = self._session.rows(sql, (path_to_text(path),))
        return found[0][0] if found else None

    def write(self, changed: Mapping[RepoPath, str | None]) -> None:
        """Replace the texts of these paths; None removes one."""
        removed = [(path_to_text(path),) for path, text in changed.items() if text is None]
        values = [(path_to_text(path), storable(text)) for path, text in changed.items() if text is not None]
        with self._session:
            self._session.connection.executemany(f"DELETE FROM {self._table} WHERE path = ?", removed)
            self._session.connection.executemany(insert_sql(self._table, replace=True), values)
