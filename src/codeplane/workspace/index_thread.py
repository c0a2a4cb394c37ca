"""The thread that owns the index: it takes the repository lock, opens or builds the index, and syncs it.

The thread takes one step at a time: it serves a request, or does work that is due. It answers no reads; callers use
`IndexRequests`.

Phases and their transitions:

    OPENING       -> READY          an intact index was opened
    OPENING       -> BUILDING       the index is missing, corrupt or unfinished
    OPENING       -> ABSENT         there is no index, and none was requested
    OPENING       -> INCOMPATIBLE   another version built the index; only a requested rebuild replaces it
    any           -> WAITING        another process holds the lock, or the directory is read-only
    WAITING       -> OPENING        the lock was acquired
    BUILDING      -> READY          the index was published
    READY         -> BUILDING       a reader met corruption: the next step rebuilds
    READY         -> OPENING        someone removed or replaced the index on disk
    any           -> ABSENT         the index was cleared
    any           -> ERROR          a step failed; it is retried with exponential backoff

No error ends the thread: damage is followed by a rebuild, everything else by another attempt.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from codeplane import telemetry
from codeplane.base.errors import CodePlaneError, ErrorCode, internal_error
from codeplane.disk.locks import FileLock, find_owner
from codeplane.index.indexer import Indexer
from codeplane.index.options import IndexOptions
from codeplane.processes.threads import SupervisedThread
from codeplane.store.layout import StateDirectory, create_state, open_state
from codeplane.workspace.clearing import ClearReport, remove_index
from codeplane.workspace.compatibility import describe, has_current, incompatible_error, inspect, usable
from codeplane.workspace.errors import cleared_error, locked_error, shutting_down_error
from codeplane.workspace.freshness import UNWRITABLE, IndexPhase, WorkspaceSettings
from codeplane.workspace.requests import ClearRequest, IndexJob, IndexRequests, SyncRequest
from codeplane.workspace.sync_runner import SyncRunner
from codeplane.workspace.watcher import Watcher

FIRST_SYNC_SECONDS = 5.0
_LOCK_POLL_SECONDS = 0.1
_SHORT_LOCK_SECONDS = 0.25
"""Locks held no longer than this are waited for silently."""
_RETRY_SECONDS = 1.0
_MAX_RETRY_SECONDS = 30.0
_INCOMPATIBLE = frozenset({ErrorCode.REQUIRES_REINDEX, ErrorCode.INDEX_NEWER})
_IDLE_PHASES = frozenset({IndexPhase.ABSENT, IndexPhase.INCOMPATIBLE, IndexPhase.ERROR})


class IndexThread:
    """`on_ready` is called from the thread after each sync of a readable index, with True for a new index."""

    def __init__(
        self,
        options: IndexOptions,
        settings: WorkspaceSettings,
        requests: IndexRequests,
        on_ready: Callable[[bool], None],
    ) -> None:
        self._options = options
        self._settings = settings
        self._requests = requests
        self._on_ready = on_ready
        self._root = options.real_root
        self._runner = SyncRunner(requests, settings)
        self._lock: FileLock | None = None
        self._indexer: Indexer | None = None
        self._locked_since: float | None = None
        self._inspected_at = -_RETRY_SECONDS
        self._retry_seconds = _RETRY_SECONDS
        self._thread = SupervisedThread("codeplane-index", self._run, self._recover)
        requests.ensure_running = self._thread.ensure_running

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout: float) -> bool:
        """Stop in a state from which work can resume, and release the lock. Return False on timeout."""
        with self._requests.changed:
            self._requests.closing = True
            self._requests.changed.notify_all()
        return self._thread.join(timeout)

    @property
    def _phase(self) -> IndexPhase:
        return self._requests.status.phase

    def _enter(self, phase: IndexPhase) -> None:
        self._requests.update(phase=phase)

    def _run(self) -> None:
        requests = self._requests
        while not requests.closing:
            try:
                self._step()
            except CodePlaneError as error:
                self._fail(error)
        if requests.watcher is not None:
            requests.watcher.close()
        self._drop_indexer()
        self._release()
        with requests.changed:
            for job in (requests.status.job, requests.job):
                if job is not None and job.running:
                    job.error = shutting_down_error()
            requests.changed.notify_all()

    def _recover(self, error: BaseException) -> None:
        """Give up what a step left behind that ended in an unexpected way."""
        self._drop_indexer()
        self._fail(internal_error(error, "the index failed"))

    def _step(self) -> None:
        requests = self._requests
        with requests.changed:
            clear, requests.clear = requests.clear, None
        if clear is not None:
            self._clear(clear)
        elif not requests.build_allowed and not has_current(open_state(self._root)):
            self._drop_indexer()
            self._locked_since = None
            self._enter(IndexPhase.ABSENT)
            self._wait(_RETRY_SECONDS)
        elif self._lock is None and not self._try_lock():
            self._wait_for_lock()
        elif self._indexer is None:
            self._open()
        else:
            self._serve(self._indexer)

    def _try_lock(self) -> bool:
        state = create_state(self._root)
        try:
            self._acquire(state)
        except CodePlaneError as error:
            if error.code is not ErrorCode.INDEX_LOCKED:
                raise
            self._requests.update(lock_owner=find_owner(state.lock_path))
            return False
        self._requests.update(lock_owner=None)
        if self._phase is IndexPhase.WAITING:
            self._enter(IndexPhase.OPENING)
        return True

    def _acquire(self, state: StateDirectory) -> None:
        self._lock = FileLock(state.lock_path).acquire()
        self._locked_since = None
        self._requests.update(has_lock=True)

    def _wait_for_lock(self) -> None:
        """Poll for the lock; a one-shot command gives up after a moment and reads what is published.

        A requested build is refused: its caller would wait as long as the other process lives.
        """
        requests = self._requests
        now = time.monotonic()
        self._locked_since = self._locked_since or now
        if now < self._locked_since + _SHORT_LOCK_SECONDS:
            if not self._settings.once and requests.job is None:
                requests.update(phase=IndexPhase.WAITING, error=None)
            time.sleep(0.02)
            return
        with requests.changed:
            if requests.job is not None:
                requests.forget_build()
                requests.refuse_build(locked_error(requests.status.lock_owner))
            requests.update(phase=IndexPhase.WAITING, error=None)
        compatibility = requests.status.compatibility
        if (compatibility is None or compatibility.verdict != "ok") and now >= self._inspected_at + _RETRY_SECONDS:
            self._inspected_at = now
            with suppress(CodePlaneError):
                requests.update(compatibility=inspect(self._options))
        with requests.changed:
            seconds = _RETRY_SECONDS if self._settings.once else _LOCK_POLL_SECONDS
            requests.changed.wait_for(lambda: requests.is_abandoned, seconds)

    def _open(self) -> None:
        requests = self._requests
        job = requests.job
        try:
            indexer = self._indexer = Indexer.open(self._options, rebuild=job is not None, lock=self._lock)
        except CodePlaneError as error:
            if error.code not in _INCOMPATIBLE:
                raise
            compatibility = inspect(self._options)
            refusal = incompatible_error(compatibility, IndexPhase.OPENING)
            requests.refuse_build(refusal)
            requests.update(phase=IndexPhase.INCOMPATIBLE, compatibility=compatibility, error=refusal)
            self._wait(None)
            return
        requests.reopen = False
        compatibility = describe(indexer.found)
        requests.update(error=None, compatibility=compatibility, forced=indexer.forced)
        requests.update(epoch=indexer.epoch, unparsed=indexer.unparsed)
        if indexer.needs_sync:
            self._complete(indexer)
        else:
            self._become_ready(indexer)

    def _complete(self, indexer: Indexer) -> None:
        """Make an index readable: build it, resume a build, or publish a repair."""
        if indexer.generation is None or indexer.unfinished:
            self._enter(IndexPhase.BUILDING)
        requests = self._requests
        with requests.changed:
            job, requests.job = requests.job, None
            job = job or IndexJob(self._first_job_kind(indexer), requests.changed)
            requests.update(job=job)
        sync = requests.take_sync()
        self._sync(indexer, sync, job)
        if sync.error is not None:
            raise sync.error
        if not indexer.needs_sync:
            requests.update(compatibility=usable())
            self._become_ready(indexer)

    def _first_job_kind(self, indexer: Indexer) -> str:
        if indexer.generation is not None:
            return "resume"
        compatibility = self._requests.status.compatibility
        return "create" if compatibility is not None and compatibility.verdict == "absent" else "rebuild"

    def _become_ready(self, indexer: Indexer) -> None:
        first = self._requests.watcher is None and self._phase is not IndexPhase.READY
        self._retry_seconds = _RETRY_SECONDS
        if indexer.has_unresolved:
            self._runner.schedule_resolve()
        self._enter(IndexPhase.READY)
        if first and self._settings.watcher:
            self._start_watcher()
        if self._settings.background:
            self._requests.schedule_sync(FIRST_SYNC_SECONDS)
        self._runner.warm(indexer)
        self._on_ready(True)

    def _start_watcher(self) -> None:
        requests, debounce = self._requests, self._settings.debounce_ms / 1000
        try:
            overlay, state = self._options.overlay, self._root / ".codeplane"
            requests.watcher = Watcher(
                self._root, state, overlay=overlay, changed=lambda: requests.schedule_sync(debounce)
            )
        except OSError as error:
            requests.watcher_state_without = "unsupported"
            telemetry.info("no watcher", reason=error.strerror)

    def _serve(self, indexer: Indexer) -> None:
        """Serve one request or do one piece of due work; otherwise wait."""
        requests = self._requests
        with requests.changed:
            if requests.is_sync_due:
                requests.sync_due = None
                requests.ensure_sync()
            corrupt_index_id, requests.corrupt_index_id = requests.corrupt_index_id, None
        if corrupt_index_id is not None and corrupt_index_id in ("", indexer.index_id):
            self._mark_corrupt()
        if requests.reopen:
            self._drop_indexer()
        elif indexer.needs_sync:
            self._complete(indexer)
        elif self._phase is not IndexPhase.READY:
            # An earlier step failed, or a reader met damage in an index that was replaced meanwhile.
            self._become_ready(indexer)
        elif requests.job is not None:
            self._build(indexer, requests.job)
        elif requests.sync is not None and not _is_current(indexer):
            # Someone removed the index, and the lock file with it.
            self._enter(IndexPhase.OPENING)
            self._drop_indexer()
            self._release()
        elif requests.sync is not None:
            self._sync(indexer, requests.take_sync(), None)
        elif self._runner.is_resolve_due:
            self._runner.resolve(indexer)
        elif not self._runner.settle(indexer):
            self._wait(self._runner.idle_seconds())

    def _build(self, indexer: Indexer, job: IndexJob) -> None:
        """Rebuild everything, or with `create` index what is missing."""
        requests = self._requests
        with requests.changed:
            requests.job = None
            requests.update(job=job)
        self._sync(indexer, SyncRequest() if job.kind == "reindex" else requests.take_sync(), job)

    def _sync(self, indexer: Indexer, sync: SyncRequest, job: IndexJob | None) -> None:
        report = self._runner.run(indexer, sync, job)
        if report is not None and self._phase is IndexPhase.READY:
            self._on_ready(report.decision == "rebuilt")

    def _wait(self, seconds: float | None) -> None:
        """Wait for a request, at most so many seconds."""
        requests = self._requests
        if self._settings.once and self._phase in _IDLE_PHASES:
            seconds = None
        has_index = self._indexer is not None
        with requests.changed:
            due = requests.sync_due
            requests.changed.wait_for(lambda: requests.is_pending(has_index) or requests.sync_due != due, seconds)

    def _clear(self, request: ClearRequest) -> None:
        try:
            state = open_state(self._root)
            request.report = ClearReport((), 0) if state is None else self._remove(state, request.everything)
        except CodePlaneError as error:
            request.error = error
        finally:
            with self._requests.changed:
                request.done = True
                if request.report is not None:
                    self._requests.reset()
                    self._runner.end_resolve(cleared_error())
                self._requests.changed.notify_all()

    def _remove(self, state: StateDirectory, everything: bool) -> ClearReport:
        if self._lock is None:
            self._acquire(state)
        if self._requests.watcher is not None:
            self._requests.watcher.close()
            self._requests.watcher = None
        self._drop_indexer()
        try:
            return remove_index(state, self._options.user_state, self._root, everything)
        finally:
            if everything:
                self._release()

    def _fail(self, error: CodePlaneError) -> None:
        """Rebuild a damaged index; otherwise refuse pending requests. Wait before the next attempt.

        An index that cannot be written can still be read.
        """
        requests = self._requests
        readable = self._check_readable()
        damaged = error.code is ErrorCode.INDEX_CORRUPT and self._indexer is not None
        if damaged and readable:
            self._mark_corrupt()
        with requests.changed:
            requests.update(error=error, last_error=error)
            if not damaged:
                requests.refuse_build(error)
                requests.refuse_sync(error)
        if requests.closing:
            return
        if damaged:
            self._enter(IndexPhase.BUILDING)
        elif not readable:
            can_read = error.code in UNWRITABLE and self._can_read_only()
            self._enter(IndexPhase.WAITING if can_read else IndexPhase.ERROR)
        self._wait(self._retry_seconds)
        self._retry_seconds = min(2 * self._retry_seconds, _MAX_RETRY_SECONDS)

    def _can_read_only(self) -> bool:
        """True if the published index can be read although it cannot be written."""
        with suppress(CodePlaneError):
            self._requests.update(compatibility=inspect(self._options))
            return has_current(open_state(self._root))
        return False

    def _check_readable(self) -> bool:
        """True if the open index can be read. An index that cannot say so is discarded."""
        try:
            return self._indexer is not None and not self._indexer.needs_sync
        except CodePlaneError as error:
            if error.code is ErrorCode.INDEX_CORRUPT:
                self._mark_corrupt()
            else:
                self._drop_indexer()
            return False

    def _mark_corrupt(self) -> None:
        """Have the next step rebuild the open index, even if the mark for other processes cannot be written."""
        assert self._indexer is not None
        with suppress(CodePlaneError, OSError):
            self._indexer.mark_corrupt()

    def _drop_indexer(self) -> None:
        indexer, self._indexer = self._indexer, None
        if indexer is not None:
            with suppress(Exception):
                indexer.close()

    def _release(self) -> None:
        lock, self._lock = self._lock, None
        self._requests.update(has_lock=False)
        if lock is not None:
            lock.release()


def _is_current(indexer: Indexer) -> bool:
    try:
        return indexer.generation is not None and indexer.state.read_current() == indexer.generation.name
    except CodePlaneError:
        return False
