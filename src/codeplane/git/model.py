"""Values that git operations return. They cross a process border as JSON lists, in the order of their fields."""

from __future__ import annotations

from typing import NamedTuple

from codeplane.base.paths import RepoPath


class ChangedPath(NamedTuple):
    path: RepoPath
    status: str
    """`added`, `modified`, `deleted`, `renamed`, `copied` or `typechange`"""
    old_path: RepoPath | None = None


class Conflict(NamedTuple):
    path: RepoPath
    ancestor: str | None
    ours: str | None
    theirs: str | None


class WorkTreeStatus(NamedTuple):
    branch: str | None
    """None if HEAD is detached."""
    head: str | None
    """None before the first commit."""
    upstream: str | None
    ahead: int
    behind: int
    state: str
    """Operation in progress: `none`, `merge`, `rebase`, `cherrypick`, `revert`, `bisect` or `mailbox`."""
    staged: tuple[ChangedPath, ...]
    modified: tuple[ChangedPath, ...]
    untracked: tuple[RepoPath, ...]
    """Files, and directories with a final slash."""
    conflicts: tuple[Conflict, ...]


class Hunk(NamedTuple):
    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: tuple[str, ...]
    """Each starts with ` `, `+` or `-`; a last line without a line break is followed by `\\`."""


class DiffLimits(NamedTuple):
    """Size of an answer. Hunks beyond it are left out, then files."""

    lines: int
    chars: int
    line_cost: int
    """Characters that a line takes besides its text."""
    file_cost: int


class FileDiff(NamedTuple):
    path: RepoPath
    status: str
    old_path: RepoPath | None
    is_binary: bool
    insertions: int
    deletions: int
    hunks: tuple[Hunk, ...]
    old_blob: str
    new_blob: str
    """Zeros for a file that does not exist, and for content of the working tree that was not hashed."""
    is_cut: bool = False
    """True if hunks were left out because of the limits."""
    is_missing: bool = False
    """True if this clone lacks one of the contents, so that nothing is known of the change."""


class Diff(NamedTuple):
    files: tuple[FileDiff, ...]
    total: int
    """Number of changed files, listed or not."""
    base: str
    target: str
    """Commits, `INDEX` or `WORKTREE`."""


class Signature(NamedTuple):
    name: str
    email: str
    time: int
    """Seconds since the epoch."""
    offset: int
    """Minutes east of UTC."""


class Commit(NamedTuple):
    oid: str
    parents: tuple[str, ...]
    author: Signature
    committer: Signature
    message: str
    refs: tuple[str, ...]
    """Branches and tags that name it."""
    path: RepoPath | None = None
    """Path at this commit, in a history that follows renames."""
    lines: tuple[int, int] | None = None
    """Lines at this commit, in the history of a range."""


class Log(NamedTuple):
    commits: tuple[Commit, ...]
    has_more: bool
    start: str
    """Commit that the log starts at."""


class BlameRange(NamedTuple):
    first: int
    last: int
    oid: str
    author: str
    time: int
    summary: str
    original_path: RepoPath | None
    """Path in that commit, if it is another one."""
    original_first: int


class CommitTag(NamedTuple):
    name: str
    oid: str
    """Commit"""
    message: str
    time: int
