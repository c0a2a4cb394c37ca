"""Repositories of one server by state of their index: fixed buckets in fixed order, sorted paths."""

from __future__ import annotations

from pathlib import Path

from codeplane.base.errors import CodePlaneError
from codeplane.operations.roots import Roots
from codeplane.operations.status import status

BUCKETS = ("ready", "indexing", "requires_reindex", "failed", "not_indexed")

_BUCKET = {
    "ready": "ready",
    "waiting": "ready",
    "opening": "indexing",
    "building": "indexing",
    "absent": "not_indexed",
    "incompatible": "requires_reindex",
    "error": "failed",
}
_BUCKET_ON_DISK = {
    "ready": "ready",
    "building": "indexing",
    "requires_reindex": "requires_reindex",
    "newer": "requires_reindex",
    "absent": "not_indexed",
}


def list_codebases(roots: Roots) -> dict[str, object]:
    """Return the non-empty buckets. A root that is not open is inspected on disk, not opened."""
    found: dict[str, list[str]] = {bucket: [] for bucket in BUCKETS}
    for path in {roots.home.path, *roots.registered()}:
        opened = roots.opened(path)
        if opened is not None:
            state = opened.workspace.state()
            unfinished = state.phase == "waiting" and not state.published
            bucket = "indexing" if unfinished else _BUCKET.get(state.phase, "failed")
        else:
            bucket = _bucket_on_disk(roots, path)
        found[bucket].append(str(path))
    return {bucket: sorted(paths) for bucket, paths in found.items() if paths}


def _bucket_on_disk(roots: Roots, path: Path) -> str:
    """Return the bucket of a closed root; an unreadable root is `failed` and does not hide the others."""
    try:
        return _BUCKET_ON_DISK.get(status(roots.context_of(path)).state, "failed")
    except CodePlaneError:
        return "failed"
