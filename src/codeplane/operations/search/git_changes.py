"""Tracked files that differ from HEAD, staged or not; they get a small ranking boost.

Git's index is compared with our own index, which was fresh a moment ago: no file is read unless the two disagree about
its stat. So the set depends on the epoch, the commit of HEAD and git's index, and for files in doubt on their content.
Git changes without a new epoch, so HEAD and the stat of git's index are checked in every call: the set is computed
again when they have changed, and updated with the few files of new epochs otherwise. Untracked and deleted files are
not included, nor are mode changes.
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
from codeplane.git.index_state import GitIndexStamp, GitIndexState, IndexEntry, git_stamp, index_state
from codeplane.query.files import get_file
from codeplane.query.history import list_changes
from codeplane.query.snapshot import Snapshot
from codeplane.store.files import StoredFile, list_stored

MAX_CHANGED_FILES = 50
"""With more changed files, a change says nothing about the query."""
TTL_SECONDS = 5.0
"""Interval before git's index is read again after a failure."""
MAX_DOUBTS = 1000
"""Maximum files read to decide whether they changed. In a copied tree, git's index knows the stat of no file; the set
is then unknown until git has refreshed its index."""

Reason = Literal["", "no_git", "git_failed", "too_many_doubts"]


@dataclass(frozen=True)
class GitChanges:
    paths: frozenset[RepoPath] = frozenset()
    reason: Reason = ""
    """Reason why the set is unknown."""
    stale: bool = False
    """True if the set is outdated because git's index cannot be read now."""

    @property
    def too_many(self) -> bool:
        return len(self.paths) > MAX_CHANGED_FILES

    def as_dict(self, boosted: int = 0, multiplier: float | None = None) -> dict[str, object]:
        """Return the debug payload; `boosted` counts the results that got the boost `multiplier`."""
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
    """Changed files of one root. `clock` returns monotonic seconds."""

    def __init__(self, root: Root, clock: Callable[[], float], max_doubts: int = MAX_DOUBTS) -> None:
        self._root = root
        self._max_doubts = max_doubts
        self._clock = clock
        self._lock = threading.Lock()
        self._cached: _CachedChanges | None = None
        self._failed_at: float | None = None

    def at(self, snapshot: Snapshot) -> GitChanges:
        """Return the changed files of the snapshot's epoch and the current git state."""
        with self._lock:
            if not has_git(self._root.path):
                return GitChanges(reason="no_git")
            try:
                key = _Key(snapshot.generation.name, git_stamp(self._root.path), snapshot.epoch.epoch)
            except CodePlaneError:
                return self._stale()
            if self._cached is not None:
                self._cached = self._updated(self._cached, key, snapshot)
            if self._cached is not None and self._cached.key == key:
                return self._cached.changed
            if self._failed_at is not None and self._clock() - self._failed_at < TTL_SECONDS:
                return self._stale()
            try:
                state = index_state(self._root.path)
            except CodePlaneError:
                self._failed_at = self._clock()
                return self._stale()
            found, self._failed_at = self._find(state, key, snapshot), None
            # A reader may still use an older epoch; keep the newest.
            if self._cached is None or not _is_later(self._cached.key, key):
                self._cached = found
            return found.changed

    def _stale(self) -> GitChanges:
        if self._cached is None:
            return GitChanges(reason="git_failed")
        return replace(self._cached.changed, stale=True)

    def _find(self, state: GitIndexState, key: _Key, snapshot: Snapshot) -> _CachedChanges:
        certain, doubtful = _compare(state, dict(list_stored(snapshot.reader)))
        blobs = {path: entry.blob for path, entry in state.tracked.items()}
        if len(doubtful) > self._max_doubts:
            return _CachedChanges(key, blobs, state.staged, GitChanges(reason="too_many_doubts"))
        certain.update(path for path in doubtful if self._is_changed(path, blobs[path]))
        return _CachedChanges(key, blobs, state.staged, GitChanges(frozenset(certain)))

    def _updated(self, cached: _CachedChanges, key: _Key, snapshot: Snapshot) -> _CachedChanges:
        """Update the cached set to the snapshot's epoch, if git is unchanged and few files have changed."""
        if not _is_later(key, cached.key) or cached.changed.reason:
            return cached
        try:
            changes = list_changes(snapshot, cached.key.epoch, MAX_CHANGED_FILES)
        except CodePlaneError as error:
            if error.code is not ErrorCode.ARGUMENT_INVALID:
                raise
            return cached
        if changes.left_out:
            return cached
        touched = {path for change in changes.rows for path in (change.path, change.old_path) if path is not None}
        paths = set(cached.changed.paths) - touched
        for path in touched:
            if get_file(snapshot, path) is None:
                continue
            blob = cached.blobs.get(path)
            if path in cached.staged or (blob is not None and self._is_changed(path, blob)):
                paths.add(path)
        return cached._replace(key=key, changed=GitChanges(frozenset(paths)))

    def _is_changed(self, path: RepoPath, blob: bytes) -> bool:
        """True if the content differs from git's blob, ignoring line endings."""
        try:
            data = self._root.read_file(path, MAX_LEXICAL_BYTES).data
        except CodePlaneError as error:
            # A deleted file is not included; a file too large to read has another stat, so it counts as changed.
            return error.code is ErrorCode.FILE_TOO_LARGE
        return _blob_id(data) != blob and _blob_id(data.replace(b"\r\n", b"\n")) != blob


class _Key(NamedTuple):
    generation: str
    git: GitIndexStamp
    epoch: int


class _CachedChanges(NamedTuple):
    key: _Key
    blobs: Mapping[RepoPath, bytes]
    staged: frozenset[RepoPath]
    changed: GitChanges


def _is_later(one: _Key, other: _Key) -> bool:
    """True if only our own epoch has advanced."""
    return one[:2] == other[:2] and one.epoch > other.epoch


def _compare(state: GitIndexState, known: Mapping[RepoPath, StoredFile]) -> tuple[set[RepoPath], list[RepoPath]]:
    """Return files that have changed, and files that must be read to decide."""
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
    """True if the stat proves that the file has not changed since git read it."""
    # Some programs write an index without fractions of seconds.
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
