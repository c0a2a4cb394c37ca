"""One fresh read of the index.

The query runs on the current epoch while a sync with the working tree runs beside it, and once more if the sync
published another epoch. So the result covers every change made before the call began, or says that it is stale and
where. Also here: waiting for the index thread, bounded and cancellable.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Generic, NoReturn, TypeVar

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.base.warnings import Notice, WarningCode
from codeplane.disk.locks import find_owner
from codeplane.index.options import IndexOptions, IsCancelled
from codeplane.query.snapshot import Snapshot
from codeplane.store.layout import open_state
from codeplane.store.parse_failures import PARSE_FAILURES, parse_failures
from codeplane.workspace.compatibility import has_current, require_ours
from codeplane.workspace.errors import (
    copy_error,
    no_index_error,
    not_ready_error,
    owned_elsewhere_error,
    resolving_details,
    shutting_down_error,
    stale_error,
    unverifiable_error,
)
from codeplane.workspace.file_check import compare_tree, is_file_unchanged
from codeplane.workspace.freshness import (
    FRESH,
    UNWRITABLE,
    Freshness,
    FreshResult,
    IndexPhase,
    WorkspaceSettings,
    freshness_of,
    report_notices,
    stale,
    unparsed_notices,
)
from codeplane.workspace.requests import IndexRequests, SyncRequest
from codeplane.workspace.snapshot_pool import SnapshotPool

T = TypeVar("T")

MAX_AWAITED_FILES = 300
"""A read of references does not wait while more files than this are left to resolve."""
OPENING_SECONDS = 10.0
"""Time that a read waits for an existing index to be opened."""

_CANCEL_POLL_SECONDS = 0.05
_STRICT_ATTEMPTS = 3
_PAUSE_SECONDS = 0.05
_BROKEN = frozenset({ErrorCode.INDEX_CORRUPT, ErrorCode.NOT_READY, ErrorCode.NOT_INDEXED})
"""Errors that another sync may remove."""
_ALWAYS_RAISED = frozenset({ErrorCode.ROOT_CHANGED, ErrorCode.SHUTTING_DOWN, ErrorCode.NOT_INDEXED})
_UNUSABLE = frozenset({IndexPhase.ABSENT, IndexPhase.INCOMPATIBLE, IndexPhase.ERROR})


class FreshRead(Generic[T]):
    """`file` limits the freshness check to one file; `references` waits until references are resolved."""

    def __init__(
        self,
        requests: IndexRequests,
        pool: SnapshotPool,
        options: IndexOptions,
        settings: WorkspaceSettings,
        query: Callable[[Snapshot], T],
        policy: str,
        *,
        file: RepoPath | None,
        lexical: bool,
        references: bool,
        cancelled: IsCancelled | None,
    ) -> None:
        self._requests = requests
        self._pool = pool
        self._options = options
        self._query = query
        self._strict = policy == "strict"
        self._best_effort = policy == "best_effort"
        self._file = file
        self._lexical = lexical
        self._references = references
        self._cancelled = cancelled
        self._one_shot = settings.once
        began = time.monotonic()
        # Unresolved references cannot be answered stale, so they are waited for.
        patient = self._strict or (references and not settings.once)
        self._deadline = began + (settings.strict_seconds if patient else settings.inline_ms / 1000)
        self._opening_deadline = max(self._deadline, began + OPENING_SECONDS)

    def run(self) -> FreshResult[T]:
        for attempt in range(_STRICT_ATTEMPTS):
            deadline = self._deadline if self._strict else self._opening_deadline
            patient = self._strict or self._one_shot
            phase = wait_readable(self._requests, self._options, self._strict, patient, deadline, self._cancelled)
            if phase is IndexPhase.WAITING:
                return self._read_unchecked()
            result = self._read_once()
            last = attempt == _STRICT_ATTEMPTS - 1
            if result is None and not last:
                continue
            if result is None:
                break
            if not self._strict or result.freshness.status == "fresh":
                return result
            if last or not result.freshness.stale_paths:
                raise stale_error(result.freshness.as_dict())
            time.sleep(_PAUSE_SECONDS)
        raise self._not_ready()

    def _read_once(self) -> FreshResult[T] | None:
        """Return None if the index is corrupt, and another attempt may find it repaired."""
        freshness: Freshness | None = None
        if self._requests.proves_fresh():
            freshness = FRESH
        elif self._best_effort:
            freshness = stale("unchecked", *self._requests.dirty_paths())
        attempt = _Attempt[T](self._file)
        sync: SyncRequest | None = None
        shared = False
        if freshness is None and self._file is None:
            sync, shared = self._requests.request_sync(references=self._references)
        try:
            with self._pool.acquire(self._lexical) as pooled:
                snapshot, attempt.index_id = pooled.snapshot, pooled.index_id
                if freshness is None and self._file is not None:
                    if not self._requests.status.forced and is_file_unchanged(snapshot, self._options, self._file):
                        freshness = FRESH
                    else:
                        sync, shared = self._requests.request_sync(references=self._references)
                attempt.run(self._query, snapshot)
        except Exception as error:
            # A failure of the query may come from an epoch that is about to be replaced.
            attempt.error = error
            if sync is None and (attempt.is_broken or freshness is None):
                sync, shared = self._requests.request_sync(references=self._references)
        notices = self._requests.take_notices()
        if freshness is None or attempt.is_broken:
            return self._read_after(sync, shared, attempt, notices)
        return attempt.result(freshness, notices)

    def _read_after(
        self, sync: SyncRequest | None, shared: bool, attempt: _Attempt[T], notices: tuple[Notice, ...]
    ) -> FreshResult[T] | None:
        """Wait for the sync as the policy allows, and run the query again if the sync changed the index."""
        if attempt.is_corrupt:
            self._mark_corrupt(attempt)
            return None
        assert sync is not None
        short = self._references and not (self._strict or self._one_shot)
        if not wait_for(
            self._requests, sync, self._deadline, self._cancelled, references=self._references, short=short
        ):
            return self._read_deferred(sync, attempt, notices)
        if sync.error is not None:
            # A command answers from the last epoch, and says so, if no more can be written.
            unwritable = self._one_shot and sync.error.code in UNWRITABLE
            if ((self._strict or self._one_shot) and not unwritable) or sync.error.code in _ALWAYS_RAISED:
                raise copy_error(sync.error)
            return attempt.result(stale("failed", *sync.differing_paths, reason=sync.error.code.name), notices)
        assert sync.report is not None
        freshness = freshness_of(sync.report, shared)
        notices = (*notices, *(notice for notice in report_notices(sync.report) if notice not in notices))
        if attempt.epoch is None or sync.report.epoch != attempt.epoch or attempt.is_broken:
            attempt = _Attempt(self._file)
            try:
                with self._pool.acquire(self._lexical) as pooled:
                    attempt.index_id = pooled.index_id
                    attempt.run(self._query, pooled.snapshot)
            except Exception as error:
                attempt.error = error
            if attempt.is_corrupt:
                self._mark_corrupt(attempt)
                return None
        return attempt.result(freshness, notices)

    def _mark_corrupt(self, attempt: _Attempt[T]) -> None:
        """Have the index rebuilt. Reads that do not wait for the rebuild fail with NOT_READY."""
        self._requests.mark_corrupt(attempt.index_id)
        if not self._strict and not self._one_shot:
            raise self._not_ready()

    def _not_ready(self) -> CodePlaneError:
        return not_ready_error(IndexPhase.BUILDING, self._requests.status.progress)

    def _read_deferred(self, sync: SyncRequest, attempt: _Attempt[T], notices: tuple[Notice, ...]) -> FreshResult[T]:
        paths, total = sync.differing_paths
        if not total:
            paths, total = self._requests.dirty_paths()
        freshness = stale("deferred", paths, total)
        if self._strict:
            raise stale_error(freshness.as_dict())
        progress = self._requests.status.resolving
        if progress is not None and isinstance(attempt.error, CodePlaneError):
            attempt.error.details.update(resolving_details(progress))
        return attempt.result(freshness, notices)

    def _read_unchecked(self) -> FreshResult[T]:
        """Read the published epoch while another process, which may be behind the tree, holds the lock.

        If the index cannot be written at all, the tree itself is compared with it.
        """
        owner, reason = self._requests.status.lock_owner, self._requests.status.error
        if self._strict and reason is None:
            raise unverifiable_error(ErrorCode.INDEX_STALE, owner)
        if not has_current(open_state(self._options.real_root)):
            raise owned_elsewhere_error("the index is being built by another process", owner)
        attempt = _Attempt[T](self._file)
        freshness = stale("unchecked")
        try:
            with self._pool.acquire(self._lexical) as pooled:
                require_ours(pooled.snapshot, self._options, owner)
                if reason is not None:
                    freshness = compare_tree(pooled.snapshot, self._options, reason)
                attempt.run(self._query, pooled.snapshot)
        except CodePlaneError as error:
            attempt.error = error
        if reason is not None:
            if self._strict and not self._one_shot and freshness.status != "fresh":
                raise CodePlaneError(reason.code, reason.message, details=freshness.as_dict(), remedy=reason.remedy)
            return attempt.result(freshness, ())
        details: dict[str, object] = {"pid": owner} if owner is not None else {}
        return attempt.result(freshness, (Notice(WarningCode.FRESHNESS_UNCHECKED, details),))


class _Attempt(Generic[T]):
    """One run of the query: its value, or the error that it raised."""

    def __init__(self, file: RepoPath | None) -> None:
        self._file = file
        self.values: list[T] = []
        self.error: Exception | None = None
        self.epoch: int | None = None
        self.index_id: str | None = None
        self.unparsed: tuple[Notice, ...] = ()

    def run(self, query: Callable[[Snapshot], T], snapshot: Snapshot) -> None:
        """Raise errors of the index, so that the pool drops the snapshot; store all others."""
        self.epoch = snapshot.epoch.epoch
        paths = parse_failures(snapshot.reader.meta(PARSE_FAILURES))
        self.unparsed = unparsed_notices([path for path in paths if self._file in (None, path)])
        try:
            self.values = [query(snapshot)]
        except CodePlaneError as error:
            if error.code in _BROKEN:
                raise
            self.error = error

    @property
    def is_broken(self) -> bool:
        return isinstance(self.error, CodePlaneError) and self.error.code in _BROKEN

    @property
    def is_corrupt(self) -> bool:
        return isinstance(self.error, CodePlaneError) and self.error.code is ErrorCode.INDEX_CORRUPT

    def result(self, freshness: Freshness, notices: tuple[Notice, ...]) -> FreshResult[T]:
        if self.error is not None:
            if isinstance(self.error, CodePlaneError) and freshness.status != "fresh":
                self.error.details.setdefault("freshness", freshness.as_dict())
            if isinstance(self.error, CodePlaneError) and self.unparsed:
                self.error.details.setdefault("not_parsed", dict(self.unparsed[0].about))
            raise self.error
        notices = (*(notice for notice in notices if notice.code is not WarningCode.FILES_NOT_PARSED), *self.unparsed)
        assert self.epoch is not None
        return FreshResult(self.values[0], self.epoch, freshness, notices)


def wait_readable(
    requests: IndexRequests,
    options: IndexOptions,
    strict: bool,
    patient: bool,
    deadline: float,
    cancelled: IsCancelled | None,
) -> IndexPhase:
    """Wait for a readable index. Return READY, or WAITING if another process holds the lock.

    Everyone waits while an index is opened; only patient callers wait for a build. Raises what keeps the index from
    being read.
    """
    with requests.changed:
        while True:
            requests.ensure_running()
            _check_cancelled(cancelled)
            if requests.closing:
                raise shutting_down_error()
            phase = requests.status.phase
            # Another process may release the lock; a directory that cannot be written is not waited for.
            waits_for_lock = phase is IndexPhase.WAITING and requests.status.error is None
            if phase is IndexPhase.READY or (phase is IndexPhase.WAITING and not (strict and waits_for_lock)):
                return phase
            if phase in _UNUSABLE:
                _raise_unusable(requests, options)
            if not (phase is IndexPhase.OPENING or patient) or time.monotonic() >= deadline:
                if phase is IndexPhase.WAITING:
                    return phase
                raise not_ready_error(phase, requests.status.progress)
            requests.changed.wait(min(_CANCEL_POLL_SECONDS, max(0.0, deadline - time.monotonic())))


def wait_until_open(requests: IndexRequests, deadline: float, cancelled: IsCancelled | None) -> IndexPhase:
    """Wait until the phase is no longer OPENING, at most until the deadline; return the phase."""
    with requests.changed:
        while requests.status.phase is IndexPhase.OPENING and not requests.closing:
            _check_cancelled(cancelled)
            left = deadline - time.monotonic()
            if left <= 0:
                break
            requests.changed.wait(min(_CANCEL_POLL_SECONDS, left))
        return requests.status.phase


def wait_for(
    requests: IndexRequests,
    sync: SyncRequest,
    deadline: float | None,
    cancelled: IsCancelled | None,
    *,
    references: bool = False,
    short: bool = False,
) -> bool:
    """Wait for a sync, and with `references` until they are resolved. Return False at the deadline.

    With `short`, return False as soon as many references are left.
    """
    with requests.changed:
        while not (sync.resolved if references else sync.done):
            requests.ensure_running()
            if requests.closing:
                raise shutting_down_error()
            _check_cancelled(cancelled)
            left = deadline - time.monotonic() if deadline is not None else _CANCEL_POLL_SECONDS
            resolving = requests.status.resolving
            is_long = resolving is not None and resolving.files_total - resolving.files_done > MAX_AWAITED_FILES
            if left <= 0 or (short and sync.done and is_long):
                return False
            requests.changed.wait(min(left, _CANCEL_POLL_SECONDS))
    return True


def _raise_unusable(requests: IndexRequests, options: IndexOptions) -> NoReturn:
    status = requests.status
    if status.phase is not IndexPhase.ABSENT:
        raise copy_error(status.error) if status.error else CodePlaneError(ErrorCode.INTERNAL, "the index is unusable")
    state = open_state(options.real_root)
    owner = find_owner(state.lock_path) if state is not None else None
    if owner is not None and owner != os.getpid():
        raise owned_elsewhere_error(f"process {owner} is building the index", owner)
    raise no_index_error()


def _check_cancelled(cancelled: IsCancelled | None) -> None:
    if cancelled is not None and cancelled():
        raise CodePlaneError(ErrorCode.CANCELLED, "the call was cancelled")
