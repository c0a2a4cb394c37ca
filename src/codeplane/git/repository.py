"""Where the repository is and which version of it is checked out.

Reads git's metadata and never writes it. The working tree is always the given root: a
`core.worktree` that points elsewhere is not followed. The owner check of libgit2 stays on.
"""

from __future__ import annotations

import os
import stat as modes
from dataclasses import dataclass
from pathlib import Path

import pygit2
from pygit2.enums import FileMode, FileStatus, RepositoryOpenFlag

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display, join
from codeplane.git.errors import translated

MAX_SUBMODULES = 10_000
_INDEX_HEADER = 12
_INDEX_VERSIONS = (2, 3, 4)

# Objects that a partial clone lacks are of no concern to what is read here.
pygit2.settings.set_extensions(["partialclone"])


@dataclass(frozen=True)
class RepoVersion:
    """Equal as long as HEAD, the index file and the HEADs of all submodules are."""

    head: str | None
    """None before the first commit."""
    index_mtime_ns: int
    index_size: int
    submodules: tuple[tuple[RepoPath, str | None], ...] = ()
    """Initialised ones, nested ones too, sorted by path."""


def find_root(start: Path) -> Path | None:
    """The nearest directory at or above `start` that holds `.git`, be it a directory or a worktree's file."""
    current = Path(os.path.realpath(start))
    for directory in (current, *current.parents):
        if _has_git(directory):
            return directory
    return None


def repo_version(root: Path) -> RepoVersion | None:
    """The version checked out at `root`; None when it is no git repository."""
    if not _has_git(root):
        return None
    with translated(root):
        repository = _open(root)
        head = _head(repository)
        index_mtime_ns, index_size = _stat_index(repository)
        submodules = [(path, _head(submodule)) for path, submodule in _list_submodules(root, repository)]
    return RepoVersion(head, index_mtime_ns, index_size, tuple(sorted(submodules)))


def tracked_paths(root: Path) -> frozenset[RepoPath]:
    """Every path in the index, those of initialised submodules included; submodules themselves are not files."""
    if not _has_git(root):
        raise CodePlaneError(ErrorCode.NOT_A_REPOSITORY, f"'{display(str(root))}' is not a git repository")
    paths: set[RepoPath] = set()
    with translated(root):
        repository = _open(root)
        for prefix, each in ((RepoPath(""), repository), *_list_submodules(root, repository)):
            _stat_index(each)
            paths.update(join(prefix, entry.path) for entry in each.index if entry.mode != FileMode.COMMIT)
    return frozenset(paths)


def is_dirty(root: Path, *, untracked: bool = True) -> bool:
    """Whether anything is staged, modified or (if asked) untracked and not ignored."""
    if not _has_git(root):
        raise CodePlaneError(ErrorCode.NOT_A_REPOSITORY, f"'{display(str(root))}' is not a git repository")
    with translated(root):
        repository = _open(root)
        if not _is_worktree(root, repository):
            raise CodePlaneError(
                ErrorCode.GIT_UNSUPPORTED,
                f"core.worktree of '{display(str(root))}' points to another directory",
                remedy="Unset core.worktree, or open the directory that it names.",
            )
        status = repository.status(untracked_files="normal" if untracked else "no")
    return any(flags not in (FileStatus.CURRENT, FileStatus.IGNORED) for flags in status.values())


def _has_git(directory: Path) -> bool:
    try:
        mode = os.stat(directory / ".git", follow_symlinks=False).st_mode
    except (OSError, ValueError):
        return False
    return modes.S_ISDIR(mode) or modes.S_ISREG(mode)


def _has_regular(path: Path) -> bool:
    try:
        return modes.S_ISREG(os.stat(path, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _open(root: Path) -> pygit2.Repository:
    return pygit2.Repository(str(root), RepositoryOpenFlag.NO_SEARCH)


def _head(repository: pygit2.Repository) -> str | None:
    return None if repository.head_is_unborn else str(repository.head.target)


def _stat_index(repository: pygit2.Repository) -> tuple[int, int]:
    """Modification time and size; zeros where nothing was ever added. A broken header is damage."""
    path = os.path.join(repository.path, "index")
    try:
        with open(path, "rb") as file:
            stat = os.fstat(file.fileno())
            header = file.read(_INDEX_HEADER)
    except FileNotFoundError:
        return 0, 0
    if header[:4] != b"DIRC" or int.from_bytes(header[4:8], "big") not in _INDEX_VERSIONS:
        raise ValueError("the index file has no valid header")
    return stat.st_mtime_ns, stat.st_size


def _is_worktree(root: Path, repository: pygit2.Repository) -> bool:
    return repository.workdir is not None and os.path.realpath(repository.workdir) == os.path.realpath(root)


def _list_submodules(root: Path, repository: pygit2.Repository) -> list[tuple[RepoPath, pygit2.Repository]]:
    """Initialised submodules, each opened as a repository of its own, and theirs in turn."""
    found: list[tuple[RepoPath, pygit2.Repository]] = []
    pending = [(RepoPath(""), root, repository)]
    while pending and len(found) < MAX_SUBMODULES:
        prefix, directory, owner = pending.pop()
        if not _has_regular(directory / ".gitmodules") or not _is_worktree(directory, owner):
            continue
        for name in owner.listall_submodules():
            inside = directory / name
            # A submodule behind a link, or outside the root, is not part of this tree.
            if os.path.realpath(inside) != os.path.join(os.path.realpath(directory), name) or not _has_git(inside):
                continue
            path = join(prefix, name)
            submodule = _open(inside)
            found.append((path, submodule))
            pending.append((path, inside, submodule))
    return found
