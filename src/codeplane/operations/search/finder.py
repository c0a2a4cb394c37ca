"""One search on one epoch: reads the query, picks the way, filters, groups, and puts the results in their order.

It lives as long as its repository is open, for what is worth keeping between searches: the open root, what git says has
changed, the ignore file. Everything in an answer follows from the epoch, the working tree and the request.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import basename
from codeplane.disk.safe_open import Root
from codeplane.operations.search import operators
from codeplane.operations.search.disk_ranking import rank_files
from codeplane.operations.search.disk_search import ScopedFiles, find_lines, find_literally, find_names
from codeplane.operations.search.file_names import match_file_names, similar_file_names
from codeplane.operations.search.filters import Filters, FilterSummary
from codeplane.operations.search.git_changes import GitChanges, GitChangeTracker
from codeplane.operations.search.grouping import group_matches
from codeplane.operations.search.model import (
    EXHAUSTIVE,
    MAX_MATCHES,
    GroupBy,
    Hit,
    Scope,
    SearchRequest,
    SearchResult,
    default_scope,
)
from codeplane.operations.search.noise_hint import TOP_K, RootGitignore, is_noisy, noise_hint
from codeplane.operations.search.operators import ParsedQuery
from codeplane.operations.search.patterns import MAX_QUERY_CHARS
from codeplane.operations.search.query_features import analyze_query
from codeplane.operations.search.ranked_search import search_ranked
from codeplane.operations.search.references import find_references
from codeplane.operations.search.scan_cache import ScanCache
from codeplane.operations.search.text_search import RowFilter, find_text, matches_to_hits
from codeplane.operations.search.weights import WEIGHTS, Weights
from codeplane.query.contents import TOO_LARGE
from codeplane.query.overview import list_file_overviews
from codeplane.query.snapshot import Snapshot
from codeplane.workspace.working_tree import TreeListing, WorkingTree

Cancelled = Callable[[], bool]
Visible = Callable[[str], bool]

_TURN_SECONDS = 0.05
"""Interval at which a queued search checks for cancellation."""
_LITERAL = frozenset({"lexical", "regex"})
"""Modes whose query is taken as it is, operators and all."""


class SearchExtent(NamedTuple):
    """How many files a search is about."""

    files: int
    anywhere: int
    """Whatever its scope."""
    paths: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    """What it is confined to, by arguments or operators."""


class Finder:
    """Safe from many threads."""

    def __init__(self, root: Path, weights: Weights = WEIGHTS, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = root
        self._weights = weights
        self._clock = clock
        self._lock = threading.Lock()
        self._scanning = threading.Lock()
        """Held by a search of the disk, so that many of them do not slow the build down."""
        self._kept = ScanCache()
        self._root: Root | None = None
        self._changed: GitChangeTracker | None = None
        self._gitignore: RootGitignore | None = None

    def find(
        self,
        snapshot: Snapshot,
        request: SearchRequest,
        cancelled: Cancelled | None = None,
        visible: Visible = lambda tool: True,
    ) -> SearchResult:
        """Everything that answers the request. `visible` tells which tools a hint may name."""
        root = self._open()
        parsed = _parse(request)
        _require_text(request, parsed)
        scope = _scope_of(request, parsed)
        filters = _filters(request, parsed, scope)
        task = _Task(snapshot, root, request, parsed, filters, cancelled, self._kept)
        changed = GitChanges()
        if request.mode in EXHAUSTIVE:
            found = _find_all(task)
        else:
            if request.ranking_mode == "auto_changed_first" and self._changed is not None:
                changed = self._changed.at(snapshot)
            found = search_ranked(snapshot, root, request, parsed, filters, changed, self._weights, self._kept)
            if not found.hits and request.mode == "auto" and not filters.reads_text and parsed.text.strip():
                found = _as_text(task)
        hints = dict(found.hints)
        if request.mode not in EXHAUSTIVE and scope != "docs" and self._gitignore is not None:
            files: dict[str, str] = {hit.path: hit.role for hit in found.hits}
            if len(files) >= TOP_K and is_noisy(files):
                hints["noise_mitigation"] = noise_hint(files, self._gitignore.look(), visible)
        debug = {"scope": scope, "operators": dict(parsed.summary), **found.debug} if request.debug else {}
        return replace(found, hints=hints, debug=debug)

    def find_on_disk(
        self, tree: WorkingTree, request: SearchRequest, cancelled: Cancelled | None = None
    ) -> tuple[SearchResult, SearchExtent]:
        """Search the files themselves, for as long as there is no index; modes that need no facts. One at a time."""
        root = self._open()
        parsed = _parse(request)
        _require_text(request, parsed)
        filters = _filters(request, parsed, _scope_of(request, parsed))
        with self._turn(cancelled):
            listing = tree.list_files()
            found = _find_on_disk(root, listing, request, parsed, filters, cancelled)
        files = ScopedFiles.of(listing, filters)
        inside, outside = len(files.inside), len(files.outside)
        return found, SearchExtent(inside, inside + outside, *_confined(request, parsed))

    def measure(self, snapshot: Snapshot, request: SearchRequest) -> SearchExtent:
        """Files with text that paths, languages and scope leave to be searched."""
        parsed = _parse(request)
        filters = _filters(request, parsed, _scope_of(request, parsed))
        accepts = _accepts(filters)
        literal = request.mode in _LITERAL
        roles = Counter(
            row.role
            for row in self._kept.list_files(snapshot)
            if (row.lexical or (literal and row.reason == TOO_LARGE)) and (accepts is None or accepts(row.path, row))
        )
        return SearchExtent(
            sum(count for role, count in roles.items() if filters.accepts_role(role)),
            roles.total(),
            *_confined(request, parsed),
        )

    def close(self) -> None:
        with self._lock:
            if self._root is not None:
                self._root.close()
            self._root = None

    @contextmanager
    def _turn(self, cancelled: Cancelled | None) -> Iterator[None]:
        while not self._scanning.acquire(timeout=_TURN_SECONDS):
            if cancelled is not None and cancelled():
                raise CodePlaneError(ErrorCode.CANCELLED, "the call was cancelled")
        try:
            yield
        finally:
            self._scanning.release()

    def _open(self) -> Root:
        with self._lock:
            if self._root is None:
                self._root = Root.open(self._path)
                self._changed = GitChangeTracker(self._root, self._clock)
                self._gitignore = RootGitignore(self._root)
            return self._root


class _Task(NamedTuple):
    """One search, with all that its query and arguments say read."""

    snapshot: Snapshot
    root: Root
    request: SearchRequest
    parsed: ParsedQuery
    filters: Filters
    cancelled: Cancelled | None
    kept: ScanCache


def _parse(request: SearchRequest) -> ParsedQuery:
    return ParsedQuery(request.query) if request.mode in _LITERAL else operators.parse_query(request.query)


def _require_text(request: SearchRequest, parsed: ParsedQuery) -> None:
    """There must be something to look for; a required word is something."""
    if request.mode in _LITERAL or (request.query.strip() and (parsed.text.strip() or parsed.must)):
        return
    raise CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        "the query is empty" if not request.query.strip() else "the query has operators alone",
        expected="words, a name or a pattern to look for",
        received="nothing" if not request.query.strip() else "operators",
        example={"query": "where is the retry delay computed"},
    )


def _scope_of(request: SearchRequest, parsed: ParsedQuery) -> Scope:
    if request.scope is not None:
        return request.scope
    if request.mode == "auto" and analyze_query(parsed.text).asks_for_tests:
        return "mixed"
    return default_scope(request.mode)


def _filters(request: SearchRequest, parsed: ParsedQuery, scope: Scope) -> Filters:
    return Filters.of(parsed, scope, request.languages, request.paths, request.kinds, request.directory)


def _confined(request: SearchRequest, parsed: ParsedQuery) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Paths and languages that a search is confined to."""
    paths = (*request.paths, *parsed.paths, *(f"!{path}" for path in parsed.excluded_paths))
    return paths, (*request.languages, *parsed.languages)


