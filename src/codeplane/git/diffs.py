"""Differences between commits, the index and the working tree. Runs in the git worker.

libgit2 runs no external diff program, no textconv and no filter of the repository's configuration.
"""

from __future__ import annotations

from collections.abc import Iterator

import pygit2
from pygit2.enums import DeltaStatus, DiffOption

from codeplane.git.model import Diff, DiffLimits, FileDiff, Hunk
from codeplane.git.status import DELTAS, find_renames, selects
from codeplane.git.trees import delta_path, head_tree, parent_tree, resolve_commit

INDEX = "INDEX"
WORKTREE = "WORKTREE"
MAX_LINE_CHARS = 2_000
_FLAGS = DiffOption.INCLUDE_TYPECHANGE | DiffOption.INDENT_HEURISTIC
_NO_NEWLINE = "\\"


def read_diff(
    repository: pygit2.Repository,
    base: str | None,
    target: str | None,
    *,
    staged: bool,
    untracked: bool,
    paths: list[str],
    context: int,
    limits: list[int],
) -> Diff:
    """Compare two revisions, a revision with the working tree, or the index with HEAD or the working tree.

    Deleted files have hunks only if `paths` are requested. `limits` are the fields of `DiffLimits`.
    """
    flags = _FLAGS
    if untracked and target is None and not staged:
        flags |= DiffOption.INCLUDE_UNTRACKED | DiffOption.RECURSE_UNTRACKED_DIRS | DiffOption.SHOW_UNTRACKED_CONTENT
    if target is not None:
        old = resolve_commit(repository, base or "HEAD")
        new = resolve_commit(repository, target)
        diff = old.tree.diff_to_tree(new.tree, flags, context, 0)
        return _read(diff, str(old.id), str(new.id), paths, DiffLimits(*limits))
    if staged:
        tree = resolve_commit(repository, base).tree if base is not None else head_tree(repository)
        diff = tree.diff_to_index(repository.index, flags, context, 0)
        return _read(diff, base or "HEAD", INDEX, paths, DiffLimits(*limits))
    if base is not None:
        commit = resolve_commit(repository, base)
        diff = commit.tree.diff_to_index(repository.index, flags, context, 0)
        # Through the index, which knows what is tracked.
        diff.merge(repository.index.diff_to_workdir(flags, context, 0))
        return _read(diff, str(commit.id), WORKTREE, paths, DiffLimits(*limits))
    diff = repository.index.diff_to_workdir(flags, context, 0)
    return _read(diff, INDEX, WORKTREE, paths, DiffLimits(*limits))


def read_commit_diff(
    repository: pygit2.Repository, commit: pygit2.Commit, paths: list[str], context: int, limits: list[int]
) -> Diff:
    """Compare a commit with its first parent."""
    diff = parent_tree(repository, commit).diff_to_tree(commit.tree, _FLAGS, context, 0)
    base = str(commit.parent_ids[0]) if commit.parent_ids else ""
    return _read(diff, base, str(commit.id), paths, DiffLimits(*limits))


def _read(diff: pygit2.Diff, base: str, target: str, paths: list[str], limits: DiffLimits) -> Diff:
    find_renames(diff)
    chosen = []
    for number, delta in enumerate(diff.deltas):
        path, old = delta_path(delta.new_file), delta_path(delta.old_file)
        known = delta.status in DELTAS or delta.status == DeltaStatus.UNTRACKED
        if known and (selects(paths, path) or selects(paths, old)):
            chosen.append((path, number, bool(paths) or delta.status != DeltaStatus.DELETED))
    chosen.sort()
    deltas = list(diff.deltas)
    # Names first: they say what can be asked for.
    room = _Room(limits)
    listed = [each for each in chosen if room.takes_file(each[0])]
    files = [_read_file(diff, number, deltas[number], room, with_hunks=wanted) for _, number, wanted in listed]
    return Diff(tuple(files), len(chosen), base, target)


class _Room:
    """Room that is left in the answer."""

    def __init__(self, limits: DiffLimits) -> None:
        self._limits = limits
        self._lines = limits.lines
        self._chars = limits.chars

    def takes_file(self, path: str) -> bool:
        """Reserve room for the name of a file; half of the room is for lines."""
        cost = len(path) + self._limits.file_cost
        if self._chars - cost < self._limits.chars // 2:
            return False
        self._chars -= cost
        return True

    def cut(self, hunk: Hunk) -> Hunk:
        """Return the hunk with the lines that fit; nothing fits after one that does not fit whole."""
        cost, count = self._limits.file_cost, 0
        for line in hunk.lines:
            cost += len(line) + self._limits.line_cost
            if count == self._lines or cost > self._chars:
                self._lines = self._chars = 0
                return hunk._replace(lines=hunk.lines[:count])
            count += 1
        self._lines -= count
        self._chars -= cost
        return hunk


def _read_file(diff: pygit2.Diff, number: int, delta: pygit2.DiffDelta, room: _Room, *, with_hunks: bool) -> FileDiff:
    path, old = delta_path(delta.new_file), delta_path(delta.old_file)
    status = "added" if delta.status == DeltaStatus.UNTRACKED else DELTAS[delta.status]
    old_path = old if old != path else None
    blobs = (str(delta.old_file.id), str(delta.new_file.id))
    try:
        patch = diff[number]
    except KeyError:
        return FileDiff(path, status, old_path, False, 0, 0, (), *blobs, is_missing=True)
    assert patch is not None
    _, insertions, deletions = patch.line_stats
    found = list(_hunks(patch)) if with_hunks else []
    hunks = tuple(cut for cut in map(room.cut, found) if cut.lines)
    is_binary, is_cut = bool(patch.delta.is_binary), hunks != tuple(found)
    return FileDiff(path, status, old_path, is_binary, insertions, deletions, hunks, *blobs, is_cut)


def _hunks(patch: pygit2.Patch) -> Iterator[Hunk]:
    for hunk in patch.hunks:
        lines: list[str] = []
        for line in hunk.lines:
            if line.origin in "<>=":
                lines.append(_NO_NEWLINE)
                continue
            text = line.raw_content.decode("utf-8", "replace").removesuffix("\n")
            lines.append(line.origin + (text if len(text) <= MAX_LINE_CHARS else text[:MAX_LINE_CHARS] + "…"))
        yield Hunk(hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines, tuple(lines))
