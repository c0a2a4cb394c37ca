"""Whether a ledger is whole: every row of every file followed from the first to the last.

Looks, and never touches. Rows are read without page checksums at first, because only so can
the row be named that somebody changed; the pages are checked afterwards.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.store.database import open_for_reading, wal_bytes
from codeplane.store.ledger import TURN, check_schema, counter, is_ours, layout_of
from codeplane.store.ledger_files import LEDGER_NAME, list_archives
from codeplane.store.ledger_schema import COLUMNS, FIRST_HASH, Head, row_hash

_PLAIN_VFS = "unix"
_ATTEMPTS = 20
_BUSY_MS = 2000
_ROWS = "SELECT {columns} FROM events ORDER BY seq"
_KIND = COLUMNS.index("kind")
_BREAKS = ("damaged", "foreign")


@dataclass(frozen=True)
class BrokenRow:
    """The first row that is not what was written: altered, out of place, or missing."""

    file: str
    seq: int | None
    reason: str


@dataclass(frozen=True)
class LedgerVerdict:
    files: int
    rows: int
    broken: BrokenRow | None = None
    breaks: int = 0
    """How often the ledger itself says that it began anew after damage."""
    damaged: tuple[str, ...] = ()
    """Files that were put aside, which are not part of the chain."""

    @property
    def is_whole(self) -> bool:
        return self.broken is None


class _Broken(Exception):
    def __init__(self, seq: int | None, reason: str) -> None:
        super().__init__(reason)
        self.row = (seq, reason)


def verify(directory: Path) -> LedgerVerdict:
    """Follow the chain through the archives to the present file. Needs no lock; one row is in memory at a time."""
    followed: dict[Path, _Walk] = {}
    for _ in range(_ATTEMPTS):
        before = _stamp(directory)
        found = _verify(directory, followed)
        # A rotation meanwhile looks like a missing file.
        if found.is_whole or _stamp(directory) == before:
            break
    return found


@contextmanager
def opened_plainly(path: Path) -> Iterator[apsw.Connection]:
    """A connection that cannot write and does not check pages; where the directory is read-only it still reads."""
    with TURN:
        connection = _open_plainly(path)
    try:
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        connection.pragma("cell_size_check", True)
        connection.pragma("query_only", True)
        yield connection
    finally:
        connection.close()


def _open_plainly(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path), flags=_FLAGS, vfs=_PLAIN_VFS)
    try:
        # The first look already may meet a rotation.
        connection.set_busy_timeout(_BUSY_MS)
        connection.pragma("schema_version")
    except BaseException as error:
        connection.close()
        refused = isinstance(error, apsw.CantOpenError | apsw.ReadOnlyError)
        if not refused or os.access(path.parent, os.W_OK) or wal_bytes(path):
            raise
        address = f"{path.absolute().as_uri()}?immutable=1"
        connection = apsw.Connection(address, flags=_FLAGS | apsw.SQLITE_OPEN_URI, vfs=_PLAIN_VFS)
        connection.set_busy_timeout(_BUSY_MS)
    return connection


_FLAGS = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_NOFOLLOW


def _verify(directory: Path, followed: dict[Path, _Walk]) -> LedgerVerdict:
    """`followed` has the archives, which never change, that another attempt need not follow again."""
    present = directory / LEDGER_NAME
    archives = list_archives(directory)
    if archives[: len(followed)] != [*followed]:
        followed.clear()
    walks = list(followed.values())
    broken: BrokenRow | None = None
    for path in [*archives[len(walks) :], *([present] if os.path.lexists(present) else [])]:
        walk = _Walk(walks[-1].head if walks else None)
        walks.append(walk)
        try:
            walk.follow(path)
        except _Broken as error:
            broken = BrokenRow(path.name, *error.row)
            break
        if path != present:
            followed[path] = walk
    files = len(archives) + os.path.lexists(present)
    damaged = tuple(path.name for path in list_archives(directory, "damaged"))
    rows, breaks = sum(walk.count for walk in walks), sum(walk.breaks for walk in walks)
    return LedgerVerdict(files, rows, broken, breaks, damaged)


class _Walk:
    """One file followed from the last row of the file before it."""

    def __init__(self, head: Head | None) -> None:
        self.head = head
        self.count = 0
        self.breaks = 0
        self._status = COLUMNS.index("status")

    def follow(self, path: Path) -> None:
        if not is_ours(path):
            raise _Broken(None, "the file is not a plain file of yours")
        try:
            with opened_plainly(path) as connection:
                connection.execute("BEGIN")
                self._follow_rows(connection)
                check_schema(connection)
            with _checked(path) as connection:
                if connection.pragma("quick_check") != "ok":
                    raise _Broken(None, "a page of the file is damaged")
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
            self._step(found)
        if self.head is None or not self.count:
            raise _Broken(None, "the file has no rows")
        if counter(connection) != self.head.seq:
            raise _Broken(self.head.seq + 1, "rows are missing at the end")

    def _step(self, found: tuple[object, ...]) -> None:
        seq, values, previous, digest = found[0], found[1:-2], found[-2], found[-1]
        if not isinstance(seq, int) or not isinstance(previous, str) or not isinstance(digest, str):
            raise _Broken(seq if isinstance(seq, int) else None, "the row was altered")
        first = self.count == 0
        if first and found[_KIND] != "start":
            raise _Broken(self.head.seq + 1 if self.head else None, "the beginning of the file is missing")
        broke = first and found[self._status] in _BREAKS
        if self.head is not None and not broke:
            if seq != self.head.seq + 1:
                raise _Broken(self.head.seq + 1, "the row is missing")
            if previous != self.head.hash:
                raise _Broken(seq, "the row does not follow the one before it")
        elif self.head is None and found[self._status] == "first" and (seq, previous) != (1, FIRST_HASH):
            raise _Broken(seq, "the row was altered")
        try:
            sound = row_hash(seq, values, previous) == digest
        except TypeError:
            sound = False
        if not sound:
            raise _Broken(seq, "the row was altered")
        self.head = Head(seq, digest)
        self.count += 1
        self.breaks += broke


@contextmanager
def _checked(path: Path) -> Iterator[apsw.Connection]:
    with TURN:
        connection = open_for_reading(path)
    try:
        yield connection
    finally:
        connection.close()


def _stamp(directory: Path) -> tuple[object, ...]:
    try:
        present = os.lstat(directory / LEDGER_NAME).st_ino
    except OSError:
        present = 0
    return present, tuple(list_archives(directory))
