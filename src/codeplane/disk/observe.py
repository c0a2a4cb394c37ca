"""From a scan to what changed: stat first, bytes on doubt.

Comparing needs no I/O. Reading is bounded in threads, in bytes held and in time: a file
that vanishes, grows or turns into something else is an outcome, never an exception, and
what a scan could not see is never called removed.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from enum import StrEnum
from typing import NamedTuple

from codeplane.base.digests import Digest, digest_bytes, digest_text_lines
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import HASH_CONCURRENCY, MAX_HASH_CONCURRENCY, RACY_WINDOW_NS
from codeplane.base.paths import RepoPath, basename, is_inside
from codeplane.disk import stats
from codeplane.disk.safe_open import READ_CHUNK, Root, read_up_to
from codeplane.disk.stats import FileStat
from codeplane.disk.walk import Scan

MAX_HASH_BYTES = 64 * 1024 * 1024
"""Larger files are told apart by their stat alone."""

MAX_HELD_BYTES = 64 * 1024 * 1024
"""Content read ahead of the consumer, the batch that it waits for aside."""

READ_ATTEMPTS = 3
MAX_FULL_HASH_EVERY = 1_000_000
_BATCH = 16
_EMPTY = digest_bytes(b"")


class FileRecord(NamedTuple):
    """A file as it was last read: `observed_at_ns` is the time just before its bytes were."""

    stat: FileStat
    digest: Digest
    observed_at_ns: int


class Changes(NamedTuple):
    candidates: tuple[RepoPath, ...]
    """To be read: new, changed by stat, too fresh to be believed, or all of them in a full-hash run. Sorted."""
    removed: tuple[RepoPath, ...]
    """Known, and certainly no longer there. Sorted."""
    unchanged: int
    partial: bool
    """Part of the tree could not be seen; what is known of that part stays as it is."""
    unscanned: tuple[RepoPath, ...]
    unreadable: tuple[RepoPath, ...]


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
    """None above the limit of the call, or when the outcome is not ok."""
    stat: FileStat | None = None
    digest: Digest | None = None
    """Of all bytes, also where `data` is None; for a file that is too_large, of its stat instead."""
    text_digest: Digest | None = None
    """With line endings made equal, where `data` is given; else the digest."""
    observed_at_ns: int = 0


def compare(scan: Scan, known: Mapping[RepoPath, FileRecord], full_hash: bool = False) -> Changes:
    files = scan.files
    if full_hash:
        candidates = list(files)
    else:
        candidates = []
        find = known.get
        for path, stat in files.items():
            before = find(path)
            if before is None:
                candidates.append(path)
                continue
            # Written out, since this runs for every file at every look: the same rule as stats.is_racy.
            believed, _, observed_at = before
            trusted_before = observed_at - RACY_WINDOW_NS
            if (believed is not stat and believed != stat) or stat[1] >= trusted_before or stat[2] >= trusted_before:
                candidates.append(path)
    missing = [path for path in known if path not in files] if len(known) > len(files) - len(candidates) else []
    removed = _certainly_removed(missing, scan) if missing else []
    return Changes(
        candidates=tuple(sorted(candidates)),
        removed=tuple(sorted(removed)),
        unchanged=len(files) - len(candidates),
        partial=bool(scan.unscanned or scan.unreadable),
        unscanned=scan.unscanned,
        unreadable=scan.unreadable,
    )


def read_many(
    root: Root, paths: Sequence[RepoPath], limit: int, concurrency: int = HASH_CONCURRENCY
) -> Iterator[FileRead]:
    """Read and hash files, in the order given. Content above `limit` bytes is hashed, not kept."""
    workers = min(max(concurrency, 1), MAX_HASH_CONCURRENCY)
    batches = [paths[start : start + _BATCH] for start in range(0, len(paths), _BATCH)]
    if workers == 1 or len(batches) <= 1:
        # Threads cost more than they save here.
        for path in paths:
            yield read_one(root, path, limit)
        return
    gate = _Gate(MAX_HELD_BYTES)
    pending: deque[Future[list[FileRead]]] = deque()
    with ThreadPoolExecutor(min(workers, len(batches)), thread_name_prefix="read") as pool:
        try:
            submitted = 0
            for number in range(len(batches)):
                while submitted < len(batches) and len(pending) < 2 * workers:
                    pending.append(pool.submit(_read_batch, root, batches[submitted], limit, gate, submitted))
                    submitted += 1
                gate.wait_for(number)
                yield from pending.popleft().result()
                gate.release(number)
        finally:
            gate.stop()
            for future in pending:
                future.cancel()


def read_one(root: Root, path: RepoPath, limit: int, hold: Callable[[int], None] | None = None) -> FileRead:
    """Read and hash one file; `hold` is told how many bytes are about to be kept."""
    for attempt in range(READ_ATTEMPTS):
        if attempt:
            time.sleep(0.002 * attempt)
        observed_at = time.time_ns()
        try:
            fd = root.open_file(path)
        except CodePlaneError as error:
            return FileRead(path, _OUTCOMES.get(error.code, ReadOutcome.UNREADABLE), observed_at_ns=observed_at)
        try:
            before = stats.file_stat(os.fstat(fd))
            if before.size > MAX_HASH_BYTES:
                digest = digest_bytes(":".join(("stat", *map(str, before))).encode("ascii"))
                return FileRead(path, ReadOutcome.TOO_LARGE, None, before, digest, digest, observed_at)
            if before.size <= limit:
                if hold is not None:
                    hold(before.size)
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


def find_renames(
    removed: Mapping[RepoPath, Digest], added: Mapping[RepoPath, Digest]
) -> list[tuple[RepoPath, RepoPath]]:
    """Pairs (old, new) of equal content, sorted; each path at most once. Empty files are all alike, and not paired."""
    old_by_digest: dict[Digest, list[RepoPath]] = defaultdict(list)
    for path in sorted(removed):
        old_by_digest[removed[path]].append(path)
    pairs: list[tuple[RepoPath, RepoPath]] = []
    unpaired: list[RepoPath] = []
    # First those that kept their name: of several equal files, a move to another directory is the likeliest.
    for path in sorted(added):
        same = old_by_digest.get(added[path], []) if added[path] != _EMPTY else []
        old = next((candidate for candidate in same if basename(candidate) == basename(path)), None)
        if old is None:
            unpaired.append(path)
        else:
            same.remove(old)
            pairs.append((old, path))
    for path in unpaired:
        same = old_by_digest.get(added[path], []) if added[path] != _EMPTY else []
        if same:
            pairs.append((same.pop(0), path))
    return sorted(pairs)


def should_save(*, changed: bool, metadata_changed: bool = False, counter_advanced: bool = False) -> bool:
    """Whether a look at the tree left something worth writing.

    `changed` includes files that were only hashed: unless the later time of observation is kept, a racy
    file is hashed for ever.
    """
    return changed or metadata_changed or counter_advanced


class FullHashSchedule(NamedTuple):
    """Whether to hash everything this time, and the counter to keep for the next."""

    run: bool
    counter: int
    advanced: bool


def next_full_hash(counter: int, every: int) -> FullHashSchedule:
    """Every `every`-th look hashes all files; 0 means never."""
    every = min(max(every, 0), MAX_FULL_HASH_EVERY)
    if every == 0:
        return FullHashSchedule(False, counter, False)
    following = max(counter, 0) + 1
    run = following >= every
    return FullHashSchedule(run, 0 if run else following, True)


_OUTCOMES = {
    ErrorCode.FILE_NOT_FOUND: ReadOutcome.VANISHED,
    ErrorCode.PATH_SYMLINK: ReadOutcome.NOT_REGULAR,
    ErrorCode.NOT_REGULAR: ReadOutcome.NOT_REGULAR,
}


class _Gate:
    """Bounds the bytes held by batches that are read but not consumed.

    The batch that the consumer waits for always passes, so that no order of arrival can block it.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held: dict[int, int] = defaultdict(int)
        self._total = 0
        self._awaited = 0
        self._stopped = False
        self._changed = threading.Condition()

    def hold(self, batch: int, size: int) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or batch <= self._awaited or self._total + size <= self._limit)
            self._held[batch] += size
            self._total += size

    def wait_for(self, batch: int) -> None:
        with self._changed:
            self._awaited = batch
            self._changed.notify_all()

    def release(self, batch: int) -> None:
        with self._changed:
            self._total -= self._held.pop(batch, 0)
            self._changed.notify_all()

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    @property
    def stopped(self) -> bool:
        return self._stopped


def _read_batch(root: Root, paths: Sequence[RepoPath], limit: int, gate: _Gate, number: int) -> list[FileRead]:
    reads: list[FileRead] = []
    for path in paths:
        if gate.stopped:
            break
        reads.append(read_one(root, path, limit, lambda size: gate.hold(number, size)))
    return reads


def _digest_stream(fd: int, expected: int) -> tuple[int, Digest]:
    """Size and digest of at most one byte more than expected, so that a growing file ends."""
    state = hashlib.sha256()
    size = 0
    while size <= expected:
        chunk = os.read(fd, min(READ_CHUNK, expected + 1 - size))
        if not chunk:
            break
        state.update(chunk)
        size += len(chunk)
    return size, Digest(state.hexdigest())


def _certainly_removed(missing: Iterable[RepoPath], scan: Scan) -> list[RepoPath]:
    unreadable = frozenset(scan.unreadable)
    return [
        path
        for path in missing
        if path not in unreadable and not any(is_inside(path, prefix) for prefix in scan.unscanned)
    ]
