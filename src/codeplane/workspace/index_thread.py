"""The one thread that owns the index: it takes the lock, opens or builds, looks at the tree, and settles.

It does what `Requests` holds, one thing at a time, and then what is due. Nothing here
answers a question.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from codeplane import telemetry
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.disk.changes import Changes
from codeplane.disk.locks import FileLock, find_owner
from codeplane.index.indexer import Indexer
from codeplane.index.options import IndexOptions, IndexProgress, ProgressListener, SyncReport
from codeplane.store.layout import StateDirectory, create_state, open_state
from codeplane.workspace.clearing import ClearReport, remove_index
from codeplane.workspace.compatibility import describe, has_current, incompatible, inspect, usable
from codeplane.workspace.freshness import MAX_STALE_PATHS, WorkspaceSettings, notices_of
from codeplane.workspace.jobs import IndexJob, SyncRequest
from codeplane.workspace.requests import VERIFY_SECONDS, Clearing, Requests, cleared, locked_out, shutting_down
from codeplane.workspace.watcher import Watcher

FIRST_SYNC_SECONDS = 5.0
SETTLE_SECONDS = 2.0
RESOLVE_SECONDS = 0.5
"""After a look; whoever waited for it is answered first."""
_LOCK_EVERY_SECONDS = 0.1
_RETRY_SECONDS = 1.0
_LONGEST_RETRY_SECONDS = 30.0
_SHORT_LOCK_SECONDS = 0.25
"""A lock that is held no longer than this is none that anybody has to hear of."""
_DECIDED = frozenset({ErrorCode.REQUIRES_REINDEX, ErrorCode.INDEX_NEWER})


class IndexThread(Requests):
    """`ready` is called from the thread when an index has become one that can be read (True), and after looks at it."""

    def __init__(self, options: IndexOptions, settings: WorkspaceSettings, ready: Callable[[bool], None]) -> None:
        super().__init__(options, settings)
        self._ready = ready
        self._settle_at: float | None = None
        self._resolve_at: float | None = None
        self._unresolved_syncs: list[SyncRequest] = []
        """Over, but for what references stand for."""
        self._lock: FileLock | None = None
        self._indexer: Indexer | None = None
        self._locked_since: float | None = None
        self._inspected = -_RETRY_SECONDS
        self._retry_seconds = _RETRY_SECONDS
        self._thread = threading.Thread(target=self._run, name="codeplane-index", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout: float) -> bool:
        """End what goes on, in a state from which it can be resumed, and let go of the lock."""
        with self.changed:
            self.closing = True
            self.changed.notify_all()
        if self._thread.ident is None:
            return True
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self.closing:
            try:
                self._step()
            except CodePlaneError as error:
                self._fail(error)
            except Exception as error:
                telemetry.error("the index thread failed", **telemetry.describe(error))
                self._drop_indexer()
                self._fail(CodePlaneError(ErrorCode.INTERNAL, "the index failed in an unexpected way"))
        if self.watcher is not None:
            self.watcher.close()
        self._drop_indexer()
        self._release()
        with self.changed:
            for job in (self.job, self._job_wanted):
                if job is not None and job.running:
                    job.error = shutting_down()
            self.changed.notify_all()

    def _step(self) -> None:
        with self.changed:
            clearing, self._clear_wanted = self._clear_wanted, None
        if clearing is not None:
            self._clear(clearing)
        elif not self._build_wanted and not has_current(open_state(self.root)):
            self._drop_indexer()
            self._locked_since = None
            self._enter("absent")
            self._wait(_RETRY_SECONDS)
        elif self._lock is None and not self._take_lock():
            self._wait_for_lock()
        elif self._indexer is None:
            self._open()
        else:
            self._serve(self._indexer)

    def _take_lock(self) -> bool:
        state = create_state(self.root)
        try:
            self._acquire(state)
        except CodePlaneError as error:
            if error.code is not ErrorCode.INDEX_LOCKED:
                raise
            self.lock_owner = find_owner(state.lock_path)
            return False
        self.lock_owner = None
        if self.phase == "waiting":
            self._enter("opening")
        return True

    def _acquire(self, state: StateDirectory) -> None:
        self._lock = FileLock(state.lock_path).acquire()
        self._locked_since = None
        with self.changed:
            self.has_lock = True
            self.changed.notify_all()

    def _wait_for_lock(self) -> None:
        """A server tries until it has the lock; a command asks for a moment and then reads what is there.

        A build that somebody asked for is refused: they would wait for as long as the other process lives.
        """
        now = time.monotonic()
        self._locked_since = self._locked_since or now
        if now < self._locked_since + _SHORT_LOCK_SECONDS:
            if not self.settings.once and self._job_wanted is None:
                self._enter_waiting()
            time.sleep(0.02)
            return
        with self.changed:
            if self._job_wanted is not None:
                self._build_wanted = self._build_wanted_before
                self._end_job(self._job_wanted, None, locked_out(self.lock_owner))
            self._enter_waiting()
        self._inspect(now)
        self._rest(_RETRY_SECONDS if self.settings.once else _LOCK_EVERY_SECONDS)

    def _enter_waiting(self) -> None:
        with self.changed:
            self.error = None
            self._set_phase("waiting")

    def _inspect(self, now: float) -> None:
        """What lies there while another process has the lock; looked at until it can be used."""
        known = self.compatibility is not None and self.compatibility.verdict == "ok"
        if not known and now >= self._inspected + _RETRY_SECONDS:
            self._inspected = now
            with suppress(CodePlaneError):
                self.compatibility = inspect(self.options)

    def _open(self) -> None:
        job = self._job_wanted
        rebuild = job is not None
        try:
            self._indexer = Indexer.open(self.options, rebuild=rebuild, lock=self._lock)
        except CodePlaneError as error:
            if error.code not in _DECIDED:
                raise
            self.compatibility = inspect(self.options)
            self.error = incompatible(self.compatibility, "opening")
            if job is not None:
                self._end_job(job, None, self.error)
            self._enter("incompatible")
            self._wait(None)
            return
        self._reopen = False
        self.error = None
        self.compatibility = describe(self._indexer.found)
        self.forced, self.epoch = self._indexer.forced, self._indexer.epoch
        if self._indexer.needs_sync:
            self._complete(self._indexer)
        else:
            self._become_ready()

    def _complete(self, indexer: Indexer) -> None:
        """Make an index that cannot be read yet into one that can: build, resume or publish what was mended."""
        if indexer.generation is None or indexer.unfinished:
            self._enter("building")
        with self.changed:
            job, self._job_wanted = self._job_wanted, None
            if job is None:
                job = IndexJob(self._kind_of_first_sync(indexer), self.changed)
            self.job = job
            sync, self._queued = self._queued or SyncRequest(), None
        self._sync(indexer, sync, job)
        if sync.error is not None:
            raise sync.error
        if not indexer.needs_sync:
            self.compatibility = usable()
            self._become_ready()

    def _kind_of_first_sync(self, indexer: Indexer) -> str:
        if indexer.generation is not None:
            return "resume"
        return "create" if self.compatibility is not None and self.compatibility.verdict == "absent" else "rebuild"

    def _become_ready(self) -> None:
        first = self.watcher is None and self.phase != "ready"
        self._retry_seconds = _RETRY_SECONDS
        if self._indexer is not None and self._indexer.has_unresolved:
            self._resolve_at = time.monotonic() + RESOLVE_SECONDS
        self._enter("ready")
        if first and self.settings.watcher:
            self._start_watcher()
        if self.settings.background:
            self.schedule_sync(FIRST_SYNC_SECONDS)
        if self._indexer is not None and not self.settings.once:
            self._indexer.pool.warm()
        self._ready(True)

    def _start_watcher(self) -> None:
        debounce = self.settings.debounce_ms / 1000
        try:
            overlay, state = self.options.overlay, self.root / ".codeplane"
            self.watcher = Watcher(self.root, state, overlay=overlay, changed=lambda: self.schedule_sync(debounce))
        except OSError as error:
            self.watcher_state = "unsupported"
            telemetry.info("no watcher", reason=error.strerror)

    def _serve(self, indexer: Indexer) -> None:
        """One thing that was asked for or is due; else wait."""
        with self.changed:
            if self._is_due():
                self._due = None
                self._queued = self._queued or SyncRequest()
            corrupt_index_id, self._corrupt_index_id = self._corrupt_index_id, None
            job = self._job_wanted
        if corrupt_index_id is not None and corrupt_index_id in ("", indexer.index_id):
            indexer.mark_corrupt()
        if self._reopen:
            self._drop_indexer()
        elif indexer.needs_sync:
            self._complete(indexer)
        elif job is not None:
            self._build(indexer, job)
        elif self._queued is not None and not _is_current(indexer):
            # Somebody has removed the index, and the lock with it.
            self._enter("opening")
            self._drop_indexer()
            self._release()
        elif self._queued is not None:
            with self.changed:
                sync, self._queued = self._queued, None
            self._sync(indexer, sync, None)
        elif self._is_resolving_due():
            self._resolve(indexer)
        else:
            if corrupt_index_id is not None:
                self._enter("ready")
            self._idle(indexer)

    def _build(self, indexer: Indexer, job: IndexJob) -> None:
        """What somebody asked for: all anew, or with `create` what is missing."""
        with self.changed:
            self._job_wanted, self.job = None, job
            sync, self._queued = (
                (SyncRequest(), self._queued) if job.kind == "reindex" else (self._queued or SyncRequest(), None)
            )
        self._sync(indexer, sync, job)

    def _sync(self, indexer: Indexer, sync: SyncRequest, job: IndexJob | None) -> None:
        with self.changed:
            sync.begun, self.running, self.running_since = True, sync, time.time()
            # What was due is done by this one; what happens from now on makes another due.
            self._due = None
            self.progress = IndexProgress("scan")
        mark = self.watcher.begin() if self.watcher is not None else None
        began = time.monotonic()
        report: SyncReport | None = None
        error: CodePlaneError | None = None
        again = False
        try:
            work = indexer.rebuild if job is not None and job.kind == "reindex" and not indexer.needs_sync else None
            if work is not None:
                report = work(self._reporter(sync, job), self._is_given_up)
            else:
                report = indexer.sync_files(self._reporter(sync, job), self._is_given_up, _noticer(sync))
            if mark is not None and self.watcher is not None:
                complete = not (report.partial or report.pending or report.decision == "interrupted")
                again = self.watcher.finish(mark, indexer.directories(), complete)
        except CodePlaneError as raised:
            error = raised
        except BaseException:
            error = CodePlaneError(ErrorCode.INTERNAL, "the look at the tree failed in an unexpected way")
            raise
        finally:
            self._sync_ended = time.monotonic()
            self._sync_seconds = self._sync_ended - began
            self._end_sync(indexer, sync, job, report, error)
        if again:
            self.schedule_sync(VERIFY_SECONDS)
        elif self.settings.background:
            self.schedule_sync(self.settings.interval_seconds)
        if report is not None and report.decision != "fresh":
            self._settle_at = self._sync_ended + SETTLE_SECONDS
        if report is not None and self.phase == "ready":
            self._ready(report.decision == "rebuilt")

    def _end_sync(
        self,
        indexer: Indexer,
        sync: SyncRequest,
        job: IndexJob | None,
        report: SyncReport | None,
        error: CodePlaneError | None,
    ) -> None:
        with self.changed:
            sync.report, sync.error, sync.done = report, error, True
            sync.resolved = error is not None or not indexer.has_unresolved
            if not sync.resolved:
                self._unresolved_syncs.append(sync)
                self._resolve_at = self._resolve_at or self._sync_ended + RESOLVE_SECONDS
            self.running, self.progress = None, None
            self.forced, self.epoch = indexer.forced or self._reopen, indexer.epoch
            if report is not None:
                self.last_report, self.last_sync, self.last_error = report, time.time(), None
                if job is not None:
                    self._notices = list(notices_of(report))
            elif error is not None:
                self.last_error = error
            if job is not None:
                self._end_job(job, report, error)
            self.changed.notify_all()

    def _end_job(self, job: IndexJob, report: SyncReport | None, error: CodePlaneError | None) -> None:
        with self.changed:
            given_up = report is not None and report.decision == "interrupted"
            if given_up or (error is not None and error.code is ErrorCode.CANCELLED):
                # Half an index, or the one from before: not what was asked for.
                report, error = None, shutting_down() if self.closing else cleared()
            job.report, job.error = report, error
            if self._job_wanted is job:
                self._job_wanted = None
            self.changed.notify_all()

    def _reporter(self, sync: SyncRequest, job: IndexJob | None) -> ProgressListener:
        def report(progress: IndexProgress) -> None:
            self.progress = progress
            if job is not None:
                job.progress = progress
            for listener in tuple(sync.listeners):
                # A listener that fails is its owner's trouble, not that of the index.
                with suppress(Exception):
                    listener(progress)

        return report

    def _is_given_up(self) -> bool:
        return self.closing or self._clear_wanted is not None

    def _is_resolving_due(self) -> bool:
        if any(sync.wants_references for sync in self._unresolved_syncs):
            return True
        return self._resolve_at is not None and not self.settings.once and time.monotonic() >= self._resolve_at

    def _resolve(self, indexer: Indexer) -> None:
        """What references stand for, until somebody wants something else."""
        try:
            if indexer.resolve(lambda: self._is_wanted() or self._is_due()):
                self._end_resolving(None)
        except CodePlaneError as error:
            self._end_resolving(error)
            raise

    def _end_resolving(self, error: CodePlaneError | None) -> None:
        with self.changed:
            self._resolve_at = None
            for sync in self._unresolved_syncs:
                sync.error, sync.resolved = error, True
            self._unresolved_syncs.clear()
            self.changed.notify_all()

    def _is_due(self) -> bool:
        return self._due is not None and time.monotonic() >= self._due

    def _idle(self, indexer: Indexer) -> None:
        now = time.monotonic()
        if self._settle_at is not None and now >= self._settle_at:
            self._settle_at = None
            indexer.settle()
            return
        resolve_at = None if self.settings.once else self._resolve_at
        ends = [end for end in (self._due, self._settle_at, resolve_at) if end is not None]
        self._wait(max(0.0, min(ends) - now) if ends else None)

    def _wait(self, seconds: float | None) -> None:
        """Until somebody asks for something, or the time has passed."""
        if self.settings.once and self.phase in ("absent", "incompatible", "error"):
            seconds = None
        with self.changed:
            due = self._due
            self.changed.wait_for(lambda: self._is_wanted() or self._due != due, seconds)

    def _rest(self, seconds: float) -> None:
        """While nothing can be done but to end."""
        with self.changed:
            self.changed.wait_for(lambda: self.closing or self._clear_wanted is not None, seconds)

    def _is_wanted(self) -> bool:
        asked = self.closing or self._clear_wanted is not None or self._job_wanted is not None
        if self._indexer is None:
            return asked
        return asked or self._queued is not None or self._corrupt_index_id is not None or self._reopen

    def _clear(self, request: Clearing) -> None:
        """With the lock that is held, or one taken for it."""
        try:
            state = open_state(self.root)
            if state is None:
                request.report = ClearReport((), 0)
            else:
                request.report = self._remove(state, request.everything)
        except CodePlaneError as error:
            request.error = error
        finally:
            with self.changed:
                request.done = True
                if request.report is not None:
                    self._set_phase("absent")
                    self._refuse_sync(cleared())
                    self._end_resolving(cleared())
                    if self._job_wanted is not None:
                        self._end_job(self._job_wanted, None, cleared())
                    self._build_wanted = self._build_wanted_before = False
                    self._corrupt_index_id = self.last_error = None
                    self.compatibility = self.last_report = self.last_sync = self.epoch = None
                self.changed.notify_all()

    def _remove(self, state: StateDirectory, everything: bool) -> ClearReport:
        if self._lock is None:
            self._acquire(state)
        if self.watcher is not None:
            self.watcher.close()
            self.watcher = None
        self._drop_indexer()
        try:
            return remove_index(state, self.options.user_state, self.root, everything)
        finally:
            if everything:
                self._release()

    def _fail(self, error: CodePlaneError) -> None:
        """What keeps the index from being used. A directory that cannot be written can still be read."""
        read_only = error.code is ErrorCode.STATE_DIRECTORY_READ_ONLY
        with self.changed:
            self.error = self.last_error = error
            if self._job_wanted is not None:
                self._end_job(self._job_wanted, None, error)
            self._refuse_sync(error)
        if self.closing:
            return
        if self._indexer is None or self._indexer.needs_sync:
            self._enter("waiting" if read_only else "error")
        self._wait(self._retry_seconds)
        self._retry_seconds = min(2 * self._retry_seconds, _LONGEST_RETRY_SECONDS)

    def _refuse_sync(self, error: CodePlaneError) -> None:
        sync, self._queued = self._queued, None
        if sync is not None:
            sync.error, sync.done = error, True
            self.changed.notify_all()

    def _enter(self, phase: str) -> None:
        with self.changed:
            self._set_phase(phase)

    def _set_phase(self, phase: str) -> None:
        if self.phase != phase:
            self.phase = phase
            self.changed.notify_all()

    def _drop_indexer(self) -> None:
        indexer, self._indexer = self._indexer, None
        if indexer is not None:
            with suppress(CodePlaneError, OSError):
                indexer.close()

    def _release(self) -> None:
        lock, self._lock = self._lock, None
        self.has_lock = False
        if lock is not None:
            lock.release()


def _is_current(indexer: Indexer) -> bool:
    try:
        return indexer.generation is not None and indexer.state.read_current() == indexer.generation.name
    except CodePlaneError:
        return False


def _noticer(sync: SyncRequest) -> Callable[[Changes], None]:
    def differing_paths(changes: Changes) -> None:
        paths = sorted({*changes.candidates[:MAX_STALE_PATHS], *changes.removed[:MAX_STALE_PATHS]})
        sync.differing_paths = tuple(paths[:MAX_STALE_PATHS]), len(changes.candidates) + len(changes.removed)

    return differing_paths
