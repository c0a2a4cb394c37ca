"""One question to the index: what is asked, how fresh the answer must be, and what came of it.

It is asked of the current epoch while a look at the tree goes on beside it, and once more
when the look has published another epoch. So every change made before the call began is in
the answer, or the answer says that it is stale and where.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Generic, TypeVar

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.base.warnings import Notice, WarningCode
from codeplane.index.options import IsCancelled
from codeplane.query.snapshot import Snapshot
from codeplane.store.layout import open_state
from codeplane.workspace.compatibility import has_current, not_ready, require_ours
from codeplane.workspace.freshness import FRESH, Freshness, FreshResult, freshness_of, notices_of, stale
from codeplane.workspace.jobs import SyncRequest
from codeplane.workspace.onefile import is_untouched
from codeplane.workspace.readers import Readers
from codeplane.workspace.requests import Requests
from codeplane.workspace.waiting import OPENING_SECONDS, admit, copy_error, lock_held_error, not_ready_error, wait_for

T = TypeVar("T")

_STRICT_ATTEMPTS = 3
_PAUSE_SECONDS = 0.05
_BROKEN = frozenset({ErrorCode.INDEX_CORRUPT, ErrorCode.NOT_READY, ErrorCode.NOT_INDEXED})
"""Errors that another look may do away with."""
_ALWAYS_RAISED = frozenset({ErrorCode.ROOT_CHANGED, ErrorCode.SHUTTING_DOWN, ErrorCode.NOT_INDEXED})


class FreshRead(Generic[T]):
    """One read: what is asked, how long it may take, and what came of it so far."""

    def __init__(
        self,
        index_thread: Requests,
        readers: Readers,
        ask: Callable[[Snapshot], T],
        policy: str,
        file: RepoPath | None,
        lexical: bool,
        links: bool,
        cancelled: IsCancelled | None,
    ) -> None:
        self._index_thread = index_thread
        self._readers = readers
        self._ask = ask
        self._policy = policy
        self._file = file
        self._lexical = lexical
        self._links = links
        self._cancelled = cancelled
        settings = index_thread.settings
        self._one_shot = settings.once
        began = time.monotonic()
        # What references stand for is not there to be told meanwhile, so it is waited for.
        patient = policy == "strict" or (links and not settings.once)
        self._deadline = began + (settings.strict_seconds if patient else settings.inline_ms / 1000)
        self._opening = max(self._deadline, began + OPENING_SECONDS)

    def answer(self) -> FreshResult[T]:
        for attempt in range(_STRICT_ATTEMPTS):
            waits = self._deadline if self._policy == "strict" else self._opening
            phase = admit(self._index_thread, self._policy == "strict", waits, self._cancelled)
            if phase == "waiting":
                return self._answer_unchecked()
            found = self._answer_once()
            last = attempt == _STRICT_ATTEMPTS - 1
            if found is None and not last:
                continue
            if found is None:
                break
            if self._policy != "strict" or found.freshness.status == "fresh":
                return found
            if last or not found.freshness.stale_paths:
                raise _too_stale(found.freshness)
            time.sleep(_PAUSE_SECONDS)
        raise not_ready_error(self._index_thread, "building")

    def _answer_once(self) -> FreshResult[T] | None:
        """None when the index turned out damaged, and another attempt may find it mended."""
        watcher = self._index_thread.watcher
        freshness: Freshness | None = None
        if watcher is not None and not self._index_thread.forced and watcher.proves_fresh():
            freshness = FRESH
            self._index_thread.schedule_verification()
        elif self._policy == "best_effort":
            freshness = stale("unchecked", *(watcher.dirty() if watcher is not None else ((), 0)))
        tried = _Try[T]()
        sync: SyncRequest | None = None
        shared = False
        if freshness is None and self._file is None:
            sync, shared = self._index_thread.request_sync(links=self._links)
        try:
            with self._readers.taken(self._lexical) as taken:
                snapshot, tried.index_id = taken.snapshot, taken.index_id
                if freshness is None and self._file is not None:
                    if not self._index_thread.forced and is_untouched(snapshot, self._index_thread.options, self._file):
                        freshness = FRESH
                    else:
                        sync, shared = self._index_thread.request_sync(links=self._links)
                tried.ask(self._ask, snapshot)
        except Exception as error:
            # Also a defect of the question may be one of an epoch that is about to be replaced.
            tried.error = error
            if sync is None and (tried.is_broken or freshness is None):
                sync, shared = self._index_thread.request_sync(links=self._links)
        notices = self._index_thread.take_notices()
        if freshness is None or tried.is_broken:
            return self._after(sync, shared, tried, notices)
        return tried.read(freshness, notices)

    def _after(
        self, sync: SyncRequest | None, shared: bool, tried: _Try[T], notices: tuple[Notice, ...]
    ) -> FreshResult[T] | None:
        """Wait for the look as the policy says, and ask again where it found something."""
        if tried.is_damaged:
            self._mark_corrupt(tried)
            return None
        assert sync is not None
        if not wait_for(self._index_thread, sync, self._deadline, self._cancelled, links=self._links):
            return self._deferred(sync, tried, notices)
        if sync.error is not None:
            if self._policy == "strict" or self._one_shot or sync.error.code in _ALWAYS_RAISED:
                raise copy_error(sync.error)
            return tried.read(stale("failed", reason=sync.error.code.name), notices)
        assert sync.report is not None
        freshness = freshness_of(sync.report, shared)
        notices = (*notices, *(notice for notice in notices_of(sync.report) if notice not in notices))
        if tried.epoch is None or sync.report.epoch != tried.epoch or tried.is_broken:
            tried = _Try()
            try:
                with self._readers.taken(self._lexical) as taken:
                    tried.index_id = taken.index_id
                    tried.ask(self._ask, taken.snapshot)
            except Exception as error:
                tried.error = error
            if tried.is_damaged:
                self._mark_corrupt(tried)
                return None
        return tried.read(freshness, notices)

    def _mark_corrupt(self, tried: _Try[T]) -> None:
        """The index is built anew; who cannot wait is told so."""
        self._index_thread.mark_corrupt(tried.index_id)
        if self._policy != "strict" and not self._one_shot:
            raise not_ready_error(self._index_thread, "building")

    def _deferred(self, sync: SyncRequest, tried: _Try[T], notices: tuple[Notice, ...]) -> FreshResult[T]:
        paths, total = sync.differing_paths
        watcher = self._index_thread.watcher
        if not total and watcher is not None:
            paths, total = watcher.dirty()
        freshness = stale("deferred", paths, total)
        if self._policy == "strict":
            raise _too_stale(freshness)
        return tried.read(freshness, notices)

    def _answer_unchecked(self) -> FreshResult[T]:
        """Of the epoch that is published: whoever holds the lock may be behind."""
        owner = self._index_thread.lock_owner
        if self._policy == "strict":
            raise lock_held_error(ErrorCode.INDEX_STALE, owner)
        state = open_state(self._index_thread.root)
        if not has_current(state):
            raise not_ready("the index is being built by another process", owner)
        tried = _Try[T]()
        try:
            with self._readers.taken(self._lexical) as taken:
                require_ours(taken.snapshot, self._index_thread.options, owner)
                tried.ask(self._ask, taken.snapshot)
        except CodePlaneError as error:
            tried.error = error
        about: dict[str, object] = {"pid": owner} if owner is not None else {}
        return tried.read(stale("unchecked"), (Notice(WarningCode.FRESHNESS_UNCHECKED, about),))


class _Try(Generic[T]):
    """One run of the question: a value of an epoch, or the error that it ended with."""

    def __init__(self) -> None:
        self.values: list[T] = []
        self.error: Exception | None = None
        self.epoch: int | None = None
        self.index_id: str | None = None

    def ask(self, ask: Callable[[Snapshot], T], snapshot: Snapshot) -> None:
        """Errors of the index are raised, so that the snapshot is not used again; others are kept for later."""
        self.epoch = snapshot.epoch.epoch
        try:
            self.values = [ask(snapshot)]
        except CodePlaneError as error:
            if error.code in _BROKEN:
                raise
            self.error = error

    @property
    def is_broken(self) -> bool:
        return isinstance(self.error, CodePlaneError) and self.error.code in _BROKEN

    @property
    def is_damaged(self) -> bool:
        return isinstance(self.error, CodePlaneError) and self.error.code is ErrorCode.INDEX_CORRUPT

    def read(self, freshness: Freshness, notices: tuple[Notice, ...]) -> FreshResult[T]:
        if self.error is not None:
            if isinstance(self.error, CodePlaneError) and freshness.status != "fresh":
                self.error.details.setdefault("freshness", freshness.as_dict())
            raise self.error
        assert self.epoch is not None
        return FreshResult(self.values[0], self.epoch, freshness, notices)


def _too_stale(freshness: Freshness) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.INDEX_STALE,
        "the index could not be brought up to date in time",
        details=freshness.as_dict(),
        remedy="Ask again, or ask with the policy 'balanced'.",
    )
