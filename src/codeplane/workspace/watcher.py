"""Watcher of the working tree that can prove an index fresh without a scan.

It watches every directory that a sync walked, and every file that it found (`FileWatches` has the reason). Events only
raise a counter; a sync remembers the counter at its start, and while the counter stays there, nothing has changed.
A proof is given only after an event for our own cookie file came through the same queue, never on file systems that
change without kernel events, and never while a process has a file open for writing. Without a watcher results are the
same, only slower.
"""

from __future__ import annotations

import errno
import os
import select
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from codeplane.base.paths import RepoPath, is_inside, join
from codeplane.disk import inotify
from codeplane.disk.inotify import Inotify, InotifyEvent, is_local
from codeplane.disk.mounts import MountTable
from codeplane.processes.threads import SupervisedThread
from codeplane.workspace.file_watches import MAX_HANDLES, FileWatches
from codeplane.workspace.git_stamps import GitStamp, GitStamps

COOKIE = "watch"
"""File in the state directory; its event shows that the queue was read to its end."""

_MAX_DIRTY_PATHS = 100
_MAX_CHECKED_BY_READS = 2 * MAX_HANDLES
"""Opened files that a read checks itself; if more were opened, it lets a sync check them."""
_WATCH_SHARE = 2
"""Other programs of the user keep this part of the watches that the user may have: one half."""
_PAUSE_SECONDS = 0.02
"""Pause between reads of the queue, so that bursts of events are cheap."""


class WatchMark(NamedTuple):
    """State of the watcher when a sync began."""

    events: int
    git: GitStamp
    unread: frozenset[RepoPath] = frozenset()
    """Files that the sync must read even if their stat is unchanged."""
    written: frozenset[RepoPath] = frozenset()
    """Files that were open for writing at that time."""


