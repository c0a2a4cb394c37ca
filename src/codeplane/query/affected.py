"""Who uses some definitions, by the file: what a change of them may concern."""

from __future__ import annotations

from collections.abc import Collection

from codeplane.base.paths import RepoPath
from codeplane.query.snapshot import Page, Snapshot, check_limit
from codeplane.store.codec import path_from_text

_MAX_TARGETS = 500


def list_user_files(snapshot: Snapshot, numbers: Collection[int], role: str, limit: int) -> Page[RepoPath]:
    """Files of a role in which one of these definitions is used, by path."""
    check_limit(limit)
    targets = sorted(set(numbers))[:_MAX_TARGETS]
    if not targets:
        return Page((), 0)
    marks = ", ".join("?" * len(targets))
    sql = f"SELECT DISTINCT path FROM uses JOIN files USING (file_id) WHERE target IN ({marks}) AND role = ?"
    found = [path_from_text(path) for (path,) in snapshot.reader.rows(f"{sql} ORDER BY path", (*targets, role))]
    return Page(tuple(found[:limit]), len(found))
