"""Rows of what references stand for: put and removed a file at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import apsw

from codeplane.facts.links import Links, pack_links, unpack_links

LOADED_USES = "CREATE TEMP TABLE loaded_uses (target INTEGER NOT NULL, file_id INTEGER NOT NULL, places BLOB NOT NULL)"
SORT_USES = """
INSERT INTO uses SELECT target, file_id, places FROM loaded_uses ORDER BY target, file_id;
DROP TABLE loaded_uses;
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
        connection.execute("DELETE FROM unresolved WHERE file_id = ?", (file_id,))
    uses = "INSERT INTO loaded_uses VALUES (?, ?, ?)" if bulk else "INSERT INTO uses VALUES (?, ?, ?)"
    connection.executemany(uses, [(target, file_id, places) for target, places in found.uses.items()])
    connection.executemany(
        "INSERT INTO anchored VALUES (?, ?, ?)", [(token, file_id, places) for token, places in found.anchored.items()]
    )
    connection.executemany("INSERT INTO bases VALUES (?, ?, ?)", [(*pair, file_id) for pair in found.bases])
    connection.executemany("INSERT INTO imported VALUES (?, ?)", [(target, file_id) for target in found.imports])
    connection.executemany("INSERT INTO seen VALUES (?, ?)", [(key, file_id) for key in found.seen])
    connection.execute("INSERT INTO links VALUES (?, ?)", (file_id, found.packed))


def delete_links(connection: apsw.Connection, file_id: int) -> None:
    data = connection.execute("SELECT links FROM links WHERE file_id = ?", (file_id,)).get
    if data is None:
        return
    held = unpack_links(data)
    # Calls may go to definitions that no reference names.
    _delete(connection, "uses", "target", held.targets, file_id)
    _delete(connection, "anchored", "token", held.tokens, file_id)
    _delete(connection, "seen", "key", held.seen, file_id)
    _delete(connection, "bases", "derived", {derived for derived, _ in held.bases}, file_id)
    _delete(connection, "imported", "target", held.imports, file_id)
    connection.execute("DELETE FROM links WHERE file_id = ?", (file_id,))


def _delete(connection: apsw.Connection, table: str, column: str, keys: Iterable[int | str], file_id: int) -> None:
    connection.executemany(f"DELETE FROM {table} WHERE {column} = ? AND file_id = ?", [(key, file_id) for key in keys])