def _find_on_disk(
    root: Root,
    tree: TreeListing,
    request: SearchRequest,
    parsed: ParsedQuery,
    filters: Filters,
    cancelled: Cancelled | None,
) -> SearchResult:
    if request.mode in _LITERAL:
        return find_lines(root, tree, request, filters, cancelled)
    if request.mode == "files":
        return find_names(tree, parsed.text.strip(), filters)
    found = rank_files(root, tree, parsed, filters, cancelled)
    if found.hits or filters.reads_text:
        return found
    # As with the index: signs and words that say nothing may still stand somewhere as they are written.
    return find_literally(root, tree, request, parsed.text.strip(), filters, cancelled) or found


def _as_text(task: _Task) -> SearchResult:
    """Signs, single letters and words that say nothing may still stand somewhere as they are written."""
    text = task.parsed.text.strip()
    if len(text) > MAX_QUERY_CHARS:
        return SearchResult((), 0)
    literal = replace(task.request, query=text, mode="lexical")
    found = _find_all(task._replace(request=literal, parsed=ParsedQuery(text)))
    return replace(found, hints={**found.hints, "searched_as": "lexical"}) if found.hits else found


def _find_all(task: _Task) -> SearchResult:
    """Every match, counted, and grouped unless each is wanted."""
    find = {"references": _find_uses, "files": _find_files}.get(task.request.mode, _find_matches)
    return replace(find(task), exhaustive=True)


