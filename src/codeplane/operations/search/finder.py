"""One search on one epoch: reads the query, picks the way, filters, groups, and puts the results in their order.

It lives as long as its repository is open, for what is worth keeping between searches: the open root, what git says has
changed, the ignore file. Everything in an answer follows from the epoch, the working tree and the request.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.disk.beneath import Root
from codeplane.languages.roles import role_of
from codeplane.operations.search import operators
from codeplane.operations.search.changed import Changed, ChangedFiles
from codeplane.operations.search.filters import Filters
from codeplane.operations.search.grouping import group_matches
from codeplane.operations.search.model import EXHAUSTIVE, Found, GroupBy, Hit, Request, Scope, default_scope
from codeplane.operations.search.noise import RootGitignore, noise_hint
from codeplane.operations.search.operators import Parsed
from codeplane.operations.search.question import read_question
from codeplane.operations.search.ranking_answer import answer_ranked
from codeplane.operations.search.references import find_references
from codeplane.operations.search.textual import enclose, find_text
from codeplane.operations.search.weights import WEIGHTS, Weights
from codeplane.query.contents import ContentRow
from codeplane.query.snapshot import Snapshot

Cancelled = Callable[[], bool]
Visible = Callable[[str], bool]

_LITERAL = frozenset({"lexical", "regex"})
"""Modes whose query is taken as it is, operators and all."""


class Finder:
    """Safe from many threads."""

    def __init__(self, root: Path, weights: Weights = WEIGHTS, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = root
        self._weights = weights
        self._clock = clock
        self._lock = threading.Lock()
        self._root: Root | None = None
        self._changed: ChangedFiles | None = None
        self._gitignore: RootGitignore | None = None

    def find(
        self,
        snapshot: Snapshot,
        request: Request,
        cancelled: Cancelled | None = None,
        visible: Visible = lambda tool: True,
    ) -> Found:
        """Everything that answers the request. `visible` tells which tools a hint may name."""
        root = self._open()
        parsed = Parsed(request.query) if request.mode in _LITERAL else operators.parse(request.query)
        _require_text(request, parsed)
        scope = _scope_of(request, parsed)
        filters = _filters(request, parsed, scope)
        changed = Changed()
        if request.mode in EXHAUSTIVE:
            found = _find_all(snapshot, root, request, parsed, filters, cancelled)
        else:
            if request.ranking_mode == "auto_changed_first" and self._changed is not None:
                changed = self._changed.at(snapshot)
            found = answer_ranked(snapshot, root, request, parsed, filters, changed, self._weights)
        hints = dict(found.hints)
        paths = list(dict.fromkeys(hit.path for hit in found.hits))
        noise = noise_hint(paths, self._gitignore.look(), visible) if self._gitignore is not None else None
        if noise is not None and scope != "docs":
            hints["noise_mitigation"] = noise
        debug = {"scope": scope, "operators": dict(parsed.summary), **found.debug} if request.debug else {}
        return replace(found, hints=hints, debug=debug)

    def close(self) -> None:
        with self._lock:
            if self._root is not None:
                self._root.close()
            self._root = None

    def _open(self) -> Root:
        with self._lock:
            if self._root is None:
                self._root = Root.open(self._path)
                self._changed = ChangedFiles(self._root, self._clock)
                self._gitignore = RootGitignore(self._root)
            return self._root


def _require_text(request: Request, parsed: Parsed) -> None:
    """There must be something to look for; a required word is something."""
    if request.query.strip() and (parsed.text.strip() or parsed.must):
        return
    raise CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        "the query is empty" if not request.query.strip() else "the query has operators alone",
        expected="words, a name or a pattern to look for",
        received="nothing" if not request.query.strip() else "operators",
        example={"query": "where is the retry delay computed"},
    )


def _scope_of(request: Request, parsed: Parsed) -> Scope:
    if request.scope is not None:
        return request.scope
    if request.mode == "auto" and read_question(parsed.text).asks_for_tests:
        return "mixed"
    return default_scope(request.mode)


def _filters(request: Request, parsed: Parsed, scope: Scope) -> Filters:
    return Filters.of(parsed, scope, request.languages, request.paths, request.kinds, request.directory)


def _find_all(
    snapshot: Snapshot,
    root: Root,
    request: Request,
    parsed: Parsed,
    filters: Filters,
    cancelled: Cancelled | None,
) -> Found:
    """Every match, counted, and grouped unless each is wanted."""

    def accepts(path: RepoPath, row: ContentRow) -> bool:
        return filters.accepts_elsewhere(path, row.language or "")

    def wanted(path: RepoPath, row: ContentRow) -> bool:
        return filters.accepts_role(path)

    if request.mode == "references":
        found = find_references(snapshot, root, parsed.text.strip(), accepts, _role, wanted=wanted)
    else:
        matches = find_text(
            snapshot,
            root,
            request.query,
            regex=request.mode == "regex",
            case_sensitive=request.case_sensitive,
            accepts=accepts,
            wanted=wanted,
            cancelled=cancelled,
        )
        outside = Counter[str]()
        files = 0
        for path, count in matches.counts.items():
            if filters.accepts_role(path):
                files += 1
            else:
                outside[_role(path)] += count
        found = Found(
            hits=_by_worth(enclose(snapshot, matches.rows, _role, _grouping(request)), request.query),
            total=matches.lines,
            outside_scope=dict(sorted(outside.items())),
            files=files,
            skipped=matches.skipped,
            hints={"not_searched": dict(matches.not_searched)} if matches.not_searched else {},
            debug={"candidates": matches.candidates, "occurrences": matches.occurrences},
        )
    hits, summary = filters.apply(found.hits, lambda hit: hit.snippet)
    total = found.total - sum(hit.collapsed + 1 for hit in found.hits) + sum(hit.collapsed + 1 for hit in hits)
    if request.mode == "references":
        hits = group_matches(hits, _grouping(request))
    return replace(found, hits=tuple(hits), total=total, debug={**found.debug, "filters": summary.as_dict()})


def _grouping(request: Request) -> GroupBy | None:
    return None if request.result_mode == "raw" else request.group_by


def _by_worth(hits: Sequence[Hit], query: str) -> tuple[Hit, ...]:
    """Where the name is defined, then the product, then the rest; within these by path and line."""

    def key(hit: Hit) -> tuple[bool, bool]:
        defines = hit.name == query and hit.match_line == hit.def_line
        return (not defines, hit.role != "source")

    return tuple(sorted(hits, key=key))


def _role(path: str) -> str:
    return role_of(path).value
