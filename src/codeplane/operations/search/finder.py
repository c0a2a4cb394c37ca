"""Entry point of search on one epoch: parse the query, choose a strategy, filter, group and order the results.

A finder lives as long as its repository is open and keeps caches between searches. A result depends only on the epoch,
the working tree and the request.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.disk.safe_open import Root
from codeplane.operations.search import operators
from codeplane.operations.search.disk_ranking import rank_files
from codeplane.operations.search.disk_search import ScopedFiles, find_lines, find_literally, find_names
from codeplane.operations.search.file_names import search_file_names
from codeplane.operations.search.filters import Filters, Rejection, count_rejections
from codeplane.operations.search.git_changes import GitChanges, GitChangeTracker
from codeplane.operations.search.model import (
    EXHAUSTIVE,
    LITERAL,
    MAX_MATCHES,
    Cancelled,
    GroupBy,
    Hit,
    SearchRequest,
    SearchResult,
)
from codeplane.operations.search.noise_hint import TOP_K, RootGitignore, is_noisy, noise_hint
from codeplane.operations.search.operators import ParsedQuery
from codeplane.operations.search.patterns import MAX_QUERY_CHARS
from codeplane.operations.search.query_features import analyze_query
from codeplane.operations.search.ranked_search import search_ranked
from codeplane.operations.search.references import ReferenceOptions, find_references
from codeplane.operations.search.scan_cache import ScanCache
from codeplane.operations.search.search_task import SearchSources, SearchTask
from codeplane.operations.search.text_search import RowFilter, TextQuery, find_text, matches_to_hits
from codeplane.operations.search.weights import WEIGHTS, Weights
from codeplane.query.contents import TOO_LARGE
from codeplane.query.overview import list_file_overviews
from codeplane.query.snapshot import Snapshot
from codeplane.workspace.working_tree import TreeListing, WorkingTree

IsVisible = Callable[[str], bool]

_POLL_SECONDS = 0.05
"""Interval at which a queued search checks for cancellation."""


class SearchExtent(NamedTuple):
    """Number of files that a search covers."""

    files: int
    anywhere: int
    """Files including those outside of the scope."""
    paths: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    """Path and language filters of the arguments and operators."""


class Finder:
    """Thread-safe."""

    def __init__(self, root: Path, weights: Weights = WEIGHTS, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = root
        self._weights = weights
        self._clock = clock
        self._lock = threading.Lock()
        self._disk_lock = threading.Lock()
        """Allows one disk search at a time, so that many of them do not slow down the build."""
        self._cache = ScanCache()
        self._root: Root | None = None
        self._changes: GitChangeTracker | None = None
        self._gitignore: RootGitignore | None = None

    def find(
        self,
        snapshot: Snapshot,
        request: SearchRequest,
        cancelled: Cancelled | None = None,
        visible: IsVisible = lambda tool: True,
    ) -> SearchResult:
        """Search one epoch. Hints name only tools that are `visible`."""
        root = self._open()
        parsed, filters = _parse_request(request)
        task = SearchTask(SearchSources(snapshot, root, self._cache, cancelled), request, parsed, filters)
        if request.mode in EXHAUSTIVE:
            result = _find_all(task)
        else:
            changes = GitChanges()
            if request.ranking_mode == "auto_changed_first" and self._changes is not None:
                changes = self._changes.at(snapshot)
            result = search_ranked(task, changes, self._weights)
            if not result.hits and request.mode == "auto" and not filters.has_text_filters and parsed.text.strip():
                result = _find_literally(task)
        hints = dict(result.hints)
        if request.mode not in EXHAUSTIVE and filters.scope != "docs" and self._gitignore is not None:
            files: dict[str, str] = {hit.path: hit.role for hit in result.hits}
            if len(files) >= TOP_K and is_noisy(files):
                hints["noise_mitigation"] = noise_hint(files, self._gitignore.read(), visible)
        debug: dict[str, object] = {}
        if request.debug:
            debug = {"scope": filters.scope, "operators": dict(parsed.summary), **result.debug}
        return replace(result, hints=hints, debug=debug)

    def sources(self, snapshot: Snapshot, cancelled: Cancelled | None = None) -> SearchSources:
        """Return the sources of a search of one epoch, with the caches of this finder."""
        return SearchSources(snapshot, self._open(), self._cache, cancelled)

    def find_on_disk(
        self, tree: WorkingTree, request: SearchRequest, cancelled: Cancelled | None = None
    ) -> tuple[SearchResult, SearchExtent]:
        """Search the working tree while there is no index, in modes that need no facts. One search at a time."""
        root = self._open()
        parsed, filters = _parse_request(request)
        with self._disk_slot(cancelled):
            listing = tree.list_files()
            result = _find_on_disk(root, listing, request, parsed, filters, cancelled)
        files = ScopedFiles.of(listing, filters)
        inside, outside = len(files.inside), len(files.outside)
        return result, _extent(inside, inside + outside, request, parsed)

    def measure(self, snapshot: Snapshot, request: SearchRequest) -> SearchExtent:
        """Count the text files that path, language and scope filters leave."""
        parsed, filters = _parse_request(request, require_text=False)
        file_filter = _file_filter(filters)
        literal = request.mode in LITERAL
        roles = Counter(
            row.role
            for row in self._cache.list_files(snapshot)
            if (row.lexical or (literal and row.reason == TOO_LARGE)) and (file_filter is None or file_filter(row))
        )
        inside = sum(count for role, count in roles.items() if filters.accepts_role(role))
        return _extent(inside, roles.total(), request, parsed)

    def drop_caches(self) -> None:
        """Start with empty caches; running searches keep the old ones."""
        self._cache = ScanCache()

    def cache_sizes(self) -> dict[str, int]:
        return {"cached_text_bytes": self._cache.texts.size, "cached_span_files": self._cache.spans.files}

    def close(self) -> None:
        with self._lock:
            if self._root is not None:
                self._root.close()
            self._root = None

    @contextmanager
    def _disk_slot(self, cancelled: Cancelled | None) -> Iterator[None]:
        while not self._disk_lock.acquire(timeout=_POLL_SECONDS):
            if cancelled is not None and cancelled():
                raise CodePlaneError(ErrorCode.CANCELLED, "the call was cancelled")
        try:
            yield
        finally:
            self._disk_lock.release()

    def _open(self) -> Root:
        with self._lock:
            if self._root is None:
                self._root = Root.open(self._path)
                self._changes = GitChangeTracker(self._root, self._clock)
                self._gitignore = RootGitignore(self._root)
            return self._root


def _parse_request(request: SearchRequest, *, require_text: bool = True) -> tuple[ParsedQuery, Filters]:
    is_literal = request.mode in LITERAL
    parsed = ParsedQuery(request.query) if is_literal else operators.parse_query(request.query)
    if require_text and not is_literal and not (request.query.strip() and (parsed.text.strip() or parsed.must)):
        is_empty = not request.query.strip()
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "the query is empty" if is_empty else "the query has only operators",
            expected="words, a name or a pattern to search for",
            received="nothing" if is_empty else "operators",
            example={"query": "where is the retry delay computed"},
        )
    scope = request.scope
    if scope is None:
        wants_tests = request.mode == "auto" and analyze_query(parsed.text).asks_for_tests
        scope = "runtime" if request.mode == "auto" and not wants_tests else "mixed"
    return parsed, Filters.of(parsed, scope, request)


def _extent(files: int, anywhere: int, request: SearchRequest, parsed: ParsedQuery) -> SearchExtent:
    paths = (*request.paths, *parsed.paths, *(f"!{path}" for path in parsed.excluded_paths))
    return SearchExtent(files, anywhere, paths, (*request.languages, *parsed.languages))


def _find_on_disk(
    root: Root,
    tree: TreeListing,
    request: SearchRequest,
    parsed: ParsedQuery,
    filters: Filters,
    cancelled: Cancelled | None,
) -> SearchResult:
    if request.mode in LITERAL:
        return find_lines(root, tree, request, filters, cancelled)
    if request.mode == "files":
        return find_names(tree, parsed.text.strip(), filters)
    result = rank_files(root, tree, parsed, filters, cancelled)
    if result.hits or filters.has_text_filters:
        return result
    # As with the index: punctuation and stop words may still occur literally.
    return find_literally(root, tree, request, parsed.text.strip(), filters, cancelled) or result


def _find_literally(task: SearchTask) -> SearchResult:
    """Search the query as text: punctuation, single letters and stop words may still occur literally."""
    text = task.parsed.text.strip()
    if len(text) > MAX_QUERY_CHARS:
        return SearchResult((), 0)
    literal = replace(task.request, query=text, mode="lexical")
    result = _find_all(task._replace(request=literal, parsed=ParsedQuery(text)))
    return replace(result, hints={**result.hints, "searched_as": "lexical"}) if result.hits else result


def _find_all(task: SearchTask) -> SearchResult:
    """Find and count every match."""
    find = {"references": _find_references, "files": _find_files}.get(task.request.mode, _find_matches)
    return replace(find(task), exhaustive=True)


def _find_files(task: SearchTask) -> SearchResult:
    listed = {
        file.path: file
        for file in list_file_overviews(task.sources.snapshot)
        if task.filters.accepts_file(file.path, file.language)
    }
    roles = {path: file.role for path, file in listed.items()}
    return search_file_names(roles, task.parsed.text.strip(), task.filters, lambda path: listed[path].lines)


def _find_references(task: SearchTask) -> SearchResult:
    sources, request, parsed, filters = task
    rejected = Counter[str]()
    word_filters = {
        Rejection.MUST: Filters(must=parsed.must),
        Rejection.EXCLUDE: Filters(exclude=parsed.exclude),
    }

    def accepts_line(line: str) -> bool:
        reason = next((name for name, words in word_filters.items() if not words.accepts_text(line)), None)
        if reason is not None:
            rejected[reason] += 1
        return reason is None

    options = ReferenceOptions(
        file_filter=_file_filter(filters),
        in_scope=_scope_filter(filters),
        kinds=frozenset(map(str.lower, request.kinds)),
        line_filter=accepts_line if filters.has_text_filters else None,
        one_per_file=request.grouping == "file",
    )
    result = find_references(sources, parsed.text.strip(), options)
    hits = tuple(_group(result.hits, request.grouping))
    return replace(result, hits=hits, debug={"filters": {**count_rejections(**rejected), **result.debug}})


def _find_matches(task: SearchTask) -> SearchResult:
    sources, request, _, filters = task
    query = TextQuery(
        request.query,
        regex=request.mode == "regex",
        case_sensitive=request.case_sensitive,
        file_filter=_file_filter(filters),
        in_scope=_scope_filter(filters),
        per_file=1 if request.grouping == "file" else MAX_MATCHES,
        kinds=frozenset(map(str.lower, request.kinds)),
    )
    matches = find_text(sources, query)
    outside = Counter[str]()
    files = 0
    for path, count in matches.counts.items():
        role = matches.roles[path]
        if filters.accepts_role(role):
            files += 1
        else:
            outside[role] += count
    hits = matches_to_hits(sources.snapshot, matches, request.grouping, sources.cache.spans)
    return SearchResult(
        hits=tuple(sorted(hits, key=lambda hit: _order(hit, request.query))),
        total=matches.lines,
        outside_scope=dict(sorted(outside.items())),
        files=files,
        skipped=matches.skipped,
        hints={"not_searched": dict(matches.not_searched)} if matches.not_searched else {},
        debug={
            "candidates": matches.candidates,
            "filters": count_rejections(removed_by_kind=matches.removed_by_kind),
        },
    )


def _file_filter(filters: Filters) -> RowFilter | None:
    if not filters.has_file_filters:
        return None
    return lambda row: filters.accepts_file(row.path, row.language or "")


def _scope_filter(filters: Filters) -> RowFilter | None:
    return None if filters.scope == "mixed" else lambda row: filters.accepts_role(row.role)


def _order(hit: Hit, query: str) -> tuple[bool, bool]:
    """Sort key: the definition of the name, then source files, then the rest."""
    defines = hit.name == query and hit.match_line == hit.def_line
    return (not defines, hit.role != "source")


def _group(hits: Sequence[Hit], group_by: GroupBy | None) -> list[Hit]:
    """Collapse hits into one per definition and tier, or per file, in the order of their first hits."""
    if group_by is None:
        return list(hits)
    groups: dict[Hashable, list[Hit]] = {}
    for hit in hits:
        key = hit.path if group_by == "file" else (hit.path, hit.def_uid, hit.tier)
        groups.setdefault(key, []).append(hit)
    return [group[0]._replace(collapsed=sum(1 + hit.collapsed for hit in group) - 1) for group in groups.values()]
