"""Search of the working tree itself, for as long as there is no index to ask.

Files are read one by one, so the work is bounded: by files, by bytes, and by time as a last resort. A file that was not
searched is counted with the reason. Results are lines of text; nothing is known of symbols. `lexical` and `regex` find
every matching line, as they do with the index; `disk_ranking` answers `auto`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from codeplane.base.limits import MAX_LEXICAL_BYTES
from codeplane.base.paths import RepoPath, basename
from codeplane.disk.safe_open import Root
from codeplane.operations.search.file_names import match_file_names, similar_file_names
from codeplane.operations.search.file_scan import Outcome, scan
from codeplane.operations.search.filters import Filters
from codeplane.operations.search.matching import LineMatch, MatchLimits
from codeplane.operations.search.model import MAX_MATCHES, Hit, SearchRequest, SearchResult, SkippedFile
from codeplane.operations.search.patterns import MAX_QUERY_CHARS, compile_query
from codeplane.operations.search.scan_cache import TextCache
from codeplane.operations.search.text_search import MAX_NAMED, NO_DEFINITION
from codeplane.query.contents import BINARY, TOO_LARGE, SearchableFile
from codeplane.store.records import FileState
from codeplane.workspace.working_tree import TreeFile, TreeListing

MAX_FILES = 100_000
MAX_BYTES = 512 * 1024 * 1024
SECONDS = 10.0
WORK_LIMIT = "work_limit"
"""Why a file was not searched: as many as may be were."""

Cancelled = Callable[[], bool]


class WorkLimits(NamedTuple):
    """Limits of one search."""

    files: int = MAX_FILES
    bytes: int = MAX_BYTES
    seconds: float = SECONDS


WORK_LIMITS = WorkLimits()


@dataclass
class ScopedFiles:
    """Files of the tree that a request lets through, those in its scope and the others, by path."""

    inside: list[TreeFile]
    outside: list[TreeFile]
    unread: dict[RepoPath, str] = field(default_factory=dict)
    """Why files were not searched."""

    @classmethod
    def of(cls, tree: TreeListing, filters: Filters) -> ScopedFiles:
        files = [file for file in tree.files if filters.accepts_elsewhere(file.path, file.language or "")]
        return cls(
            [file for file in files if filters.accepts_role(file.role)],
            [file for file in files if not filters.accepts_role(file.role)],
            {path: "unreadable" for path in tree.unscanned if filters.accepts_elsewhere(path, "")},
        )

    def take(self, files: Iterable[TreeFile], limits: WorkLimits) -> tuple[list[TreeFile], WorkLimits]:
        """The first files that the limits allow, and what is left of the limits; the others count as not searched."""
        taken: list[TreeFile] = []
        left, room = limits.files, limits.bytes
        for file in files:
            if left > 0 and file.size <= room:
                taken.append(file)
                left, room = left - 1, room - file.size
            else:
                self.unread[file.path] = WORK_LIMIT
        return taken, limits._replace(files=left, bytes=room)

    def complete(self, found: SearchResult) -> SearchResult:
        """The result with what was not searched."""
        skipped = [SkippedFile(path, reason) for path, reason in sorted(self.unread.items()) if reason != BINARY]
        if not skipped:
            return found
        reasons = dict(sorted(Counter(each.reason for each in skipped).items()))
        return replace(found, skipped=tuple(skipped[:MAX_NAMED]), hints={**found.hints, "not_searched": reasons})


def find_lines(
    root: Root,
    tree: TreeListing,
    request: SearchRequest,
    filters: Filters,
    cancelled: Cancelled | None = None,
    limits: WorkLimits = WORK_LIMITS,
) -> SearchResult:
    """Every line that matches the query, which is a regular expression in mode `regex` and text otherwise."""
    pattern = compile_query(request.query, regex=request.mode == "regex", case_sensitive=request.case_sensitive)
    files = ScopedFiles.of(tree, filters)
    inside, left = files.take(files.inside, limits)
    outside, _ = files.take(files.outside, left)
    by_file = request.result_mode == "grouped" and request.group_by == "file"
    outcomes = scan(
        root,
        [_content_row(file) for file in inside],
        [_content_row(file) for file in outside],
        pattern,
        MatchLimits(MAX_MATCHES, per_file=1 if by_file else MAX_MATCHES),
        limits.seconds,
        cancelled,
        TextCache(0),
    )
    hits: list[Hit] = []
    total = matching = 0
    beyond = Counter[str]()
    for file, outcome in _ordered(outcomes):
        if isinstance(outcome, str):
            files.unread[file.path] = outcome
        elif not filters.accepts_role(file.role):
            beyond[file.role] += outcome.lines
        elif outcome.lines:
            total, matching = total + outcome.lines, matching + 1
            hits += [_hit(file, match, outcome.lines - 1 if by_file else 0) for match in outcome.rows]
    found = SearchResult(
        hits=tuple(hits[:MAX_MATCHES]),
        total=total,
        outside_scope=dict(sorted(beyond.items())),
        files=matching,
        exhaustive=True,
        debug={"candidates": len(inside) + len(outside)},
    )
    return files.complete(found)


def find_names(tree: TreeListing, text: str, filters: Filters) -> SearchResult:
    """Files by their names, as `file_names` matches them."""
    files = ScopedFiles.of(tree, filters)
    roles = {file.path: file.role for file in (*files.inside, *files.outside)}
    matching = match_file_names(roles, text)
    inside = [path for path in matching if filters.accepts_role(roles[path])]
    outside = Counter(roles[path] for path in matching if not filters.accepts_role(roles[path]))
    hits = [Hit(path, 1, 1, "file", basename(path), role=roles[path]) for path in inside[:MAX_MATCHES]]
    found = SearchResult(
        hits=tuple(hits),
        total=len(inside),
        outside_scope=dict(sorted(outside.items())),
        files=len(inside),
        similar=tuple(similar_file_names(roles, text)) if not matching else (),
        exhaustive=True,
    )
    return files.complete(found)


def find_literally(
    root: Root,
    tree: TreeListing,
    request: SearchRequest,
    text: str,
    filters: Filters,
    cancelled: Cancelled | None = None,
) -> SearchResult | None:
    """What a ranked search falls back to: the query as it is written, if it stands somewhere."""
    if not 0 < len(text) <= MAX_QUERY_CHARS:
        return None
    found = find_lines(root, tree, replace(request, query=text, mode="lexical"), filters, cancelled)
    return replace(found, hints={**found.hints, "searched_as": "lexical"}) if found.hits else None


def _ordered(outcomes: Sequence[tuple[SearchableFile, Outcome]]) -> list[tuple[SearchableFile, Outcome]]:
    """The product before tests, docs and the rest; by path within these."""
    return sorted(outcomes, key=lambda outcome: (outcome[0].role != "source", outcome[0].path))


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


def _hit(file: SearchableFile, match: LineMatch, collapsed: int) -> Hit:
    return Hit(
        path=file.path,
        line_start=match.line,
        line_end=match.end_line,
        kind=NO_DEFINITION,
        name="",
        column=match.column,
        match_line=match.line,
        snippet=match.text,
        language=file.language or "",
        role=file.role,
        collapsed=collapsed,
    )
