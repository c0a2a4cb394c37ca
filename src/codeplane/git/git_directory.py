"""Safe opening of repositories with libgit2.

libgit2 opens any file with the expected name, and blocks forever on a FIFO while it holds the GIL. So all files that it
will read are checked first. No other module passes a path to libgit2.
"""

from __future__ import annotations

import os
import stat as modes
from pathlib import Path
from typing import NamedTuple

import pygit2
from pygit2.enums import RepositoryOpenFlag

from codeplane.git.errors import damaged

_GITDIR = "gitdir:"
_REFERENCE = "ref:"
_LINE_BYTES = 8192
_PLACES = ("{}", "refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")
"""Expansions of a short reference name (gitrevisions(7))."""
_MAX_REFERENCES = 16
"""More symbolic references than libgit2 follows."""
_READ = (
    "HEAD",
    "index",
    "config",
    "config.worktree",
    "packed-refs",
    "commondir",
    "gitdir",
    "shallow",
    "info/grafts",
)


class GitDirectories(NamedTuple):
    own: Path
    """Files of this working tree."""
    shared: Path
    """Files shared by all working trees; usually the same directory."""


def has_git(directory: Path) -> bool:
    """True if there is a `.git` directory, or a `.git` file of a worktree or submodule; not for a link."""
    try:
        mode = os.stat(directory / ".git", follow_symlinks=False).st_mode
    except (OSError, ValueError):
        return False
    return modes.S_ISDIR(mode) or modes.S_ISREG(mode)


def is_git_directory(directory: Path) -> bool:
    """True for a bare repository, or the `.git` of a repository."""
    try:
        head = os.stat(directory / "HEAD", follow_symlinks=False).st_mode
        directories = [os.stat(directory / name, follow_symlinks=False).st_mode for name in ("objects", "refs")]
    except (OSError, ValueError):
        return False
    return not modes.S_ISDIR(head) and all(map(modes.S_ISDIR, directories)) and not has_git(directory)


def open_repository(root: Path) -> pygit2.Repository:
    """Open the repository at `root`, or raise GIT_DAMAGED if libgit2 would read something other than a file."""
    directories = find_git_directories(root)
    for directory in dict.fromkeys(directories):
        for name in _READ:
            if _is_special(directory / name):
                raise damaged(root, f"{name} is not a regular file")
    _check_references(root, directories)
    return pygit2.Repository(str(root), RepositoryOpenFlag.NO_SEARCH)


def find_git_directories(root: Path) -> GitDirectories:
    """Return the git directories of the working tree at `root`."""
    own = root / ".git"
    if not modes.S_ISDIR(os.stat(own, follow_symlinks=False).st_mode):
        pointer = read_line(own)
        if pointer is None or not pointer.startswith(_GITDIR):
            raise damaged(root, ".git does not name a directory")
        own = root / pointer.removeprefix(_GITDIR).strip()
    common = read_line(own / "commondir")
    return GitDirectories(own, own / common if common else own)


def read_file(path: str | Path, limit: int) -> tuple[os.stat_result, bytes] | None:
    """Return stat and first `limit` bytes of a regular file; None for anything else. Never blocks."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        found = os.fstat(descriptor)
        return (found, os.read(descriptor, limit)) if modes.S_ISREG(found.st_mode) else None
    finally:
        os.close(descriptor)


def named_reference(line: str) -> str | None:
    """Return the target of a symbolic reference such as HEAD; None if the line is not one."""
    if not line.startswith(_REFERENCE):
        return None
    name = line.removeprefix(_REFERENCE).strip()
    return name if name.startswith("refs/") and ".." not in name.split("/") else None


def check_reference(root: Path, name: str) -> None:
    """Raise GIT_DAMAGED if libgit2 would block when it resolves the name."""
    directories = find_git_directories(root)
    for place in _PLACES:
        _check_chain(root, directories, place.format(name))


def _check_references(root: Path, directories: GitDirectories) -> None:
    """Check the symbolic references that start at HEAD."""
    name = named_reference(read_line(directories.own / "HEAD") or "")
    if name is not None:
        _check_chain(root, directories, name)


def _check_chain(root: Path, directories: GitDirectories, first: str) -> None:
    name: str | None = first
    for _ in range(_MAX_REFERENCES):
        if name is None:
            return
        line = None
        for directory in dict.fromkeys(directories):
            if _is_special(directory / name):
                raise damaged(root, "a reference is not a regular file")
            line = line or read_line(directory / name)
        name = named_reference(line or "")


def _is_special(path: Path) -> bool:
    """True if reading the path could block; links are followed."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not modes.S_ISREG(mode) and not modes.S_ISDIR(mode)


def read_line(path: Path) -> str | None:
    try:
        found = read_file(path, _LINE_BYTES)
    except (OSError, ValueError):
        return None
    if found is None or b"\0" in found[1]:
        return None
    return os.fsdecode(found[1]).rstrip("\r\n")
