"""Search of the working tree itself while there is no index.

Files are read one by one, so the work is bounded by files, by bytes, and by time as a last resort. A file that was not
searched is counted with the reason. Hits are lines of text without symbols. `lexical` and `regex` find every matching
line, as they do with the index; `disk_ranking` implements `auto`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from codeplane.base.limits import MAX_LEXICAL_BYTES
from codeplane.base.paths import RepoPath
from codeplane.disk.safe_open import Root
from codeplane.operations.search.file_names import search_file_names
from codeplane.operations.search.file_scan import FileScan
from codeplane.operations.search.filters import Filters
from codeplane.operations.search.matching import MatchLimits
from codeplane.operations.search.model import (
    MAX_MATCHES,
    Cancelled,
    Hit,
    SearchRequest,
    SearchResult,
    SkippedFile,
)
from codeplane.operations.search.patterns import MAX_QUERY_CHARS, compile_query
from codeplane.operations.search.scan_cache import TextCache
from codeplane.operations.search.text_search import MAX_NAMED, line_hit
from codeplane.query.contents import BINARY, TOO_LARGE, SearchableFile
from codeplane.store.records import FileState
from codeplane.workspace.working_tree import TreeFile, TreeListing

MAX_FILES = 100_000
MAX_BYTES = 512 * 1024 * 1024
SECONDS = 10.0
WORK_LIMIT = "work_limit"
"""Reason of files beyond the limits of one search."""


class WorkLimits(NamedTuple):
    files: int = MAX_FILES
    bytes: int = MAX_BYTES
    seconds: float = SECONDS


WORK_LIMITS = WorkLimits()


@dataclass
class ScopedFiles:
    """Files of the tree that pass the file filters, inside and outside of the scope, by path."""

    inside: list[TreeFile]
    outside: list[TreeFile]
    unread: dict[RepoPath, str] = field(default_factory=dict)
    """Files that were not searched, with the reason."""

    @classmethod
    def of(cls, tree: TreeListing, filters: Filters) -> ScopedFiles:
        files = [file for file in tree.files if filters.accepts_file(file.path, file.language or "")]
        return cls(
            [file for file in files if filters.accepts_role(file.role)],
            [file for file in files if not filters.accepts_role(file.role)],
            {path: "unreadable" for path in tree.unscanned if filters.accepts_file(path, "")},
        )

    def take(self, files: Iterable[TreeFile], limits: WorkLimits) -> tuple[list[TreeFile], WorkLimits]:
        """Return the first files within the limits, and the remaining limits; record the others as not searched."""
        within_limits: list[TreeFile] = []
        left, left_bytes = limits.files, limits.bytes
        for file in files:
            if left > 0 and file.size <= left_bytes:
                within_limits.append(file)
                left, left_bytes = left - 1, left_bytes - file.size
            else:
                self.unread[file.path] = WORK_LIMIT
        return within_limits, limits._replace(files=left, bytes=left_bytes)

    def complete(self, result: SearchResult) -> SearchResult:
        """Add the files that were not searched to the result."""
        skipped = [SkippedFile(path, reason) for path, reason in sorted(self.unread.items()) if reason != BINARY]
        if not skipped:
            return result
        reasons = dict(sorted(Counter(each.reason for each in skipped).items()))
        return replace(result, skipped=tuple(skipped[:MAX_NAMED]), hints={**result.hints, "not_searched": reasons})


def find_lines(
    root: Root,
    tree: TreeListing,
    request: SearchRequest,
    filters: Filters,
    cancelled: Cancelled | None = None,
    limits: WorkLimits = WORK_LIMITS,
) -> SearchResult:
    """Return every matching line; the query is a regular expression in mode `regex`, else text."""
    pattern = compile_query(request.query, regex=request.mode == "regex", case_sensitive=request.case_sensitive)
    deadline = time.monotonic() + limits.seconds
    files = ScopedFiles.of(tree, filters)
    inside, left = files.take(files.inside, limits)
    outside, _ = files.take(files.outside, left)
    by_file = request.grouping == "file"
    scan = FileScan(
        root,
        pattern,
        deadline,
        cancelled,
        TextCache(0),
        [_content_row(file) for file in inside],
        [_content_row(file) for file in outside],
        MatchLimits(MAX_MATCHES, per_file=1 if by_file else MAX_MATCHES),
    )
    hits: list[Hit] = []
    total = matching = 0
    out_of_scope = Counter[str]()
    # Source files first, then by path.
    for file, outcome in sorted(scan.execute(), key=lambda found: (found[0].role != "source", found[0].path)):
        if isinstance(outcome, str):
            files.unread[file.path] = outcome
        elif not filters.accepts_role(file.role):
            out_of_scope[file.role] += outcome.lines
        elif outcome.lines:
            total, matching = total + outcome.lines, matching + 1
            hits += [line_hit(file, match, outcome.lines - 1 if by_file else 0) for match in outcome.rows]
    result = SearchResult(
        hits=tuple(hits[:MAX_MATCHES]),
        total=total,
        outside_scope=dict(sorted(out_of_scope.items())),
        files=matching,
        exhaustive=True,
        debug={"candidates": len(inside) + len(outside)},
    )
    return files.complete(result)


def find_names(tree: TreeListing, text: str, filters: Filters) -> SearchResult:
    """Return files by name, matched as with the index."""
    files = ScopedFiles.of(tree, filters)
    roles = {file.path: file.role for file in (*files.inside, *files.outside)}
    result = search_file_names(roles, text, filters, lambda path: 1)
    return files.complete(result)


def find_literally(
    root: Root,
    tree: TreeListing,
    request: SearchRequest,
    text: str,
    filters: Filters,
    cancelled: Cancelled | None = None,
) -> SearchResult | None:
    """Return literal matches of a query for which ranking found nothing; None if there are none."""
    if not 0 < len(text) <= MAX_QUERY_CHARS:
        return None
    result = find_lines(root, tree, replace(request, query=text, mode="lexical"), filters, cancelled)
    return replace(result, hints={**result.hints, "searched_as": "lexical"}) if result.hits else None


def _content_row(file: TreeFile) -> SearchableFile:
    reason = TOO_LARGE if file.size > MAX_LEXICAL_BYTES else None
    return SearchableFile(
        file_id=0,
        path=file.path,
        language=file.language,
        family=None,
        size=file.size,
        encoding=None,
        lines=0,
        state=FileState.TEXT,
        reason=reason,
        digest=None,
        lexical=0,
        role=file.role,
    )
