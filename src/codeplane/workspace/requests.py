"""Requests to the index thread, and the status that it shows: all that the thread and its callers share.

Callers add requests and wait on `changed`; the thread takes requests, fills in their results and replaces `status`.
Everything mutable here is accessed under `changed`.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.base.warnings import Notice
from codeplane.index.options import IndexProgress, ProgressListener, SyncReport
from codeplane.workspace.clearing import ClearReport
from codeplane.workspace.errors import cleared_error, locked_error, shutting_down_error
from codeplane.workspace.freshness import Compatibility, IndexPhase
from codeplane.workspace.watcher import Watcher

VERIFY_SECONDS = 1.0
"""A sync verifies the watcher's claims at most this often, and for at most a twentieth of the time."""
_DECISION_SECONDS = 2.0


class SyncRequest:
    """One sync with the working tree. Everyone who asks before it starts shares it."""

    def __init__(self) -> None:
        self.done = False
        self.resolved = False
        """True once references can be read, too."""
        self.wants_references = False
        self.is_requested = False
        """True if a caller waits for it; False for one in the background."""
        self.report: SyncReport | None = None
        self.error: CodePlaneError | None = None
        self.differing_paths: tuple[tuple[RepoPath, ...], int] = ((), 0)
        """The first paths that differ, and their total; known once the tree has been compared."""
        self.listeners: list[ProgressListener] = []

    def fail(self, error: CodePlaneError) -> None:
        self.error, self.done, self.resolved = error, True, True


class IndexJob:
    """A build of the index that a caller can wait for."""

    def __init__(self, kind: str, condition: threading.Condition) -> None:
        self.id = f"j_{secrets.token_urlsafe(16)}"
        self.kind = kind
        """create, reindex, rebuild or resume."""
        self.started = time.time()
        self.progress = IndexProgress("scan")
        self.report: SyncReport | None = None
        self.error: CodePlaneError | None = None
        self._condition = condition

    @property
    def running(self) -> bool:
        return self.report is None and self.error is None

    def wait(self, timeout: float | None = None) -> bool:
        """Return True if the job ended within the timeout, successfully or not."""
        with self._condition:
            return self._condition.wait_for(lambda: not self.running, timeout)


class ClearRequest:
    def __init__(self, everything: bool) -> None:
        self.everything = everything
        self.report: ClearReport | None = None
        self.error: CodePlaneError | None = None
        self.done = False


@dataclass(frozen=True)
class ThreadStatus:
    phase: IndexPhase = IndexPhase.OPENING
    error: CodePlaneError | None = None
    """Reason for ERROR and INCOMPATIBLE, or for WAITING without a lock owner."""
    has_lock: bool = False
    lock_owner: int | None = None
    compatibility: Compatibility | None = None
    epoch: int | None = None
    forced: bool = False
    """True if files must be read again even where their stat is unchanged."""
    unparsed: int = 0
    """Files that could not be parsed so far."""
    job: IndexJob | None = None
    """The last job that was started."""
    progress: IndexProgress | None = None
    """Progress of the running sync."""
    resolving: IndexProgress | None = None
    """Progress of the references of the published epoch."""
    sync_started: float = 0.0
    last_report: SyncReport | None = None
    last_sync: float | None = None
    last_error: CodePlaneError | None = None


