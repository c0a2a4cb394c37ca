"""One ledger file: made, opened, appended to and read.

Rows are only added, in one transaction per group, by whoever holds the lock of the ledger.
A group that must survive a power loss is brought to the disk before `append` returns; any
group survives the death of the process. Which files there are is the matter of `ledger_files`.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw

from codeplane.base.errors import CodePlaneError, ErrorCode
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
from codeplane.store.errors import SPACE_REMEDY
from codeplane.store.ledger_schema import (
    COLUMNS,
    LAYOUTS,
    OBJECTS,
    PRESENT,
    SCHEMA_VERSION,
    TABLES,
    EventRow,
    Head,
    Layout,
    is_unaltered,
    row_hash,
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
_KNOWS_TASK = "SELECT 1 FROM events WHERE task_id = ? AND kind IN ('task_carried', 'task_closed') LIMIT 1"
_ANSWERS = "SELECT 1 FROM events WHERE intent_seq = ? LIMIT 1"
_TASK_COUNT = "SELECT count(*) FROM events WHERE kind <> 'outcome' AND kind = 'task_opened'"
_START = "SELECT at_ms, owner FROM events WHERE kind <> 'outcome' AND kind = 'start' ORDER BY seq LIMIT 1"


TURN = threading.RLock()
"""Held while another file takes the place of a ledger, and while one is opened until it was first read.

