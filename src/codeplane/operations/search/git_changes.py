"""Which tracked files are being worked on: those that differ from HEAD, staged or not. They are ranked a little higher.

What git's index knows of a file is compared with what our own index knows, which was fresh a moment ago: no file is
looked at, unless the two disagree about its stat. So the set follows from the epoch, the commit that HEAD names and
git's index; where those leave a file in doubt, from its content as it is read. Git moves without a new epoch, so HEAD
and the stat of git's index are looked at in every call: the set is found anew when they moved, and mended by the few
files of the next epochs until then. Untracked and deleted files are not in it, nor is a change of the mode alone.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import MAX_LEXICAL_BYTES
from codeplane.base.paths import RepoPath
from codeplane.disk.safe_open import Root
from codeplane.git.git_directory import has_git
from codeplane.git.index_state import GitStamp, IndexEntry, IndexState, git_stamp, index_state
from codeplane.query.files import get_file
from codeplane.query.history import list_changes
from codeplane.query.snapshot import Snapshot
from codeplane.store.files import StoredFile, list_stored

MAX_CHANGED_FILES = 50
"""With more, a change is no sign of what the question is about."""
TTL_SECONDS = 5.0
"""How long git's index is not read again after that failed."""
MAX_DOUBTS = 1000
"""Files that may be read to find out whether they changed. In a copy of a tree git's index knows the stat of none; then
nothing is found out until git itself has looked at them."""

Reason = Literal["", "no_git", "git_failed", "too_many_doubts"]


@dataclass(frozen=True)
class GitChanges:
    paths: frozenset[RepoPath] = frozenset()
    reason: Reason = ""
    """Why nothing is known."""
    stale: bool = False
    """Found earlier, and kept because git cannot be asked now."""

    @property
    def too_many(self) -> bool:
        return len(self.paths) > MAX_CHANGED_FILES

    def as_dict(self, boosted: int = 0, multiplier: float | None = None) -> dict[str, object]:
        """For the debug payload; `boosted` counts the candidates that were ranked higher, by the `multiplier`."""
        return {
            "available": not self.reason,
            "applied": boosted > 0,
            "changed_count": len(self.paths),
            "max_changed_files": MAX_CHANGED_FILES,
            "skipped_for_large_change_set": self.too_many,
            **({"multiplier": multiplier} if multiplier is not None else {}),
            "boosted_candidates": boosted,
            "stale": self.stale,
            **({"reason": self.reason} if self.reason else {}),
        }