class IndexRequests:
    """Requests that the thread has not started, at most one of each kind, and the status of the thread."""

    def __init__(self, *, build_allowed: bool, watcher_state: str) -> None:
        self.changed = threading.Condition()
        self.ensure_running: Callable[[], None] = lambda: None
        """Starts the index thread again if it died; callers that wait for its work call this."""
        self.status = ThreadStatus()
        self.closing = False
        self.watcher: Watcher | None = None
        self.watcher_state_without = watcher_state
        """State to report while there is no watcher."""
        self.sync: SyncRequest | None = None
        self.sync_due: float | None = None
        """When a sync must start without a caller, in seconds of the monotonic clock."""
        self.sync_ended = self.sync_seconds = 0.0
        """End and duration of the last sync."""
        self.job: IndexJob | None = None
        self.clear: ClearRequest | None = None
        self.corrupt_index_id: str | None = None
        """Id of an index in which a reader met corruption; empty if the reader could not tell which."""
        self.reopen = False
        """Settings outside the repository changed: open the index again with them."""
        self.build_allowed = build_allowed
        self._build_allowed_before = build_allowed
        """Restored when a requested build is refused."""
        self.notices: tuple[Notice, ...] = ()
        """Notices of builds that no read has reported yet."""

    def request_sync(
        self, listener: ProgressListener | None = None, *, references: bool = False
    ) -> tuple[SyncRequest, bool]:
        """Return a sync that starts after this call, and True if another caller shares it.

        A running sync is never shared: it may already have passed a file that changed since.
        """
        self.ensure_running()
        with self.changed:
            shared = self.sync is not None
            sync = self.ensure_sync()
            sync.is_requested = True
            sync.wants_references = sync.wants_references or references
            if listener is not None:
                sync.listeners.append(listener)
            self.changed.notify_all()
            return sync, shared

    def request_build(self, force: bool) -> IndexJob:
        """Return the job of a new build, or the job that is already running.

        Raises INDEX_LOCKED while another process holds the lock, which may take forever.
        """
        self.ensure_running()
        with self.changed:
            if self.status.phase is IndexPhase.WAITING and self.status.error is None:
                raise locked_error(self.status.lock_owner)
            job = self.job or self.status.job
            if job is None or not job.running:
                job = self.job = IndexJob("reindex" if force else "create", self.changed)
                self.build_allowed, self._build_allowed_before = True, self.build_allowed
                self.changed.notify_all()
            # The first attempt to take the lock decides within moments whether the job can run.
            self.changed.wait_for(lambda: self.status.has_lock or self.closing or not job.running, _DECISION_SECONDS)
            return job

    def request_clear(self, everything: bool) -> ClearReport:
        """Remove the index, and wait for it. Running work is abandoned."""
        self.ensure_running()
        with self.changed:
            request = self.clear = self.clear or ClearRequest(everything)
            self.changed.notify_all()
            self.changed.wait_for(lambda: request.done or self.closing)
        if request.error is not None:
            raise request.error
        if request.report is None:
            raise shutting_down_error()
        return request.report

    def request_reopen(self) -> None:
        """Use changed settings from the next sync on."""
        with self.changed:
            self.reopen = True
            self.ensure_sync()
            self.update(forced=True)
        if self.watcher is not None:
            self.watcher.distrust()

    def mark_corrupt(self, index_id: str | None) -> None:
        """Report that a reader met corruption in this index, or in an unknown one."""
        with self.changed:
            self.corrupt_index_id = index_id or ""
            if self.status.phase is IndexPhase.READY:
                self.update(phase=IndexPhase.BUILDING)
            self.changed.notify_all()

    def schedule_sync(self, seconds: float) -> None:
        """Let a sync start within so many seconds, or sooner."""
        with self.changed:
            due = time.monotonic() + seconds
            if self.sync_due is None or due < self.sync_due:
                self.sync_due = due
                self.changed.notify_all()

    def proves_fresh(self) -> bool:
        """True if the watcher proves that nothing changed since the last sync began."""
        watcher = self.watcher
        if watcher is None or self.status.forced or not watcher.proves_fresh():
            return False
        pause = max(VERIFY_SECONDS, 20 * self.sync_seconds)
        self.schedule_sync(max(0.0, self.sync_ended + pause - time.monotonic()))
        return True

    def dirty_paths(self) -> tuple[tuple[RepoPath, ...], int]:
        """Return paths that the watcher saw change since the last sync, and their total."""
        watcher = self.watcher
        return watcher.dirty() if watcher is not None else ((), 0)

    @property
    def watcher_state(self) -> str:
        watcher = self.watcher
        return watcher.state if watcher is not None else self.watcher_state_without

    def take_notices(self) -> tuple[Notice, ...]:
        with self.changed:
            notices, self.notices = self.notices, ()
            return notices

    def update(self, **changes: Any) -> None:
        """Replace fields of `status` and wake all waiting threads."""
        with self.changed:
            self.status = replace(self.status, **changes)
            self.changed.notify_all()

    def ensure_sync(self) -> SyncRequest:
        self.sync = self.sync or SyncRequest()
        return self.sync

    def take_sync(self) -> SyncRequest:
        """Remove and return the queued sync, or a new one."""
        with self.changed:
            sync, self.sync = self.ensure_sync(), None
            return sync

    def refuse_sync(self, error: CodePlaneError) -> None:
        with self.changed:
            sync, self.sync = self.sync, None
            if sync is not None:
                sync.fail(error)
                self.changed.notify_all()

    def refuse_build(self, error: CodePlaneError) -> None:
        with self.changed:
            if self.job is not None:
                self.end_job(self.job, None, error)

    def forget_build(self) -> None:
        """Disallow builds again if only the refused job allowed them."""
        self.build_allowed = self._build_allowed_before

    def end_job(self, job: IndexJob, report: SyncReport | None, error: CodePlaneError | None) -> None:
        with self.changed:
            interrupted = report is not None and report.decision == "interrupted"
            if interrupted or (error is not None and error.code is ErrorCode.CANCELLED):
                # A partial index, or the previous one, is not the requested build.
                report, error = None, shutting_down_error() if self.closing else cleared_error()
            job.report, job.error = report, error
            if self.job is job:
                self.job = None
            self.changed.notify_all()

    def reset(self) -> None:
        """Refuse everything and forget what the cleared index was; build again only on request."""
        with self.changed:
            self.refuse_sync(cleared_error())
            self.refuse_build(cleared_error())
            self.build_allowed = self._build_allowed_before = False
            self.corrupt_index_id = None
            kept = self.status
            self.status = ThreadStatus(
                IndexPhase.ABSENT, kept.error, kept.has_lock, kept.lock_owner, forced=kept.forced, job=kept.job
            )
            self.changed.notify_all()

    @property
    def is_sync_due(self) -> bool:
        return self.sync_due is not None and time.monotonic() >= self.sync_due

    @property
    def is_abandoned(self) -> bool:
        """True if running work must stop: the index is being closed or cleared."""
        return self.closing or self.clear is not None

    def is_pending(self, has_index: bool) -> bool:
        """True if a request can be served now; without an open index only closing, clearing and jobs can."""
        if self.is_abandoned or self.job is not None:
            return True
        return has_index and (self.sync is not None or self.corrupt_index_id is not None or self.reopen)