SQLite finds the memory that connections share by the name of the file. Whoever had opened the file of before would
take the memory of the new one for its own, find no other process that uses it, and cut it off beneath the writer,
which dies of it.
"""


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


class LedgerFile:
    """The one write connection to a ledger."""

    def __init__(self, path: Path, connection: apsw.Connection, layout: Layout) -> None:
        self.path = path
        self.layout = layout
        """One of an older version can be read and sealed, and not appended to."""
        self._connection = connection
        self._durable = False
        self.head = _checked_head(connection, layout)
        start = row(connection, _START)
        if start is None:
            raise damaged("the ledger has no beginning")
        self.began_at_ms: int = start[0]
        self.owner: str = start[1] or ""
        self.tasks: int = rows(connection, _TASK_COUNT)[0][0]
        self._identity = _identity(path)

    def is_in_place(self) -> bool:
        """Whether the file of this name is still the one that was opened: what is written to another one is lost."""
        return _identity(self.path) == self._identity

    def append(self, events: Sequence[EventRow], *, durable: bool) -> list[int]:
        """Add rows, all or none; returns their numbers. After an error the file must be opened anew."""
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
        self.head = Head(seq, last)
        self.tasks += sum(event.kind == "task_opened" for event in events)
        # The rows are safe already; a log that cannot be moved now is moved another time.
        with suppress(CodePlaneError):
            checkpoint(self._connection, self.path)
        return [line[0] for line in stamped]

    def open_tasks(self) -> list[EventRow]:
        """The opening rows of tasks that nothing closed."""
        return _read_open_tasks(self._connection, self.layout)

    def open_intents(self) -> list[tuple[int, EventRow]]:
        """The intents that no outcome answers, by number."""
        return _read_open_intents(self._connection, self.layout)

    def knows(self, task: EventRow) -> bool:
        """Whether a task of an earlier file was told of in this one."""
        return bool(rows(self._connection, _KNOWS_TASK, [task.task_id]))

    def answers(self, intent: int) -> bool:
        """Whether the outcome of an intent is here."""
        return bool(rows(self._connection, _ANSWERS, [intent]))

    def has_outcome(self, intent: int) -> bool:
        """Whether how an effect ended is written here."""
        try:
            return row(self._connection, "SELECT 1 FROM events WHERE intent_seq = ?", (intent,)) is not None
        except (CodePlaneError, apsw.Error) as error:
            raise ledger_error(error) from error

    def size_bytes(self) -> int:
        with suppress(OSError):
            return self.path.stat().st_size
        return 0

    def seal(self) -> bool:
        """Close the file as one that nobody will write again, in itself complete; False while somebody reads it."""
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
    """Open a ledger to write: LEDGER_DAMAGED when its content cannot be trusted, VERSION_MISMATCH when it is newer."""
    if not is_ours(path):
        raise damaged("the ledger is not a plain file of yours")
    try:
        connection = open_for_writing(path)
        try:
            layout = check_schema(connection)
            if thorough and connection.pragma("quick_check") != "ok":
                raise damaged("a page of the ledger is damaged")
            return LedgerFile(path, connection, layout)
        except BaseException:
            connection.close()
            raise
    except (CodePlaneError, apsw.Error) as error:
        raise ledger_error(error) from error


def create_file(path: Path, start: EventRow, previous: Head) -> None:
    """Make a ledger that continues the chain after `previous`; complete on the disk when this returns."""
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


def read_end(path: Path) -> tuple[Head, str, list[EventRow], list[tuple[int, EventRow]]]:
    """Of a closed ledger: its last row, its owner, and what was left open in it. Writes nothing."""
    if not is_ours(path):
        raise damaged("what lies in the place of a ledger is none")
    try:
        with TURN:
            connection = open_for_reading(path)
        try:
            layout = check_schema(connection)
            start = row(connection, _START)
            owner = (start[1] or "") if start else ""
            head, tasks = _checked_head(connection, layout), _read_open_tasks(connection, layout)
            return head, owner, tasks, _read_open_intents(connection, layout)
        finally:
            connection.close()
    except (CodePlaneError, apsw.Error) as error:
        raise ledger_error(error) from error


def check_schema(connection: apsw.Connection) -> Layout:
    """What its rows hold; LEDGER_DAMAGED unless tables, views and triggers are those that we make or made."""
    version = connection.pragma("user_version")
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise CodePlaneError(
            ErrorCode.VERSION_MISMATCH,
            "the ledger was written by a newer version of CodePlane",
            remedy="use that version, or move '.codeplane/ledger.db' away",
        )
    layout = LAYOUTS.get(version) if isinstance(version, int) else None
    if layout is None or not is_unaltered(layout, rows(connection, OBJECTS)):
        raise damaged("the tables of the ledger were altered")
    return layout


def layout_of(connection: apsw.Connection) -> Layout:
    """What the rows of a file hold, by its own word."""
    version = connection.pragma("user_version")
    return LAYOUTS.get(version, PRESENT) if isinstance(version, int) else PRESENT


_BESIDE = ("-wal", "-shm", "-journal")
"""Files that SQLite would open with it."""


def is_ours(path: Path) -> bool:
    """Whether there is a regular file of this user, and no link, at `path`, and nothing else beside it."""
    beside = [Path(f"{path}{suffix}") for suffix in _BESIDE]
    return _is_plain(path) and all(_is_plain(other) for other in beside if os.path.lexists(other))


def _is_plain(path: Path) -> bool:
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()


def counter(connection: apsw.Connection) -> int:
    """The highest number that a row ever had: SQLite keeps it when rows are removed."""
    found = row(connection, _COUNTER)
    return found[0] if found else 0


def damaged(message: str) -> CodePlaneError:
    return CodePlaneError(ErrorCode.LEDGER_DAMAGED, message, remedy="run 'cpl doctor' to see where")


def ledger_error(error: Exception) -> CodePlaneError:
    """What keeps a ledger from being used: damage, too little space, or a file that cannot be written."""
    if isinstance(error, CodePlaneError) and error.code in _OWN_CODES:
        return error
    cause = error if isinstance(error, apsw.Error | OSError) else error.__cause__
    if isinstance(cause, apsw.CorruptError | apsw.NotADBError | apsw.FormatError | apsw.SQLError):
        return damaged("the ledger is damaged")
    if isinstance(cause, apsw.IOError) and getattr(cause, "extendedresult", 0) == apsw.SQLITE_IOERR_DATA:
        return damaged("a page of the ledger is damaged")
    if isinstance(cause, apsw.FullError | apsw.NoMemError):
        return CodePlaneError(ErrorCode.NO_SPACE, "the ledger cannot grow: the disk is full", remedy=SPACE_REMEDY)
    if isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT):
        return CodePlaneError(ErrorCode.NO_SPACE, "the ledger cannot be made: the disk is full", remedy=SPACE_REMEDY)
    if isinstance(cause, apsw.BusyError | apsw.LockedError | apsw.ConstraintError):
        return CodePlaneError(ErrorCode.INDEX_LOCKED, "another process writes the ledger")
    if isinstance(cause, apsw.Error | OSError):
        return CodePlaneError(
            ErrorCode.STATE_DIRECTORY_READ_ONLY,
            "the ledger cannot be written",
            remedy="make '.codeplane' in the repository writable for you",
        )
    # What has no cause was said by the opening itself: no checksums, or no log beside the database.
    return damaged("the ledger is not one that CodePlane made")


_OWN_CODES = (
    ErrorCode.LEDGER_DAMAGED,
    ErrorCode.VERSION_MISMATCH,
    ErrorCode.INDEX_LOCKED,
    ErrorCode.NO_SPACE,
    ErrorCode.STATE_DIRECTORY_READ_ONLY,
    ErrorCode.INTERNAL,
)


def _checked_head(connection: apsw.Connection, layout: Layout) -> Head:
    last = row(connection, _LAST.format(columns=", ".join(layout.columns)))
    if last is None:
        raise damaged("the ledger is empty")
    seq, *values, digest = last
    try:
        sound = row_hash(seq, tuple(values[:-1]), values[-1]) == digest
    except TypeError:
        sound = False
    if not sound:
        raise damaged("the last row of the ledger was altered")
    if counter(connection) != seq:
        raise damaged("rows are missing at the end of the ledger")
    return Head(seq, digest)


def _read_open_tasks(connection: apsw.Connection, layout: Layout) -> list[EventRow]:
    sql = _OPEN_TASKS.format(fields=layout.select(EventRow._fields))
    return [EventRow(*found) for found in rows(connection, sql)]


def _read_open_intents(connection: apsw.Connection, layout: Layout) -> list[tuple[int, EventRow]]:
    sql = _OPEN_INTENTS.format(fields=layout.select(EventRow._fields))
    return [(found[0], EventRow(*found[1:])) for found in rows(connection, sql)]
