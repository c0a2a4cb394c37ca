"""Differences between commits, the index and the working tree. Runs in the git worker.

libgit2 runs no external diff program, no textconv and no filter of the repository's configuration.
"""

from __future__ import annotations

from collections.abc import Iterator

import pygit2
from pygit2.enums import DeltaStatus, DiffOption

from codeplane.git.model import Diff, FileDiff, Hunk
from codeplane.git.status import DELTAS, find_renames, selects
from codeplane.git.trees import delta_path, head_tree, parent_tree, resolve_commit

INDEX = "INDEX"
WORKTREE = "WORKTREE"
MAX_FILES = 2_000
"""Maximum files of one answer."""
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
    max_lines: int,
) -> Diff:
    """Compare two revisions, a revision with the working tree, or the index with HEAD or the working tree.

    Deleted files have hunks only if `paths` are requested. After `max_lines` lines the hunks of further files are left
    out; the files are listed all the same.
    """
    flags = _FLAGS
    if untracked and target is None and not staged:
        flags |= DiffOption.INCLUDE_UNTRACKED | DiffOption.RECURSE_UNTRACKED_DIRS | DiffOption.SHOW_UNTRACKED_CONTENT
    if target is not None:
        old = resolve_commit(repository, base or "HEAD")
        new = resolve_commit(repository, target)
        diff = old.tree.diff_to_tree(new.tree, flags, context, 0)
        return _read(diff, str(old.id), str(new.id), paths, max_lines)
    if staged:
        tree = resolve_commit(repository, base).tree if base is not None else head_tree(repository)
        diff = tree.diff_to_index(repository.index, flags, context, 0)
        return _read(diff, base or "HEAD", INDEX, paths, max_lines)
    if base is not None:
        commit = resolve_commit(repository, base)
        diff = commit.tree.diff_to_index(repository.index, flags, context, 0)
        # Through the index, which knows what is tracked.
        diff.merge(repository.index.diff_to_workdir(flags, context, 0))
        return _read(diff, str(commit.id), WORKTREE, paths, max_lines)
    diff = repository.index.diff_to_workdir(flags, context, 0)
    return _read(diff, INDEX, WORKTREE, paths, max_lines)


def read_commit_diff(
    repository: pygit2.Repository, commit: pygit2.Commit, paths: list[str], context: int, max_lines: int
) -> Diff:
    """Compare a commit with its first parent."""
    diff = parent_tree(repository, commit).diff_to_tree(commit.tree, _FLAGS, context, 0)
    base = str(commit.parent_ids[0]) if commit.parent_ids else ""
    return _read(diff, base, str(commit.id), paths, max_lines)


def _read(diff: pygit2.Diff, base: str, target: str, paths: list[str], max_lines: int) -> Diff:
    find_renames(diff)
    chosen = []
    for number, delta in enumerate(diff.deltas):
        path, old = delta_path(delta.new_file), delta_path(delta.old_file)
        known = delta.status in DELTAS or delta.status == DeltaStatus.UNTRACKED
        if known and (selects(paths, path) or selects(paths, old)):
            chosen.append((path, number, bool(paths) or delta.status != DeltaStatus.DELETED))
    chosen.sort()
    files = []
    left = max_lines
    deltas = list(diff.deltas)
    for _, number, with_hunks in chosen[:MAX_FILES]:
        found = _read_file(diff, number, deltas[number], with_hunks=with_hunks and left > 0)
        left -= sum(len(hunk.lines) for hunk in found.hunks)
        files.append(found)
    return Diff(tuple(files), len(chosen), base, target)


def _read_file(diff: pygit2.Diff, number: int, delta: pygit2.DiffDelta, *, with_hunks: bool) -> FileDiff:
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
    hunks = tuple(_hunks(patch)) if with_hunks else ()
    return FileDiff(path, status, old_path, bool(patch.delta.is_binary), insertions, deletions, hunks, *blobs)


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
