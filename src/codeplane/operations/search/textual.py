"""Exhaustive search in the text of files: every line that matches, counted, by path and line.

The text index says which files cannot match; all others are read and decided on their bytes. A file
that should have been searched and was not is named with the reason, never passed over in silence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.disk.beneath import Root
from codeplane.operations.search.fragments import Alternatives
from codeplane.operations.search.large import BINARY
from codeplane.operations.search.matching import Match
from codeplane.operations.search.model import MAX_MATCHES, GroupBy, Hit, Skipped
from codeplane.operations.search.patterns import compile_query
from codeplane.operations.search.scanning import Cancelled, Target, scan
from codeplane.query.contents import TOO_LARGE, ContentRow, list_left_out, list_searchable
from codeplane.query.enclosing import Enclosing, enclosing, read_all_defs
from codeplane.query.snapshot import Snapshot
from codeplane.query.text import list_candidates

SECONDS = 2.0
MAX_NAMED = 20
"""Files that are named as not searched; the others are counted."""

Accepts = Callable[[RepoPath, ContentRow], bool]
Candidates = Callable[[Snapshot, Alternatives], Sequence[RepoPath] | None]
"""Files of the text index that may contain all fragments of one of the alternatives; None for all of them."""


class Located(NamedTuple):
    path: RepoPath
    match: Match


@dataclass(frozen=True)
class Matches:
    rows: tuple[Located, ...]
    lines: int
    """Matching lines in all files whose matches are wanted; more than `rows` where those were cut."""
    occurrences: int | None
    """Matches on those lines; None where rows were cut, since beyond them lines alone are counted."""
    counts: Mapping[RepoPath, int]
    """Matching lines of every file that has some, also of those that are only counted, by path."""
    skipped: tuple[Skipped, ...]
    """The first files that were not searched."""
    not_searched: Mapping[str, int]
    """How many files were not, by reason."""
    candidates: int
    """Files that were read."""


def find_text(
    snapshot: Snapshot,
    root: Root,
    query: str,
    *,
    regex: bool,
    case_sensitive: bool | None,
    accepts: Accepts,
    wanted: Accepts | None = None,
    cancelled: Cancelled | None = None,
    candidates: Candidates = list_candidates,
    seconds: float = SECONDS,
    limit: int = MAX_MATCHES,
) -> Matches:
    """Every match in the files that `accepts` lets through; those that are not `wanted` are only counted."""
    pattern = compile_query(query, regex=regex, case_sensitive=case_sensitive)
    paths = candidates(snapshot, pattern.fragments) if pattern.fragments else None
    targets: list[Target] = []
    unread: dict[RepoPath, str] = {}
    for row in sorted((*list_searchable(snapshot, paths), *list_left_out(snapshot)), key=attrgetter("path")):
        if not accepts(row.path, row):
            continue
        large = row.reason == TOO_LARGE
        if row.encoding is None and not large:
            unread[row.path] = row.reason or "unreadable"
            continue
        targets.append(Target(row.path, row.size, large, row.encoding, wanted is None or wanted(row.path, row)))
    outcomes = scan(root, targets, pattern, limit, seconds, cancelled)
    rows: list[Located] = []
    counts: dict[RepoPath, int] = {}
    lines = 0
    for target, outcome in zip(targets, outcomes, strict=True):
        if isinstance(outcome, str):
            unread[target.path] = outcome
        elif outcome.lines:
            counts[target.path] = outcome.lines
            lines += outcome.lines if target.kept else 0
            rows += (Located(target.path, match) for match in outcome.rows)
    left_out = [Skipped(path, reason) for path, reason in sorted(unread.items()) if reason != BINARY]
    return Matches(
        rows=tuple(rows),
        lines=lines,
        occurrences=sum(row.match.occurrences for row in rows) if lines == len(rows) else None,
        counts=counts,
        skipped=tuple(left_out[:MAX_NAMED]),
        not_searched=dict(sorted(Counter(skipped.reason for skipped in left_out).items())),
        candidates=len(targets),
    )


def enclose(
    snapshot: Snapshot, rows: Iterable[Located], role_of: Callable[[RepoPath], str], group_by: GroupBy | None = None
) -> tuple[Hit, ...]:
    """Matches, which stand by path and line, as results that know the definition that they lie in.

    With `group_by` the first match of each definition, or of each file, stands for all of them.
    """
    hits: list[Hit] = []
    files = {path: [row.match for row in located] for path, located in groupby(rows, attrgetter("path"))}
    for path, defs in read_all_defs(snapshot, list(files)):
        matches = files[path]
        asked = matches[:1] if group_by == "file" else matches
        around = enclosing(defs, [(match.line, match.column - 1) for match in asked])
        groups: dict[object, list[int]] = {}
        for at, found in enumerate(around):
            groups.setdefault(at if group_by is None else found and found.def_uid, []).append(at)
        role = role_of(path)
        for members in groups.values():
            count = len(matches) if group_by == "file" else len(members)
            hits.append(_hit(path, matches[members[0]], around[members[0]], defs.language, role, count - 1))
    return tuple(hits)


_NOWHERE = Enclosing("text", "", "", "", "", "", "", 0, 0, 0, 0)


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
    return replace(
        hit,
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
