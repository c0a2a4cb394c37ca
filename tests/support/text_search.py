"""Search the text index for files by the words of a query."""

from __future__ import annotations

from codeplane.base.paths import RepoPath
from codeplane.query.snapshot import Snapshot
from codeplane.query.text import rank_files, terms_of_text, weigh_terms


def search_files(snapshot: Snapshot, query: str, limit: int) -> list[RepoPath]:
    """Return files that contain any word of the query, best match first, then by path."""
    return [path for path, _ in search_scores(snapshot, query, limit)]


def search_scores(snapshot: Snapshot, query: str, limit: int) -> list[tuple[RepoPath, int]]:
    """Return the files that `search_files` finds, with their scores."""
    matches = rank_files(snapshot, weigh_terms(snapshot, terms_of_text(query)), limit)
    return [(match.file.path, match.score) for match in matches]
