"""Connections to an index database: checksummed pages, one writer, read-only readers.

Only the writer checkpoints. A database without page checksums was not created by CodePlane and is treated as corrupt.
The version of SQLite is asserted, because older ones can corrupt a WAL database with two connections.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw
import apsw.sqlite_extra

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import MAX_WAL_BYTES
from codeplane.store.errors import corrupt, from_sqlite, is_out_of_space, sqlite_errors

Value = int | float | str | bytes | None
Row = tuple[Any, ...]

PAGE_BYTES = 8192
CHECKSUM_BYTES = 8
VFS = "cksmvfs"
CHECKPOINT_BYTES = 1024 * 1024
MINIMUM_SQLITE = 3_051_003

_BUSY_MS = 5000
_FORCED_BUSY_MS = 5000
_READ_CACHE_KIB = 8 * 1024
_WRITE_CACHE_KIB = 16 * 1024
_BULK_CACHE_KIB = 64 * 1024


def create_database(path: Path) -> apsw.Connection:
    """Create an empty database for a bulk load: it has no readers, and is discarded if it is not finished."""
    with sqlite_errors():
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        connection = _connect(path, apsw.SQLITE_OPEN_READWRITE)
        connection.reserve_bytes(reserve=CHECKSUM_BYTES)
        connection.pragma("page_size", PAGE_BYTES)
        _harden(connection, _BULK_CACHE_KIB)
        connection.pragma("journal_mode", "memory")
        connection.pragma("synchronous", "off")
        connection.pragma("locking_mode", "exclusive")
        return connection


def finish_bulk(connection: apsw.Connection) -> None:
    """Let readers share a loaded database; the caller flushes it to disk before it is used."""
    with sqlite_errors():
        connection.pragma("locking_mode", "normal")
        # The lock is only released by the next access.
        connection.pragma("user_version")
        if connection.pragma("journal_mode", "wal") != "wal":
            raise corrupt("the database cannot use a write-ahead log")
        connection.pragma("synchronous", "normal")
        connection.pragma("cache_size", -_WRITE_CACHE_KIB)
        connection.pragma("wal_autocheckpoint", 0)


def open_for_writing(path: Path) -> apsw.Connection:
    """Open the only write connection of a generation; the caller holds the lock of the repository."""
    unclean = wal_bytes(path) > 0
    with sqlite_errors():
        connection = _connect(path, apsw.SQLITE_OPEN_READWRITE)
        try:
            _check_checksums(connection, path)
            _harden(connection, _WRITE_CACHE_KIB)
            if connection.pragma("journal_mode", "wal") != "wal":
                raise corrupt("the database cannot use a write-ahead log")
            connection.pragma("synchronous", "normal")
            if unclean and connection.pragma("quick_check") != "ok":
                raise corrupt("the database is damaged")
        except BaseException:
            connection.close()
            raise
        return connection


def open_shared(path: Path, busy_ms: int) -> apsw.Connection:
    """Open a database that several processes write; corruption is detected when a page is read."""
    with sqlite_errors():
        connection = _connect(path, apsw.SQLITE_OPEN_READWRITE)
        try:
            _check_checksums(connection, path)
            _harden(connection, _WRITE_CACHE_KIB)
            connection.pragma("synchronous", "off")
            connection.pragma("wal_autocheckpoint", CHECKPOINT_BYTES // PAGE_BYTES)
            connection.set_busy_timeout(busy_ms)
        except BaseException:
            connection.close()
            raise
        return connection


def open_for_reading(path: Path) -> apsw.Connection:
    """Open a connection that cannot write. A settled database can be read even if no file beside it can be written."""
    with sqlite_errors():
        try:
            connection = _connect(path, apsw.SQLITE_OPEN_READONLY)
            try:
                _check_checksums(connection, path)
            except BaseException:
                connection.close()
                raise
        except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.FullError, apsw.IOError) as error:
            # Without its shared memory no process has the database open, so none writes it.
            full = isinstance(error, apsw.FullError) or is_out_of_space(error)
            if wal_bytes(path) or (os.access(path.parent, os.W_OK) and not full):
                raise
            address = f"{path.absolute().as_uri()}?immutable=1"
            connection = _connect(address, apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
            _check_checksums(connection, path)
        _harden(connection, _READ_CACHE_KIB)
        connection.pragma("query_only", True)
        return connection


def sqlite_version() -> str:
    """Return the version of SQLite. Raises INTERNAL if it is too old or lacks checksummed pages."""
    _require_checksums()
    return apsw.sqlite_lib_version()


def wal_bytes(path: Path) -> int:
    try:
        return os.stat(f"{path}-wal").st_size
    except FileNotFoundError:
        return 0


def checkpoint(connection: apsw.Connection, path: Path) -> None:
    """Move a grown log into the database. Readers may delay it; above the cap, wait for them."""
    size = wal_bytes(path)
    if size <= CHECKPOINT_BYTES:
        return
    forced = size > MAX_WAL_BYTES
    with sqlite_errors():
        connection.set_busy_timeout(_FORCED_BUSY_MS if forced else 0)
        try:
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        except apsw.BusyError:
            with suppress(apsw.BusyError):
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        finally:
            connection.set_busy_timeout(_BUSY_MS)


def close_writer(connection: apsw.Connection) -> None:
    """Close the write connection and leave an empty log, unless a reader still needs it."""
    with sqlite_errors():
        try:
            connection.set_busy_timeout(0)
            with suppress(apsw.BusyError):
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        finally:
            connection.close()


def rows(connection: apsw.Connection, sql: str, parameters: Sequence[Value] = ()) -> list[Row]:
    try:
        return list(connection.execute(sql, parameters))
    except apsw.Error as error:
        raise from_sqlite(error) from error


class ReadOnlyDatabase:
    """Read-only access to a database, without an epoch."""

    def __init__(self, path: Path) -> None:
        self._connection = open_for_reading(path)

    def rows(self, sql: str, parameters: Sequence[Value] = ()) -> list[Row]:
        return rows(self._connection, sql, parameters)


def row(connection: apsw.Connection, sql: str, parameters: Sequence[Value] = ()) -> Row | None:
    found = rows(connection, sql, parameters)
    return found[0] if found else None


@contextmanager
def transaction(connection: apsw.Connection) -> Iterator[None]:
    """Run one atomic write transaction."""
    with sqlite_errors():
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            with suppress(apsw.Error):
                connection.execute("ROLLBACK")
            raise


def _connect(path: Path | str, flags: int) -> apsw.Connection:
    _require_checksums()
    connection = apsw.Connection(str(path), flags=flags | apsw.SQLITE_OPEN_NOFOLLOW, vfs=VFS)
    connection.set_busy_timeout(_BUSY_MS)
    return connection


def _require_checksums() -> None:
    """Register the checksum VFS; it stays registered after the connection is closed."""
    if VFS in apsw.vfs_names():
        return
    if apsw.SQLITE_VERSION_NUMBER < MINIMUM_SQLITE:
        raise CodePlaneError(ErrorCode.INTERNAL, f"SQLite {apsw.sqlite_lib_version()} is too old")
    connection = apsw.Connection(":memory:")
    try:
        apsw.sqlite_extra.load(connection, "cksumvfs")
    except (apsw.sqlite_extra.NotAvailable, LookupError, apsw.Error) as error:
        raise CodePlaneError(ErrorCode.INTERNAL, "this build of apsw lacks checksummed pages") from error
    finally:
        connection.close()


def _check_checksums(connection: apsw.Connection, path: Path) -> None:
    """Raise INDEX_CORRUPT unless pages reserve bytes for checksums: otherwise none would be checked."""
    connection.pragma("schema_version")
    if connection.reserve_bytes() != CHECKSUM_BYTES or connection.pragma("page_size") != PAGE_BYTES:
        raise corrupt(f"{path.name} has no page checksums")


def _harden(connection: apsw.Connection, cache_kib: int) -> None:
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.pragma("trusted_schema", False)
    connection.pragma("cell_size_check", True)
    connection.pragma("mmap_size", 0)
    connection.pragma("wal_autocheckpoint", 0)
    connection.pragma("secure_delete", True)
    connection.pragma("cache_size", -cache_kib)
