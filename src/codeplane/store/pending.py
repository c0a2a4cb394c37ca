"""Changes that the next epoch will record: one per path, however often it was written."""

from __future__ import annotations

from codeplane.base.paths import RepoPath
from codeplane.store.records import ChangeKind, PendingChange


class PendingChanges(dict[RepoPath, PendingChange]):
    def note(self, path: RepoPath, change: ChangeKind, digest: str | None) -> None:
        """Combine another change of a path with the previous ones."""
        before = self.pop(path, None)
        if before is not None and before.old_path is not None:
            if change is ChangeKind.REMOVED:
                self.note(before.old_path, ChangeKind.REMOVED, None)
            else:
                self[path] = before._replace(digest=digest)
            return
        existed = change is not ChangeKind.ADDED if before is None else before.change is not ChangeKind.ADDED
        if change is not ChangeKind.REMOVED:
            change = ChangeKind.MODIFIED if existed else ChangeKind.ADDED
        if existed or change is not ChangeKind.REMOVED:
            self[path] = PendingChange(change, None, digest)

    def note_rename(self, old: RepoPath, new: RepoPath) -> None:
        """Turn a removal and an addition into a rename."""
        removed, added = self.get(old), self.get(new)
        if removed is None or added is None:
            return
        if removed.change is ChangeKind.REMOVED and added.change is ChangeKind.ADDED:
            del self[old]
            self[new] = PendingChange(ChangeKind.RENAMED, old, added.digest)
