"""Which branch is checked out. Reads git's metadata and never writes it.

A `.git` that came with a stranger's files may name any repository on the machine. The name
of its branch is told only where that repository names this working tree in turn.
"""

from __future__ import annotations

import os
from pathlib import Path

import pygit2
from pygit2.enums import RepositoryOpenFlag

from codeplane.git.errors import translated
from codeplane.git.git_directory import has_git, open_repository

_BRANCHES = "refs/heads/"


def current_branch(root: Path) -> str | None:
    """The branch at `root`, also before its first commit; None when HEAD is detached or there is no repository."""
    if not has_git(root):
        return None
    with translated(root):
        repository = open_repository(root)
        if not is_own(root, repository):
            return None
        target = repository.lookup_reference("HEAD").target
    return target.removeprefix(_BRANCHES) if isinstance(target, str) and target.startswith(_BRANCHES) else None


def is_own(root: Path, repository: pygit2.Repository) -> bool:
    """Whether a repository is that of the working tree at `root`, by its own account too."""
    if Path(repository.path, "HEAD").is_symlink():
        return False
    if (root / ".git").is_dir():
        return True
    # Opened without knowing whence it was named: a linked worktree's and a submodule's directory know their tree.
    named = pygit2.Repository(repository.path, RepositoryOpenFlag.NO_SEARCH | RepositoryOpenFlag.NO_DOTGIT)
    return named.workdir is not None and os.path.realpath(named.workdir) == os.path.realpath(root)