class GitChangeTracker:
    """The changed files of one root. `clock` tells seconds that only grow."""

    def __init__(self, root: Root, clock: Callable[[], float], max_doubts: int = MAX_DOUBTS) -> None:
        self._root = root
        self._max_doubts = max_doubts
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: _Kept | None = None
        self._failed_at: float | None = None

    def at(self, snapshot: Snapshot) -> GitChanges:
        """Those of the snapshot's epoch, as git stands now."""
        with self._lock:
            if not has_git(self._root.path):
                return GitChanges(reason="no_git")
            try:
                key = _Key(snapshot.generation.name, git_stamp(self._root.path), snapshot.epoch.epoch)
            except CodePlaneError:
                return self._stale()
            if self._kept is not None:
                self._kept = self._mended(self._kept, key, snapshot)
            if self._kept is not None and self._kept.key == key:
                return self._kept.changed
            if self._failed_at is not None and self._clock() - self._failed_at < TTL_SECONDS:
                return self._stale()
            try:
                state = index_state(self._root.path)
            except CodePlaneError:
                self._failed_at = self._clock()
                return self._stale()
            found, self._failed_at = self._find(state, key, snapshot), None
            # Somebody may still be asking the epoch before; what comes next is asked of the newest.
            if self._kept is None or not _is_later(self._kept.key, key):
                self._kept = found
            return found.changed

    def _stale(self) -> GitChanges:
        if self._kept is None:
            return GitChanges(reason="git_failed")
        return replace(self._kept.changed, stale=True)

    def _find(self, state: IndexState, key: _Key, snapshot: Snapshot) -> _Kept:
        certain, doubtful = _compare(state, dict(list_stored(snapshot.reader)))
        blobs = {path: entry.blob for path, entry in state.tracked.items()}
        if len(doubtful) > self._max_doubts:
            return _Kept(key, blobs, state.staged, GitChanges(reason="too_many_doubts"))
        certain.update(path for path in doubtful if self._differs(path, blobs[path]))
        return _Kept(key, blobs, state.staged, GitChanges(frozenset(certain)))

    def _mended(self, kept: _Kept, key: _Key, snapshot: Snapshot) -> _Kept:
        """What was kept, for the snapshot's epoch, where git has not moved and few files have."""
        if not _is_later(key, kept.key) or kept.changed.reason:
            return kept
        try:
            changes = list_changes(snapshot, kept.key.epoch, MAX_CHANGED_FILES)
        except CodePlaneError as error:
            if error.code is not ErrorCode.ARGUMENT_INVALID:
                raise
            return kept
        if changes.left_out:
            return kept
        touched = {path for change in changes.rows for path in (change.path, change.old_path) if path is not None}
        paths = set(kept.changed.paths) - touched
        for path in touched:
            if get_file(snapshot, path) is None:
                continue
            blob = kept.blobs.get(path)
            if path in kept.staged or (blob is not None and self._differs(path, blob)):
                paths.add(path)
        return kept._replace(key=key, changed=GitChanges(frozenset(paths)))

    def _differs(self, path: RepoPath, blob: bytes) -> bool:
        """Whether the content is another than that which git has; line endings are none of our business."""
        try:
            data = self._root.read_file(path, MAX_LEXICAL_BYTES).data
        except CodePlaneError as error:
            # What is gone is not worked on; what is too large to read has another stat, which is all that is known.
            return error.code is ErrorCode.FILE_TOO_LARGE
        return _blob_id(data) != blob and _blob_id(data.replace(b"\r\n", b"\n")) != blob


class _Key(NamedTuple):
    generation: str
    git: GitStamp
    epoch: int


class _Kept(NamedTuple):
    key: _Key
    blobs: Mapping[RepoPath, bytes]
    staged: frozenset[RepoPath]
    changed: GitChanges


def _is_later(one: _Key, other: _Key) -> bool:
    """Whether only our own epoch moved from the other to this one."""
    return one[:2] == other[:2] and one.epoch > other.epoch


def _compare(state: IndexState, known: Mapping[RepoPath, StoredFile]) -> tuple[set[RepoPath], list[RepoPath]]:
    """Files that changed for certain, and those that must be read to know it."""
    changed = {path for path in state.staged if path in known}
    doubtful: list[RepoPath] = []
    for path, entry in state.tracked.items():
        file = known.get(path)
        if file is not None and path not in changed and not _is_same(entry, file, state.mtime_ns):
            doubtful.append(path)
    return changed, doubtful


_WORD = 0xFFFFFFFF
_SECOND = 10**9


def _is_same(entry: IndexEntry, file: StoredFile, index_mtime_ns: int) -> bool:
    """Whether the stat proves that nothing changed since git took it."""
    # Some programs write an index without parts of seconds.
    unit = 1 if entry.mtime_ns or entry.ctime_ns else _SECOND
    mtime = (entry.mtime_s * _SECOND + entry.mtime_ns) // unit
    return (
        file.mtime_ns // unit == mtime < index_mtime_ns // unit
        and file.ctime_ns // unit == (entry.ctime_s * _SECOND + entry.ctime_ns) // unit
        and file.size & _WORD == entry.size
        and file.inode & _WORD == entry.inode
    )


def _blob_id(data: bytes) -> bytes:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).digest()
