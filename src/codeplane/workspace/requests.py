"""What is asked of the thread that keeps the index, and what it shows of itself.

A look that has begun serves nobody who asks later, because it may have passed what changed
since; one that waits is shared by all who ask. Nothing is done here but to note it down.
"""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.warnings import Notice
from codeplane.index.options import IndexOptions, IndexProgress, ProgressListener, SyncReport
from codeplane.workspace.clearing import ClearReport
from codeplane.workspace.freshness import Compatibility, WorkspaceSettings
from codeplane.workspace.jobs import IndexJob, SyncRequest
from codeplane.workspace.watcher import Watcher

VERIFY_SECONDS = 1.0
"""The watcher's word is verified by a look, at most this often and at most for a twentieth of the time."""


_DECISION_SECONDS = 2.0


class Requests:
    """What others may see and ask of the thread that keeps the index; all of it changes under `changed` only."""

    def __init__(self, options: IndexOptions, settings: WorkspaceSettings) -> None:
        self.options = options
        self.settings = settings
        self.root = Path(os.path.realpath(options.root))
        self.changed = threading.Condition()
        self.phase = "opening"
        self.closing = False
        self.lock_owner: int | None = None
        self.has_lock = False
        self.error: CodePlaneError | None = None
        """Why the phase is error or incompatible, or waiting for something else than the lock."""
        self.last_error: CodePlaneError | None = None
        self.last_report: SyncReport | None = None
        self.last_sync: float | None = None
        self.compatibility: Compatibility | None = None
        self.progress: IndexProgress | None = None
        self.running: SyncRequest | None = None
        self.running_since = 0.0
        self.job: IndexJob | None = None
        self.epoch: int | None = None
        self.forced = False
        """Whether files must be read again whatever their stat says."""
        self.watcher: Watcher | None = None
        self.watcher_state = "starting" if settings.watcher else "off"
        self._queued: SyncRequest | None = None
        self._job_wanted: IndexJob | None = None
        self._clear_wanted: Clearing | None = None
        self._corrupt_index_id: str | None = None
        self._reopen = False
        self._build_wanted = settings.build
        self._build_wanted_before = settings.build
        """What holds again when a build that was asked for is refused."""
        self._notices: list[Notice] = []
        self._due: float | None = None
        self._sync_ended = 0.0
        self._sync_seconds = 0.0

    def request_sync(self, report: ProgressListener | None = None, *, links: bool = False) -> tuple[SyncRequest, bool]:
        """A look that begins after this call, and whether somebody else had asked for it already."""
        with self.changed:
            shared = self._queued is not None
            sync = self._queued = self._queued or SyncRequest()
            sync.wants_references = sync.wants_references or links
            if report is not None:
                sync.listeners.append(report)
            self.changed.notify_all()
            return sync, shared

    def schedule_sync(self, seconds: float) -> None:
        """See to it that a look begins by then; sooner is fine."""
        with self.changed:
            due = time.monotonic() + seconds
            if self._due is None or due < self._due:
                self._due = due
                self.changed.notify_all()

    def schedule_verification(self) -> None:
        """Let a look check the watcher's word, without haste."""
        pause = max(VERIFY_SECONDS, 20 * self._sync_seconds)
        self.schedule_sync(max(0.0, self._sync_ended + pause - time.monotonic()))

    def build(self, force: bool) -> IndexJob:
        """Ask for a whole index; the job that is under way already is everybody's.

        INDEX_LOCKED while another process has the lock: when that lets go, nobody can say.
        """
        with self.changed:
            if self.phase == "waiting" and self.error is None:
                raise locked_out(self.lock_owner)
            job = self._job_wanted or self.job
            if job is None or not job.running:
                job = self._job_wanted = IndexJob("reindex" if force else "create", self.changed)
                self._build_wanted, self._build_wanted_before = True, self._build_wanted
                self.changed.notify_all()
            # Whether the lock is to be had is known in a moment, and not yet before the first attempt.
            self.changed.wait_for(lambda: self.has_lock or self.closing or not job.running, _DECISION_SECONDS)
            return job

    def clear(self, everything: bool) -> ClearReport:
        """Ask for the removal of the index and wait for it; what goes on is given up."""
        with self.changed:
            request = self._clear_wanted = self._clear_wanted or Clearing(everything)
            self.changed.notify_all()
            self.changed.wait_for(lambda: request.done or self.closing)
        if request.error is not None:
            raise request.error
        if request.report is None:
            raise shutting_down()
        return request.report

    def mark_corrupt(self, index_id: str | None) -> None:
        """A reader met damage in this index, or could not even tell in which."""
        with self.changed:
            self._corrupt_index_id = index_id or ""
            if self.phase == "ready":
                self.phase = "building"
            self.changed.notify_all()

    def reopen(self) -> None:
        """Options that are kept outside have changed: use them from the next look on."""
        with self.changed:
            self._reopen = self.forced = True
            self._queued = self._queued or SyncRequest()
            self.changed.notify_all()
        if self.watcher is not None:
            self.watcher.distrust()

    def take_notices(self) -> tuple[Notice, ...]:
        """What was noticed while nobody was asking, told once."""
        with self.changed:
            found, self._notices = tuple(self._notices), []
            return found


class Clearing:
    def __init__(self, everything: bool) -> None:
        self.everything = everything
        self.report: ClearReport | None = None
        self.error: CodePlaneError | None = None
        self.done = False


def locked_out(owner: int | None) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.INDEX_LOCKED,
        "another process is using the index",
        details={"pid": owner} if owner is not None else {},
        remedy="Wait until it is done, or end it.",
    )


def cleared() -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.NOT_INDEXED,
        "the index was cleared",
        remedy="Create one: manage_index with action 'create', or 'cpl init'.",
    )


def shutting_down() -> CodePlaneError:
    return CodePlaneError(ErrorCode.SHUTTING_DOWN, "CodePlane is shutting down")
