"""Read and hash files, bounded in threads, in buffered bytes and in time.

A file that vanishes, grows or turns into something else is an outcome, never an exception.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from enum import StrEnum
from typing import NamedTuple

from codeplane.base.digests import Digest, digest_bytes, digest_text_lines
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import HASH_CONCURRENCY, MAX_HASH_CONCURRENCY
from codeplane.base.paths import RepoPath
from codeplane.disk import stats
from codeplane.disk.safe_open import READ_CHUNK, Root, read_up_to
from codeplane.disk.stats import FileStat

MAX_HASH_BYTES = 64 * 1024 * 1024
"""Larger files are compared by stat only."""

MAX_BUFFERED_BYTES = 64 * 1024 * 1024
"""Content read ahead of the consumer, not counting the batch that the consumer waits for."""

READ_ATTEMPTS = 3
_BATCH = 16


class ReadOutcome(StrEnum):
    OK = "ok"
    VANISHED = "vanished"
    UNREADABLE = "unreadable"
    TOO_LARGE = "too_large"
    CHANGED = "changed_during_read"
    NOT_REGULAR = "not_regular"


class FileRead(NamedTuple):
    path: RepoPath
    outcome: ReadOutcome
    data: bytes | None = None
    """None if the file is larger than `limit`, or if the outcome is not ok."""
    stat: FileStat | None = None
    digest: Digest | None = None
    """Digest of the content, also if `data` is None; digest of the stat for a file that is too_large."""
    text_digest: Digest | None = None
    """Digest with CRLF as LF if `data` is set; otherwise equal to `digest`."""
    observed_at_ns: int = 0


def outcome_of(error: CodePlaneError) -> ReadOutcome:
    """Map an error of `Root` to an outcome."""
    return _OUTCOMES.get(error.code, ReadOutcome.UNREADABLE)


def read_many(
    root: Root, paths: Sequence[RepoPath], limit: int, concurrency: int = HASH_CONCURRENCY
) -> Iterator[FileRead]:
    """Read and hash files in the given order. Content above `limit` bytes is hashed but not returned."""
    workers = min(max(concurrency, 1), MAX_HASH_CONCURRENCY)
    batches = [paths[start : start + _BATCH] for start in range(0, len(paths), _BATCH)]
    if workers == 1 or len(batches) <= 1:
        # Threads cost more than they save here.
        for path in paths:
            yield read_one(root, path, limit)
        return
    buffer = _Buffer(MAX_BUFFERED_BYTES)
    pending: deque[Future[list[FileRead]]] = deque()
    with ThreadPoolExecutor(min(workers, len(batches)), thread_name_prefix="read") as pool:
        try:
            submitted = 0
            for number in range(len(batches)):
                while submitted < len(batches) and len(pending) < 2 * workers:
                    pending.append(pool.submit(_read_batch, root, batches[submitted], limit, buffer, submitted))
                    submitted += 1
                buffer.wait_for(number)
                yield from pending.popleft().result()
                buffer.release(number)
        finally:
            buffer.stop()
            for future in pending:
                future.cancel()


def read_one(root: Root, path: RepoPath, limit: int, reserve: Callable[[int], None] | None = None) -> FileRead:
    """Read and hash one file. `reserve` is called with the number of bytes that will be buffered."""
    for attempt in range(READ_ATTEMPTS):
        if attempt:
            time.sleep(0.002 * attempt)
        observed_at = time.time_ns()
        try:
            fd = root.open_file(path)
        except CodePlaneError as error:
            return FileRead(path, outcome_of(error), observed_at_ns=observed_at)
        try:
            before = stats.file_stat(os.fstat(fd))
            if before.size > MAX_HASH_BYTES:
                digest = digest_bytes(":".join(("stat", *map(str, before))).encode("ascii"))
                return FileRead(path, ReadOutcome.TOO_LARGE, None, before, digest, digest, observed_at)
            if before.size <= limit:
                if reserve is not None:
                    reserve(before.size)
                data: bytes | None = read_up_to(fd, before.size + 1, before.size)
                size, digest = len(data or b""), digest_bytes(data or b"")
            else:
                data = None
                size, digest = _digest_stream(fd, before.size)
            after = stats.file_stat(os.fstat(fd))
        except OSError:
            return FileRead(path, ReadOutcome.UNREADABLE, observed_at_ns=observed_at)
        finally:
            os.close(fd)
        if after == before and size == before.size:
            text_digest = digest_text_lines(data) if data is not None and b"\r" in data else digest
            return FileRead(path, ReadOutcome.OK, data, before, digest, text_digest, observed_at)
    return FileRead(path, ReadOutcome.CHANGED, observed_at_ns=observed_at)


_OUTCOMES = {
    ErrorCode.FILE_NOT_FOUND: ReadOutcome.VANISHED,
    ErrorCode.PATH_SYMLINK: ReadOutcome.NOT_REGULAR,
    ErrorCode.NOT_REGULAR: ReadOutcome.NOT_REGULAR,
}


class _Buffer:
    """Bound the bytes of batches that are read but not consumed.

    The batch that the consumer waits for is always admitted, so no order of arrival can deadlock.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._sizes: dict[int, int] = defaultdict(int)
        self._total = 0
        self._awaited = 0
        self.stopped = False
        self._changed = threading.Condition()

    def reserve(self, batch: int, size: int) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self.stopped or batch <= self._awaited or self._total + size <= self._limit)
            self._sizes[batch] += size
            self._total += size

    def wait_for(self, batch: int) -> None:
        with self._changed:
            self._awaited = batch
            self._changed.notify_all()

    def release(self, batch: int) -> None:
        with self._changed:
            self._total -= self._sizes.pop(batch, 0)
            self._changed.notify_all()

    def stop(self) -> None:
        with self._changed:
            self.stopped = True
            self._changed.notify_all()


def _read_batch(root: Root, paths: Sequence[RepoPath], limit: int, buffer: _Buffer, number: int) -> list[FileRead]:
    reads: list[FileRead] = []
    for path in paths:
        if buffer.stopped:
            break
        reads.append(read_one(root, path, limit, lambda size: buffer.reserve(number, size)))
    return reads


def _digest_stream(fd: int, expected: int) -> tuple[int, Digest]:
    """Return size and digest of at most `expected + 1` bytes, so a growing file ends."""
    state = hashlib.sha256()
    size = 0
    while size <= expected:
        chunk = os.read(fd, min(READ_CHUNK, expected + 1 - size))
        if not chunk:
            break
        state.update(chunk)
        size += len(chunk)
    return size, Digest(state.hexdigest())
