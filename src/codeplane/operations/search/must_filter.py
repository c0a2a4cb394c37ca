"""Required words: a lane of its own, so that what exists is found, however low it ranks.

The files that have all of the words are found by the exhaustive search; of each file of which no ranked passage has
them, the definition around the first of them stands for it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from codeplane.base.paths import RepoPath
from codeplane.disk.safe_open import Root
from codeplane.operations.search.file_lines import FileLines
from codeplane.operations.search.filters import Filters
from codeplane.operations.search.model import SkippedFile
from codeplane.operations.search.scan_cache import ScanCache
from codeplane.operations.search.scoring import ScoredPassage
from codeplane.operations.search.text_search import SECONDS, find_text
from codeplane.query.contents import SearchableFile
from codeplane.query.outline import list_outline_rows
from codeplane.query.snapshot import Snapshot
from codeplane.query.text import FileBrief, list_text_files


@dataclass(frozen=True)
class MustFiles:
    files: Mapping[int, FileBrief] = field(default_factory=dict)
    """Those in scope that have all words."""
    lines: Mapping[RepoPath, int] = field(default_factory=dict)
    """The first line with the first word."""
    outside: Mapping[str, int] = field(default_factory=dict)
    """Files that have all words and lie outside of the scope, by role."""
    skipped: tuple[SkippedFile, ...] = ()
    not_searched: Mapping[str, int] = field(default_factory=dict)


def find_must_files(snapshot: Snapshot, root: Root, filters: Filters, kept: ScanCache | None = None) -> MustFiles:
    paths: set[RepoPath] | None = None

    def accepts(path: RepoPath, row: SearchableFile) -> bool:
        return (paths is None or path in paths) and filters.accepts_elsewhere(path, row.language or "")

    deadline = time.monotonic() + SECONDS
    lines: dict[RepoPath, int] = {}
    skipped: dict[RepoPath, SkippedFile] = {}
    not_searched: Counter[str] = Counter()
    for word in filters.must:
        found = find_text(
            snapshot,
            root,
            word,
            regex=False,
            case_sensitive=False,
            accepts=accepts,
            wanted=lambda path, row: filters.accepts_role(row.role),
            seconds=deadline - time.monotonic(),
            once=True,
            kept=kept,
        )
        if paths is None:
            for row in found.rows:
                lines.setdefault(row.path, row.match.line)
        paths = set(found.counts)
        skipped |= {one.path: one for one in found.skipped}
        not_searched.update(found.not_searched)
    held = [file for file in list_text_files(snapshot) if file.path in (paths or ())]
    inside = {file.file_id: file for file in held if filters.accepts_role(file.role)}
    outside = Counter(file.role for file in held if file.file_id not in inside)
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
    required: MustFiles,
    filters: Filters,
    enough: int,
) -> list[ScoredPassage]:
    """The rows, and for each file of which none has all required words the place of the first of them.

    So many places that pass are enough; where others are turned down the search goes on.
    """
    satisfied = {row.file.file_id for row in rows if filters.accepts_text(texts.between(row.path, row.first, row.last))}
    added: list[ScoredPassage] = []
    for file in sorted(required.files.values(), key=lambda file: file.path):
        if enough <= 0:
            break
        if file.file_id not in satisfied:
            row, passes = _around(snapshot, texts, file, required.lines.get(file.path, 1), filters)
            added.append(row)
            enough -= passes
    return [*rows, *added]


def _around(
    snapshot: Snapshot, texts: FileLines, file: FileBrief, line: int, filters: Filters
) -> tuple[ScoredPassage, bool]:
    """The innermost definition around the line that has all words; the file, where none has. And whether it passes."""
    holding = [row for row in list_outline_rows(snapshot, file.path) if row.start_line <= line <= row.end_line]
    for row in sorted(holding, key=lambda row: (row.end_line - row.start_line, -row.start_col)):
        if filters.accepts_text(texts.between(file.path, row.start_line, row.end_line)):
            return ScoredPassage(file, row.ordinal, row.start_line, row.end_line, row.name), True
    if filters.accepts_text(texts.between(file.path, line, line)):
        return ScoredPassage(file, -1, line, line, ""), True
    last = max(1, file.lines)
    return ScoredPassage(file, -1, 1, last, ""), filters.accepts_text(texts.between(file.path, 1, last))
