"""Build or update the index of a repository, and report its contents."""

from __future__ import annotations

from dataclasses import dataclass

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.index.indexer import Indexer
from codeplane.index.options import IndexProgress, IsCancelled, ProgressListener, SyncReport
from codeplane.operations.context import Context
from codeplane.operations.settings import index_options
from codeplane.query.files import list_files, summarize_index
from codeplane.query.snapshot import open_current
from codeplane.store.layout import StateDirectory, open_state
from codeplane.store.records import FileState

__all__ = ["IndexProgress", "IndexReport", "SyncReport", "initialize", "report_published"]

_MAX_SET_ASIDE = 100


@dataclass(frozen=True)
class IndexReport:
    epoch: int
    decision: str
    """built, rebuilt, resumed, synced, fresh or interrupted."""
    files: int
    changed: int
    languages: tuple[tuple[str, int, int, int], ...]
    """(language, files, definitions, references)."""
    definitions: int
    references: int
    imports: int
    scopes: int
    skipped: tuple[tuple[str, int], ...]
    set_aside: tuple[tuple[str, str], ...]
    problems: int
    pending: int
    bytes: int
    index_bytes: int
    seconds: float
    renamed: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()


def initialize(
    context: Context, progress: ProgressListener | None = None, cancelled: IsCancelled | None = None
) -> IndexReport:
    """Index the repository; replace an incompatible or corrupt index."""
    with Indexer.open(index_options(context), rebuild=True) as indexer:
        return report_on(indexer.state, indexer.sync(progress, cancelled))


def report_published(context: Context, report: SyncReport) -> IndexReport:
    """Report the index contents after a sync by another process."""
    state = open_state(context.root)
    if state is None:
        raise CodePlaneError(ErrorCode.NOT_INDEXED, "this repository has no index", remedy="Run 'cpl init'.")
    return report_on(state, report)


def report_on(state: StateDirectory, report: SyncReport) -> IndexReport:
    with open_current(state, lexical=False) as snapshot:
        totals = summarize_index(snapshot)
        failed = list_files(snapshot, _MAX_SET_ASIDE, state=FileState.FAILED)
    return IndexReport(
        epoch=report.epoch,
        decision=report.decision,
        files=totals.files,
        changed=report.changed,
        languages=totals.languages,
        definitions=totals.definitions,
        references=totals.references,
        imports=totals.imports,
        scopes=totals.scopes,
        skipped=tuple(sorted(totals.reasons.items())),
        set_aside=tuple((file.path, file.reason or "") for file in failed.rows),
        problems=totals.problems,
        pending=report.pending,
        bytes=totals.source_bytes,
        index_bytes=state.size_bytes(),
        seconds=report.seconds,
        renamed=report.renamed,
        warnings=_warnings(report),
    )


def _warnings(report: SyncReport) -> tuple[str, ...]:
    found = list(report.warnings)
    if report.rebuild_reason:
        found.append(f"the index was rebuilt: {report.rebuild_reason}")
    if report.unscanned:
        found.append(f"directories that could not be read: {', '.join(report.unscanned)}")
    if report.stale:
        found.append(f"files that could not be read, or changed during the sync: {', '.join(report.stale)}")
    if report.repaired:
        found.append(f"an interrupted update was repaired: {len(report.repaired)} files read again")
    return tuple(found)