class Watcher:
    """Safe from many threads; `changed` is called from any of them, without a lock held."""

    def __init__(self, root: Path, state: Path, *, overlay: bool, changed: Callable[[], None]) -> None:
        self._root = root
        self._cookie = state / COOKIE
        self._overlay = overlay
        self._changed = changed
        self._git_stamps = GitStamps(root, overlay=overlay)
        self._mutex = threading.Lock()
        self._by_watch: dict[int, RepoPath] = {}
        self._by_path: dict[RepoPath, int] = {}
        self._count = 0
        self._verified: WatchMark | None = None
        self._dirty: dict[RepoPath, int] = {}
        self._dirty_total = 0
        self._overflowed = False
        self._cookie_watch = -1
        self._state = "starting"
        self._local = is_local(root) and is_local(state)
        self._inotify = Inotify()
        self._files = FileWatches(root, self._inotify)
        self._mounts = MountTable()
        self._limit = inotify.watch_limit()
        self._wake_read, self._wake_write = os.pipe()
        self._closed = False
        self._thread = SupervisedThread("codeplane-watch", self._run)
        try:
            self._add_cookie()
        except OSError:
            self._local = False
        self._thread.start()

    @property
    def state(self) -> str:
        return self._state

    def begin(self) -> WatchMark:
        """Return a mark that the scan of a sync is at least as new as; call it before the scan."""
        with self._mutex:
            self._drain()
            self._check_suspects()
            unread, written = frozenset(self._files.unread), frozenset(self._files.written())
            self._count += self._mounts.has_changed()
            return WatchMark(self._count, self._git_stamps.read(), unread, written)

    def finish(
        self, mark: WatchMark, directories: Mapping[RepoPath, int], files: Collection[RepoPath], complete: bool
    ) -> bool:
        """Watch what a sync found. Return True if another sync must run before a proof is possible."""
        with self._mutex:
            if self._state in ("limit", "off"):
                return False
            self._drain()
            try:
                added = self._watch(directories, files)
            except OSError as error:
                self._state = "limit" if error.errno == errno.ENOSPC else "off"
                self._verified = None
                self._forget_all()
                return False
            if added:
                # Events in them before they were watched are unknown.
                self._count += 1
                self._verified = None
            elif complete:
                self._verified = mark
                self._files.unread -= mark.unread - mark.written
                self._dirty = {path: count for path, count in self._dirty.items() if count > mark.events}
                self._dirty_total = len(self._dirty)
            trusted = self._local and (self._overlay or not (self._root / ".gitmodules").exists())
            trusted = trusted and self._files.can_check and len(set(directories.values())) <= 1
            self._state = "on" if trusted else "untrusted"
            return added

    def proves_fresh(self) -> bool:
        """True if nothing has changed between the start of the last complete sync and this call."""
        before = self._count
        with self._mutex:
            verified = self._verified
            if verified is None or self._state != "on" or not verified.git.settled:
                return False
            self._count += self._mounts.has_changed()
            caught_up = self._touch() and self._drain()
            if 0 < self._files.suspects <= _MAX_CHECKED_BY_READS:
                caught_up = self._check_suspects()
            unwritten = not (self._files.suspects or self._files.unread)
            fresh = caught_up and unwritten and self._count == verified.events
            fresh = fresh and self._git_stamps.read().stats == verified.git.stats
        if self._count != before:
            self._changed()
        return fresh

    def distrust(self) -> None:
        """Invalidate the proof of every sync that has begun."""
        with self._mutex:
            self._count += 1

    def dirty(self) -> tuple[tuple[RepoPath, ...], int]:
        """Return paths that changed since the last sync, sorted and truncated, and their total."""
        with self._mutex:
            return tuple(sorted(self._dirty)), self._dirty_total

    def close(self) -> None:
        self._closed = True
        with suppress(OSError):
            os.write(self._wake_write, b"x")
        if not self._thread.is_current():
            self._thread.join(2.0)
        with self._mutex:
            self._state = "off"
            self._verified = None
            self._inotify.close()
            self._mounts.close()
            for pipe in (self._wake_read, self._wake_write):
                with suppress(OSError):
                    os.close(pipe)
            with suppress(OSError):
                os.unlink(self._cookie)

    def _run(self) -> None:
        if self._closed:
            return
        poll = select.poll()
        poll.register(self._inotify.fileno(), select.POLLIN)
        poll.register(self._wake_read, select.POLLIN)
        while not self._closed:
            if any(fd == self._wake_read for fd, _ in poll.poll()):
                return
            with self._mutex:
                before = self._count
                self._drain()
                moved = self._count != before
            if moved:
                self._changed()
            time.sleep(_PAUSE_SECONDS)

    def _add_cookie(self) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        os.close(os.open(self._cookie, flags, 0o600))
        self._cookie_watch = self._inotify.add(self._cookie, inotify.TOUCHED)

    def _touch(self) -> bool:
        """Cause the event of our cookie."""
        try:
            os.close(os.open(self._cookie, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK))
        except OSError:
            return False
        return True

    def _check_suspects(self) -> bool:
        """Find out which of the files that were opened are still open for writing. Return True if none is.

        The checks open the files, too. Those events come before that of the cookie, and leases are taken after it: a
        process that opened a file before the cookie is seen by the lease, one that does so later by its event.
        """
        checked: set[int] = set()
        unwritten = True
        while self._files.can_check and (handles := self._files.open_suspects(checked)):
            touched = self._touch()
            self._files.check(handles)
            checked |= handles.keys()
            if not (touched and self._drain(handles)):
                self._files.suspect(handles)
                unwritten = False
        return unwritten and self._files.suspects == 0

    def _drain(self, own: Collection[int] = ()) -> bool:
        """Process all queued events. Return True if the event of our cookie was among them.

        `own` are the watches of files that we opened ourselves before we touched the cookie.
        """
        touched = False
        while True:
            try:
                events = self._inotify.read()
            except OSError:
                return False
            if not events:
                return touched
            for event in events:
                if event.watch == self._cookie_watch:
                    touched = touched or bool(event.mask & inotify.CLOSE_WRITE)
                    if event.mask & inotify.IGNORED:
                        self._cookie_watch = -1
                elif event.watch in self._files:
                    paths = tuple(self._files.paths_of(event.watch))
                    if self._files.process(event, () if touched else own):
                        self._note_change(paths)
                else:
                    self._process(event)

    def _process(self, event: InotifyEvent) -> None:
        watch, mask, name = event
        if mask & inotify.OVERFLOW:
            self._count += 1
            self._overflowed = self._files.overflowed = True
            if self._state == "on":
                self._state = "overflow"
            return
        directory = self._by_watch.get(watch)
        if directory is None:
            return
        if mask & inotify.IGNORED:
            self._count += 1
            del self._by_watch[watch]
            self._by_path.pop(directory, None)
            return
        path = join(directory, name) if name else directory
        self._note_change((path,))
        if mask & (inotify.DELETE | inotify.MOVED_FROM):
            self._files.forget(path)
        elif mask & (inotify.CREATE | inotify.MOVED_TO) and not mask & inotify.IS_DIRECTORY:
            # Watched before a sync reads it, a new file needs no second sync. At a limit `finish` fails, too.
            with suppress(OSError):
                self._files.add(path)
        if mask & inotify.IS_DIRECTORY and mask & inotify.MOVED_FROM:
            # Its watches would keep reporting events under the old path.
            for inside in [known for known in self._by_path if is_inside(known, path)]:
                self._forget(inside)

    def _note_change(self, paths: Collection[RepoPath]) -> None:
        self._count += 1
        for path in paths:
            if path in self._dirty or len(self._dirty) < _MAX_DIRTY_PATHS:
                self._dirty_total += path not in self._dirty
                self._dirty[path] = self._count
            else:
                self._dirty_total += 1

    def _watch(self, directories: Mapping[RepoPath, int], files: Collection[RepoPath]) -> bool:
        """Watch exactly these directories and files. Return True if one of them was not watched before."""
        if (len(directories) + len(files)) * _WATCH_SHARE > self._limit:
            raise OSError(errno.ENOSPC, "too many files to watch")
        if self._watch_directories(directories):
            # The next sync watches their files: the callers of this one do not wait for it.
            return True
        return self._files.keep(files)

    def _watch_directories(self, directories: Mapping[RepoPath, int]) -> bool:
        if self._overflowed:
            # Watches may have ended unnoticed; adding them again shows which.
            self._by_watch, old = {}, self._by_watch
            self._by_path = {}
            added = self._add(directories)
            for watch in old.keys() - self._by_watch.keys():
                self._inotify.remove(watch)
            self._overflowed = False
            return added
        for path in [path for path in self._by_path if path not in directories]:
            self._forget(path)
        if self._cookie_watch < 0:
            with suppress(OSError):
                self._add_cookie()
        return self._add(path for path in directories if path not in self._by_path)

    def _add(self, paths: Iterable[RepoPath]) -> bool:
        added = False
        for path in paths:
            added = True
            try:
                watch = self._inotify.add(self._root / path)
            except OSError as error:
                if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ELOOP):
                    continue
                raise
            before = self._by_watch.get(watch)
            if before is not None:
                self._by_path.pop(before, None)
            self._by_watch[watch] = path
            self._by_path[path] = watch
        return added

    def _forget(self, path: RepoPath) -> None:
        watch = self._by_path.pop(path)
        self._by_watch.pop(watch, None)
        self._inotify.remove(watch)

    def _forget_all(self) -> None:
        self._files.keep(())
        for path in list(self._by_path):
            self._forget(path)
