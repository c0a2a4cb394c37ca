"""What the next epoch will differ in from the last: one change for each path, however often it was written."""

from __future__ import annotations

from codeplane.base.paths import RepoPath
from codeplane.store.records import Change, PendingChange

Pending = dict[RepoPath, PendingChange]


def note(pending: Pending, path: RepoPath, change: Change, digest: str | None) -> None:
    """Another change of a path, after those that are noted."""
    before = pending.pop(path, None)
    if before is not None and before.old_path is not None:
        if change is Change.REMOVED:
            note(pending, before.old_path, Change.REMOVED, None)
        else:
            pending[path] = before._replace(digest=digest)
        return
    existed = change is not Change.ADDED if before is None else before.change is not Change.ADDED
    if change is not Change.REMOVED:
        change = Change.MODIFIED if existed else Change.ADDED
    if existed or change is not Change.REMOVED:
        pending[path] = PendingChange(change, None, digest)


def note_rename(pending: Pending, old: RepoPath, new: RepoPath) -> None:
    """Keep a removal and an addition as the one change that they are."""
    gone, came = pending.get(old), pending.get(new)
    if gone is not None and came is not None and (gone.change, came.change) == (Change.REMOVED, Change.ADDED):
        del pending[old]
        pending[new] = PendingChange(Change.RENAMED, old, came.digest)
