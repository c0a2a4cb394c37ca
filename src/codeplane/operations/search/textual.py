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
from itertools import groupby
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.disk.beneath import Root
from codeplane.operations.search.fragments import Alternatives
from codeplane.operations.search.kept import Kept, KeptTexts
from codeplane.operations.search.matching import Counted, Match
from codeplane.operations.search.model import MAX_MATCHES, GroupBy, Hit, Skipped
from codeplane.operations.search.patterns import Pattern, compile_query
from codeplane.operations.search.scanning import Cancelled, Limits, Outcome, scan
from codeplane.query.contents import BINARY, TOO_LARGE, ContentRow, list_ids_with_kinds
from codeplane.query.enclosing import Enclosing, KeptSpans, enclose_all
from codeplane.query.snapshot import Snapshot
from codeplane.query.text import list_candidates
from codeplane.store.records import FileState

SECONDS = 2.0
MAX_NAMED = 20
"""Files that are named as not searched; the others are counted."""
NO_DEFINITION = "text"
"""Kind of what lies in no definition."""
_FILES_AT_ONCE = 64
"""Files whose matches are held together until the kinds around them are known."""

Accepts = Callable[[RepoPath, ContentRow], bool]
Outcomes = list[tuple[ContentRow, Outcome]]
Candidates = Callable[[Snapshot, Alternatives], Collection[int] | None]
"""Ids of files of the text index that may contain all fragments of one of the alternatives; None for all of them."""


class Located(NamedTuple):
    path: RepoPath
    match: Match


@dataclass(frozen=True)
class Matches:
    rows: tuple[Located, ...]
    lines: int
    """Matching lines in all files whose matches are wanted; more than `rows` where those were cut."""
    counts: Mapping[RepoPath, int]
    """Matching lines of every file that has some, also of those that are only counted, by path."""
    roles: Mapping[RepoPath, str]
    """Of those files."""
    skipped: tuple[Skipped, ...]
    """The first files that were not searched."""
    not_searched: Mapping[str, int]
    """How many files were not, by reason."""
    candidates: int
    """Files that were read."""
    removed_by_kind: int = 0
    """Matching lines of those that lie in no definition of the kinds that were asked for; nothing above counts them."""


def find_text(
    snapshot: Snapshot,
    root: Root,
    query: str,
    *,
    regex: bool,
    case_sensitive: bool | None,
    accepts: Accepts | None = None,
    wanted: Accepts | None = None,
    cancelled: Cancelled | None = None,
    candidates: Candidates = list_candidates,
    seconds: float = SECONDS,
    limit: int = MAX_MATCHES,
    per_file: int = sys.maxsize,
    once: bool = False,
    kinds: Collection[str] = (),
    kept: Kept | None = None,
) -> Matches:
    """Every match in the files that `accepts` lets through; those that are not `wanted` are only counted.

    There are at most `limit` rows, and `per_file` of each file; with `once` a file is left at its first match, and
    counts one. With `kinds` only what lies in a definition of these kinds is a match.
    """
    kept = kept or Kept(max_bytes=0)
    pattern = compile_query(query, regex=regex, case_sensitive=case_sensitive)
    ids = candidates(snapshot, pattern.fragments) if pattern.fragments else None
    defining = list_ids_with_kinds(snapshot, kinds) if kinds and NO_DEFINITION not in kinds else None
    listed = [
        row
        for row in kept.list_files(snapshot, ids)
        if (accepts is None or accepts(row.path, row)) and (defining is None or row.file_id in defining)
    ]
    files = [row for row in listed if row.encoding is not None or row.reason == TOO_LARGE]
    shown = files if wanted is None else [row for row in files if wanted(row.path, row)]
    counted = [] if wanted is None else [row for row in files if not wanted(row.path, row)]
    limits = Limits(limit, per_file, once)
    scans = _Scans(snapshot, root, pattern, time.monotonic() + seconds, cancelled, kept.texts, kept.spans)
    if kinds:
        outcomes, removed = _scan_kinds(scans, shown, counted, limits, frozenset(kinds))
    else:
        outcomes, removed = scans.scan(shown, counted, limits), 0
    without_text = (row for row in listed if row.encoding is None and row.reason != TOO_LARGE)
    unread = {row.path: row.reason or "unreadable" for row in without_text}
    rows: list[Located] = []
    counts: dict[RepoPath, int] = {}
    roles: dict[RepoPath, str] = {}
    lines = 0
    for row, outcome in sorted(outcomes, key=lambda found: found[0].path):
        if isinstance(outcome, str):
            unread[row.path] = outcome
        elif outcome.lines:
            counts[row.path] = outcome.lines
            roles[row.path] = row.role
            lines += outcome.lines if wanted is None or wanted(row.path, row) else 0
            rows += (Located(row.path, match) for match in outcome.rows)
    del rows[limit:]
    left_out = [Skipped(path, reason) for path, reason in sorted(unread.items()) if reason != BINARY]
    return Matches(
        rows=tuple(rows),
        lines=lines,
        counts=counts,
        roles=roles,
        skipped=tuple(left_out[:MAX_NAMED]),
        not_searched=dict(sorted(Counter(skipped.reason for skipped in left_out).items())),
        candidates=len(files),
        removed_by_kind=removed,
    )


