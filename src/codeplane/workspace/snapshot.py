"""A snapshot to read from: every change made before the call began is in it, or it says that it may not be.

Whoever gets the lock brings the index up to date first. When another process holds it, the
last published epoch is read as it is, and its freshness is called unchecked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.disk.locks import find_owner
from codeplane.index.fingerprint import runtime_fingerprint
from codeplane.index.indexer import Indexer
from codeplane.index.options import IndexOptions, SyncReport
from codeplane.query.snapshot import Snapshot, open_current
from codeplane.store.fingerprint import differences, parse_fingerprint
from codeplane.store.layout import StateDirectory, open_state
from codeplane.store.registry import read_binding

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
    if state is None or not _has_current(state):
        owner = find_owner(state.lock_path) if state is not None else None
        if owner is not None:
            raise CodePlaneError(
                ErrorCode.NOT_READY, f"process {owner} is building the index", remedy="Wait until it is done."
            )
        raise CodePlaneError(ErrorCode.NOT_INDEXED, "this repository has no index", remedy="Run 'cpl init'.")
    try:
        indexer = Indexer.open(options, lock_timeout=_LOCK_SECONDS)
    except CodePlaneError as error:
        if error.code not in (ErrorCode.INDEX_LOCKED, ErrorCode.STATE_DIRECTORY_READ_ONLY):
            raise
        with open_current(state) as snapshot:
            _require_ours(snapshot, options)
            yield View(snapshot, Freshness("stale", "unchecked"), (f"freshness not checked: {error.message}",))
        return
    with indexer:
        report = indexer.sync()
        try:
            with open_current(indexer.state) as snapshot:
                yield View(snapshot, _freshness(report), (*report.warnings, *_unseen(report)))
        except CodePlaneError as error:
            # Only under the lock is it certain that nobody replaced a file meanwhile.
            if error.code is ErrorCode.INDEX_CORRUPT:
                indexer.condemn()
            raise


def _has_current(state: StateDirectory) -> bool:
    """Whether there is an index, be it a damaged one: that is rebuilt, since its length is known."""
    try:
        return state.current() is not None
    except CodePlaneError as error:
        if error.code is not ErrorCode.INDEX_CORRUPT:
            raise
        return True


def _require_ours(snapshot: Snapshot, options: IndexOptions) -> None:
    """Whoever holds the lock may be replacing this index just because it is a stranger's or made by other rules."""
    meta = snapshot.reader.meta
    binding = read_binding(options.user_state, Path(os.path.realpath(options.root)))
    if binding is None or not binding.covers(meta("repo_uuid") or "", meta("index_id") or ""):
        raise CodePlaneError(
            ErrorCode.NOT_READY,
            "the index was not made here by this user; it is being replaced",
            remedy="try again later",
        )
    if differences(parse_fingerprint(meta("fingerprint") or ""), runtime_fingerprint()):
        raise CodePlaneError(
            ErrorCode.REQUIRES_REINDEX, "the index was made by other rules and is in use", remedy="run 'cpl init'"
        )


def _unseen(report: SyncReport) -> tuple[str, ...]:
    paths = (*report.unscanned, *report.stale)
    return (f"could not be read, so what is known of it may be old: {', '.join(paths)}",) if paths else ()


def _freshness(report: SyncReport) -> Freshness:
    decision = "fresh" if report.decision == "fresh" else "synced"
    unseen = (*report.unscanned, *report.stale)
    if unseen or report.pending:
        return Freshness("stale", "deferred", unseen)
    return Freshness("fresh", decision)
