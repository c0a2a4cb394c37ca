"""History of a range of lines: the commits that changed it, newest first. Runs in the git worker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pygit2

from codeplane.base.paths import RepoPath
from codeplane.git.log import MAX_EXAMINED, describe_commit, name_in_parent, names_of_commits, parents_of
from codeplane.git.model import Commit, Log
from codeplane.git.trees import entry_id, has_same_entry, require_path, resolve_commit

Lines = tuple[int, int]


class _Step(NamedTuple):
    """A commit that changed the lines, where it has them."""

    commit: pygit2.Commit
    path: RepoPath
    lines: Lines


class _Change(NamedTuple):
    """Lines that one hunk replaced; ends are exclusive."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def read_line_history(
    repository: pygit2.Repository, revision: str, path: str, first: int, last: int, *, limit: int, skip: int
) -> Log:
    """Follow lines `first` to `last` of a file back through its commits and renames."""
    start = resolve_commit(repository, revision)
    require_path(start.tree, path, revision)
    names = names_of_commits(repository)
    found: list[Commit] = []
    for number, step in enumerate(_steps(repository, start, RepoPath(path), (first, last))):
        if number == skip + limit:
            return Log(tuple(found), True, str(start.id))
        if number >= skip:
            found.append(describe_commit(step.commit, names, step.path, step.lines))
    return Log(tuple(found), False, str(start.id))


def _steps(repository: pygit2.Repository, commit: pygit2.Commit, path: RepoPath, lines: Lines) -> Iterator[_Step]:
    for _ in range(MAX_EXAMINED):
        parents = parents_of(commit)
        # A merge takes the file from the parent that has the same one.
        same = next((parent for parent in parents if has_same_entry(commit.tree, parent.tree, path)), None)
        if same is not None:
            commit = same
            continue
        earlier = _earlier_name(repository, commit, parents, path)
        if earlier is None:
            yield _Step(commit, path, lines)
            return
        old = parents[0].tree[earlier]
        changes = _changes(old, commit.tree[path])
        if any(_touches(change, lines) for change in changes):
            yield _Step(commit, path, lines)
        before = _lines_before(changes, lines)
        if before is None:
            return
        commit, path, lines = parents[0], earlier, before


def _earlier_name(
    repository: pygit2.Repository, commit: pygit2.Commit, parents: Sequence[pygit2.Commit], path: RepoPath
) -> RepoPath | None:
    if not parents:
        return None
    return path if entry_id(parents[0].tree, path) is not None else name_in_parent(repository, commit, path)


def _changes(old: pygit2.Object, new: pygit2.Object) -> list[_Change]:
    if not isinstance(old, pygit2.Blob) or not isinstance(new, pygit2.Blob):
        return []
    changes = []
    for hunk in pygit2.Patch.create_from(old, new, context_lines=0).hunks:
        # A side without lines names the line before it.
        old_start = hunk.old_start if hunk.old_lines else hunk.old_start + 1
        new_start = hunk.new_start if hunk.new_lines else hunk.new_start + 1
        changes.append(_Change(old_start, old_start + hunk.old_lines, new_start, new_start + hunk.new_lines))
    return changes


def _touches(change: _Change, lines: Lines) -> bool:
    """True if the change replaced some of the lines, or removed lines between them."""
    first, last = lines
    if change.new_start == change.new_end:
        return first < change.new_start <= last
    return change.new_start <= last and change.new_end > first


def _lines_before(changes: Sequence[_Change], lines: Lines) -> Lines | None:
    """Return the lines in the older version; None if all of them are new."""
    first = _line_before(changes, lines[0], is_first=True)
    last = _line_before(changes, lines[1], is_first=False)
    return (first, last) if first <= last else None


def _line_before(changes: Sequence[_Change], line: int, *, is_first: bool) -> int:
    """Return the line in the older version; the first or last replaced one if this line is in a change."""
    shift = 0
    for change in changes:
        if change.new_start <= line < change.new_end:
            return change.old_start if is_first else change.old_end - 1
        if change.new_start > line:
            break
        shift = change.old_end - change.new_end
    return line + shift
