"""Files outside the walked directories that an index depends on: git's own, wherever this tree keeps them.

In a linked worktree and in a submodule `.git` is a file that names another directory. Only
stats are compared; whether a later change would show in them is said as well, and where that
cannot be known it is denied.
"""

from __future__ import annotations

import os
import stat as modes
import time
from pathlib import Path
from typing import NamedTuple

from codeplane.disk.inotify import is_local
from codeplane.disk.stats import file_stat as stat_of
from codeplane.disk.stats import is_racy, stat_fields

_POINTER_BYTES = 8192
_GITDIR = "gitdir: "


class Sight(NamedTuple):
    """What the landmarks looked like."""

    stats: tuple[object, ...]
    settled: bool
    """Whether they would show a later change."""


class _Places(NamedTuple):
    exact: tuple[str, ...]
    """Whose content counts: one that was just written may change again and look the same."""
    others: tuple[str, ...]
    trusted: bool


class Landmarks:
    """Belongs to one thread at a time."""

    def __init__(self, root: Path, *, overlay: bool) -> None:
        self._root = root
        self._git = str(root / ".git")
        self._overlay = overlay
        self._found: tuple[object, _Places] | None = None

    def look(self) -> Sight:
        now = time.time_ns()
        pointer = _identify(self._git)
        if self._found is None or self._found[0] != pointer:
            self._found = pointer, self._find_places()
        places = self._found[1]
        settled = places.trusted
        stats: list[object] = [pointer, _identify(self._root)]
        for exact, paths in ((True, places.exact), (False, places.others)):
            for path in paths:
                try:
                    status = os.stat(path, follow_symlinks=False)
                except FileNotFoundError:
                    stats.append(None)
                    continue
                except OSError as error:
                    stats.append(error.errno)
                    settled = False
                    continue
                stats.append(stat_fields(status))
                # A link stays what it is while that behind it changes.
                if modes.S_ISLNK(status.st_mode) or (exact and is_racy(stat_of(status), now)):
                    settled = False
        return Sight(tuple(stats), settled)

    def _find_places(self) -> _Places:
        try:
            own = _own_directory(self._root)
            shared = _shared_directory(own) if own is not None else None
        except (OSError, ValueError):
            return _Places((), (), trusted=False)
        if own is None or shared is None:
            return _Places((), (), trusted=True)
        index, exclude = str(own / "index"), str(shared / "info" / "exclude")
        others = (str(own / "HEAD"), str(own / "logs" / "HEAD"))
        trusted = is_local(own) and is_local(shared)
        if self._overlay:
            return _Places((exclude,), (*others, index), trusted)
        return _Places((exclude, index), others, trusted)


def _identify(path: str | Path) -> object:
    """What a directory is, whatever happens in it; of a file all that would show a change."""
    try:
        status = os.stat(path, follow_symlinks=False)
    except OSError as error:
        return error.errno
    if modes.S_ISDIR(status.st_mode):
        return status.st_ino, status.st_dev
    return stat_fields(status)


def _own_directory(root: Path) -> Path | None:
    """Where git keeps what is this working tree's alone; None without git."""
    git = root / ".git"
    try:
        mode = os.stat(git, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None
    if modes.S_ISDIR(mode):
        return git
    text = _read_line(git)
    if not text.startswith(_GITDIR):
        raise ValueError("no pointer to a git directory")
    return root / text.removeprefix(_GITDIR)


def _shared_directory(own: Path) -> Path:
    """Where git keeps what all working trees of a repository share."""
    try:
        return own / _read_line(own / "commondir")
    except FileNotFoundError:
        return own


def _read_line(path: Path) -> str:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        text = os.read(handle, _POINTER_BYTES)
    finally:
        os.close(handle)
    if len(text) == _POINTER_BYTES or b"\0" in text:
        raise ValueError("not one line")
    return os.fsdecode(text).rstrip("\r\n")
