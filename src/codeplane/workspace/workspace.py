"""The door to a repository's index, for a process that lives or for one question.

It puts the parts together: the thread that keeps the index, the snapshots to read from,
and the questions. Safe from many threads.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import TypeVar

from codeplane import telemetry
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.edits.journal import MutationJournal
from codeplane.edits.mutation import Editor, Mutation
from codeplane.index.options import IndexOptions, IsCancelled, ProgressListener, SyncReport
from codeplane.query.snapshot import Snapshot
from codeplane.store.layout import STATE_NAME, StateDirectory, open_state
from codeplane.workspace.clearing import ClearReport
from codeplane.workspace.compatibility import has_current
from codeplane.workspace.fresh_read import FreshRead
from codeplane.workspace.freshness import (
    ONE_SHOT,
    ActiveJob,
    FreshResult,
    WorkspaceSettings,
    WorkspaceState,
    check_policy,
)
from codeplane.workspace.index_thread import IndexThread
from codeplane.workspace.jobs import IndexJob
from codeplane.workspace.preflight import Preflight, preflight
from codeplane.workspace.prewarm import prewarm
from codeplane.workspace.readers import Readers
from codeplane.workspace.waiting import OPENING_SECONDS, admit, copy_error, lock_held_error, wait_for, wait_until_open
from codeplane.workspace.working_tree import WorkingTree

T = TypeVar("T")

PREWARM_AGAIN_SECONDS = 10.0


class Workspace:
    """Safe from many threads. Between `start` and `close` it owns the index, or waits for its turn."""

    def __init__(self, options: IndexOptions, settings: WorkspaceSettings | None = None) -> None:
        self.options = options
        self.settings = settings or WorkspaceSettings()
        check_policy(self.settings.policy)
        self._index_thread = IndexThread(options, self.settings, self._on_ready)
        self.root = self._index_thread.root
        self._readers = Readers(StateDirectory(self.root / STATE_NAME))
        self.tree = WorkingTree(options)
        """The files themselves, for answers while there is no index to read."""
        self._prewarm = "pending" if self.settings.prewarm else "skipped"
        self._prewarmer: threading.Thread | None = None
        self._prewarm_ended = 0.0
        self._editor: Editor | None = None

    def start(self) -> None:
        """Returns at once; what is done goes on in a thread of its own."""
        self._index_thread.start()

    def close(self, timeout: float = 5.0) -> None:
        """End what goes on, so that it can be resumed; nobody who waits here is left waiting."""
        deadline = time.monotonic() + timeout
        if self._editor is not None:
            self._editor.close(timeout)
        self._index_thread.stop(timeout)
        if self._prewarmer is not None:
            self._prewarmer.join(max(0.1, deadline - time.monotonic()))
        self._readers.close()

    def __enter__(self) -> Workspace:
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def state(self) -> WorkspaceState:
        """How things stand; never waits for work."""
        index_thread = self._index_thread
        watcher = index_thread.watcher
        with index_thread.changed:
            report, progress, job, running = (
                index_thread.last_report,
                index_thread.progress,
                index_thread.job,
                index_thread.running,
            )
            active: ActiveJob | None = None
            if job is not None and job.running:
                active = ActiveJob(job.kind, job.id, job.progress, job.started)
            elif running is not None and progress is not None:
                active = ActiveJob("sync", "", progress, index_thread.running_since)
            state = WorkspaceState(
                phase=index_thread.phase,
                watcher=watcher.state if watcher is not None else index_thread.watcher_state,
                prewarm=self._prewarm,
                lock_owner=index_thread.lock_owner if index_thread.phase == "waiting" else None,
                progress=progress,
                epoch=index_thread.epoch,
                last_sync=index_thread.last_sync,
                last_report=report,
                last_error=index_thread.last_error,
                compatibility=index_thread.compatibility,
                active_job=active,
            )
        return replace(state, published=self._is_published(state.phase))

    def read(
        self,
        ask: Callable[[Snapshot], T],
        policy: str | None = None,
        *,
        file: RepoPath | None = None,
        lexical: bool = False,
        links: bool = False,
        cancelled: IsCancelled | None = None,
    ) -> FreshResult[T]:
        """Ask one epoch. `ask` may run twice; only the later value counts. With `file`, only that file matters.

        Who asks what references stand for says so (`links`): that is known a while after all the rest.
        """
        chosen = check_policy(policy or self.settings.policy)
        return FreshRead(self._index_thread, self._readers, ask, chosen, file, lexical, links, cancelled).answer()

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
        """Wait while an existing index is being opened; return whether it can be read now.

        Does not wait for a build: that can take minutes. Raises CANCELLED; never fails because of the index itself.
        """
        return wait_until_open(self._index_thread, time.monotonic() + seconds, cancelled) == "ready"

    def sync(self, report: ProgressListener | None = None, cancelled: IsCancelled | None = None) -> SyncReport:
        """Look at the tree now and wait for it, and for what references stand for.

        `report` is called from another thread. Who gives up gets CANCELLED; the look goes on, since others may need it.
        """
        deadline = time.monotonic() + max(OPENING_SECONDS, self.settings.strict_seconds)
        if admit(self._index_thread, True, deadline, cancelled) != "ready":
            raise lock_held_error(ErrorCode.INDEX_LOCKED, self._index_thread.lock_owner)
        sync, _ = self._index_thread.request_sync(report, links=True)
        wait_for(self._index_thread, sync, None, cancelled, links=True)
        if sync.error is not None:
            raise copy_error(sync.error)
        assert sync.report is not None
        return sync.report

    def build(self, *, force: bool) -> IndexJob:
        """Build in the background; the job that goes on already, if there is one. Raises what refuses it at once."""
        job = self._index_thread.build(force)
        if job.error is not None:
            raise copy_error(job.error)
        return job

    def preflight(self) -> Preflight:
        return preflight(self.options)

    def clear(self, everything: bool = False) -> ClearReport:
        """Remove the index. It stays away until somebody asks for a build."""
        report = self._index_thread.clear(everything)
        self._readers.drop()
        return report

    def reconfigure(self) -> None:
        """What the user has settled for this repository was changed: it holds from the next look on."""
        self._index_thread.reopen()

    def _is_published(self, phase: str) -> bool:
        if phase in ("ready", "absent"):
            return phase == "ready"
        try:
            return has_current(open_state(self.root))
        except CodePlaneError:
            return False

    def _on_ready(self, anew: bool) -> None:
        """Prewarm once; one that failed is tried again on another index, or after a while."""
        self.tree.forget()
        if self._prewarm not in ("pending", "failed") or (self._prewarmer is not None and self._prewarmer.is_alive()):
            return
        if self._prewarm == "failed" and not anew and time.monotonic() < self._prewarm_ended + PREWARM_AGAIN_SECONDS:
            return
        if self._prewarm == "pending":
            self._prewarm = "running"
        self._prewarmer = threading.Thread(target=self._run_prewarm, name="codeplane-prewarm", daemon=True)
        self._prewarmer.start()

    def _run_prewarm(self) -> None:
        try:
            with self._readers.taken(True) as taken:
                prewarm(taken.snapshot, lambda: self._index_thread.closing)
            self._prewarm = "complete"
        except Exception as error:
            self._prewarm_ended, self._prewarm = time.monotonic(), "failed"
            if not self._index_thread.closing:
                code = error.code.name if isinstance(error, CodePlaneError) else None
                telemetry.warn("the prewarm failed", code=code, **telemetry.describe(error))


@contextmanager
def open_workspace(options: IndexOptions, settings: WorkspaceSettings = ONE_SHOT) -> Iterator[Workspace]:
    """A door for the length of one command."""
    with Workspace(options, settings) as workspace:
        yield workspace
