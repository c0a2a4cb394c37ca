"""The checked-out branch.

A `.git` file from a stranger may point to any repository on the machine. The branch is returned only if that repository
points back to this working tree.
"""

from __future__ import annotations

import os
from pathlib import Path

import pygit2
from pygit2.enums import RepositoryOpenFlag

from codeplane.git.errors import translate_errors
from codeplane.git.git_directory import has_git, open_repository

NOT_THIS_REPOSITORY = "'.git' points to a repository of another working tree"
_BRANCHES = "refs/heads/"


def current_branch(root: Path) -> str | None:
    """Return the branch, also before its first commit; None if HEAD is detached or there is no repository."""
    if not has_git(root):
        return None
    with translate_errors(root):
        repository = open_repository(root)
        if not is_own(root, repository):
            return None
        target = repository.lookup_reference("HEAD").target
    return target.removeprefix(_BRANCHES) if isinstance(target, str) and target.startswith(_BRANCHES) else None


def is_own(root: Path, repository: pygit2.Repository) -> bool:
    """True if the repository and the working tree at `root` point to each other."""
    if Path(repository.path, "HEAD").is_symlink():
        return False
    if (root / ".git").is_dir():
        return True
    # Opened without its worktree: the directory of a linked worktree or submodule names its working tree.
    named = pygit2.Repository(repository.path, RepositoryOpenFlag.NO_SEARCH | RepositoryOpenFlag.NO_DOTGIT)
    return named.workdir is not None and os.path.realpath(named.workdir) == os.path.realpath(root)
