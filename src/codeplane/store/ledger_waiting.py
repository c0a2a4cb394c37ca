"""Rows that were acknowledged and are not in the ledger yet, kept so that the death of a process loses none of them.

A row is one write to one of two small files. While the group that is in the one is put into
the ledger, the other takes new rows; then the first is emptied. What is found there at the
next start goes into the ledger first, unless it got there already. A row carries its place in
the order, and a digest keyed with the owner of the ledger, so that nothing is taken from a
file that was damaged or came with a clone. Only under the lock of the ledger.
"""

from __future__ import annotations

import hashlib
import os
import stat
import struct
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import orjson

from codeplane.store.ledger_files import ARCHIVE_NAME
from codeplane.store.ledger_reading import last_rows
from codeplane.store.ledger_schema import EventRow

NAMES = ("waiting-0", "waiting-1")
DAMAGED_NAME = "damaged-waiting"
MAX_GROUP = 10_000
"""Rows that are put into the ledger together, at most."""

_MAX_BYTES = 64 * 1024 * 1024
_FRAME = struct.Struct(">IQ16s")
"""Length of the row, its place in the order, its digest."""
_OPEN = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FIELDS = EventRow._fields


class Left(NamedTuple):
    """What a process that died had acknowledged."""

    rows: tuple[EventRow, ...]
    damaged: str | None = None
    """Where a file that could not be read to its end was put."""


class Waiting:
    """Two files of which one takes rows. `add` and `turn` are called under one lock; `done` by who called `turn`."""

    def __init__(self, files: tuple[int, int], owner: str) -> None:
        """Use `open_waiting`."""
        self._files = files
        self._key = _key(owner)
        self._active = 0
        self._size = 0
        self._number = 0

    def add(self, row: EventRow) -> bool:
        """Whether the row would now outlive this process."""
        frame = _framed(self._number, row, self._key)
        try:
            written = os.write(self._files[self._active], frame)
        except OSError:
            written = 0
        if written != len(frame):
            # Half a row would hide those after it.
            with suppress(OSError):
                os.ftruncate(self._files[self._active], self._size)
            return False
        self._size += written
        self._number += 1
        return True

    def turn(self) -> None:
        """Those so far are a group; later ones are not of it."""
        self._active = 1 - self._active
        self._size = 0

    def done(self) -> None:
        """The group needs no keeping any more."""
        with suppress(OSError):
            os.ftruncate(self._files[1 - self._active], 0)

    def close(self) -> None:
        for file in self._files:
            with suppress(OSError):
                os.ftruncate(file, 0)
            os.close(file)


def has_left(directory: Path) -> bool:
    """Whether rows wait, be it for a process that lives to put them into the ledger. Writes nothing."""
    for name in NAMES:
        with suppress(OSError):
            if os.lstat(directory / ARCHIVE_NAME / name).st_size:
                return True
    return False


def read_left(directory: Path, owner: str) -> Left:
    """What was left, in its order, without what the ledger has already. Changes nothing, damage aside."""
    found: dict[int, EventRow] = {}
    damaged = None
    for name in NAMES:
        path = directory / ARCHIVE_NAME / name
        data = _content(path)
        rows, whole = _unframed(data, _key(owner))
        found |= rows
        if not whole:
            with suppress(OSError):
                path.rename(path.with_name(DAMAGED_NAME))
            damaged = f"{ARCHIVE_NAME}/{DAMAGED_NAME}"
    if not found:
        return Left((), damaged)
    known = Counter(last_rows(directory, MAX_GROUP))
    rows_left = []
    for _, row in sorted(found.items()):
        if known[row]:
            known[row] -= 1
        else:
            rows_left.append(row)
    return Left(tuple(rows_left), damaged)


def open_waiting(directory: Path, owner: str) -> Waiting | None:
    """Both files, empty; None where there can be none, and rows wait in memory alone."""
    files: list[int] = []
    for name in NAMES:
        file = _opened(directory / ARCHIVE_NAME / name)
        if file is None:
            for other in files:
                os.close(other)
            return None
        files.append(file)
    return Waiting((files[0], files[1]), owner)


def _opened(path: Path) -> int | None:
    for _ in range(2):
        try:
            file = os.open(path, _OPEN, 0o600)
        except OSError:
            file = -1
        if file >= 0:
            if _is_plain(file):
                os.ftruncate(file, 0)
                return file
            os.close(file)
        # Whatever lies there is none of ours.
        with suppress(OSError):
            os.unlink(path)
    return None


def _content(path: Path) -> bytes:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    if not _is_plain(file):
        os.close(file)
        return b""
    with open(file, "rb") as stream:
        return stream.read(_MAX_BYTES)


def _is_plain(file: int) -> bool:
    status = os.fstat(file)
    return stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and status.st_nlink == 1


def _key(owner: str) -> bytes:
    return hashlib.sha256(owner.encode()).digest()


def _framed(number: int, row: EventRow, key: bytes) -> bytes:
    body = orjson.dumps({name: value for name, value in zip(_FIELDS, row, strict=True) if value is not None})
    return _FRAME.pack(len(body), number, _digest(number, body, key)) + body


def _unframed(data: bytes, key: bytes) -> tuple[dict[int, EventRow], bool]:
    """Rows by their place in the order, and whether that was all of it."""
    found: dict[int, EventRow] = {}
    place = 0
    while place + _FRAME.size <= len(data):
        length, number, digest = _FRAME.unpack_from(data, place)
        body = data[place + _FRAME.size : place + _FRAME.size + length]
        if len(body) != length or _digest(number, body, key) != digest:
            break
        known = orjson.loads(body)
        found[number] = EventRow(**{name: known[name] for name in _FIELDS if name in known})
        place += _FRAME.size + length
    return found, place == len(data)


def _digest(number: int, body: bytes, key: bytes) -> bytes:
    return hashlib.blake2b(number.to_bytes(8, "big") + body, digest_size=16, key=key).digest()
