"""Acknowledged rows that are not in the ledger yet: a small write-ahead log, so that a killed process loses none.

A row is one write to one of two files. While the rows of one file are appended to the ledger as a group, the other
file takes new rows; then the first is truncated. Rows found at the next start are appended first, unless they reached
the ledger already. Each row carries its position and a digest keyed with the owner of the ledger, so nothing is read
from a file that is damaged or came with a clone. Used only under the ledger lock.
"""

from __future__ import annotations

import hashlib
import os
import stat
import struct
from collections import Counter
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import orjson

from codeplane.ledger.paths import ARCHIVE_NAME
from codeplane.ledger.queries import last_rows
from codeplane.ledger.schema import EventRow

NAMES = ("waiting-0", "waiting-1")
DAMAGED_NAME = "damaged-waiting"
MAX_GROUP = 10_000
"""Maximum number of rows appended to the ledger together."""

_MAX_BYTES = 64 * 1024 * 1024
_FRAME = struct.Struct(">IQ16s")
"""Length of the row, its position, its digest."""
_OPEN = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FIELDS = EventRow._fields


class PendingRows(NamedTuple):
    """Rows that a killed process had acknowledged, in order, without those that the ledger has already."""

    rows: tuple[EventRow, ...]
    damaged: str | None = None
    """New name of a file that could not be read to its end."""


class AckBuffer:
    """Two files, one of which takes rows. Thread-safe; the caller keeps `add` and `start_group` in queue order."""

    def __init__(self, directory: Path, owner: str) -> None:
        self._directory = directory
        self._key = hashlib.sha256(owner.encode()).digest()
        self._lock = Lock()
        self._files: tuple[int, ...] = ()
        self._active = 0
        self._size = 0
        self._position = 0

    @property
    def is_open(self) -> bool:
        return bool(self._files)

    def read_pending(self) -> PendingRows:
        """Read what a killed process left. Changes nothing, except that a damaged file is renamed."""
        found: dict[int, EventRow] = {}
        damaged = None
        for name in NAMES:
            path = self._directory / ARCHIVE_NAME / name
            rows, is_complete = _parse(_read(path), self._key)
            found |= rows
            if not is_complete:
                with suppress(OSError):
                    path.rename(path.with_name(DAMAGED_NAME))
                damaged = f"{ARCHIVE_NAME}/{DAMAGED_NAME}"
        if not found:
            return PendingRows((), damaged)
        recorded = Counter(last_rows(self._directory, MAX_GROUP))
        pending = []
        for _, row in sorted(found.items()):
            if recorded[row]:
                recorded[row] -= 1
            else:
                pending.append(row)
        return PendingRows(tuple(pending), damaged)

    def open(self) -> None:
        """Create both files, empty. If that is impossible the buffer stays closed: rows wait in memory alone."""
        files: list[int] = []
        for name in NAMES:
            file = _create(self._directory / ARCHIVE_NAME / name)
            if file is None:
                for other in files:
                    os.close(other)
                return
            files.append(file)
        with self._lock:
            self._files, self._active, self._size = tuple(files), 0, 0

    def add(self, row: EventRow) -> bool:
        """Write a row; True if it will now survive the death of this process."""
        with self._lock:
            if not self._files:
                return False
            frame = _format(self._position, row, self._key)
            try:
                written = os.write(self._files[self._active], frame)
            except OSError:
                written = 0
            if written != len(frame):
                # A partial row would hide the rows after it.
                with suppress(OSError):
                    os.ftruncate(self._files[self._active], self._size)
                return False
            self._size += written
            self._position += 1
            return True

    def start_group(self) -> None:
        """End the current group: later rows go to the other file."""
        with self._lock:
            self._active = 1 - self._active
            self._size = 0

    def clear_group(self) -> None:
        """Discard the ended group, which is in the ledger now."""
        with self._lock, suppress(OSError):
            if self._files:
                os.ftruncate(self._files[1 - self._active], 0)

    def close(self) -> None:
        with self._lock:
            files, self._files = self._files, ()
        for file in files:
            with suppress(OSError):
                os.ftruncate(file, 0)
            os.close(file)


def has_pending_rows(directory: Path) -> bool:
    """True if rows wait to be appended, possibly by a live process. Writes nothing."""
    for name in NAMES:
        with suppress(OSError):
            if os.lstat(directory / ARCHIVE_NAME / name).st_size:
                return True
    return False


def _create(path: Path) -> int | None:
    for _ in range(2):
        try:
            file = os.open(path, _OPEN, 0o600)
        except OSError:
            file = -1
        if file >= 0:
            if _is_private(file):
                os.ftruncate(file, 0)
                return file
            os.close(file)
        # Not a file that this module created.
        with suppress(OSError):
            os.unlink(path)
    return None


def _read(path: Path) -> bytes:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    if not _is_private(file):
        os.close(file)
        return b""
    with open(file, "rb") as stream:
        return stream.read(_MAX_BYTES)


def _is_private(file: int) -> bool:
    status = os.fstat(file)
    return stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and status.st_nlink == 1


def _format(position: int, row: EventRow, key: bytes) -> bytes:
    body = orjson.dumps({name: value for name, value in zip(_FIELDS, row, strict=True) if value is not None})
    return _FRAME.pack(len(body), position, _digest(position, body, key)) + body


def _parse(data: bytes, key: bytes) -> tuple[dict[int, EventRow], bool]:
    """Return the rows by position, and True if the data was read to its end."""
    found: dict[int, EventRow] = {}
    offset = 0
    while offset + _FRAME.size <= len(data):
        length, position, digest = _FRAME.unpack_from(data, offset)
        body = data[offset + _FRAME.size : offset + _FRAME.size + length]
        if len(body) != length or _digest(position, body, key) != digest:
            break
        fields = orjson.loads(body)
        found[position] = EventRow(**{name: fields[name] for name in _FIELDS if name in fields})
        offset += _FRAME.size + length
    return found, offset == len(data)


def _digest(position: int, body: bytes, key: bytes) -> bytes:
    return hashlib.blake2b(position.to_bytes(8, "big") + body, digest_size=16, key=key).digest()
