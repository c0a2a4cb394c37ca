"""Rows of resolved references, replaced and removed one file at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import apsw

from codeplane.facts.links import Links, pack_links, unpack_links
from codeplane.store.schema import insert_sql
from codeplane.store.session import WriteSession

CREATE_LOADED_REFERENCES = (
    "CREATE TEMP TABLE loaded_references (target INTEGER NOT NULL, file_id INTEGER NOT NULL, places BLOB NOT NULL)"
)
SORT_REFERENCES = """
INSERT INTO def_references SELECT target, file_id, places FROM loaded_references ORDER BY target, file_id;
DROP TABLE loaded_references;
"""
"""A bulk load writes references file by file; sorting them once at the end is cheaper than keeping them sorted."""


class FileLinks(NamedTuple):
    """Links of one file, ready to be written."""

    packed: bytes
    """All of its `Links`."""
    uses: Mapping[int, bytes]
    """Packed places by definition."""
    anchored: Mapping[str, bytes]
    """Packed places of unresolved members by name."""
    bases: Sequence[Sequence[int]]
    imports: Sequence[int]
    seen: Sequence[int]
    """Keys of what the links depend on."""


def make_links(links: Links, uses: Mapping[int, bytes], anchored: Mapping[str, bytes]) -> FileLinks:
    return FileLinks(pack_links(links), uses, anchored, links.bases, links.imports, links.seen)


class LinkTable:
    def __init__(self, session: WriteSession) -> None:
        self._session = session

    def put(self, file_id: int, links: FileLinks) -> None:
        """Replace the links of a file."""
        with self._session:
            _put_links(self._session.connection, file_id, links, bulk=self._session.bulk)

    def mark_unresolved(self, file_ids: Iterable[int] | None) -> int:
        """Mark these files, or with None all files, whose references must be resolved before they are read.

        Return how many of them have references and were not marked before.
        """
        sql = "INSERT OR IGNORE INTO unresolved_files (file_id) SELECT file_id FROM blocks"
        connection = self._session.connection
        with self._session:
            before = connection.total_changes()
            if file_ids is None:
                connection.execute(sql)
            else:
                connection.executemany(f"{sql} WHERE file_id = ?", [(file_id,) for file_id in sorted(file_ids)])
            return connection.total_changes() - before

    def list_unresolved(self) -> list[int]:
        """Return the marked files by path."""
        sql = "SELECT file_id FROM unresolved_files JOIN files USING (file_id) ORDER BY path"
        return [file_id for (file_id,) in self._session.rows(sql)]


def _put_links(connection: apsw.Connection, file_id: int, links: FileLinks, *, bulk: bool) -> None:
    if not bulk:
        delete_links(connection, file_id)
        connection.execute("DELETE FROM unresolved_files WHERE file_id = ?", (file_id,))
    references = insert_sql("def_references", into="loaded_references" if bulk else None)
    for sql, values in (
        (references, [(target, file_id, places) for target, places in links.uses.items()]),
        (insert_sql("unresolved_members"), [(name, file_id, places) for name, places in links.anchored.items()]),
        (insert_sql("bases"), [(*pair, file_id) for pair in links.bases]),
        (insert_sql("file_imports"), [(target, file_id) for target in links.imports]),
        (insert_sql("link_dependencies"), [(key, file_id) for key in links.seen]),
        (insert_sql("file_links"), [(file_id, links.packed)]),
    ):
        connection.executemany(sql, values)


def delete_links(connection: apsw.Connection, file_id: int) -> None:
    data = connection.execute("SELECT links FROM file_links WHERE file_id = ?", (file_id,)).get
    if data is None:
        return
    links = unpack_links(data)
    # Not only targets of references: calls may go to definitions that no reference names.
    _delete(connection, "def_references", "target", links.targets, file_id)
    _delete(connection, "unresolved_members", "token", links.tokens, file_id)
    _delete(connection, "link_dependencies", "key", links.seen, file_id)
    _delete(connection, "bases", "derived", {derived for derived, _ in links.bases}, file_id)
    _delete(connection, "file_imports", "target", links.imports, file_id)
    connection.execute("DELETE FROM file_links WHERE file_id = ?", (file_id,))


def _delete(connection: apsw.Connection, table: str, column: str, keys: Iterable[int | str], file_id: int) -> None:
    connection.executemany(f"DELETE FROM {table} WHERE {column} = ? AND file_id = ?", [(key, file_id) for key in keys])
