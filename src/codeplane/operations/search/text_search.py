"""Exhaustive text search: every matching line, counted, by path and line.

The trigram index rules out files; the bytes of all others are matched. A file that was not searched is reported with
the reason.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.operations.search.bulk_match import positions_of
from codeplane.operations.search.file_scan import FileScan, Outcome
from codeplane.operations.search.fragments import Alternatives
from codeplane.operations.search.matching import LineMatch, LineMatches, MatchLimits
from codeplane.operations.search.model import MAX_MATCHES, NO_DEFINITION, GroupBy, Hit, SkippedFile
from codeplane.operations.search.patterns import SearchPattern, compile_query
from codeplane.operations.search.search_task import SearchSources
from codeplane.query.contents import BINARY, TOO_LARGE, SearchableFile, list_file_ids_with_kinds
from codeplane.query.enclosing import (
    EnclosingDef,
    SpanCache,
    Spans,
    find_enclosing,
    find_innermost,
    read_enclosing_defs,
)
from codeplane.query.snapshot import Snapshot
from codeplane.query.text import list_candidate_files
from codeplane.store.records import FileState

SECONDS = 2.0
MAX_NAMED = 20
"""Skipped files listed by path; further ones are only counted."""
_BATCH_FILES = 64
"""Files whose matches are buffered until their enclosing kinds are known."""

RowFilter = Callable[[SearchableFile], bool]
Outcomes = list[tuple[SearchableFile, Outcome]]
Candidates = Callable[[Snapshot, Alternatives], Collection[int] | None]
"""Returns ids of files that may contain all fragments of one alternative; None for all files."""
MakeScan = Callable[[Sequence[SearchableFile], Sequence[SearchableFile], MatchLimits], FileScan]


@dataclass(frozen=True)
class TextQuery:
    text: str
    regex: bool = False
    case_sensitive: bool | None = None
    file_filter: RowFilter | None = None
    """Files to search; None for all."""
    in_scope: RowFilter | None = None
    """Files whose matches are returned; in other files they are only counted. None for all."""
    kinds: Collection[str] = ()
    """Only matches inside a definition of these kinds count."""
    limit: int = MAX_MATCHES
    per_file: int = sys.maxsize
    first_only: bool = False
    """Stop at the first match of each file, and count it as one."""
    seconds: float = SECONDS
    candidates: Candidates = list_candidate_files


class LocatedMatch(NamedTuple):
    path: RepoPath
    match: LineMatch


class FileMatches(NamedTuple):
    file: SearchableFile
    rows: Sequence[LineMatch]


@dataclass(frozen=True)
class TextMatches:
    found: tuple[FileMatches, ...]
    """Files with returned matches, by path."""
    lines: int
    """Matching lines of all files in scope; more than `rows` if those were truncated."""
    counts: Mapping[RepoPath, int]
    """Matching lines by path, including files outside of the scope."""
    roles: Mapping[RepoPath, str]
    """Roles of those files."""
    skipped: tuple[SkippedFile, ...]
    """The first files that were not searched."""
    not_searched: Mapping[str, int]
    """Number of files that were not searched, by reason."""
    candidates: int
    """Files that were read."""
    removed_by_kind: int = 0
    """Matching lines outside of the requested kinds; not counted elsewhere."""

    @cached_property
    def rows(self) -> tuple[LocatedMatch, ...]:
        """Returned matches, by path and line."""
        return tuple(LocatedMatch(file.path, match) for file, rows in self.found for match in rows)


def find_text(sources: SearchSources, query: TextQuery) -> TextMatches:
    pattern = compile_query(query.text, regex=query.regex, case_sensitive=query.case_sensitive)
    deadline = time.monotonic() + query.seconds
    listed = _list_files(sources, query, pattern)
    files = [row for row in listed if row.encoding is not None or row.reason == TOO_LARGE]
    in_scope = query.in_scope or (lambda row: True)
    inside = [row for row in files if in_scope(row)]
    outside = [row for row in files if not in_scope(row)]
    limits = MatchLimits(query.limit, query.per_file, query.first_only)
    make_scan: MakeScan = partial(FileScan, sources.root, pattern, deadline, sources.cancelled, sources.cache.texts)
    removed = 0
    if query.kinds:
        outcomes, removed = _scan_kinds(sources, make_scan, inside, outside, limits, frozenset(query.kinds))
    else:
        outcomes = make_scan(inside, outside, limits).execute()
    skipped = _skipped(listed, outcomes)
    matched = sorted(
        ((row, outcome) for row, outcome in outcomes if isinstance(outcome, LineMatches) and outcome.lines),
        key=lambda found: found[0].path,
    )
    outside_paths = {row.path for row in outside}
    return TextMatches(
        found=tuple(_truncated(matched, query.limit)),
        lines=sum(outcome.lines for row, outcome in matched if row.path not in outside_paths),
        counts={row.path: outcome.lines for row, outcome in matched},
        roles={row.path: row.role for row, _ in matched},
        skipped=tuple(skipped[:MAX_NAMED]),
        not_searched=dict(sorted(Counter(file.reason for file in skipped).items())),
        candidates=len(files),
        removed_by_kind=removed,
    )


def _skipped(listed: Sequence[SearchableFile], outcomes: Outcomes) -> list[SkippedFile]:
    """Return files that were not searched, by path; binary files do not count."""
    unread = {
        row.path: row.reason or "unreadable" for row in listed if row.encoding is None and row.reason != TOO_LARGE
    }
    unread |= {row.path: outcome for row, outcome in outcomes if isinstance(outcome, str)}
    return [SkippedFile(path, reason) for path, reason in sorted(unread.items()) if reason != BINARY]


def matches_to_hits(
    snapshot: Snapshot, matches: TextMatches, group_by: GroupBy | None = None, cache: SpanCache | None = None
) -> tuple[Hit, ...]:
    """Return matches as hits with their enclosing definition, by path and line.

    With `group_by`, the first match of each definition or file represents all of them.
    """
    cache = cache or SpanCache(0)
    spans = cache.read(snapshot, [found.file for found in matches.found])
    groups = [_grouped(found.rows, own, group_by) for found, own in zip(matches.found, spans, strict=True)]
    definitions = read_enclosing_defs(snapshot, {group.def_id for in_file in groups for group in in_file})
    hits: list[Hit] = []
    for (file, rows), in_file in zip(matches.found, groups, strict=True):
        for def_id, first, size in in_file:
            size = matches.counts[file.path] if group_by == "file" else size
            hits.append(with_enclosing(line_hit(file, rows[first], size - 1), definitions.get(def_id)))
    return tuple(hits)


def line_hit(file: SearchableFile, match: LineMatch, collapsed: int) -> Hit:
    """Return a match as a hit outside of every definition."""
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


def with_enclosing(hit: Hit, definition: EnclosingDef | None) -> Hit:
    if definition is None:
        return hit
    return hit._replace(
        kind=definition.kind,
        name=definition.name,
        qualified_name=definition.qualified_name,
        lexical_path=definition.lexical_path,
        signature=definition.signature,
        visibility=definition.visibility,
        def_uid=definition.def_uid,
        def_line=definition.start_line,
        def_end=definition.end_line,
    )


def _list_files(sources: SearchSources, query: TextQuery, pattern: SearchPattern) -> Sequence[SearchableFile]:
    ids = query.candidates(sources.snapshot, pattern.fragments) if pattern.fragments else None
    listed = sources.cache.list_files(sources.snapshot, ids)
    if query.file_filter is not None:
        listed = [row for row in listed if query.file_filter(row)]
    if query.kinds and NO_DEFINITION not in query.kinds:
        defining = list_file_ids_with_kinds(sources.snapshot, query.kinds)
        listed = [row for row in listed if row.file_id in defining]
    return listed


def _truncated(matched: Iterable[tuple[SearchableFile, LineMatches]], limit: int) -> Iterable[FileMatches]:
    """Yield the files with rows, up to `limit` rows in all."""
    for row, outcome in matched:
        taken = min(len(outcome.rows), limit)
        if taken:
            yield FileMatches(row, outcome.rows[:limit] if taken == limit else outcome.rows)
            limit -= taken


class _Group(NamedTuple):
    """Matches of a file that one hit represents."""

    def_id: int | None
    first: int
    size: int


def _grouped(rows: Sequence[LineMatch], spans: Spans, group_by: GroupBy | None) -> list[_Group]:
    if group_by == "file":
        return [_Group(find_innermost(spans, positions_of(rows[:1]))[0], 0, len(rows))]
    if group_by == "symbol" and not spans.starts:
        return [_Group(None, 0, len(rows))]
    enclosing = find_innermost(spans, positions_of(rows))
    if group_by is None:
        return [_Group(def_id, number, 1) for number, def_id in enumerate(enclosing)]
    sizes = Counter(enclosing)
    firsts: dict[int | None, int] = {}
    for number, def_id in enumerate(enclosing):
        firsts.setdefault(def_id, number)
    return [_Group(def_id, firsts[def_id], size) for def_id, size in sizes.items()]


def _scan_kinds(
    sources: SearchSources,
    make_scan: MakeScan,
    inside: Sequence[SearchableFile],
    outside: Sequence[SearchableFile],
    limits: MatchLimits,
    kinds: frozenset[str],
) -> tuple[Outcomes, int]:
    """Return the matches inside definitions of these kinds, and the number of other matching lines."""
    indexed = [file for file in (*inside, *outside) if file.state == FileState.INDEXED]
    returned = {file.path for file in inside}
    outcomes = make_scan([file for file in inside if file.state != FileState.INDEXED], [], limits).execute()
    left, removed = limits.rows, 0
    for start in range(0, len(indexed), _BATCH_FILES):
        # The position of every match is needed, also in files whose matches are only counted.
        found = make_scan(indexed[start : start + _BATCH_FILES], [], MatchLimits(sys.maxsize)).execute()
        rows = {file.path: outcome.rows for file, outcome in found if isinstance(outcome, LineMatches)}
        positions = {path: positions_of(matches) for path, matches in rows.items()}
        of_kind = {
            path: [
                row
                for row, definition in zip(rows[path], enclosing, strict=True)
                if (definition.kind if definition is not None else NO_DEFINITION) in kinds
            ]
            for path, _, enclosing in find_enclosing(sources.snapshot, positions, sources.cache.spans)
        }
        for file, outcome in found:
            if isinstance(outcome, LineMatches):
                matches = of_kind.get(file.path, [])
                removed += len(outcome.rows) - len(matches)
                taken = tuple(matches[: min(left, limits.per_file) if file.path in returned else 0])
                left -= len(taken)
                outcome = LineMatches(taken, len(matches))
            outcomes.append((file, outcome))
    outcomes += make_scan([], [file for file in outside if file.state != FileState.INDEXED], limits).execute()
    return outcomes, removed
