"""Definitions without a known use."""

from __future__ import annotations

from codeplane.base.paths import RepoPath
from codeplane.index.resolve.registry import resolved_languages
from codeplane.operations.missing_paths import nothing_indexed
from codeplane.operations.refs import Reads
from codeplane.query.files import get_file, list_files
from codeplane.query.snapshot import Page, Snapshot
from codeplane.query.unused import UnusedDef, list_unused
from codeplane.workspace.freshness import FreshResult


def find_unused(reads: Reads, limit: int, under: RepoPath | None = None) -> FreshResult[Page[UnusedDef]]:
    """Return definitions without a known use; `under` restricts them to a file or a directory."""

    def ask(snapshot: Snapshot) -> Page[UnusedDef]:
        if under is not None and get_file(snapshot, under) is None and not list_files(snapshot, 1, under).total:
            raise nothing_indexed(under)
        return list_unused(snapshot, limit, languages=sorted(resolved_languages()), under=under)

    return reads(ask, references=True)
