"""Work on an open index: run one sync, resolve references after it, and settle the files when idle."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from codeplane.base.errors import CodePlaneError, internal_error
from codeplane.disk.changes import Changes
from codeplane.index.indexer import Indexer
from codeplane.index.options import IndexProgress, ProgressListener, SyncReport
from codeplane.workspace.freshness import MAX_STALE_PATHS, WorkspaceSettings, report_notices
from codeplane.workspace.requests import VERIFY_SECONDS, IndexJob, IndexRequests, SyncRequest

SETTLE_SECONDS = 2.0
CLOSE_POOL_SECONDS = 30.0
"""Time without requests after which the waiting parse worker is ended."""
RESOLVE_SECONDS = 0.5
"""Pause after a sync, so that its callers are answered before references are resolved."""


class SyncRunner:
    """Belongs to the index thread."""

    def __init__(self, requests: IndexRequests, settings: WorkspaceSettings) -> None:
        self._requests = requests
        self._settings = settings
        self._unresolved_syncs: list[SyncRequest] = []
        """Finished except for their references."""
        self._settle_at: float | None = None
        self._resolve_at: float | None = None
        self._close_pool_at: float | None = None

    def run(self, indexer: Indexer, sync: SyncRequest, job: IndexJob | None) -> SyncReport | None:
        """Sync the index and fill in the requests. Return None if it failed; `sync.error` says why."""
        requests = self._requests
        with requests.changed:
            # This sync covers what was due; later changes make another one due.
            requests.sync_due = None
            requests.update(progress=IndexProgress("scan"), sync_started=time.time())
        began = time.monotonic()
        report: SyncReport | None = None
        error: CodePlaneError | None = None
        verify_again = False
        try:
            if sync.is_requested:
                self.warm(indexer)
            mark = requests.watcher.begin() if requests.watcher is not None else None
            listener = self._progress_listener(sync, job)
            if job is not None and job.kind == "reindex" and not indexer.needs_sync:
                report = indexer.rebuild(listener, lambda: requests.is_abandoned)
            else:
                unread = mark.unread if mark is not None else ()
                report = indexer.sync_files(listener, lambda: requests.is_abandoned, _changes_listener(sync), unread)
            if mark is not None and requests.watcher is not None:
                complete = not (report.partial or report.pending or report.decision == "interrupted")
                verify_again = requests.watcher.finish(mark, *indexer.watchable(), complete)
        except CodePlaneError as raised:
            error = raised
        except BaseException as raised:
            error = internal_error(raised, "the sync failed")
            raise
        finally:
            requests.sync_ended = time.monotonic()
            requests.sync_seconds = requests.sync_ended - began
            self._finish(indexer, sync, job, report, error)
        if verify_again:
            requests.schedule_sync(VERIFY_SECONDS)
        elif self._settings.background:
            requests.schedule_sync(self._settings.interval_seconds)
        if indexer.retry_at is not None and not self._settings.once:
            requests.schedule_sync(max(VERIFY_SECONDS, indexer.retry_at - time.time()))
        if report is not None and report.decision != "fresh":
            self._settle_at = requests.sync_ended + SETTLE_SECONDS
        return report

    def warm(self, indexer: Indexer) -> None:
        """Start a parse worker, so that the next edit does not wait for it. Without requests it ends again."""
        if not self._settings.once:
            indexer.pool.warm()
            self._close_pool_at = time.monotonic() + CLOSE_POOL_SECONDS

    def schedule_resolve(self) -> None:
        self._resolve_at = time.monotonic() + RESOLVE_SECONDS

    @property
    def is_resolve_due(self) -> bool:
        if any(sync.wants_references for sync in self._unresolved_syncs):
            return True
        return self._resolve_at is not None and not self._settings.once and time.monotonic() >= self._resolve_at

    def resolve(self, indexer: Indexer) -> None:
        """Resolve references until another request arrives."""
        requests = self._requests
        try:
            stop = lambda: requests.is_pending(has_index=True) or requests.is_sync_due  # noqa: E731
            if indexer.resolve(stop, lambda progress: requests.update(resolving=progress)):
                self.end_resolve(None)
        except CodePlaneError as error:
            self.end_resolve(error)
            raise

    def end_resolve(self, error: CodePlaneError | None) -> None:
        with self._requests.changed:
            self._resolve_at = None
            self._requests.update(resolving=None)
            for sync in self._unresolved_syncs:
                sync.error, sync.resolved = error, True
            self._unresolved_syncs.clear()
            self._requests.changed.notify_all()

    def settle(self, indexer: Indexer) -> bool:
        """Let the index finish its background work, or end its idle worker, if that is due. Return False if not."""
        now = time.monotonic()
        if self._settle_at is not None and now >= self._settle_at:
            self._settle_at = None
            indexer.settle()
            self._close_pool_at = now + CLOSE_POOL_SECONDS
            return True
        if self._close_pool_at is not None and now >= self._close_pool_at:
            self._close_pool_at = None
            indexer.pool.close()
            return True
        return False

    def idle_seconds(self) -> float | None:
        """Return the time until work is due; None if none is scheduled."""
        resolve_at = None if self._settings.once else self._resolve_at
        due = (self._requests.sync_due, self._settle_at, self._close_pool_at, resolve_at)
        times = [at for at in due if at is not None]
        return max(0.0, min(times) - time.monotonic()) if times else None

    def _finish(
        self,
        indexer: Indexer,
        sync: SyncRequest,
        job: IndexJob | None,
        report: SyncReport | None,
        error: CodePlaneError | None,
    ) -> None:
        requests = self._requests
        resolved = True
        if error is None:
            try:
                resolved = not indexer.has_unresolved
            except CodePlaneError as raised:
                report, error = None, raised
        with requests.changed:
            sync.report, sync.error, sync.done = report, error, True
            sync.resolved = resolved
            if not sync.resolved:
                self._unresolved_syncs.append(sync)
                self._resolve_at = self._resolve_at or requests.sync_ended + RESOLVE_SECONDS
            forced = indexer.forced or requests.reopen
            requests.update(progress=None, forced=forced, epoch=indexer.epoch, unparsed=indexer.unparsed)
            if report is not None:
                requests.update(last_report=report, last_sync=time.time(), last_error=None)
                if job is not None:
                    requests.notices = report_notices(report)
            elif error is not None:
                requests.update(last_error=error)
            if job is not None:
                requests.end_job(job, report, error)

    def _progress_listener(self, sync: SyncRequest, job: IndexJob | None) -> ProgressListener:
        def report(progress: IndexProgress) -> None:
            self._requests.update(progress=progress)
            if job is not None:
                job.progress = progress
            for listener in tuple(sync.listeners):
                # A failing listener must not stop the sync.
                with suppress(Exception):
                    listener(progress)

        return report


def _changes_listener(sync: SyncRequest) -> Callable[[Changes], None]:
    def listen(changes: Changes) -> None:
        paths = sorted({*changes.candidates[:MAX_STALE_PATHS], *changes.removed[:MAX_STALE_PATHS]})
        sync.differing_paths = tuple(paths[:MAX_STALE_PATHS]), len(changes.candidates) + len(changes.removed)

    return listen
