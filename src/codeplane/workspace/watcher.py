"""Watcher of the working tree that can prove an index fresh without a scan.

It watches every directory that a sync walked. Events only raise a counter; a sync remembers the counter at its start,
and while the counter stays there, nothing has changed since. A proof is given only after an event for our own cookie
file came through the same queue, and never on file systems that change without kernel events. Without a watcher
results are the same, only slower.
"""

from __future__ import annotations

import errno
import os
import select
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from codeplane.base.paths import RepoPath, is_inside, join
from codeplane.disk import inotify
from codeplane.disk.inotify import Inotify, InotifyEvent, is_local
from codeplane.processes.threads import SupervisedThread
from codeplane.workspace.git_stamps import GitStamp, GitStamps

COOKIE = "watch"
"""File in the state directory; its event shows that the queue was read to its end."""

_MAX_DIRTY_PATHS = 100
_PAUSE_SECONDS = 0.02
"""Pause between reads of the queue, so that bursts of events are cheap."""


class WatchMark(NamedTuple):
    """State of the watcher when a sync began."""

    events: int
    git: GitStamp


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
            return WatchMark(self._count, self._git_stamps.read())

    def finish(self, mark: WatchMark, directories: Mapping[RepoPath, int], complete: bool) -> bool:
        """Watch the directories that a sync walked. Return True if another sync must run before a proof is possible."""
        with self._mutex:
            if self._state in ("limit", "off"):
                return False
            self._drain()
            try:
                added = self._watch(directories)
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
                self._dirty = {path: count for path, count in self._dirty.items() if count > mark.events}
                self._dirty_total = len(self._dirty)
            trusted = self._local and (self._overlay or not (self._root / ".gitmodules").exists())
            trusted = trusted and len(set(directories.values())) <= 1
            self._state = "on" if trusted else "untrusted"
            return added

    def proves_fresh(self) -> bool:
        """True if nothing has changed between the start of the last complete sync and this call."""
        before = self._count
        with self._mutex:
            verified = self._verified
            if verified is None or self._state != "on" or not verified.git.settled:
                return False
            try:
                os.close(os.open(self._cookie, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK))
            except OSError:
                return False
            caught_up = self._drain()
            fresh = caught_up and self._count == verified.events and self._git_stamps.read().stats == verified.git.stats
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

    def _drain(self) -> bool:
        """Process all queued events. Return True if the event of our cookie was among them."""
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
                else:
                    self._process(event)

    def _process(self, event: InotifyEvent) -> None:
        watch, mask, name = event
        if mask & inotify.OVERFLOW:
            self._count += 1
            self._overflowed = True
            if self._state == "on":
                self._state = "overflow"
            return
        directory = self._by_watch.get(watch)
        if directory is None:
            return
        self._count += 1
        if mask & inotify.IGNORED:
            del self._by_watch[watch]
            self._by_path.pop(directory, None)
            return
        path = join(directory, name) if name else directory
        if path in self._dirty or len(self._dirty) < _MAX_DIRTY_PATHS:
            self._dirty_total += path not in self._dirty
            self._dirty[path] = self._count
        else:
            self._dirty_total += 1
        if mask & inotify.IS_DIRECTORY and mask & inotify.MOVED_FROM:
            # Its watches would keep reporting events under the old path.
            for inside in [known for known in self._by_path if is_inside(known, path)]:
                self._forget(inside)

    def _watch(self, directories: Mapping[RepoPath, int]) -> bool:
        """Watch exactly these directories. Return True if one of them was not watched before."""
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
        for path in list(self._by_path):
            self._forget(path)
