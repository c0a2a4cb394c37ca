"""A snapshot to read from: every change made before the call began is in it, or it says that it may not be.

Whoever gets the lock brings the index up to date first. When another process holds it, the
last published epoch is read as it is, and its freshness is called unchecked.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.index.indexer import Indexer
from codeplane.index.options import IndexOptions, SyncReport
from codeplane.query.snapshot import Snapshot, open_current
from codeplane.store.layout import open_state

_LOCK_SECONDS = 0.25


@dataclass(frozen=True)
class Freshness:
    status: str
    """fresh or stale."""
    decision: str
    """fresh, synced, unchecked or deferred."""
    stale_paths: tuple[RepoPath, ...] = ()


@dataclass(frozen=True)
class View:
    snapshot: Snapshot
    freshness: Freshness
    warnings: tuple[str, ...] = ()


@contextmanager
def open_view(options: IndexOptions) -> Iterator[View]:
    """NOT_INDEXED without an index: a question does not start a build of unknown length."""
    state = open_state(options.root)
    if state is None or state.current() is None:
        raise CodePlaneError(ErrorCode.NOT_INDEXED, "this repository has no index", remedy="run 'cpl init'")
    try:
        indexer = Indexer.open(options, lock_timeout=_LOCK_SECONDS)
    except CodePlaneError as error:
        if error.code is not ErrorCode.INDEX_LOCKED:
            raise
        with open_current(state) as snapshot:
            yield View(snapshot, Freshness("stale", "unchecked"), (f"freshness not checked: {error.message}",))
        return
    with indexer:
        report = indexer.sync()
        with open_current(indexer.state) as snapshot:
            yield View(snapshot, _freshness(report), report.warnings)


def _freshness(report: SyncReport) -> Freshness:
    decision = "fresh" if report.decision == "fresh" else "synced"
    unseen = (*report.unscanned, *report.stale)
    if unseen or report.pending:
        return Freshness("stale", "deferred", unseen)
    return Freshness("fresh", decision)
