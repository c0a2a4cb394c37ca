"""One ledger file: create, open, append, read its tail.

Rows are only appended, one transaction per group, by the process that holds the ledger lock. A durable group is
synced to disk before `append` returns; every group survives the death of the process. `rotation` decides which
files exist.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.ledger.errors import damaged_error, ledger_error
from codeplane.ledger.paths import inode_of, is_private_file
from codeplane.ledger.schema import (
    COLUMNS,
    LAYOUTS,
    OBJECTS,
    PRESENT,
    SCHEMA_VERSION,
    TABLES,
    ChainHead,
    EventRow,
    Layout,
    is_unaltered,
    row_hash,
)
from codeplane.store.database import (
    checkpoint,
    close_writer,
    create_database,
    finish_bulk,
    open_for_reading,
    open_for_writing,
    row,
    rows,
    transaction,
)

_INSERT = f"INSERT INTO events ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
_LAST = "SELECT {columns} FROM events ORDER BY seq DESC LIMIT 1"
_COUNTER = "SELECT seq FROM sqlite_sequence WHERE name = 'events'"
_OPEN_TASKS = """
SELECT {fields} FROM events AS opened
WHERE kind <> 'outcome' AND kind IN ('task_opened', 'task_carried') AND NOT EXISTS (
    SELECT 1 FROM events WHERE task_id = opened.task_id AND kind = 'task_closed'
) ORDER BY seq
"""
_OPEN_INTENTS = """
SELECT seq, {fields} FROM events AS intent
WHERE kind <> 'outcome' AND kind = 'intent' AND NOT EXISTS (
    SELECT 1 FROM events WHERE intent_seq = intent.seq
) ORDER BY seq
"""
_MENTIONS_TASK = "SELECT 1 FROM events WHERE task_id = ? AND kind IN ('task_carried', 'task_closed') LIMIT 1"
_OUTCOME = "SELECT 1 FROM events WHERE intent_seq = ? LIMIT 1"
_TASK_COUNT = "SELECT count(*) FROM events WHERE kind <> 'outcome' AND kind = 'task_opened'"
_START = "SELECT at_ms, owner FROM events WHERE kind <> 'outcome' AND kind = 'start' ORDER BY seq LIMIT 1"

OPEN_LOCK = threading.RLock()
"""Held while a ledger file is replaced, and while one is opened until its first read.

