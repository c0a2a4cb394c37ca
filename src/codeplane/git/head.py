"""Which branch is checked out. Reads git's metadata and never writes it."""

from __future__ import annotations

from pathlib import Path

import pygit2
from pygit2.enums import RepositoryOpenFlag

from codeplane.git.errors import translated

_BRANCHES = "refs/heads/"


def current_branch(root: Path) -> str | None:
    """The branch at `root`, also before its first commit; None when HEAD is detached or there is no repository."""
    if not (root / ".git").exists():
        return None
    with translated(root):
        repository = pygit2.Repository(str(root), RepositoryOpenFlag.NO_SEARCH)
        target = repository.lookup_reference("HEAD").target
    return target.removeprefix(_BRANCHES) if isinstance(target, str) and target.startswith(_BRANCHES) else None
