"""Trees, commits and paths of a repository. Runs in the git worker."""

from __future__ import annotations

import os

import pygit2

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.git.revisions import find_commit, parse_name

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def resolve_commit(repository: pygit2.Repository, revision: str) -> pygit2.Commit:
    """Return the commit that a branch, tag or commit id names, optionally with `~2` or `^1`."""
    parse_name(revision)
    return find_commit(repository, revision)


def head_tree(repository: pygit2.Repository) -> pygit2.Tree:
    """Return the tree of HEAD, an empty one before the first commit."""
    if repository.head_is_unborn:
        return empty_tree(repository)
    return repository.head.peel(pygit2.Commit).tree


def empty_tree(repository: pygit2.Repository) -> pygit2.Tree:
    try:
        found = repository[EMPTY_TREE]
    except KeyError:
        raise CodePlaneError(ErrorCode.GIT_UNSUPPORTED, "the repository has no commit to compare with") from None
    assert isinstance(found, pygit2.Tree)
    return found


def parent_tree(repository: pygit2.Repository, commit: pygit2.Commit) -> pygit2.Tree:
    """Return the tree of the first parent, an empty one for a root commit."""
    if not commit.parent_ids:
        return empty_tree(repository)
    try:
        return commit.parents[0].tree
    except (KeyError, pygit2.GitError):
        raise CodePlaneError(
            ErrorCode.GIT_UNSUPPORTED,
            f"this clone does not contain the parent of {str(commit.id)[:12]}",
            remedy="Fetch it; the clone is shallow.",
        ) from None


def delta_path(file: pygit2.DiffFile) -> RepoPath:
    return RepoPath(os.fsdecode(file.raw_path))


def entry_id(tree: pygit2.Tree, path: str) -> pygit2.Oid | None:
    """Return the object at a path in a tree; None if there is none."""
    try:
        found: pygit2.Oid = tree[path].id
    except KeyError:
        return None
    return found


def has_same_entry(one: pygit2.Tree, other: pygit2.Tree, path: str) -> bool:
    """True if two trees have the same object, or none, at a path; stops at the first directory that is equal."""
    here, there = one, other
    *directories, name = path.split("/")
    for directory in directories:
        if here.id == there.id:
            return True
        below = [_subtree(tree, directory) for tree in (here, there)]
        if below[0] is None or below[1] is None:
            return entry_id(one, path) == entry_id(other, path)
        here, there = below[0], below[1]
    return entry_id(here, name) == entry_id(there, name)


def _subtree(tree: pygit2.Tree, name: str) -> pygit2.Tree | None:
    try:
        found = tree[name]
    except KeyError:
        return None
    return found if isinstance(found, pygit2.Tree) else None


def require_path(tree: pygit2.Tree, path: str, revision: str) -> pygit2.Oid:
    found = entry_id(tree, path)
    if found is None:
        raise CodePlaneError(
            ErrorCode.FILE_NOT_FOUND,
            f"'{display(path)}' is not in {display(revision)}",
            expected="the path of a file in that revision",
            received=display(path),
        )
    return found