SQLite finds the shared memory of a WAL database by file name. A connection to the replaced file would take the
shared memory of the new file for its own, find no other process using it, and truncate it under the writer, which
then crashes.
"""


class LedgerTail(NamedTuple):
    """End of a closed ledger file."""

    head: ChainHead
    owner: str
    open_tasks: list[EventRow]
    """Opening rows of tasks that were not closed."""
    open_intents: list[tuple[int, EventRow]]
    """Intents without an outcome, by number."""


class LedgerFile:
    """The one write connection to a ledger file."""

    def __init__(self, path: Path, connection: apsw.Connection, layout: Layout) -> None:
        self.path = path
        self.layout = layout
        """A file of an older version can be read and sealed, but not appended to."""
        self._connection = connection
        self._durable = False
        self.head = _checked_head(connection, layout)
        start = row(connection, _START)
        if start is None:
            raise damaged_error("the ledger has no start row")
        self.began_at_ms: int = start[0]
        self.owner: str = start[1] or ""
        self.tasks: int = rows(connection, _TASK_COUNT)[0][0]
        self._inode = inode_of(path)

    def is_in_place(self) -> bool:
        """True if the path still names the opened file: rows appended to a replaced file would be lost."""
        return inode_of(self.path) == self._inode

    def append(self, events: Sequence[EventRow], *, durable: bool) -> list[int]:
        """Append rows, all or none, and return their numbers. After an error the file must be reopened."""
        seq, last = self.head
        stamped: list[tuple[Any, ...]] = []
        for event in events:
            seq += 1
            digest = row_hash(seq, event, last)
            stamped.append((seq, *event, last, digest))
            last = digest
        try:
            if durable != self._durable:
                self._connection.pragma("synchronous", "full" if durable else "normal")
                self._durable = durable
            with transaction(self._connection):
                self._connection.executemany(_INSERT, stamped)
        except (CodePlaneError, apsw.Error) as error:
            raise ledger_error(error) from error
        self.head = ChainHead(seq, last)
        self.tasks += sum(event.kind == "task_opened" for event in events)
        # The rows are committed; a checkpoint that fails now is retried with the next group.
        with suppress(CodePlaneError):
            checkpoint(self._connection, self.path)
        return [line[0] for line in stamped]

    def open_tasks(self) -> list[EventRow]:
        """Return the opening rows of tasks that were not closed."""
        return _read_open_tasks(self._connection, self.layout)

    def open_intents(self) -> list[tuple[int, EventRow]]:
        """Return the intents without an outcome, by number."""
        return _read_open_intents(self._connection, self.layout)

    def mentions_task(self, task_id: str | None) -> bool:
        """True if a task of an earlier file was carried over or closed in this file."""
        return bool(rows(self._connection, _MENTIONS_TASK, [task_id]))

    def has_outcome(self, intent: int) -> bool:
        try:
            return row(self._connection, _OUTCOME, (intent,)) is not None
        except (CodePlaneError, apsw.Error) as error:
            raise ledger_error(error) from error

    def size_bytes(self) -> int:
        with suppress(OSError):
            return self.path.stat().st_size
        return 0

    def seal(self) -> bool:
        """Close the file for good, without a WAL beside it; False, and still open, while another connection reads."""
        self._connection.set_busy_timeout(0)
        try:
            sealed = bool(self._connection.pragma("journal_mode", "delete") == "delete")
        except (apsw.BusyError, apsw.LockedError):
            sealed = False
        except apsw.Error as error:
            raise ledger_error(error) from error
        finally:
            self._connection.set_busy_timeout(1000)
        if sealed:
            self._connection.close()
        return sealed

    def close(self) -> None:
        try:
            close_writer(self._connection)
        except CodePlaneError as error:
            raise ledger_error(error) from error


def open_file(path: Path, *, thorough: bool = False) -> LedgerFile:
    """Open a ledger for writing. LEDGER_DAMAGED if its content is not valid, VERSION_MISMATCH if it is newer."""
    if not is_private_file(path):
        raise damaged_error("the ledger is not a regular file of this user")
    try:
        connection = open_for_writing(path)
        try:
            layout = check_schema(connection)
            if thorough and connection.pragma("quick_check") != "ok":
                raise damaged_error("a page of the ledger is damaged")
            return LedgerFile(path, connection, layout)
        except BaseException:
            connection.close()
            raise
    except (CodePlaneError, apsw.Error) as error:
        raise ledger_error(error) from error


def create_file(path: Path, start: EventRow, previous: ChainHead) -> None:
    """Create a ledger that continues the chain after `previous`; synced to disk when this returns."""
    try:
        connection = create_database(path)
        try:
            connection.execute(TABLES)
            connection.pragma("user_version", SCHEMA_VERSION)
            seq = previous.seq + 1
            digest = row_hash(seq, start, previous.hash)
            connection.execute(_INSERT, (seq, *start, previous.hash, digest))
            finish_bulk(connection)
        finally:
            connection.close()
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except (CodePlaneError, apsw.Error, OSError) as error:
        raise ledger_error(error) from error


def read_ledger_tail(path: Path) -> LedgerTail:
    """Read the end of a closed ledger file. Writes nothing."""
    if not is_private_file(path):
        raise damaged_error("the ledger is not a regular file of this user")
    try:
        with OPEN_LOCK:
            connection = open_for_reading(path)
        try:
            layout = check_schema(connection)
            start = row(connection, _START)
            owner = (start[1] or "") if start else ""
            head, tasks = _checked_head(connection, layout), _read_open_tasks(connection, layout)
            return LedgerTail(head, owner, tasks, _read_open_intents(connection, layout))
        finally:
            connection.close()
    except (CodePlaneError, apsw.Error) as error:
        raise ledger_error(error) from error


def check_schema(connection: apsw.Connection) -> Layout:
    """Return the column layout. LEDGER_DAMAGED unless tables, views and triggers are exactly those of its version."""
    version = connection.pragma("user_version")
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise CodePlaneError(
            ErrorCode.VERSION_MISMATCH,
            "the ledger was written by a newer version of CodePlane",
            remedy="use that version, or move '.codeplane/ledger.db' away",
        )
    layout = LAYOUTS.get(version) if isinstance(version, int) else None
    if layout is None or not is_unaltered(layout, rows(connection, OBJECTS)):
        raise damaged_error("the tables of the ledger were altered")
    return layout


def layout_of(connection: apsw.Connection) -> Layout:
    """Return the column layout by `user_version` alone, without checking the schema."""
    version = connection.pragma("user_version")
    return LAYOUTS.get(version, PRESENT) if isinstance(version, int) else PRESENT


def counter(connection: apsw.Connection) -> int:
    """Return the highest row number ever used; SQLite keeps it when rows are deleted."""
    found = row(connection, _COUNTER)
    return found[0] if found else 0


def _checked_head(connection: apsw.Connection, layout: Layout) -> ChainHead:
    last = row(connection, _LAST.format(columns=", ".join(layout.columns)))
    if last is None:
        raise damaged_error("the ledger is empty")
    seq, *values, digest = last
    try:
        is_valid = row_hash(seq, tuple(values[:-1]), values[-1]) == digest
    except TypeError:
        is_valid = False
    if not is_valid:
        raise damaged_error("the last row of the ledger was altered")
    if counter(connection) != seq:
        raise damaged_error("rows are missing at the end of the ledger")
    return ChainHead(seq, digest)


def _read_open_tasks(connection: apsw.Connection, layout: Layout) -> list[EventRow]:
    sql = _OPEN_TASKS.format(fields=layout.select(EventRow._fields))
    return [EventRow(*found) for found in rows(connection, sql)]


def _read_open_intents(connection: apsw.Connection, layout: Layout) -> list[tuple[int, EventRow]]:
    sql = _OPEN_INTENTS.format(fields=layout.select(EventRow._fields))
    return [(found[0], EventRow(*found[1:])) for found in rows(connection, sql)]
