"""The entry points to a repository: fresh reads of its index, and mutations of its files. Safe from many threads.

It assembles the parts: the index thread, the snapshot pool, fresh reads and the editor.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

from codeplane import telemetry
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.edits.journal import MutationJournal
from codeplane.edits.mutation import Editor, Mutation
from codeplane.index.options import IndexOptions, IsCancelled, ProgressListener, SyncReport
from codeplane.query.snapshot import Snapshot
from codeplane.store.layout import StateDirectory, open_state
from codeplane.store.state_files import STATE_NAME
from codeplane.workspace.clearing import ClearReport
from codeplane.workspace.compatibility import Preflight, has_current, preflight
from codeplane.workspace.errors import copy_error, unverifiable_error
from codeplane.workspace.fresh_read import OPENING_SECONDS, FreshRead, wait_for, wait_readable, wait_until_open
from codeplane.workspace.freshness import (
    ONE_SHOT,
    ActiveJob,
    FreshResult,
    IndexPhase,
    WorkspaceSettings,
    WorkspaceState,
    check_policy,
)
from codeplane.workspace.index_thread import IndexThread
from codeplane.workspace.prewarm import prewarm
from codeplane.workspace.requests import IndexJob, IndexRequests
from codeplane.workspace.snapshot_pool import SnapshotPool
from codeplane.workspace.working_tree import WorkingTree

T = TypeVar("T")

PREWARM_RETRY_SECONDS = 10.0


class Workspace:
    """Between `start` and `close` it owns the index, or waits for the lock."""

    def __init__(self, options: IndexOptions, settings: WorkspaceSettings | None = None) -> None:
        self.options = options
        self.settings = settings or WorkspaceSettings()
        check_policy(self.settings.policy)
        self.root = options.real_root
        watcher_state = "starting" if self.settings.watcher else "off"
        self._requests = IndexRequests(build_allowed=self.settings.build, watcher_state=watcher_state)
        self._thread = IndexThread(options, self.settings, self._requests, self._on_ready)
        self._pool = SnapshotPool(StateDirectory(self.root / STATE_NAME))
        self.tree = WorkingTree(options)
        """The files themselves, for results while there is no index to read."""
        self._prewarm = "pending" if self.settings.prewarm else "skipped"
        self._prewarmer: threading.Thread | None = None
        self._prewarm_ended = 0.0
        self._editor: Editor | None = None

    def start(self) -> None:
        """Start the index thread and return at once."""
        self._thread.start()

    def close(self, timeout: float = 5.0) -> None:
        """Stop all work so that it can be resumed. Waiting callers get SHUTTING_DOWN."""
        deadline = time.monotonic() + timeout
        if self._editor is not None:
            self._editor.close(timeout)
        self._thread.stop(timeout)
        if self._prewarmer is not None:
            self._prewarmer.join(max(0.1, deadline - time.monotonic()))
        self._pool.close()

    def __enter__(self) -> Workspace:
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def drop_snapshots(self) -> None:
        """Close idle snapshots, and with them their page caches."""
        self._pool.drop()

    @property
    def open_snapshots(self) -> int:
        """Number of idle snapshots that the next reads reuse."""
        return len(self._pool)

    def state(self) -> WorkspaceState:
        """Return the current state without waiting for any work."""
        self._requests.ensure_running()
        status = self._requests.status
        active: ActiveJob | None = None
        if status.job is not None and status.job.running:
            active = ActiveJob(status.job.kind, status.job.id, status.job.progress, status.job.started)
        elif (progress := status.progress or status.resolving) is not None:
            active = ActiveJob("sync", "", progress, status.sync_started)
        return WorkspaceState(
            phase=status.phase,
            watcher=self._requests.watcher_state,
            prewarm=self._prewarm,
            lock_owner=status.lock_owner if status.phase is IndexPhase.WAITING else None,
            progress=status.progress,
            epoch=status.epoch,
            last_sync=status.last_sync,
            last_report=status.last_report,
            last_error=status.last_error,
            compatibility=status.compatibility,
            unparsed=status.unparsed,
            unfinished_writes=self._editor.leftovers if self._editor is not None else (),
            active_job=active,
            published=self._is_published(status.phase),
        )

    def read(
        self,
        query: Callable[[Snapshot], T],
        policy: str | None = None,
        *,
        file: RepoPath | None = None,
        lexical: bool = False,
        references: bool = False,
        cancelled: IsCancelled | None = None,
    ) -> FreshResult[T]:
        """Run a query on one epoch. It may run twice; only the last value counts.

        With `file`, only that file must be fresh. `references` waits until references are resolved, which takes
        longer than everything else in a sync.
        """
        return FreshRead(
            self._requests,
            self._pool,
            self.options,
            self.settings,
            query,
            check_policy(policy or self.settings.policy),
            file=file,
            lexical=lexical,
            references=references,
            cancelled=cancelled,
        ).run()

    @property
    def editor(self) -> Editor:
        """Editor of the working tree. READ_ONLY if this process may not change files."""
        if self._editor is None:
            raise CodePlaneError(ErrorCode.READ_ONLY, "files cannot be changed here")
        return self._editor

    def attach_editor(self, editor: Editor) -> None:
        """Allow mutations; for the process that owns the ledger. `close` closes the editor first."""
        self._editor = editor

    def mutation(
        self, paths: Sequence[RepoPath], journal: MutationJournal | None, cancelled: IsCancelled
    ) -> AbstractContextManager[Mutation]:
        """Lock paths for one atomic change; see `edits.mutation`. Without a journal it is a preview."""
        return self.editor.mutation(paths, journal, cancelled)

    def wait_until_open(self, seconds: float = OPENING_SECONDS, cancelled: IsCancelled | None = None) -> bool:
        """Wait while an existing index is being opened; return True if it can be read now.

        Does not wait for a build, which can take minutes. Raises CANCELLED, but never an error of the index.
        """
        return wait_until_open(self._requests, time.monotonic() + seconds, cancelled) is IndexPhase.READY

    def sync(self, listener: ProgressListener | None = None, cancelled: IsCancelled | None = None) -> SyncReport:
        """Sync with the working tree now, and wait until references are resolved.

        `listener` is called from another thread. A cancelled caller gets CANCELLED; the sync continues for others.
        """
        deadline = time.monotonic() + max(OPENING_SECONDS, self.settings.strict_seconds)
        phase = wait_readable(self._requests, self.options, True, True, deadline, cancelled)
        if phase is not IndexPhase.READY:
            raise unverifiable_error(ErrorCode.INDEX_LOCKED, self._requests.status.lock_owner)
        sync, _ = self._requests.request_sync(listener, references=True)
        wait_for(self._requests, sync, None, cancelled, references=True)
        if sync.error is not None:
            raise copy_error(sync.error)
        assert sync.report is not None
        return sync.report

    def request_sync(self, listener: ProgressListener | None = None) -> None:
        """Sync as soon as possible, and return at once."""
        self._requests.request_sync(listener)

    @property
    def has_pending_request(self) -> bool:
        """True if a sync or a clear waits to be started."""
        return self._requests.sync is not None or self._requests.clear is not None

    def build(self, *, force: bool) -> IndexJob:
        """Start a build in the background, or return the running one. Raises at once if it is refused."""
        job = self._requests.request_build(force)
        if job.error is not None:
            raise copy_error(job.error)
        return job

    def preflight(self) -> Preflight:
        return preflight(self.options)

    def clear(self, everything: bool = False) -> ClearReport:
        """Remove the index. It is built again only on request."""
        report = self._requests.request_clear(everything)
        self._pool.drop()
        return report

    def reconfigure(self) -> None:
        """Apply changed user settings of this repository from the next sync on."""
        self._requests.request_reopen()

    def _is_published(self, phase: IndexPhase) -> bool:
        if phase in (IndexPhase.READY, IndexPhase.ABSENT):
            return phase is IndexPhase.READY
        try:
            return has_current(open_state(self.root))
        except CodePlaneError:
            return False

    def _on_ready(self, rebuilt: bool) -> None:
        """Prewarm once. A failed prewarm is retried for a new index, or after a while."""
        self.tree.forget()
        if self._prewarm not in ("pending", "failed") or (self._prewarmer is not None and self._prewarmer.is_alive()):
            return
        retry_at = self._prewarm_ended + PREWARM_RETRY_SECONDS
        if self._prewarm == "failed" and not rebuilt and time.monotonic() < retry_at:
            return
        if self._prewarm == "pending":
            self._prewarm = "running"
        self._prewarmer = threading.Thread(target=self._run_prewarm, name="codeplane-prewarm", daemon=True)
        try:
            self._prewarmer.start()
        except RuntimeError as error:
            # The system allows no more threads.
            self._prewarmer, self._prewarm, self._prewarm_ended = None, "failed", time.monotonic()
            telemetry.warn("the prewarm failed", **telemetry.describe(error))

    def _run_prewarm(self) -> None:
        try:
            with self._pool.acquire(True) as pooled:
                prewarm(pooled.snapshot, lambda: self._requests.closing)
            self._prewarm = "complete"
        # Also panics of extension modules, which are no `Exception`s.
        except BaseException as error:
            self._prewarm_ended, self._prewarm = time.monotonic(), "failed"
            if not self._requests.closing:
                code = error.code.name if isinstance(error, CodePlaneError) else None
                telemetry.warn("the prewarm failed", code=code, **telemetry.describe(error))


@contextmanager
def open_workspace(options: IndexOptions, settings: WorkspaceSettings = ONE_SHOT) -> Iterator[Workspace]:
    """Open a workspace for the duration of one command."""
    with Workspace(options, settings) as workspace:
        yield workspace
