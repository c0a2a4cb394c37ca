"""Watches of single files, for changes that the watch of their directory does not report.

The watch of a directory reports what is done through names in it. A file with another hard link is also changed
through that link, and a new link elsewhere causes no event in the directory. Memory mapped to a file (mmap(2)) changes
it without any event; but the process that maps it must open it first, and the kernel grants no lease on a file that is
open for writing (fcntl(2)).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path

from codeplane.base.paths import RepoPath
from codeplane.disk import inotify
from codeplane.disk.inotify import Inotify, InotifyEvent
from codeplane.disk.renames import take_lease

MAX_HANDLES = 64
"""Files that are open at the same time for a check."""
_VANISHED = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ELOOP})
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class FileWatches:
    """Belongs to the watcher, and is guarded by its mutex."""

    def __init__(self, root: Path, queue: Inotify) -> None:
        self._root = root
        self._queue = queue
        self._paths: dict[int, set[RepoPath]] = {}
        self._watches: dict[RepoPath, int] = {}
        self._suspects: set[int] = set()
        """Watches of files that were opened since their last check, or were open for writing then."""
        self.unread: set[RepoPath] = set()
        """Files that were open for writing: a sync must read them even if their stat is unchanged."""
        self.overflowed = False
        """True if watches may have ended unnoticed; adding the files again shows which."""
        self.can_check = True
        """False once the system did not grant a lease, for example on a file of another user."""

    def __contains__(self, watch: int) -> bool:
        return watch in self._paths

    @property
    def suspects(self) -> int:
        return len(self._suspects)

    def written(self) -> set[RepoPath]:
        """Return the files that were open for writing at their last check."""
        return {path for watch in self._suspects for path in self._paths[watch] if path in self.unread}

    def paths_of(self, watch: int) -> Collection[RepoPath]:
        return self._paths[watch]

    def keep(self, paths: Collection[RepoPath]) -> bool:
        """Watch exactly these files. Return True if one was not watched before. Raises OSError at a limit."""
        before: Mapping[int, set[RepoPath]] = {}
        if self.overflowed:
            before, self._paths, self._watches = self._paths, {}, {}
            self._suspects.clear()
        for path in [path for path in self._watches if path not in paths]:
            self.forget(path)
        added = [path for path in paths if path not in self._watches]
        for path in added:
            self.add(path)
        for watch in before.keys() - self._paths.keys():
            self._queue.remove(watch)
        self.overflowed = False
        return bool(added)

    def add(self, path: RepoPath) -> None:
        """Watch the file that has this name now; no effect if it vanished or cannot be read."""
        try:
            watch = self._queue.add(self._root / path, inotify.FILE_EVENTS)
        except OSError as error:
            if error.errno not in _VANISHED:
                raise
            self.forget(path)
            return
        if self._watches.get(path) != watch:
            self.forget(path)
        self._watches[path] = watch
        self._paths.setdefault(watch, set()).add(path)
        self._suspects.add(watch)

    def forget(self, path: RepoPath) -> None:
        """Forget a name, and stop watching the file if it was the last one."""
        watch = self._watches.pop(path, None)
        if watch is not None:
            self._paths[watch].discard(path)
            if not self._paths[watch]:
                self._end(watch)
                self._queue.remove(watch)

    def process(self, event: InotifyEvent, own: Collection[int]) -> bool:
        """Process an event of a watched file. Return True if the file changed. `own` are files that a check opened."""
        if event.mask & inotify.IGNORED:
            for path in self._paths[event.watch]:
                del self._watches[path]
            self._end(event.watch)
            return False
        if event.mask & inotify.OPEN and event.watch not in own:
            self._suspects.add(event.watch)
        return bool(event.mask & inotify.FILE_CHANGES)

    def open_suspects(self, skip: Collection[int] = ()) -> dict[int, int]:
        """Open some suspects; return their descriptors by watch, -1 for a file that cannot be opened."""
        handles: dict[int, int] = {}
        for watch in islice((watch for watch in tuple(self._suspects) if watch not in skip), MAX_HANDLES):
            handles[watch] = -1
            with suppress(OSError):
                handles[watch] = os.open(self._root / min(self._paths[watch]), _FLAGS)
        return handles

    def check(self, handles: Mapping[int, int]) -> None:
        """Close the descriptors, and clear the suspects that no process has open for writing."""
        for watch, handle in handles.items():
            if handle < 0:
                continue
            try:
                if take_lease(handle):
                    self._suspects.discard(watch)
                else:
                    self.can_check = False
            except BlockingIOError:
                self.unread |= self._paths[watch]
            finally:
                os.close(handle)

    def suspect(self, watches: Collection[int]) -> None:
        """Suspect files again whose check cannot be relied upon."""
        self._suspects.update(watch for watch in watches if watch in self._paths)

    def _end(self, watch: int) -> None:
        self._paths.pop(watch, None)
        self._suspects.discard(watch)
