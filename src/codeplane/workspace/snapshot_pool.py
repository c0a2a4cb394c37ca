"""Pool of open snapshots, so that most reads do not pay for opening one.

A snapshot serves one read at a time. An idle snapshot holds no epoch; the pool closes snapshots of a generation that is
no longer current.
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
class PooledSnapshot:
    snapshot: Snapshot
    index_id: str | None
    """Unique, unlike the name of a generation."""
    identity: _Identity
    """Device and inode of the database: no other file can have them while it is open."""


class SnapshotPool:
    """Safe from many threads."""

    def __init__(self, state: StateDirectory) -> None:
        self._state = state
        self._mutex = threading.Lock()
        self._idle: dict[bool, list[PooledSnapshot]] = {False: [], True: []}
        self._closed = False

    def __len__(self) -> int:
        return sum(map(len, self._idle.values()))

    @contextmanager
    def acquire(self, lexical: bool) -> Iterator[PooledSnapshot]:
        """Lend a snapshot of the newest epoch. A snapshot that met an error of the index is closed."""
        pooled = self._reuse_or_open(lexical)
        try:
            yield pooled
        except CodePlaneError as error:
            # Errors of the caller say nothing about the snapshot.
            if error.code in _INDEX_ERRORS:
                _close(pooled)
            else:
                self._return(pooled, lexical)
            raise
        except BaseException:
            _close(pooled)
            raise
        self._return(pooled, lexical)

    def drop(self) -> None:
        """Close idle snapshots. Those in use are closed when they are returned, unless they are current."""
        with self._mutex:
            idle = [*self._idle[False], *self._idle[True]]
            self._idle = {False: [], True: []}
        for pooled in idle:
            _close(pooled)

    def close(self) -> None:
        self._closed = True
        self.drop()

    def _reuse_or_open(self, lexical: bool) -> PooledSnapshot:
        while True:
            with self._mutex:
                pooled = self._idle[lexical].pop() if self._idle[lexical] else None
            if pooled is None:
                return self._open(lexical)
            try:
                if self._is_current(pooled):
                    pooled.snapshot.refresh()
                    return pooled
            except BaseException:
                # A generation removed meanwhile looks corrupt to its readers.
                if self._is_current(pooled):
                    _close(pooled)
                    raise
            _close(pooled)

    def _open(self, lexical: bool) -> PooledSnapshot:
        snapshot = open_current(self._state, lexical=lexical)
        try:
            return PooledSnapshot(snapshot, snapshot.reader.meta("index_id"), _identity(snapshot.generation))
        except BaseException:
            snapshot.close()
            raise

    def _is_current(self, pooled: PooledSnapshot) -> bool:
        generation = pooled.snapshot.generation
        try:
            same = self._state.read_current() == generation.name
        except CodePlaneError:
            return False
        return same and pooled.identity is not None and pooled.identity == _identity(generation)

    def _return(self, pooled: PooledSnapshot, lexical: bool) -> None:
        try:
            pooled.snapshot.release()
            current = self._is_current(pooled)
        except CodePlaneError:
            current = False
        with self._mutex:
            reusable = current and not self._closed and len(self._idle[lexical]) < MAX_IDLE
            if reusable:
                self._idle[lexical].append(pooled)
        if not reusable:
            _close(pooled)


_INDEX_ERRORS = frozenset(
    {ErrorCode.INDEX_CORRUPT, ErrorCode.INTERNAL, ErrorCode.NOT_READY, ErrorCode.INDEX_LOCKED, ErrorCode.NO_SPACE}
)


def _identity(generation: Generation) -> _Identity:
    try:
        status = os.stat(generation.database, follow_symlinks=False)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _close(pooled: PooledSnapshot) -> None:
    with suppress(CodePlaneError):
        pooled.snapshot.close()
