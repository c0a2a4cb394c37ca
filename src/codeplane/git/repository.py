"""Location and checked-out version of the repository.

The working tree is always the given root: a `core.worktree` that points elsewhere is not followed. The owner check of
libgit2 stays on. `.gitmodules` is never read: it comes with a clone, and its includes may be anywhere.
"""

from __future__ import annotations

import os
import stat as modes
from dataclasses import dataclass
from pathlib import Path

import pygit2
from pygit2.enums import FileMode

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display, join
from codeplane.git.errors import damaged, translate_errors
from codeplane.git.git_directory import find_git_directories, has_git, open_repository, read_file

MAX_SUBMODULES = 10_000
_INDEX_HEADER = 12
_INDEX_VERSIONS = (2, 3, 4)

# Objects that a partial clone lacks are not needed here.
pygit2.settings.set_extensions(["partialclone"])


@dataclass(frozen=True)
class RepoVersion:
    """Equal if HEAD, the index file and the HEADs of all submodules are equal."""

    head: str | None
    """None before the first commit."""
    index_mtime_ns: int
    index_size: int
    submodules: tuple[tuple[RepoPath, str | None], ...] = ()
    """Initialized submodules, including nested ones, sorted by path."""


def find_root(start: Path) -> Path | None:
    """Return the nearest directory at or above `start` with a `.git` directory or file."""
    current = Path(os.path.realpath(start))
    for directory in (current, *current.parents):
        if has_git(directory):
            return directory
    return None


def repo_version(root: Path) -> RepoVersion | None:
    """Return the version checked out at `root`; None if it is not a git repository."""
    if not has_git(root):
        return None
    with translate_errors(root):
        repository = open_repository(root)
        head = _head(repository)
        index_mtime_ns, index_size = _stat_index(root, repository)
        submodules = [(path, _head(submodule)) for path, submodule in _list_submodules(root, repository)]
    return RepoVersion(head, index_mtime_ns, index_size, tuple(sorted(submodules)))


def head_commit(root: Path) -> str | None:
    """Return the commit of HEAD; None before the first commit or without a repository."""
    if not has_git(root):
        return None
    with translate_errors(root):
        return _head(open_repository(root))


def tracked_paths(root: Path) -> frozenset[RepoPath]:
    """Return all files in the index, including those of initialized submodules."""
    if not has_git(root):
        raise CodePlaneError(ErrorCode.NOT_A_REPOSITORY, f"'{display(str(root))}' is not a git repository")
    paths: set[RepoPath] = set()
    with translate_errors(root):
        repository = open_repository(root)
        for prefix, each in ((RepoPath(""), repository), *_list_submodules(root, repository)):
            entries = _read_index(root, each)
            paths.update(join(prefix, entry.path) for entry in entries if entry.mode != FileMode.COMMIT)
    return frozenset(paths)


def _has_regular(path: Path) -> bool:
    try:
        return modes.S_ISREG(os.stat(path, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _head(repository: pygit2.Repository) -> str | None:
    return None if repository.head_is_unborn else str(repository.head.target)


def _stat_index(root: Path, repository: pygit2.Repository) -> tuple[int, int]:
    """Return modification time and size of the index, zeros if it does not exist; GIT_DAMAGED for a bad header."""
    try:
        found = read_file(os.path.join(repository.path, "index"), _INDEX_HEADER)
    except FileNotFoundError:
        return 0, 0
    if found is None:
        raise damaged(root, "index is not a regular file")
    stat, header = found
    if header[:4] != b"DIRC" or int.from_bytes(header[4:8], "big") not in _INDEX_VERSIONS:
        raise damaged(root, "the index has no valid header")
    return stat.st_mtime_ns, stat.st_size


def _read_index(root: Path, repository: pygit2.Repository) -> pygit2.Index:
    _stat_index(root, repository)
    index: pygit2.Index = repository.index
    return index


def _list_submodules(root: Path, repository: pygit2.Repository) -> list[tuple[RepoPath, pygit2.Repository]]:
    """Return the initialized submodules as repositories, recursively."""
    top = Path(os.path.realpath(root))
    owned = (top, Path(os.path.realpath(repository.path)))
    found: list[tuple[RepoPath, pygit2.Repository]] = []
    pending = [(RepoPath(""), repository)]
    while pending and len(found) < MAX_SUBMODULES:
        prefix, owner = pending.pop()
        if not _has_regular(top / prefix / ".gitmodules"):
            continue
        for entry in _read_index(root, owner):
            if entry.mode != FileMode.COMMIT:
                continue
            path = join(prefix, entry.path)
            if _is_inside(top, path) and has_git(top / path) and _belongs_to(owned, top / path):
                submodule = open_repository(top / path)
                found.append((path, submodule))
                pending.append((path, submodule))
    return found


def _is_inside(top: Path, path: RepoPath) -> bool:
    """True if `path` goes through no link and stays in the tree."""
    inside = os.path.join(top, path)
    return os.path.realpath(inside) == inside and top in Path(inside).parents


def _belongs_to(owned: tuple[Path, ...], place: Path) -> bool:
    """True if the git directories of a submodule are in one of the directories of this repository."""
    directories = (Path(os.path.realpath(directory)) for directory in find_git_directories(place))
    return all(any(owner in directory.parents for owner in owned) for directory in directories)
