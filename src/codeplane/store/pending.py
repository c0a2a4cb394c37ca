"""What the next epoch will differ in from the last: one change for each path, however often it was written."""

from __future__ import annotations

from codeplane.base.paths import RepoPath
from codeplane.store.records import ChangeKind, PendingChange

Pending = dict[RepoPath, PendingChange]


def note(pending: Pending, path: RepoPath, change: ChangeKind, digest: str | None) -> None:
    """Another change of a path, after those that are noted."""
    before = pending.pop(path, None)
    if before is not None and before.old_path is not None:
        if change is ChangeKind.REMOVED:
            note(pending, before.old_path, ChangeKind.REMOVED, None)
        else:
            pending[path] = before._replace(digest=digest)
        return
    existed = change is not ChangeKind.ADDED if before is None else before.change is not ChangeKind.ADDED
    if change is not ChangeKind.REMOVED:
        change = ChangeKind.MODIFIED if existed else ChangeKind.ADDED
    if existed or change is not ChangeKind.REMOVED:
        pending[path] = PendingChange(change, None, digest)


def note_rename(pending: Pending, old: RepoPath, new: RepoPath) -> None:
    """Keep a removal and an addition as the one change that they are."""
    gone, came = pending.get(old), pending.get(new)
    if gone is not None and came is not None and (gone.change, came.change) == (ChangeKind.REMOVED, ChangeKind.ADDED):
        del pending[old]
        pending[new] = PendingChange(ChangeKind.RENAMED, old, came.digest)
