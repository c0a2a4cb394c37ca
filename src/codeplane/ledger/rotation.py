"""Opening the current ledger file, and rotating, succeeding or quarantining it.

A full file is archived and the next one continues its hash chain; so is a file of an older schema version. A damaged
or foreign file is quarantined and never written again. Rows are never deleted; the oldest archives are, as whole
files. Callers hold `ledger/lock`, which is separate from the index lock: another process may own the index.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path

import apsw

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.ledger.errors import ledger_error
from codeplane.ledger.file import OPEN_LOCK, LedgerFile, create_file, open_file, read_ledger_tail
from codeplane.ledger.paths import (
    ARCHIVE_NAME,
    ARCHIVED_FILE,
    DIRECTORY_FLAGS,
    LEDGER_NAME,
    SIDE_FILES,
    archive_names,
    list_archives,
)
from codeplane.ledger.schema import FIRST_HASH, PRESENT, ChainHead, EventRow

_TEMPORARY = ".tmp-ledger"
_FILE_SET = ("", *SIDE_FILES)
_CHAIN_START = ChainHead(0, FIRST_HASH)
_MAX_TRUSTED_SEQ = 2**53
_MAX_QUARANTINED = 8
_DAY_MS = 86_400_000
_FOREIGN = "the ledger was not created on this machine"


@dataclass(frozen=True)
class Retention:
    """Limits at which a file is rotated, and how long an archive is kept."""

    days: int = 14
    """Minimum age of a deleted row; 0: nothing is deleted."""
    tasks: int = 500
    bytes: int = 32 * 1024 * 1024

    def is_due(self, file: LedgerFile, now_ms: int) -> bool:
        is_old = self.days > 0 and now_ms - file.began_at_ms >= self.days * _DAY_MS
        return is_old or file.tasks >= self.tasks or file.size_bytes() >= self.bytes


@dataclass(frozen=True)
class QuarantinedFile:
    """A ledger file that was moved aside because it cannot be trusted."""

    kind: str
    """`damaged` or `foreign`."""
    moved_to: str
    reason: str


@dataclass(frozen=True)
class OpenedLedger:
    """The current file, and what a previous process left open."""

    file: LedgerFile
    open_tasks: tuple[EventRow, ...] = ()
    """Opening rows of tasks that were never closed."""
    open_intents: tuple[tuple[int, EventRow], ...] = ()
    """Intents without an outcome, by number."""
    quarantined: QuarantinedFile | None = None


def open_current(directory: Path, owner: str, now_ms: int, *, thorough: bool = False) -> OpenedLedger:
    """Open the current file for writing; create it if missing. `owner` is an id that no clone can know, or empty."""
    with OPEN_LOCK:
        path = directory / LEDGER_NAME
        try:
            os.lstat(path)
        except FileNotFoundError:
            return _continue_chain(directory, owner, now_ms)
        except OSError as error:
            raise ledger_error(error) from error
        try:
            file = open_file(path, thorough=thorough)
        except CodePlaneError as error:
            if error.code is not ErrorCode.LEDGER_DAMAGED:
                raise
            return _quarantine(directory, owner, now_ms, "damaged", error.message)
        if owner and file.owner != owner:
            file.close()
            return _quarantine(directory, owner, now_ms, "foreign", _FOREIGN)
        try:
            opened = _find_open(directory, file)
            if file.layout is not PRESENT:
                succeeded = _succeed(directory, file, owner, now_ms)
                return OpenedLedger(succeeded, opened.open_tasks, opened.open_intents)
            return opened
        except (CodePlaneError, apsw.Error) as error:
            with suppress(CodePlaneError):
                file.close()
            failure = ledger_error(error)
            if failure.code is ErrorCode.LEDGER_DAMAGED:
                return _quarantine(directory, owner, now_ms, "damaged", failure.message)
            raise failure from error


def rotate(directory: Path, file: LedgerFile, owner: str, now_ms: int, retention: Retention) -> LedgerFile | None:
    """Archive a full file and continue in a new one; None, with nothing changed, while the file is being read."""
    with OPEN_LOCK:
        with _archive(directory) as archive:
            if not file.seal():
                return None
            _move(directory, archive, "ledger", now_ms)
            _delete_expired(archive, now_ms, retention.days)
        return _begin(directory, "rotated", file.head, owner, now_ms)


def create_archive_directory(directory: Path) -> None:
    """Create the archive directory. The lock is in it too, so that clearing an index does not delete it."""
    with _archive(directory):
        pass


def _find_open(directory: Path, file: LedgerFile) -> OpenedLedger:
    """Find open tasks and intents in this file and the previous one: a kill may come before they are carried over."""
    tasks, intents = file.open_tasks(), file.open_intents()
    for archive in list_archives(directory)[-1:]:
        with suppress(CodePlaneError):
            tail = read_ledger_tail(archive)
            tasks += [row for row in tail.open_tasks if not file.mentions_task(row.task_id)]
            intents += [(seq, row) for seq, row in tail.open_intents if not file.has_outcome(seq)]
    return OpenedLedger(file, tuple(tasks), tuple(intents))


def _succeed(directory: Path, file: LedgerFile, owner: str, now_ms: int) -> LedgerFile:
    """Archive a file of an older schema version, whatever its size, and continue its chain in a new file."""
    with _archive(directory) as archive:
        if not file.seal():
            raise CodePlaneError(ErrorCode.INDEX_LOCKED, "another process is reading the ledger of an older version")
        _move(directory, archive, "ledger", now_ms)
    return _begin(directory, "rotated", file.head, owner, now_ms)


def _continue_chain(directory: Path, owner: str, now_ms: int) -> OpenedLedger:
    """Create the current file when it is missing: on the first start, or after a kill during a rotation."""
    archives = list_archives(directory)
    if not archives:
        return OpenedLedger(_begin(directory, "first", _CHAIN_START, owner, now_ms))
    try:
        tail = read_ledger_tail(archives[-1])
    except CodePlaneError as error:
        if error.code is not ErrorCode.LEDGER_DAMAGED:
            raise
        moved_to = _quarantine_archives(directory, [archives[-1].name])
        file = _begin(directory, "damaged", _last_head(directory), owner, now_ms)
        return OpenedLedger(file, quarantined=QuarantinedFile("damaged", moved_to, error.message))
    if owner and tail.owner != owner:
        moved_to = _quarantine_archives(directory, [archive.name for archive in archives])
        file = _begin(directory, "foreign", _CHAIN_START, owner, now_ms)
        return OpenedLedger(file, quarantined=QuarantinedFile("foreign", moved_to, _FOREIGN))
    file = _begin(directory, "rotated", tail.head, owner, now_ms)
    return OpenedLedger(file, tuple(tail.open_tasks), tuple(tail.open_intents))


def _quarantine(directory: Path, owner: str, now_ms: int, kind: str, reason: str) -> OpenedLedger:
    """Move the current file aside and start a new one. The archives of a foreign file are foreign too."""
    with _archive(directory) as archive:
        name = _move(directory, archive, "damaged", now_ms)
    if kind == "foreign":
        _quarantine_archives(directory, [path.name for path in list_archives(directory)])
    with _archive(directory) as archive:
        _delete(archive, archive_names(archive, "damaged")[:-_MAX_QUARANTINED])
    previous = _CHAIN_START if kind == "foreign" else _last_head(directory, directory / ARCHIVE_NAME / name)
    file = _begin(directory, kind, previous, owner, now_ms)
    return OpenedLedger(file, quarantined=QuarantinedFile(kind, f"{ARCHIVE_NAME}/{name}", reason))


def _last_head(directory: Path, *candidates: Path) -> ChainHead:
    """Return the last readable head, so that no row number is used twice."""
    for candidate in (*candidates, *reversed(list_archives(directory))):
        with suppress(CodePlaneError):
            head = read_ledger_tail(candidate).head
            if head.seq < _MAX_TRUSTED_SEQ:
                return head
    return _CHAIN_START


def _quarantine_archives(directory: Path, names: list[str]) -> str:
    """Rename archives so that they leave the chain; return the new name of the last one."""
    moved_to = ""
    with _archive(directory) as archive:
        for name in names:
            moved_to = name.replace("ledger-", "damaged-", 1)
            try:
                os.rename(name, moved_to, src_dir_fd=archive, dst_dir_fd=archive)
            except OSError as error:
                raise ledger_error(error) from error
    return f"{ARCHIVE_NAME}/{moved_to}"


def _begin(directory: Path, origin: str, previous: ChainHead, owner: str, now_ms: int) -> LedgerFile:
    """Create a new current file; it is complete before it gets its name."""
    temporary = directory / f"{_TEMPORARY}-{os.getpid()}"
    try:
        for suffix in _FILE_SET:
            with suppress(FileNotFoundError):
                os.unlink(f"{temporary}{suffix}")
        create_file(temporary, EventRow("start", now_ms, status=origin, owner=owner), previous)
        # SQLite would apply an orphaned WAL to the new database.
        for suffix in SIDE_FILES:
            with suppress(FileNotFoundError):
                os.unlink(f"{directory / LEDGER_NAME}{suffix}")
        temporary.rename(directory / LEDGER_NAME)
        _sync(directory)
    except (CodePlaneError, OSError) as error:
        with suppress(OSError):
            os.unlink(temporary)
        raise ledger_error(error) from error
    return open_file(directory / LEDGER_NAME)


@contextmanager
def _archive(directory: Path) -> Iterator[int]:
    """Open the archive directory, creating it if missing; a symbolic link in its place is refused."""
    try:
        with suppress(FileExistsError):
            (directory / ARCHIVE_NAME).mkdir(0o700)
        handle = os.open(directory / ARCHIVE_NAME, DIRECTORY_FLAGS)
    except OSError as error:
        raise ledger_error(error) from error
    try:
        yield handle
    finally:
        os.close(handle)


def _move(directory: Path, archive: int, kind: str, now_ms: int) -> str:
    numbers = [int(match[2]) for name in os.listdir(archive) if (match := ARCHIVED_FILE.fullmatch(name))]
    name = f"{kind}-{_day(now_ms)}-{max(numbers, default=0) + 1}.db"
    try:
        # Side files move first and together with the database, or the next database would take them for its own.
        for suffix in reversed(_FILE_SET):
            with suppress(FileNotFoundError):
                os.rename(f"{directory / LEDGER_NAME}{suffix}", f"{name}{suffix}", dst_dir_fd=archive)
        os.fsync(archive)
        _sync(directory)
    except OSError as error:
        raise ledger_error(error) from error
    return name


def _delete_expired(archive: int, now_ms: int, days: int) -> None:
    """Delete the archives that were sealed more than `days` days ago, oldest first, up to the first that was not."""
    oldest_day = _day(now_ms - days * _DAY_MS)
    names = archive_names(archive, "ledger") if days else []
    _delete(archive, takewhile(lambda name: name.removeprefix("ledger-") < oldest_day, names))


def _delete(archive: int, names: Iterable[str]) -> None:
    for name in names:
        for suffix in _FILE_SET:
            with suppress(OSError):
                os.unlink(f"{name}{suffix}", dir_fd=archive)


def _day(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d")


def _sync(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
