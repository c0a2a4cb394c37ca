"""The files of a ledger: the one that is written, those that are full, those that were damaged.

`ledger.db` is the present. A full one moves to `ledger/ledger-<date>-<n>.db`, and the next
continues its chain; n only grows, so that the order never depends on a clock. So does one of
an older version, whose columns are not those of today. A damaged or
foreign one moves to `ledger/damaged-<date>-<n>.db` and is never written again. Rows are
never removed; the oldest whole files are. Only under `ledger/lock`, which is the ledger's own:
another process may hold the index.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import apsw

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.store.ledger import TURN, LedgerFile, create_file, ledger_error, open_file, read_end
from codeplane.store.ledger_schema import FIRST_HASH, PRESENT, EventRow, Head

LEDGER_NAME = "ledger.db"
ARCHIVE_NAME = "ledger"
LOCK_NAME = "lock"

_TEMPORARY = ".tmp-ledger"
_NAME = re.compile(r"(ledger|damaged)-\d{4}-\d{2}-\d{2}-([1-9][0-9]{0,8})\.db")
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_SIDES = ("", "-wal", "-shm", "-journal")
_BEGINNING = Head(0, FIRST_HASH)
_MAX_TRUSTED_SEQ = 2**53
_FOREIGN = "the ledger did not originate here"


@dataclass(frozen=True)
class Retention:
    """When a file is full, and how many full ones are kept."""

    days: int = 14
    tasks: int = 500
    bytes: int = 32 * 1024 * 1024
    archives: int = 8

    def is_due(self, file: LedgerFile, now_ms: int) -> bool:
        old = now_ms - file.began_at_ms >= self.days * 86_400_000
        return old or file.tasks >= self.tasks or file.size_bytes() >= self.bytes


@dataclass(frozen=True)
class LedgerNote:
    """Something that happened to the ledger which its owner should hear of."""

    kind: str
    """`damaged` or `foreign`: what was there was put aside, and a new ledger begun."""
    kept_as: str
    reason: str


@dataclass(frozen=True)
class OpenedLedger:
    file: LedgerFile
    left_tasks: tuple[EventRow, ...] = ()
    """Opening rows of tasks that were open when the ledger was last closed."""
    left_intents: tuple[tuple[int, EventRow], ...] = ()
    note: LedgerNote | None = None


def open_current(directory: Path, owner: str, now_ms: int, *, thorough: bool = False) -> OpenedLedger:
    """The ledger to write, made if there is none. `owner` is an id that no clone can know, or empty."""
    with TURN:
        return _open_current(directory, owner, now_ms, thorough=thorough)


def _open_current(directory: Path, owner: str, now_ms: int, *, thorough: bool) -> OpenedLedger:
    path = directory / LEDGER_NAME
    try:
        os.lstat(path)
    except FileNotFoundError:
        return _continue(directory, owner, now_ms)
    except OSError as error:
        raise ledger_error(error) from error
    try:
        file = open_file(path, thorough=thorough)
    except CodePlaneError as error:
        if error.code is not ErrorCode.LEDGER_DAMAGED:
            raise
        return _replace(directory, owner, now_ms, "damaged", error.message)
    if owner and file.owner != owner:
        file.close()
        return _replace(directory, owner, now_ms, "foreign", _FOREIGN)
    try:
        tasks, intents = _left_open(directory, file)
        if file.layout is not PRESENT:
            return OpenedLedger(_succeed(directory, file, owner, now_ms), tasks, intents)
        return OpenedLedger(file, tasks, intents)
    except (CodePlaneError, apsw.Error) as error:
        with suppress(CodePlaneError):
            file.close()
        raise ledger_error(error) from error


def _left_open(directory: Path, file: LedgerFile) -> tuple[tuple[EventRow, ...], tuple[tuple[int, EventRow], ...]]:
    """What nothing closed, in this file and in the one before: a kill may come before that is told of again."""
    tasks, intents = file.open_tasks(), file.open_intents()
    for archive in list_archives(directory)[-1:]:
        with suppress(CodePlaneError):
            _, _, earlier, begun = read_end(archive)
            tasks += [row for row in earlier if not file.knows(row)]
            intents += [(seq, row) for seq, row in begun if not file.answers(seq)]
    return tuple(tasks), tuple(intents)


def rotate(directory: Path, file: LedgerFile, owner: str, now_ms: int, retention: Retention) -> LedgerFile | None:
    """Put a full file among the archives and continue in a new one; None, and nothing changed, while it is read."""
    with TURN:
        with _archive(directory) as archive:
            if not file.seal():
                return None
            _move(directory, archive, "ledger", now_ms)
            _drop_oldest(archive, retention.archives)
        return _begin(directory, "rotated", file.head, owner, now_ms)


def _succeed(directory: Path, file: LedgerFile, owner: str, now_ms: int) -> LedgerFile:
    """A file of an older version is full, whatever its size: the next one continues its chain."""
    with _archive(directory) as archive:
        if not file.seal():
            raise CodePlaneError(ErrorCode.INDEX_LOCKED, "the ledger of an older version is being read")
        _move(directory, archive, "ledger", now_ms)
    return _begin(directory, "rotated", file.head, owner, now_ms)


def make_archive(directory: Path) -> None:
    """The directory of archives, in which the lock lies too: what clears an index leaves it alone."""
    with _archive(directory):
        pass


def list_archives(directory: Path, kind: str = "ledger") -> list[Path]:
    """Full files, or damaged ones, oldest first. Writes nothing."""
    try:
        handle = os.open(directory / ARCHIVE_NAME, _DIRECTORY)
    except OSError:
        return []
    try:
        names = _names(handle, kind)
    finally:
        os.close(handle)
    return [directory / ARCHIVE_NAME / name for name in names]


def _continue(directory: Path, owner: str, now_ms: int) -> OpenedLedger:
    """A kill in a rotation leaves no present file, and a first start none at all."""
    archives = list_archives(directory)
    if not archives:
        return OpenedLedger(_begin(directory, "first", _BEGINNING, owner, now_ms))
    newest = archives[-1].name
    try:
        head, found, tasks, intents = read_end(archives[-1])
    except CodePlaneError as error:
        if error.code is not ErrorCode.LEDGER_DAMAGED:
            raise
        kept = _condemn(directory, [newest])
        file = _begin(directory, "damaged", _last_head(directory), owner, now_ms)
        return OpenedLedger(file, note=LedgerNote("damaged", kept, error.message))
    if owner and found != owner:
        kept = _condemn(directory, [archive.name for archive in archives])
        return OpenedLedger(
            _begin(directory, "foreign", _BEGINNING, owner, now_ms), note=LedgerNote("foreign", kept, _FOREIGN)
        )
    return OpenedLedger(_begin(directory, "rotated", head, owner, now_ms), tuple(tasks), tuple(intents))


def _replace(directory: Path, owner: str, now_ms: int, kind: str, reason: str) -> OpenedLedger:
    """Put the present file aside and begin anew; where it came from elsewhere, so did the archives beside it."""
    with _archive(directory) as archive:
        name = _move(directory, archive, "damaged", now_ms)
    if kind == "foreign":
        _condemn(directory, [path.name for path in list_archives(directory)])
    with _archive(directory) as archive:
        _drop_oldest(archive, Retention().archives, "damaged")
    previous = _BEGINNING if kind == "foreign" else _last_head(directory, directory / ARCHIVE_NAME / name)
    file = _begin(directory, kind, previous, owner, now_ms)
    return OpenedLedger(file, note=LedgerNote(kind, f"{ARCHIVE_NAME}/{name}", reason))


def _last_head(directory: Path, *candidates: Path) -> Head:
    """How far the numbers went, where that can still be read, so that none is given twice."""
    for candidate in (*candidates, *reversed(list_archives(directory))):
        with suppress(CodePlaneError):
            head = read_end(candidate)[0]
            if head.seq < _MAX_TRUSTED_SEQ:
                return head
    return _BEGINNING


def _condemn(directory: Path, names: list[str]) -> str:
    """Take archives out of the chain, keeping them; returns where the last of them is."""
    kept = ""
    with _archive(directory) as archive:
        for name in names:
            kept = name.replace("ledger-", "damaged-", 1)
            try:
                os.rename(name, kept, src_dir_fd=archive, dst_dir_fd=archive)
            except OSError as error:
                raise ledger_error(error) from error
    return f"{ARCHIVE_NAME}/{kept}"


def _begin(directory: Path, origin: str, previous: Head, owner: str, now_ms: int) -> LedgerFile:
    """A new file at the place of the present one, complete before it appears there."""
    temporary = directory / f"{_TEMPORARY}-{os.getpid()}"
    try:
        for side in _SIDES:
            with suppress(FileNotFoundError):
                os.unlink(f"{temporary}{side}")
        create_file(temporary, EventRow("start", now_ms, status=origin, owner=owner), previous)
        # A log without its database belongs to nothing, and would be taken for that of the new one.
        for side in _SIDES[1:]:
            with suppress(FileNotFoundError):
                os.unlink(f"{directory / LEDGER_NAME}{side}")
        temporary.rename(directory / LEDGER_NAME)
        _sync(directory)
    except (CodePlaneError, OSError) as error:
        with suppress(OSError):
            os.unlink(temporary)
        raise ledger_error(error) from error
    return open_file(directory / LEDGER_NAME)


@contextmanager
def _archive(directory: Path) -> Iterator[int]:
    """A descriptor of the directory of archives, made if it is missing; a link in its place is not followed."""
    try:
        with suppress(FileExistsError):
            (directory / ARCHIVE_NAME).mkdir(0o700)
        handle = os.open(directory / ARCHIVE_NAME, _DIRECTORY)
    except OSError as error:
        raise ledger_error(error) from error
    try:
        yield handle
    finally:
        os.close(handle)


def _move(directory: Path, archive: int, kind: str, now_ms: int) -> str:
    numbers = [int(match[2]) for name in os.listdir(archive) if (match := _NAME.fullmatch(name))]
    day = datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%Y-%m-%d")
    name = f"{kind}-{day}-{max(numbers, default=0) + 1}.db"
    try:
        # What stands beside the database goes with it, or the next one would take it for its own.
        for side in reversed(_SIDES):
            with suppress(FileNotFoundError):
                os.rename(f"{directory / LEDGER_NAME}{side}", f"{name}{side}", dst_dir_fd=archive)
        os.fsync(archive)
        _sync(directory)
    except OSError as error:
        raise ledger_error(error) from error
    return name


def _drop_oldest(archive: int, kept: int, kind: str = "ledger") -> None:
    names = _names(archive, kind)
    for name in names[: max(0, len(names) - kept)]:
        for side in _SIDES:
            with suppress(OSError):
                os.unlink(f"{name}{side}", dir_fd=archive)


def _names(archive: int, kind: str) -> list[str]:
    found = [match for name in os.listdir(archive) if (match := _NAME.fullmatch(name)) and match[1] == kind]
    return [match[0] for match in sorted(found, key=lambda match: int(match[2]))]


def _sync(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
