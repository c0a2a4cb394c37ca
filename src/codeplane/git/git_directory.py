"""The way into libgit2: which directory `.git` stands for, and whether what will be read there are files.

libgit2 opens whatever bears the right name, and at a pipe it waits for ever with the
interpreter's lock held. So everything that it is going to read is looked at first. Nothing
else in the program hands libgit2 a path.
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
"""Where a short name of a reference may mean."""
_MAX_REFERENCES = 16
"""More than libgit2 follows from one name to the next."""
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
    """What belongs to this working tree alone."""
    shared: Path
    """What all working trees of the repository share; mostly the same directory."""


def has_git(directory: Path) -> bool:
    """Whether there is a `.git`, be it a directory or the file of a worktree or submodule; a link is none."""
    try:
        mode = os.stat(directory / ".git", follow_symlinks=False).st_mode
    except (OSError, ValueError):
        return False
    return modes.S_ISDIR(mode) or modes.S_ISREG(mode)


def is_git_directory(directory: Path) -> bool:
    """Whether the files here are git's own: a bare repository, or the `.git` of one with a working tree."""
    try:
        head = os.stat(directory / "HEAD", follow_symlinks=False).st_mode
        kept = [os.stat(directory / name, follow_symlinks=False).st_mode for name in ("objects", "refs")]
    except (OSError, ValueError):
        return False
    return not modes.S_ISDIR(head) and all(map(modes.S_ISDIR, kept)) and not has_git(directory)


def open_repository(root: Path) -> pygit2.Repository:
    """The repository whose `.git` lies in `root`; refused where libgit2 would read what is no file."""
    directories = find_git_directories(root)
    for directory in dict.fromkeys(directories):
        for name in _READ:
            if _is_special(directory / name):
                raise damaged(root, f"{name} is not a regular file")
    _check_references(root, directories)
    return pygit2.Repository(str(root), RepositoryOpenFlag.NO_SEARCH)


def find_git_directories(root: Path) -> GitDirectories:
    """Where git keeps its files for the working tree at `root`."""
    own = root / ".git"
    if not modes.S_ISDIR(os.stat(own, follow_symlinks=False).st_mode):
        pointer = read_line(own)
        if pointer is None or not pointer.startswith(_GITDIR):
            raise damaged(root, ".git names no directory")
        own = root / pointer.removeprefix(_GITDIR).strip()
    common = read_line(own / "commondir")
    return GitDirectories(own, own / common if common else own)


def read_file(path: str | Path, limit: int) -> tuple[os.stat_result, bytes] | None:
    """The stat and the first `limit` bytes of a regular file; None for anything else, without waiting for it."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        found = os.fstat(descriptor)
        return (found, os.read(descriptor, limit)) if modes.S_ISREG(found.st_mode) else None
    finally:
        os.close(descriptor)


def named_reference(line: str) -> str | None:
    """The reference that a line such as that of HEAD names; None where it names a commit, or nothing of the kind."""
    if not line.startswith(_REFERENCE):
        return None
    name = line.removeprefix(_REFERENCE).strip()
    return name if name.startswith("refs/") and ".." not in name.split("/") else None


def check_reference(root: Path, name: str) -> None:
    """Refuse a name at which libgit2 would wait: it looks for one in several places, and goes on from there."""
    directories = find_git_directories(root)
    for place in _PLACES:
        _check_chain(root, directories, place.format(name))


def _check_references(root: Path, directories: GitDirectories) -> None:
    """HEAD names a file, which may name the next. What a valid name is, is for libgit2 to say."""
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
    """Whether something is there that a reader might wait for; a link counts as what it leads to."""
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