def _find_files(task: _Task) -> SearchResult:
    """Files by their names."""
    filters = task.filters
    listed = {
        file.path: file
        for file in list_file_overviews(task.snapshot)
        if filters.accepts_elsewhere(file.path, file.language)
    }
    text = task.parsed.text.strip()
    matching = match_file_names(listed, text)
    hits = [
        Hit(path, 1, max(1, listed[path].lines), "file", basename(path), role=listed[path].role) for path in matching
    ]
    kept = [hit for hit in hits if filters.accepts_role(hit.role)]
    outside = Counter(hit.role for hit in hits if not filters.accepts_role(hit.role))
    return SearchResult(
        hits=tuple(kept[:MAX_MATCHES]),
        total=len(kept),
        outside_scope=dict(sorted(outside.items())),
        files=len(kept),
        similar=tuple(similar_file_names(listed, text)) if not hits else (),
    )


def _find_uses(task: _Task) -> SearchResult:
    snapshot, root, request, parsed, filters, cancelled, kept = task
    removed = Counter[str]()
    words = {
        "removed_by_must": Filters(must=parsed.must),
        "removed_by_exclude": Filters(exclude=parsed.exclude),
    }

    def keeps(line: str) -> bool:
        reason = next((name for name, sought in words.items() if not sought.accepts_text(line)), None)
        if reason is not None:
            removed[reason] += 1
        return reason is None

    found = find_references(
        snapshot,
        root,
        parsed.text.strip(),
        _accepts(filters),
        wanted=_wanted(filters),
        kinds=frozenset(map(str.lower, request.kinds)),
        keeps=keeps if filters.reads_text else None,
        cancelled=cancelled,
        one_per_file=_grouping(request) == "file",
        keeping=kept,
    )
    hits = tuple(group_matches(found.hits, _grouping(request)))
    return replace(found, hits=hits, debug={"filters": {**FilterSummary().as_dict(), **removed, **found.debug}})


def _find_matches(task: _Task) -> SearchResult:
    snapshot, root, request, _, filters, cancelled, kept = task
    grouping = _grouping(request)
    matches = find_text(
        snapshot,
        root,
        request.query,
        regex=request.mode == "regex",
        case_sensitive=request.case_sensitive,
        accepts=_accepts(filters),
        wanted=_wanted(filters),
        cancelled=cancelled,
        per_file=1 if grouping == "file" else MAX_MATCHES,
        kinds=frozenset(map(str.lower, request.kinds)),
        kept=kept,
    )
    outside = Counter[str]()
    files = 0
    for path, count in matches.counts.items():
        role = matches.roles[path]
        if filters.accepts_role(role):
            files += 1
        else:
            outside[role] += count
    return SearchResult(
        hits=_by_worth(matches_to_hits(snapshot, matches, grouping, kept.spans), request.query),
        total=matches.lines,
        outside_scope=dict(sorted(outside.items())),
        files=files,
        skipped=matches.skipped,
        hints={"not_searched": dict(matches.not_searched)} if matches.not_searched else {},
        debug={
            "candidates": matches.candidates,
            "filters": FilterSummary(removed_by_kind=matches.removed_by_kind).as_dict(),
        },
    )


def _accepts(filters: Filters) -> RowFilter | None:
    if not filters.reads_paths:
        return None
    return lambda path, row: filters.accepts_elsewhere(path, row.language or "")


def _wanted(filters: Filters) -> RowFilter | None:
    return None if filters.scope == "mixed" else lambda path, row: filters.accepts_role(row.role)


def _grouping(request: SearchRequest) -> GroupBy | None:
    return None if request.result_mode == "raw" else request.group_by


def _by_worth(hits: Sequence[Hit], query: str) -> tuple[Hit, ...]:
    """Where the name is defined, then the product, then the rest; within these by path and line."""

    def key(hit: Hit) -> tuple[bool, bool]:
        defines = hit.name == query and hit.match_line == hit.def_line
        return (not defines, hit.role != "source")

    return tuple(sorted(hits, key=key))
