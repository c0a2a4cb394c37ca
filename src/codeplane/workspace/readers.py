"""Snapshots to read from, kept open between questions so that none pays for opening one.

A snapshot serves one question at a time. While it waits here it holds no epoch, and what
belongs to a generation that is no longer current is closed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.query.snapshot import Snapshot, open_current
from codeplane.store.layout import Generation, StateDirectory

MAX_IDLE = 8

_Identity = tuple[int, int] | None


@dataclass(frozen=True)
class Taken:
    snapshot: Snapshot
    index_id: str | None
    """Of the generation; names of generations are used again."""
    identity: _Identity
    """Of its database: as long as we have it open, no other file can have the same."""


class Readers:
    """Safe from many threads."""

    def __init__(self, state: StateDirectory) -> None:
        self._state = state
        self._mutex = threading.Lock()
        self._idle: dict[bool, list[Taken]] = {False: [], True: []}
        self._closed = False

    @contextmanager
    def taken(self, lexical: bool) -> Iterator[Taken]:
        """A snapshot of the newest epoch. One that met an error of the index is not used again."""
        taken = self._take(lexical)
        try:
            yield taken
        except CodePlaneError as error:
            # Only the caller's own mistakes say nothing about the snapshot.
            if error.code in _OF_THE_INDEX:
                _close(taken)
            else:
                self._give(taken, lexical)
            raise
        except BaseException:
            _close(taken)
            raise
        self._give(taken, lexical)

    def drop(self) -> None:
        """Close what is idle; what is in use is closed when it comes back and is no longer current."""
        with self._mutex:
            idle = [*self._idle[False], *self._idle[True]]
            self._idle = {False: [], True: []}
        for taken in idle:
            _close(taken)

    def close(self) -> None:
        self._closed = True
        self.drop()

    def _take(self, lexical: bool) -> Taken:
        while True:
            with self._mutex:
                taken = self._idle[lexical].pop() if self._idle[lexical] else None
            if taken is None:
                return self._open(lexical)
            try:
                if self._is_current(taken):
                    taken.snapshot.refresh()
                    return taken
            except BaseException:
                # A generation that went meanwhile looks damaged from within.
                if self._is_current(taken):
                    _close(taken)
                    raise
            _close(taken)

    def _open(self, lexical: bool) -> Taken:
        snapshot = open_current(self._state, lexical=lexical)
        try:
            return Taken(snapshot, snapshot.reader.meta("index_id"), _identity(snapshot.generation))
        except BaseException:
            snapshot.close()
            raise

    def _is_current(self, taken: Taken) -> bool:
        generation = taken.snapshot.generation
        try:
            same = self._state.read_current() == generation.name
        except CodePlaneError:
            return False
        return same and taken.identity is not None and taken.identity == _identity(generation)

    def _give(self, taken: Taken, lexical: bool) -> None:
        try:
            taken.snapshot.release()
            current = self._is_current(taken)
        except CodePlaneError:
            current = False
        with self._mutex:
            kept = current and not self._closed and len(self._idle[lexical]) < MAX_IDLE
            if kept:
                self._idle[lexical].append(taken)
        if not kept:
            _close(taken)


_OF_THE_INDEX = frozenset(
    {ErrorCode.INDEX_CORRUPT, ErrorCode.INTERNAL, ErrorCode.NOT_READY, ErrorCode.INDEX_LOCKED, ErrorCode.NO_SPACE}
)


def _identity(generation: Generation) -> _Identity:
    try:
        status = os.stat(generation.database, follow_symlinks=False)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _close(taken: Taken) -> None:
    with suppress(CodePlaneError):
        taken.snapshot.close()
