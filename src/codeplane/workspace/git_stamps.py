"""Stats of git's own files that an index depends on and that no watched directory contains.

In a linked worktree and in a submodule, `.git` is a file that names another directory. Only stats are compared. A
stamp also says whether a later change is certain to show in it.
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


class GitStamp(NamedTuple):
    stats: tuple[object, ...]
    settled: bool
    """True if a later change is certain to change the stats."""


class _GitFiles(NamedTuple):
    by_content: tuple[str, ...]
    """Files whose content counts: one that was just written may change again with an equal stat."""
    others: tuple[str, ...]
    trusted: bool


class GitStamps:
    """Belongs to one thread at a time."""

    def __init__(self, root: Path, *, overlay: bool) -> None:
        self._root = root
        self._git = str(root / ".git")
        self._overlay = overlay
        self._found: tuple[object, _GitFiles] | None = None

    def read(self) -> GitStamp:
        now = time.time_ns()
        pointer = _identify(self._git)
        if self._found is None or self._found[0] != pointer:
            self._found = pointer, self._find_files()
        files = self._found[1]
        settled = files.trusted
        stats: list[object] = [pointer, _identify(self._root)]
        for by_content, paths in ((True, files.by_content), (False, files.others)):
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
                # The stat of a link does not show changes of its target.
                if modes.S_ISLNK(status.st_mode) or (by_content and is_racy(stat_of(status), now)):
                    settled = False
        return GitStamp(tuple(stats), settled)

    def _find_files(self) -> _GitFiles:
        try:
            own = _own_directory(self._root)
            shared = _shared_directory(own) if own is not None else None
        except (OSError, ValueError):
            return _GitFiles((), (), trusted=False)
        if own is None or shared is None:
            return _GitFiles((), (), trusted=True)
        index, exclude = str(own / "index"), str(shared / "info" / "exclude")
        others = (str(own / "HEAD"), str(own / "logs" / "HEAD"))
        trusted = is_local(own) and is_local(shared)
        if self._overlay:
            return _GitFiles((exclude,), (*others, index), trusted)
        return _GitFiles((exclude, index), others, trusted)


def _identify(path: str | Path) -> object:
    """Return the identity of a directory, or the full stat of a file."""
    try:
        status = os.stat(path, follow_symlinks=False)
    except OSError as error:
        return error.errno
    if modes.S_ISDIR(status.st_mode):
        return status.st_ino, status.st_dev
    return stat_fields(status)


def _own_directory(root: Path) -> Path | None:
    """Return the git directory of this working tree; None without git."""
    git = root / ".git"
    try:
        mode = os.stat(git, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None
    if modes.S_ISDIR(mode):
        return git
    text = _read_line(git)
    if not text.startswith(_GITDIR):
        raise ValueError("not a pointer to a git directory")
    return root / text.removeprefix(_GITDIR)


def _shared_directory(own: Path) -> Path:
    """Return the git directory that all working trees of a repository share."""
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
