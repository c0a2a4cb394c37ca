"""`must:` words, found by exhaustive search, so an existing match is found however low it ranks.

A file that has all words, but no ranked passage with all of them, is represented by the definition around the first
word.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from codeplane.base.paths import RepoPath
from codeplane.operations.search.file_lines import FileLines
from codeplane.operations.search.filters import Filters
from codeplane.operations.search.model import SkippedFile
from codeplane.operations.search.scoring import ScoredPassage
from codeplane.operations.search.search_task import SearchSources
from codeplane.operations.search.text_search import SECONDS, TextQuery, find_text
from codeplane.query.contents import SearchableFile
from codeplane.query.outline import list_outline_rows
from codeplane.query.snapshot import Snapshot
from codeplane.query.text import FileBrief, list_text_files


@dataclass(frozen=True)
class MustFiles:
    files: Mapping[int, FileBrief] = field(default_factory=dict)
    """Files in scope that contain all words."""
    lines: Mapping[RepoPath, int] = field(default_factory=dict)
    """First line with the first word."""
    outside: Mapping[str, int] = field(default_factory=dict)
    """Number of files outside of the scope that contain all words, by role."""
    skipped: tuple[SkippedFile, ...] = ()
    not_searched: Mapping[str, int] = field(default_factory=dict)


def find_must_files(sources: SearchSources, filters: Filters) -> MustFiles:
    paths: set[RepoPath] | None = None

    def is_searched(row: SearchableFile) -> bool:
        return (paths is None or row.path in paths) and filters.accepts_file(row.path, row.language or "")

    deadline = time.monotonic() + SECONDS
    lines: dict[RepoPath, int] = {}
    skipped: dict[RepoPath, SkippedFile] = {}
    not_searched: Counter[str] = Counter()
    for word in filters.must:
        query = TextQuery(
            word,
            case_sensitive=False,
            file_filter=is_searched,
            in_scope=lambda row: filters.accepts_role(row.role),
            seconds=deadline - time.monotonic(),
            first_only=True,
        )
        found = find_text(sources, query)
        if paths is None:
            for row in found.rows:
                lines.setdefault(row.path, row.match.line)
        paths = set(found.counts)
        skipped |= {file.path: file for file in found.skipped}
        not_searched.update(found.not_searched)
    matching = [file for file in list_text_files(sources.snapshot) if file.path in (paths or ())]
    inside = {file.file_id: file for file in matching if filters.accepts_role(file.role)}
    outside = Counter(file.role for file in matching if file.file_id not in inside)
    return MustFiles(
        inside,
        lines,
        dict(sorted(outside.items())),
        tuple(skipped[path] for path in sorted(skipped)),
        dict(sorted(not_searched.items())),
    )


def add_must_places(
    snapshot: Snapshot,
    texts: FileLines,
    rows: Sequence[ScoredPassage],
    must: MustFiles,
    filters: Filters,
    enough: int,
) -> list[ScoredPassage]:
    """Return the rows, plus one for each file without a row that contains all words.

    Stops after `enough` added rows that pass the filters.
    """
    satisfied = {row.file.file_id for row in rows if filters.accepts_text(texts.between(row.path, row.first, row.last))}
    added: list[ScoredPassage] = []
    for file in sorted(must.files.values(), key=lambda file: file.path):
        if enough <= 0:
            break
        if file.file_id not in satisfied:
            row, passes = _enclosing_passage(snapshot, texts, file, must.lines.get(file.path, 1), filters)
            added.append(row)
            enough -= passes
    return [*rows, *added]


def _enclosing_passage(
    snapshot: Snapshot, texts: FileLines, file: FileBrief, line: int, filters: Filters
) -> tuple[ScoredPassage, bool]:
    """Return the innermost definition around the line that has all words, else the file, and whether it passes."""
    enclosing = [row for row in list_outline_rows(snapshot, file.path) if row.start_line <= line <= row.end_line]
    for row in sorted(enclosing, key=lambda row: (row.end_line - row.start_line, -row.start_col)):
        if filters.accepts_text(texts.between(file.path, row.start_line, row.end_line)):
            return ScoredPassage(file, row.ordinal, row.start_line, row.end_line, row.name), True
    if filters.accepts_text(texts.between(file.path, line, line)):
        return ScoredPassage(file, -1, line, line, ""), True
    last = max(1, file.lines)
    return ScoredPassage(file, -1, 1, last, ""), filters.accepts_text(texts.between(file.path, 1, last))
