"""Database of extracted facts by digest of the text, shared by all repositories of this user.

It is in the user's state directory and holds only what is in the texts, no path and no repository. Pages carry
checksums. Any failure, such as a full disk or a damaged file, only means that texts are parsed again. The database is
bounded, and may be deleted at any time.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import apsw

from codeplane.base.errors import CodePlaneError
from codeplane.store.database import create_database, finish_bulk, open_shared
from codeplane.store.errors import sqlite_errors

NAME = "extractions.db"

_TABLES = """
CREATE TABLE extractions (key BLOB PRIMARY KEY, used INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
CREATE INDEX extractions_used ON extractions (used);
CREATE TABLE rounds (number INTEGER PRIMARY KEY) STRICT;
"""
_FLUSH_BYTES = 8 * 1024 * 1024
_EVICT_TO = 0.8
_BUSY_MS = 200


class ExtractionStore:
    """Belongs to one thread; several processes may use it. No method raises."""

    def __init__(self, user_state: Path, max_bytes: int) -> None:
        self._path = user_state / NAME
        self._max_bytes = max_bytes
        self._connection: apsw.Connection | None = None
        self._round = 0
        self._new: dict[bytes, bytes] = {}
        self._new_bytes = 0
        self._used: set[bytes] = set()
        self._closed = max_bytes <= 0

    def get(self, key: bytes) -> bytes | None:
        if key in self._new:
            return self._new[key]
        connection = self._open(create=False)
        if connection is None:
            return None
        try:
            found = connection.execute("SELECT data FROM extractions WHERE key = ?", (key,)).get
        except apsw.Error:
            self._disable()
            return None
        if found is not None:
            self._used.add(key)
        return found if isinstance(found, bytes) else None

    def put(self, key: bytes, data: bytes) -> None:
        if self._closed:
            return
        self._new[key] = data
        self._new_bytes += len(data)
        if self._new_bytes > _FLUSH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write new entries, mark used ones, and evict."""
        new, used = self._new, self._used
        self._new, self._used, self._new_bytes = {}, set(), 0
        if not new and not used:
            return
        connection = self._open(create=True)
        if connection is None:
            return
        try:
            with connection:
                values = [(key, self._round, data) for key, data in new.items()]
                connection.executemany("INSERT OR REPLACE INTO extractions (key, used, data) VALUES (?, ?, ?)", values)
                marks = [(self._round, key) for key in sorted(used)]
                connection.executemany("UPDATE extractions SET used = ?1 WHERE key = ?2 AND used < ?1", marks)
            self._evict(connection)
        except apsw.BusyError:
            return
        except apsw.Error:
            self._disable()

    def release(self) -> None:
        """Close the database until the next use."""
        self.flush()
        self._close()

    def close(self) -> None:
        self.flush()
        self._close()
        self._closed = True

    def _open(self, *, create: bool) -> apsw.Connection | None:
        if self._connection is not None or self._closed:
            return self._connection
        if not create and not self._path.exists():
            return None
        try:
            self._connection = _connect(self._path)
            with self._connection:
                self._connection.execute("INSERT INTO rounds (number) VALUES (NULL)")
                self._round = self._connection.last_insert_rowid()
                self._connection.execute("DELETE FROM rounds WHERE number < ?", (self._round,))
        except apsw.BusyError:
            self._close()
        except (apsw.Error, CodePlaneError, OSError):
            self._disable()
        return self._connection

    def _evict(self, connection: apsw.Connection) -> None:
        """Delete the least recently used entries. The file keeps its size; free pages are reused."""
        size = connection.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").get
        free = connection.execute("SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size").get
        excess = size - free - self._max_bytes
        if excess <= 0:
            return
        excess += int(self._max_bytes * (1 - _EVICT_TO))
        with connection:
            evicted: list[Sequence[bytes]] = []
            for key, length in connection.execute("SELECT key, length(data) FROM extractions ORDER BY used, key"):
                if excess <= 0:
                    break
                evicted.append((key,))
                excess -= length
            connection.executemany("DELETE FROM extractions WHERE key = ?", evicted)

    def _disable(self) -> None:
        """Remove a damaged or unwritable database, and cache nothing until the next start."""
        self._close()
        self._closed = True
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):
                os.unlink(f"{self._path}{suffix}")

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(apsw.Error):
                connection.close()


def _connect(path: Path) -> apsw.Connection:
    if not path.exists():
        os.makedirs(path.parent, mode=0o700, exist_ok=True)
        fresh = path.with_name(f".tmp-{NAME}-{os.getpid()}")
        with suppress(FileNotFoundError):
            fresh.unlink()
        connection = create_database(fresh)
        with sqlite_errors():
            connection.execute(_TABLES)
        finish_bulk(connection)
        connection.close()
        # If several processes create one, the first wins.
        with suppress(FileExistsError):
            os.link(fresh, path)
        fresh.unlink()
    return open_shared(path, _BUSY_MS)
