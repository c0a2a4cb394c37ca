"""State of the working tree and the index beside HEAD. Runs in the git worker."""

from __future__ import annotations

from contextlib import suppress

import pygit2
from pygit2.enums import DeltaStatus, DiffFind, DiffOption, RepositoryState

from codeplane.base.paths import RepoPath
from codeplane.git.model import ChangedPath, Conflict, WorkTreeStatus
from codeplane.git.trees import delta_path, head_tree

STATES = {
    RepositoryState.NONE: "none",
    RepositoryState.MERGE: "merge",
    RepositoryState.REVERT: "revert",
    RepositoryState.REVERT_SEQUENCE: "revert",
    RepositoryState.CHERRYPICK: "cherrypick",
    RepositoryState.CHERRYPICK_SEQUENCE: "cherrypick",
    RepositoryState.BISECT: "bisect",
    RepositoryState.REBASE: "rebase",
    RepositoryState.REBASE_INTERACTIVE: "rebase",
    RepositoryState.REBASE_MERGE: "rebase",
    RepositoryState.APPLY_MAILBOX: "mailbox",
    RepositoryState.APPLY_MAILBOX_OR_REBASE: "rebase",
}
DELTAS = {
    DeltaStatus.ADDED: "added",
    DeltaStatus.DELETED: "deleted",
    DeltaStatus.MODIFIED: "modified",
    DeltaStatus.RENAMED: "renamed",
    DeltaStatus.COPIED: "copied",
    DeltaStatus.TYPECHANGE: "typechange",
}
MAX_RENAME_CANDIDATES = 400
"""With more added or deleted files, renames are not looked for: comparing all pairs is quadratic."""
_BRANCHES = "refs/heads/"


def read_status(repository: pygit2.Repository, paths: list[str]) -> WorkTreeStatus:
    head = None if repository.head_is_unborn else str(repository.head.target)
    symbolic = repository.lookup_reference("HEAD").target
    branch = symbolic.removeprefix(_BRANCHES) if isinstance(symbolic, str) else None
    upstream, ahead, behind = _upstream(repository, branch) if head is not None else (None, 0, 0)
    index = repository.index
    conflicts = _conflicts(index, paths)
    conflicted = {conflict.path for conflict in conflicts}
    staged = head_tree(repository).diff_to_index(index, DiffOption.INCLUDE_TYPECHANGE)
    unstaged = index.diff_to_workdir(DiffOption.INCLUDE_UNTRACKED | DiffOption.INCLUDE_TYPECHANGE)
    changed = _changed(unstaged, paths)
    return WorkTreeStatus(
        branch,
        head,
        upstream,
        ahead,
        behind,
        STATES.get(RepositoryState(repository.state()), "none"),
        tuple(change for change in _changed(staged, paths) if change.path not in conflicted),
        tuple(change for change in changed if change.path not in conflicted and change.status != "untracked"),
        tuple(change.path for change in changed if change.status == "untracked"),
        conflicts,
    )


def find_renames(diff: pygit2.Diff) -> None:
    """Pair added and deleted files, unless there are too many to compare."""
    appeared = sum(delta.status in (DeltaStatus.ADDED, DeltaStatus.DELETED) for delta in diff.deltas)
    if 1 < appeared <= MAX_RENAME_CANDIDATES:
        # A partial clone lacks contents.
        with suppress(KeyError, pygit2.GitError):
            diff.find_similar(DiffFind.FIND_RENAMES)


def selects(paths: list[str], path: str) -> bool:
    """True if a path is one of the requested files or in one of the requested directories."""
    return not paths or any(path == wanted or path.startswith(f"{wanted}/") for wanted in paths)


def _upstream(repository: pygit2.Repository, branch: str | None) -> tuple[str | None, int, int]:
    local = repository.branches.local.get(branch) if branch is not None else None
    if local is None:
        return None, 0, 0
    try:
        upstream = local.upstream
    except (KeyError, ValueError, pygit2.GitError):
        return None, 0, 0
    if upstream is None:
        return None, 0, 0
    ahead, behind = repository.ahead_behind(local.target, upstream.target)
    return upstream.branch_name, ahead, behind


def _conflicts(index: pygit2.Index, paths: list[str]) -> tuple[Conflict, ...]:
    found = []
    for sides in index.conflicts or ():
        ids = [None if side is None else str(side.id) for side in sides]
        path = next(side.path for side in sides if side is not None)
        if selects(paths, path):
            found.append(Conflict(RepoPath(path), *ids))
    return tuple(sorted(found))


def _changed(diff: pygit2.Diff, paths: list[str]) -> list[ChangedPath]:
    find_renames(diff)
    found = []
    for delta in diff.deltas:
        path, old = delta_path(delta.new_file), delta_path(delta.old_file)
        if selects(paths, path.rstrip("/")) or selects(paths, old):
            status = "untracked" if delta.status == DeltaStatus.UNTRACKED else DELTAS.get(delta.status)
            if status is not None:
                found.append(ChangedPath(path, status, old if old != path else None))
    return sorted(found)
