"""Directory listings of the working tree, with the reason why an entry is ignored.

Only ignore files are read, and links are not followed. Secrets are counted but not named. Ignored directories are not
entered, unless the requested directory is inside one.
"""

from __future__ import annotations

import os
import stat as modes
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, join
from codeplane.disk.allowed_secrets import is_blocked_secret
from codeplane.disk.ignore import IGNORE_FILES, IgnoreChain, IgnoreReason, IgnoreRules, extend_chain, load_chain
from codeplane.disk.safe_open import Root


class DirectoryEntry(NamedTuple):
    path: RepoPath
    kind: str
    """file, directory, symlink or special."""
    ignored: IgnoreReason | None


class DirectoryListing(NamedTuple):
    entries: tuple[DirectoryEntry, ...]
    secrets: int
    complete: bool
    """False if the limit was reached or a directory could not be read."""


def list_directory(root: Root, rules: IgnoreRules, directory: RepoPath, depth: int, limit: int) -> DirectoryListing:
    """List at most `limit` entries down to `depth`, breadth first.

    Raises the error of `Root.open_directory` if the directory itself cannot be listed.
    """
    chain, above = load_chain(root, rules, directory)
    found: list[DirectoryEntry] = []
    secrets = 0
    complete = True
    level = [(directory, chain, above)]
    for number in range(depth):
        following: list[tuple[RepoPath, IgnoreChain, IgnoreReason | None]] = []
        for parent, outer, inherited in level:
            try:
                names = _names(root, parent)
            except CodePlaneError as error:
                if parent == directory:
                    raise
                complete = complete and error.code is ErrorCode.FILE_NOT_FOUND
                continue
            inner = extend_chain(root, outer, parent, IGNORE_FILES, 0)[0] if number and inherited is None else outer
            for name, kind in names:
                path = join(parent, name)
                if rules.block_secrets and is_blocked_secret(root.path, path, is_directory=kind == _DIRECTORY):
                    secrets += 1
                    continue
                if len(found) >= limit:
                    return DirectoryListing(tuple(found), secrets, False)
                own = inner.find_reason(path, name, is_directory=kind == _DIRECTORY) if inherited is None else None
                found.append(DirectoryEntry(path, kind, own or inherited))
                if kind == _DIRECTORY and own is None:
                    following.append((path, inner, inherited))
        level = following
    return DirectoryListing(tuple(found), secrets, complete)


_DIRECTORY = "directory"


def _names(root: Root, directory: RepoPath) -> list[tuple[str, str]]:
    fd = root.open_directory(directory)
    try:
        with os.scandir(fd) as entries:
            return sorted((entry.name, _kind(entry)) for entry in entries)
    except OSError as error:
        raise CodePlaneError(ErrorCode.FILE_UNREADABLE, "a directory cannot be listed") from error
    finally:
        os.close(fd)


def _kind(entry: os.DirEntry[str]) -> str:
    try:
        if entry.is_symlink():
            return "symlink"
        if entry.is_dir(follow_symlinks=False):
            return _DIRECTORY
        return "file" if modes.S_ISREG(entry.stat(follow_symlinks=False).st_mode) else "special"
    except OSError:
        return "special"
