"""The end of a sync: publish the epoch, and report what was done."""

from __future__ import annotations

import time
from dataclasses import asdict

from codeplane.disk.changes import Changes
from codeplane.disk.walk import Scan
from codeplane.git.repository import RepoVersion
from codeplane.index.indexed_tree import IndexedTree, extensions_note, limits_note
from codeplane.index.options import IndexOptions, IndexProgress, SyncHooks, SyncReport
from codeplane.index.pipeline import SyncBatch
from codeplane.store.parse_failures import PARSE_FAILURES, format_failures
from codeplane.store.records import EpochInfo
from codeplane.store.writer import Writer

_MAX_PATHS = 20


def publish(
    writer: Writer,
    tree: IndexedTree,
    options: IndexOptions,
    scan: Scan,
    batch: SyncBatch,
    version: RepoVersion | None,
    hooks: SyncHooks,
) -> None:
    """Publish what the pipeline wrote as one epoch, with notes on how it was made."""
    hooks.progress(IndexProgress("finish", batch.done, batch.total))
    notes = {
        "pending": str(batch.left),
        "limits": limits_note(options),
        "extensions": extensions_note(options),
        "ignore_signature": scan.ignore_signature,
        PARSE_FAILURES: format_failures(tree.failures),
    }
    if batch.left:
        notes["pending_why"] = "full" if batch.full else "interrupted"
    changed = {key: value for key, value in notes.items() if (writer.read_meta(key) or "") != value}
    if changed:
        writer.put_meta(changed)
    if writer.epoch is not None and writer.size_bytes() > tree.cap_bytes(options):
        writer.forget_history()
    if batch.changed or tree.root_digest is None:
        tree.update_root_digest()
    head = version.head if version is not None else None
    writer.publish(EpochInfo(tree.root_digest or "", head, version_as_json(version), time.time_ns()))
    tree.repo_version = version_as_json(version)
    tree.ignore_signature = scan.ignore_signature
    tree.forced = tree.forced and batch.left > 0


def make_report(epoch: int, tree: IndexedTree, changes: Changes, batch: SyncBatch) -> SyncReport:
    """Return the counts of a sync; the indexer adds its decision and the state of the index."""
    stale = sorted({*batch.stale, *changes.unreadable})
    return SyncReport(
        epoch=epoch,
        decision="fresh",
        merkle_root=tree.root_digest or "",
        files=len(tree.files),
        added=len(batch.added),
        modified=len(batch.modified),
        removed=len(batch.removed),
        renamed=tuple(batch.renames()),
        touched=len(batch.touched),
        hashed=batch.hashed,
        parsed=batch.parsed,
        resolved=batch.resolved,
        partial=changes.partial or bool(stale),
        unscanned=changes.unscanned[:_MAX_PATHS],
        stale=tuple(stale[:_MAX_PATHS]),
        set_aside=tuple(sorted(batch.failed)),
        unparsed=tuple(sorted(tree.failures)),
        pending=batch.left,
        bytes_read=batch.bytes_read,
    )


def sync_decision(batch: SyncBatch, *, resumed: bool, changed: bool) -> str:
    if batch.interrupted:
        return "interrupted"
    if resumed:
        return "resumed"
    return "synced" if changed else "fresh"


def batch_warnings(batch: SyncBatch) -> tuple[str, ...]:
    if not batch.full:
        return ()
    advice = "raise index.max_bytes or ignore more"
    return (f"the size limit is reached; {batch.left} files are not indexed: {advice}",)


def version_as_json(version: RepoVersion | None) -> dict[str, object]:
    """Return the version as the database stores it."""
    if version is None:
        return {}
    return {**asdict(version), "submodules": [list(submodule) for submodule in version.submodules]}
