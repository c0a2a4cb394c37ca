"""Exhaustive search in the text of files: every line that matches, counted, by path and line.

The text index says which files cannot match; all others are read and decided on their bytes. A file
that should have been searched and was not is named with the reason, never passed over in silence.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.disk.safe_open import Root
from codeplane.operations.search.bulk_match import positions_of
from codeplane.operations.search.file_scan import Cancelled, Outcome, scan
from codeplane.operations.search.fragments import Alternatives
from codeplane.operations.search.matching import LineMatch, LineMatches, MatchLimits
from codeplane.operations.search.model import MAX_MATCHES, GroupBy, Hit, SkippedFile
from codeplane.operations.search.patterns import SearchPattern, compile_query
from codeplane.operations.search.scan_cache import ScanCache, TextCache
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
"""Files that are named as not searched; the others are counted."""
NO_DEFINITION = "text"
"""Kind of what lies in no definition."""
_FILES_AT_ONCE = 64
"""Files whose matches are held together until the kinds around them are known."""

RowFilter = Callable[[RepoPath, SearchableFile], bool]
Outcomes = list[tuple[SearchableFile, Outcome]]
Candidates = Callable[[Snapshot, Alternatives], Collection[int] | None]
"""Ids of files of the text index that may contain all fragments of one of the alternatives; None for all of them."""


class LocatedMatch(NamedTuple):
    path: RepoPath
    match: LineMatch


class FileMatches(NamedTuple):
    file: SearchableFile
    rows: Sequence[LineMatch]


@dataclass(frozen=True)
class TextMatches:
    found: tuple[FileMatches, ...]
    """Files with rows, by path."""
    lines: int
    """Matching lines in all files whose matches are wanted; more than `rows` where those were cut."""
    counts: Mapping[RepoPath, int]
    """Matching lines of every file that has some, also of those that are only counted, by path."""
    roles: Mapping[RepoPath, str]
    """Of those files."""
    skipped: tuple[SkippedFile, ...]
    """The first files that were not searched."""
    not_searched: Mapping[str, int]
    """How many files were not, by reason."""
    candidates: int
    """Files that were read."""
    removed_by_kind: int = 0
    """Matching lines of those that lie in no definition of the kinds that were asked for; nothing above counts them."""

    @cached_property
    def rows(self) -> tuple[LocatedMatch, ...]:
        """Each match, by path and line."""
        return tuple(LocatedMatch(file.path, match) for file, rows in self.found for match in rows)


def find_text(
    snapshot: Snapshot,
    root: Root,
    query: str,
    *,
    regex: bool,
    case_sensitive: bool | None,
    accepts: RowFilter | None = None,
    wanted: RowFilter | None = None,
    cancelled: Cancelled | None = None,
    candidates: Candidates = list_candidate_files,
    seconds: float = SECONDS,
    limit: int = MAX_MATCHES,
    per_file: int = sys.maxsize,
    once: bool = False,
    kinds: Collection[str] = (),
    kept: ScanCache | None = None,
) -> TextMatches:
    """Every match in the files that `accepts` lets through; those that are not `wanted` are only counted.

    There are at most `limit` rows, and `per_file` of each file; with `once` a file is left at its first match, and
    counts one. With `kinds` only what lies in a definition of these kinds is a match.
    """
    kept = kept or ScanCache(max_bytes=0)
    pattern = compile_query(query, regex=regex, case_sensitive=case_sensitive)
    ids = candidates(snapshot, pattern.fragments) if pattern.fragments else None
    defining = list_file_ids_with_kinds(snapshot, kinds) if kinds and NO_DEFINITION not in kinds else None
    listed = kept.list_files(snapshot, ids)
    if accepts is not None or defining is not None:
        listed = [
            row
            for row in listed
            if (accepts is None or accepts(row.path, row)) and (defining is None or row.file_id in defining)
        ]
    files = [row for row in listed if row.encoding is not None or row.reason == TOO_LARGE]
    shown, counted = (files, []) if wanted is None else _parted(files, wanted)
    limits = MatchLimits(limit, per_file, once)
    scans = _Scans(snapshot, root, pattern, time.monotonic() + seconds, cancelled, kept.texts, kept.spans)
    if kinds:
        outcomes, removed = _scan_kinds(scans, shown, counted, limits, frozenset(kinds))
    else:
        outcomes, removed = scans.scan(shown, counted, limits), 0
    without_text = (row for row in listed if row.encoding is None and row.reason != TOO_LARGE)
    unread = {row.path: row.reason or "unreadable" for row in without_text}
    found: list[FileMatches] = []
    counts: dict[RepoPath, int] = {}
    roles: dict[RepoPath, str] = {}
    aside = {row.path for row in counted}
    lines, room = 0, limit
    for row, outcome in sorted(outcomes, key=_path_of):
        if isinstance(outcome, str):
            unread[row.path] = outcome
        elif outcome.lines:
            counts[row.path] = outcome.lines
            roles[row.path] = row.role
            lines += outcome.lines if row.path not in aside else 0
            told = min(len(outcome.rows), room)
            if told:
                found.append(FileMatches(row, outcome.rows[:room] if told == room else outcome.rows))
                room -= told
    left_out = [SkippedFile(path, reason) for path, reason in sorted(unread.items()) if reason != BINARY]
    return TextMatches(
        found=tuple(found),
        lines=lines,
        counts=counts,
        roles=roles,
        skipped=tuple(left_out[:MAX_NAMED]),
        not_searched=dict(sorted(Counter(skipped.reason for skipped in left_out).items())),
        candidates=len(files),
        removed_by_kind=removed,
    )


def matches_to_hits(
    snapshot: Snapshot, matches: TextMatches, group_by: GroupBy | None = None, kept: SpanCache | None = None
) -> tuple[Hit, ...]:
    """Matches as results that know the definition that they lie in, by path and line.

    With `group_by` the first match of each definition, or of each file, stands for all of them.
    """
    kept = kept or SpanCache(0)
    spans = kept.read(snapshot, [found.file for found in matches.found])
    groups = [_grouped(found.rows, own, group_by) for found, own in zip(matches.found, spans, strict=True)]
    definitions = read_enclosing_defs(snapshot, {group.def_id for here in groups for group in here})
    hits: list[Hit] = []
    for (file, rows), here in zip(matches.found, groups, strict=True):
        for def_id, first, size in here:
            size = matches.counts[file.path] if group_by == "file" else size
            hits.append(_hit(file, rows[first], definitions.get(def_id), size - 1))
    return tuple(hits)


class _Group(NamedTuple):
    """Matches of a file that one result stands for."""

    def_id: int | None
    first: int
    size: int


def _grouped(rows: Sequence[LineMatch], spans: Spans, group_by: GroupBy | None) -> list[_Group]:
    if group_by == "file":
        return [_Group(find_innermost(spans, positions_of(rows[:1]))[0], 0, len(rows))]
    if group_by == "symbol" and not spans.starts:
        return [_Group(None, 0, len(rows))]
    around = find_innermost(spans, positions_of(rows))
    if group_by is None:
        return [_Group(def_id, at, 1) for at, def_id in enumerate(around)]
    sizes = Counter(around)
    firsts = {def_id: at for at, def_id in zip(range(len(around) - 1, -1, -1), reversed(around), strict=True)}
    return [_Group(def_id, firsts[def_id], size) for def_id, size in sizes.items()]


def _parted(files: Iterable[SearchableFile], wanted: RowFilter) -> tuple[list[SearchableFile], list[SearchableFile]]:
    shown: list[SearchableFile] = []
    others: list[SearchableFile] = []
    for file in files:
        (shown if wanted(file.path, file) else others).append(file)
    return shown, others


def _path_of(found: tuple[SearchableFile, Outcome]) -> RepoPath:
    return found[0].path


class _Scans(NamedTuple):
    """What several scans have in common."""

    snapshot: Snapshot
    root: Root
    pattern: SearchPattern
    deadline: float
    cancelled: Cancelled | None
    texts: TextCache
    spans: SpanCache

    def scan(
        self, wanted: Sequence[SearchableFile], counted: Sequence[SearchableFile], limits: MatchLimits
    ) -> Outcomes:
        seconds = self.deadline - time.monotonic()
        return scan(self.root, wanted, counted, self.pattern, limits, seconds, self.cancelled, self.texts)


def _scan_kinds(
    scans: _Scans,
    wanted: Sequence[SearchableFile],
    counted: Sequence[SearchableFile],
    limits: MatchLimits,
    kinds: frozenset[str],
) -> tuple[Outcomes, int]:
    """What was found, as far as it lies in definitions of these kinds, and how many other lines were."""
    known = [file for file in (*wanted, *counted) if file.state == FileState.INDEXED]
    shown = {file.path for file in wanted}
    outcomes = scans.scan([file for file in wanted if file.state != FileState.INDEXED], [], limits)
    room, removed = limits.rows, 0
    for start in range(0, len(known), _FILES_AT_ONCE):
        # Of every line it must be known where the match is, also in files of which matches are only counted.
        found = scans.scan(known[start : start + _FILES_AT_ONCE], [], MatchLimits(sys.maxsize))
        matched = {file.path: outcome.rows for file, outcome in found if isinstance(outcome, LineMatches)}
        places = {path: positions_of(rows) for path, rows in matched.items()}
        inside = {
            path: [row for row, outer in zip(matched[path], around, strict=True) if (outer or _NOWHERE).kind in kinds]
            for path, _, around in find_enclosing(scans.snapshot, places, scans.spans)
        }
        for file, outcome in found:
            if isinstance(outcome, LineMatches):
                rows = inside.get(file.path, [])
                removed += len(outcome.rows) - len(rows)
                kept = tuple(rows[: min(room, limits.per_file) if file.path in shown else 0])
                room -= len(kept)
                outcome = LineMatches(kept, len(rows))
            outcomes.append((file, outcome))
    outcomes += scans.scan([], [file for file in counted if file.state != FileState.INDEXED], limits)
    return outcomes, removed


_NOWHERE = EnclosingDef(NO_DEFINITION, "", "", "", "", "", "", 0, 0, 0, 0)


def _hit(file: SearchableFile, match: LineMatch, found: EnclosingDef | None, collapsed: int) -> Hit:
    around = found or _NOWHERE
    return Hit(
        path=file.path,
        line_start=match.line,
        line_end=match.end_line,
        kind=around.kind,
        name=around.name,
        column=match.column,
        match_line=match.line,
        snippet=match.text,
        language=file.language or "",
        role=file.role,
        collapsed=collapsed,
        qualified_name=around.qualified_name,
        lexical_path=around.lexical_path,
        signature=around.signature,
        visibility=around.visibility,
        def_uid=around.def_uid,
        def_line=around.start_line,
        def_end=around.end_line,
    )


def with_enclosing(hit: Hit, found: EnclosingDef) -> Hit:
    """The result, with what is known of the definition around it."""
    return hit._replace(
        kind=found.kind,
        name=found.name,
        qualified_name=found.qualified_name,
        lexical_path=found.lexical_path,
        signature=found.signature,
        visibility=found.visibility,
        def_uid=found.def_uid,
        def_line=found.start_line,
        def_end=found.end_line,
    )
