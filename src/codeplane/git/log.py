"""Commits that are reachable from a revision, newest first. Runs in the git worker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush

import pygit2
from pygit2.enums import DeltaStatus, DiffFind, DiffOption, SortMode

from codeplane.base.paths import RepoPath
from codeplane.git.model import Commit, Log, Signature
from codeplane.git.trees import delta_path, entry_id, has_same_entry, parent_tree, resolve_commit

MAX_EXAMINED = 1_000_000
"""Commits examined for one page; a history of files looks at many to find a few."""


def read_log(
    repository: pygit2.Repository,
    revision: str,
    *,
    limit: int,
    skip: int,
    since: int | None,
    until: int | None,
    paths: list[str],
    follow: bool,
) -> Log:
    """Return commits, at most `limit` after the first `skip`, with committer times from `since` to `until`.

    With `paths`, only commits that changed one of them against every parent, without side branches that changed none.
    With `follow`, `paths` is one file, whose earlier names are followed.
    """
    start = resolve_commit(repository, revision)
    names = names_of_commits(repository)
    found: list[Commit] = []
    for commit, path in _select(repository, start, paths, follow=follow):
        if since is not None and commit.commit_time < since:
            continue
        if until is not None and commit.commit_time > until:
            continue
        if skip:
            skip -= 1
            continue
        if len(found) == limit:
            return Log(tuple(found), True, str(start.id))
        found.append(describe_commit(commit, names, path if follow else None))
    return Log(tuple(found), False, str(start.id))


def names_of_commits(repository: pygit2.Repository) -> dict[str, list[str]]:
    """Return the branches and tags of each commit; `HEAD` first."""
    names: dict[str, list[str]] = {}
    if not repository.head_is_unborn:
        names[str(repository.head.target)] = ["HEAD"]
    for reference in sorted(repository.references):
        for prefix in ("refs/heads/", "refs/remotes/", "refs/tags/"):
            if reference.startswith(prefix) and not reference.endswith("/HEAD"):
                try:
                    commit = repository.references[reference].peel(pygit2.Commit)
                except (KeyError, ValueError, pygit2.GitError):
                    continue
                names.setdefault(str(commit.id), []).append(reference.removeprefix(prefix))
    return names


def describe_commit(
    commit: pygit2.Commit,
    names: dict[str, list[str]],
    path: RepoPath | None = None,
    lines: tuple[int, int] | None = None,
) -> Commit:
    return Commit(
        str(commit.id),
        tuple(map(str, commit.parent_ids)),
        describe_signature(commit.author),
        describe_signature(commit.committer),
        commit.raw_message.decode("utf-8", "replace").rstrip(),
        tuple(names.get(str(commit.id), ())),
        path,
        lines,
    )


def describe_signature(signature: pygit2.Signature) -> Signature:
    name, email = (part.decode("utf-8", "replace") for part in (signature.raw_name, signature.raw_email))
    return Signature(name, email, signature.time, signature.offset)


class _CommitQueue:
    """Commits by date, newest first, as git orders them; those of one date in the order in which they were added."""

    def __init__(self, start: pygit2.Commit) -> None:
        self._heap: list[tuple[int, int, pygit2.Commit]] = []
        self._seen: set[pygit2.Oid] = set()
        self.add([start])

    def add(self, commits: Sequence[pygit2.Commit]) -> None:
        for commit in commits:
            if commit.id not in self._seen:
                self._seen.add(commit.id)
                heappush(self._heap, (-commit.commit_time, len(self._seen), commit))

    def commits(self) -> Iterator[pygit2.Commit]:
        while self._heap and len(self._seen) < MAX_EXAMINED:
            yield heappop(self._heap)[2]


def parents_of(commit: pygit2.Commit) -> list[pygit2.Commit]:
    """Return the parents that this clone has; a shallow one lacks some."""
    try:
        return list(commit.parents)
    except (KeyError, pygit2.GitError):
        return []


def name_in_parent(repository: pygit2.Repository, commit: pygit2.Commit, path: RepoPath) -> RepoPath | None:
    """Return the name that a file which this commit added had in its first parent; None if it is new."""
    diff = parent_tree(repository, commit).diff_to_tree(commit.tree, DiffOption.SKIP_BINARY_CHECK)
    diff.find_similar(DiffFind.FIND_RENAMES)
    for delta in diff.deltas:
        if delta.status == DeltaStatus.RENAMED and delta_path(delta.new_file) == path:
            return delta_path(delta.old_file)
    return None


def _select(
    repository: pygit2.Repository, start: pygit2.Commit, paths: list[str], *, follow: bool
) -> Iterator[tuple[pygit2.Commit, RepoPath | None]]:
    """Yield the commits that change the paths, with the name of a followed file."""
    if not paths:
        for commit in repository.walk(start.id, SortMode.NONE):
            yield commit, None
        return
    wanted = [RepoPath(path) for path in paths]
    queue = _CommitQueue(start)
    for commit in queue.commits():
        tree, parents = commit.tree, parents_of(commit)
        same = [each for each in parents if all(has_same_entry(tree, each.tree, path) for path in wanted)]
        # A merge that takes the files from one parent has the history of that parent.
        queue.add(same[:1] or parents)
        if same:
            continue
        if not parents and not any(entry_id(tree, path) for path in wanted):
            continue
        yield commit, wanted[0]
        if follow and len(parents) == 1 and entry_id(parents[0].tree, wanted[0]) is None and entry_id(tree, wanted[0]):
            earlier = name_in_parent(repository, commit, wanted[0])
            wanted = [earlier] if earlier is not None else wanted