def enclose(
    snapshot: Snapshot,
    rows: Iterable[Located],
    roles: Mapping[RepoPath, str],
    group_by: GroupBy | None = None,
    counts: Mapping[RepoPath, int] = MappingProxyType({}),
    kept: KeptSpans | None = None,
) -> tuple[Hit, ...]:
    """Matches, which stand by path and line, as results that know the definition that they lie in.

    With `group_by` the first match of each definition, or of each file, stands for all of them; `counts` says how
    many a file has where not all are here.
    """
    hits: list[Hit] = []
    files = {path: [row.match for row in located] for path, located in groupby(rows, attrgetter("path"))}
    places = {
        path: [(match.line, match.column - 1) for match in (matches[:1] if group_by == "file" else matches)]
        for path, matches in files.items()
    }
    for path, language, around in enclose_all(snapshot, places, kept):
        matches = files[path]
        groups: dict[object, list[int]] = {}
        for at, found in enumerate(around):
            groups.setdefault(at if group_by is None else found and found.def_uid, []).append(at)
        role = roles[path]
        for members in groups.values():
            count = counts.get(path, len(matches)) if group_by == "file" else len(members)
            hits.append(_hit(path, matches[members[0]], around[members[0]], language, role, count - 1))
    return tuple(hits)


class _Scans(NamedTuple):
    """What several scans have in common."""

    snapshot: Snapshot
    root: Root
    pattern: Pattern
    deadline: float
    cancelled: Cancelled | None
    texts: KeptTexts
    spans: KeptSpans

    def scan(self, wanted: Sequence[ContentRow], counted: Sequence[ContentRow], limits: Limits) -> Outcomes:
        seconds = self.deadline - time.monotonic()
        return scan(self.root, wanted, counted, self.pattern, limits, seconds, self.cancelled, self.texts)


def _scan_kinds(
    scans: _Scans,
    wanted: Sequence[ContentRow],
    counted: Sequence[ContentRow],
    limits: Limits,
    kinds: frozenset[str],
) -> tuple[Outcomes, int]:
    """What was found, as far as it lies in definitions of these kinds, and how many other lines were."""
    known = [file for file in (*wanted, *counted) if file.state == FileState.INDEXED]
    shown = {file.path for file in wanted}
    outcomes = scans.scan([file for file in wanted if file.state != FileState.INDEXED], [], limits)
    room, removed = limits.rows, 0
    for start in range(0, len(known), _FILES_AT_ONCE):
        # Of every line it must be known where the match is, also in files of which matches are only counted.
        found = scans.scan(known[start : start + _FILES_AT_ONCE], [], Limits(sys.maxsize))
        matched = {file.path: outcome.rows for file, outcome in found if isinstance(outcome, Counted)}
        places = {path: [(match.line, match.column - 1) for match in rows] for path, rows in matched.items()}
        inside = {
            path: [row for row, outer in zip(matched[path], around, strict=True) if (outer or _NOWHERE).kind in kinds]
            for path, _, around in enclose_all(scans.snapshot, places, scans.spans)
        }
        for file, outcome in found:
            if isinstance(outcome, Counted):
                rows = inside.get(file.path, [])
                removed += len(outcome.rows) - len(rows)
                kept = tuple(rows[: min(room, limits.per_file) if file.path in shown else 0])
                room -= len(kept)
                outcome = Counted(kept, len(rows))
            outcomes.append((file, outcome))
    outcomes += scans.scan([], [file for file in counted if file.state != FileState.INDEXED], limits)
    return outcomes, removed


_NOWHERE = Enclosing(NO_DEFINITION, "", "", "", "", "", "", 0, 0, 0, 0)


def _hit(path: RepoPath, match: Match, found: Enclosing | None, language: str, role: str, collapsed: int) -> Hit:
    around = found or _NOWHERE
    return Hit(
        path=path,
        line_start=match.line,
        line_end=match.end_line,
        kind=around.kind,
        name=around.name,
        column=match.column,
        match_line=match.line,
        snippet=match.text,
        language=language,
        role=role,
        collapsed=collapsed,
        qualified_name=around.qualified_name,
        lexical_path=around.lexical_path,
        signature=around.signature,
        visibility=around.visibility,
        def_uid=around.def_uid,
        def_line=around.start_line,
        def_end=around.end_line,
    )


def within(hit: Hit, found: Enclosing) -> Hit:
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
