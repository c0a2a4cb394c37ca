"""Rows of what references stand for: put and removed a file at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import apsw

from codeplane.facts.links import Links, pack_links, unpack_links

CREATE_LOADED_REFERENCES = (
    "CREATE TEMP TABLE loaded_references (target INTEGER NOT NULL, file_id INTEGER NOT NULL, places BLOB NOT NULL)"
)
SORT_REFERENCES = """
INSERT INTO def_references SELECT target, file_id, places FROM loaded_references ORDER BY target, file_id;
DROP TABLE loaded_references;
"""
"""In a bulk load uses come file by file; they go to their table in its own order, at the end."""


class FileLinks(NamedTuple):
    """Of one file, ready to be written."""

    packed: bytes
    """All of its `Links`."""
    uses: Mapping[int, bytes]
    """Packed places by definition."""
    anchored: Mapping[str, bytes]
    """Packed places of unresolved members by their name."""
    bases: Sequence[Sequence[int]]
    imports: Sequence[int]
    seen: Sequence[int]


def make_links(links: Links, uses: Mapping[int, bytes], anchored: Mapping[str, bytes]) -> FileLinks:
    return FileLinks(pack_links(links), uses, anchored, links.bases, links.imports, links.seen)


def put_links(connection: apsw.Connection, file_id: int, found: FileLinks, *, bulk: bool) -> None:
    """Replace what the references of a file stand for."""
    if not bulk:
        delete_links(connection, file_id)
        connection.execute("DELETE FROM unresolved_files WHERE file_id = ?", (file_id,))
    uses = "INSERT INTO loaded_references VALUES (?, ?, ?)" if bulk else "INSERT INTO def_references VALUES (?, ?, ?)"
    connection.executemany(uses, [(target, file_id, places) for target, places in found.uses.items()])
    connection.executemany(
        "INSERT INTO unresolved_members VALUES (?, ?, ?)",
        [(token, file_id, places) for token, places in found.anchored.items()],
    )
    connection.executemany("INSERT INTO bases VALUES (?, ?, ?)", [(*pair, file_id) for pair in found.bases])
    connection.executemany("INSERT INTO file_imports VALUES (?, ?)", [(target, file_id) for target in found.imports])
    connection.executemany("INSERT INTO link_dependencies VALUES (?, ?)", [(key, file_id) for key in found.seen])
    connection.execute("INSERT INTO file_links VALUES (?, ?)", (file_id, found.packed))


def delete_links(connection: apsw.Connection, file_id: int) -> None:
    data = connection.execute("SELECT links FROM file_links WHERE file_id = ?", (file_id,)).get
    if data is None:
        return
    held = unpack_links(data)
    # Calls may go to definitions that no reference names.
    _delete(connection, "def_references", "target", held.targets, file_id)
    _delete(connection, "unresolved_members", "token", held.tokens, file_id)
    _delete(connection, "link_dependencies", "key", held.seen, file_id)
    _delete(connection, "bases", "derived", {derived for derived, _ in held.bases}, file_id)
    _delete(connection, "file_imports", "target", held.imports, file_id)
    connection.execute("DELETE FROM file_links WHERE file_id = ?", (file_id,))


def _delete(connection: apsw.Connection, table: str, column: str, keys: Iterable[int | str], file_id: int) -> None:
    connection.executemany(f"DELETE FROM {table} WHERE {column} = ? AND file_id = ?", [(key, file_id) for key in keys])
