"""Verification of a ledger: follow the hash chain from the first row of the oldest file to the last row.

Reads only. Rows are read without page checksums first, because only then can the altered row be named; the page
checksums are checked afterwards.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.ledger.file import OPEN_LOCK, check_schema, counter, layout_of
from codeplane.ledger.paths import LEDGER_NAME, inode_of, is_private_file, list_archives
from codeplane.ledger.schema import COLUMNS, FIRST_HASH, ChainHead, row_hash
from codeplane.store.database import open_for_reading, wal_bytes

_PLAIN_VFS = "unix"
_FLAGS = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_NOFOLLOW
_ATTEMPTS = 20
_BUSY_MS = 2000
_ROWS = "SELECT {columns} FROM events ORDER BY seq"
_KIND = COLUMNS.index("kind")
_CHAIN_BREAKS = ("damaged", "foreign")


@dataclass(frozen=True)
class BrokenRow:
    """First row that is altered, out of order or missing."""

    file: str
    seq: int | None
    reason: str


@dataclass(frozen=True)
class ChainReport:
    files: int
    rows: int
    broken: BrokenRow | None = None
    breaks: int = 0
    """Number of times the ledger recorded that it restarted its chain after damage."""
    damaged: tuple[str, ...] = ()
    """Quarantined files, which are not part of the chain."""

    @property
    def is_intact(self) -> bool:
        return self.broken is None


class _Broken(Exception):
    def __init__(self, seq: int | None, reason: str) -> None:
        super().__init__(reason)
        self.row = (seq, reason)


def verify_chain(directory: Path) -> ChainReport:
    """Verify all archives and the current file. Needs no lock; holds one row in memory at a time."""
    verified: dict[Path, _ChainWalk] = {}
    for _ in range(_ATTEMPTS):
        before = _file_set(directory)
        found = _verify(directory, verified)
        # A concurrent rotation looks like a missing file.
        if found.is_intact or _file_set(directory) == before:
            break
    return found


@contextmanager
def open_unchecked(path: Path) -> Iterator[apsw.Connection]:
    """Open read-only, without page checksums; works in a read-only directory too."""
    with OPEN_LOCK:
        connection = _open_unchecked(path)
    try:
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        connection.pragma("cell_size_check", True)
        connection.pragma("query_only", True)
        yield connection
    finally:
        connection.close()


def _open_unchecked(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path), flags=_FLAGS, vfs=_PLAIN_VFS)
    try:
        # The first read may already meet a rotation.
        connection.set_busy_timeout(_BUSY_MS)
        connection.pragma("schema_version")
    except BaseException as error:
        connection.close()
        is_refused = isinstance(error, apsw.CantOpenError | apsw.ReadOnlyError)
        if not is_refused or os.access(path.parent, os.W_OK) or wal_bytes(path):
            raise
        address = f"{path.absolute().as_uri()}?immutable=1"
        connection = apsw.Connection(address, flags=_FLAGS | apsw.SQLITE_OPEN_URI, vfs=_PLAIN_VFS)
        connection.set_busy_timeout(_BUSY_MS)
    return connection


def _verify(directory: Path, verified: dict[Path, _ChainWalk]) -> ChainReport:
    """Verify once. `verified` holds the archives, which never change, of earlier attempts."""
    current = directory / LEDGER_NAME
    archives = list_archives(directory)
    if archives[: len(verified)] != [*verified]:
        verified.clear()
    walks = list(verified.values())
    broken: BrokenRow | None = None
    for path in [*archives[len(walks) :], *([current] if os.path.lexists(current) else [])]:
        walk = _ChainWalk(walks[-1].head if walks else None)
        walks.append(walk)
        try:
            walk.follow(path)
        except _Broken as error:
            broken = BrokenRow(path.name, *error.row)
            break
        if path != current:
            verified[path] = walk
    files = len(archives) + os.path.lexists(current)
    damaged = tuple(path.name for path in list_archives(directory, "damaged"))
    rows, breaks = sum(walk.count for walk in walks), sum(walk.breaks for walk in walks)
    return ChainReport(files, rows, broken, breaks, damaged)


class _ChainWalk:
    """Verification of one file, starting at the head of the previous file."""

    def __init__(self, head: ChainHead | None) -> None:
        self.head = head
        self.count = 0
        self.breaks = 0
        self._status = COLUMNS.index("status")

    def follow(self, path: Path) -> None:
        if not is_private_file(path):
            raise _Broken(None, "the file is not a regular file of this user")
        try:
            with open_unchecked(path) as connection:
                connection.execute("BEGIN")
                self._follow_rows(connection)
                check_schema(connection)
            with OPEN_LOCK:
                checked = open_for_reading(path)
            try:
                if checked.pragma("quick_check") != "ok":
                    raise _Broken(None, "a page of the file is damaged")
            finally:
                checked.close()
        except CodePlaneError as error:
            newer = error.code is ErrorCode.VERSION_MISMATCH
            reason = "the file was written by a newer version" if newer else "the tables or pages were altered"
            raise _Broken(None, reason) from error
        except apsw.Error as error:
            next_seq = self.head.seq + 1 if self.head is not None and self.count else None
            raise _Broken(next_seq, "the file cannot be read from here on") from error

    def _follow_rows(self, connection: apsw.Connection) -> None:
        columns = layout_of(connection).columns
        self._status = columns.index("status")
        for found in connection.execute(_ROWS.format(columns=", ".join(columns))):
            self._check_row(found)
        if self.head is None or not self.count:
            raise _Broken(None, "the file has no rows")
        if counter(connection) != self.head.seq:
            raise _Broken(self.head.seq + 1, "rows are missing at the end")

    def _check_row(self, found: tuple[object, ...]) -> None:
        seq, values, previous, digest = found[0], found[1:-2], found[-2], found[-1]
        if not isinstance(seq, int) or not isinstance(previous, str) or not isinstance(digest, str):
            raise _Broken(seq if isinstance(seq, int) else None, "the row was altered")
        first = self.count == 0
        if first and found[_KIND] != "start":
            raise _Broken(self.head.seq + 1 if self.head else None, "the first row of the file is missing")
        restarts = first and found[self._status] in _CHAIN_BREAKS
        if self.head is not None and not restarts:
            if seq != self.head.seq + 1:
                raise _Broken(self.head.seq + 1, "the row is missing")
            if previous != self.head.hash:
                raise _Broken(seq, "the row does not follow the previous row")
        elif self.head is None and found[self._status] == "first" and (seq, previous) != (1, FIRST_HASH):
            raise _Broken(seq, "the row was altered")
        try:
            is_valid = row_hash(seq, values, previous) == digest
        except TypeError:
            is_valid = False
        if not is_valid:
            raise _Broken(seq, "the row was altered")
        self.head = ChainHead(seq, digest)
        self.count += 1
        self.breaks += restarts


def _file_set(directory: Path) -> tuple[object, ...]:
    return inode_of(directory / LEDGER_NAME), tuple(list_archives(directory))
