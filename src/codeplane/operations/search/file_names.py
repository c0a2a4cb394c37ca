"""Finding files by name: a glob as in .gitignore, or words of the path. Reads no file."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from codeplane.base.paths import RepoPath, basename
from codeplane.operations.search.filters import PathPatterns

MAX_SIMILAR = 5

_GLOB_SIGNS = frozenset("*?[")


def match_file_names(paths: Iterable[RepoPath], query: str) -> list[RepoPath]:
    """Matching paths, best first: the very name, the end of the path, part of the name, part of the path.

    A query with `*`, `?` or `[` is a pattern as in .gitignore. Any other query matches without regard to case; each of
    its words must occur in the path.
    """
    written = query.strip().removeprefix("./")
    if _GLOB_SIGNS & set(written):
        patterns = PathPatterns((written,))
        return sorted(filter(patterns.match, paths), key=_order)
    whole = written.lower().strip("/")
    words = whole.split()
    if not words:
        return []
    ranked: list[tuple[int, int, RepoPath]] = []
    for path in paths:
        lowered = path.lower()
        if all(word in lowered for word in words):
            ranked.append((_rank(lowered, whole, words), *_order(path)))
    return [path for _, _, path in sorted(ranked)]


def similar_file_names(paths: Iterable[RepoPath], query: str) -> Sequence[RepoPath]:
    """Paths whose file name is nearly the query, for an answer that found nothing."""
    by_name: dict[str, list[RepoPath]] = {}
    for path in paths:
        by_name.setdefault(basename(path).lower(), []).append(path)
    name = query.strip().rpartition("/")[2].lower()
    close = difflib.get_close_matches(name, by_name, MAX_SIMILAR, 0.7)
    return [path for match in close for path in sorted(by_name[match])][:MAX_SIMILAR]


def _rank(path: str, whole: str, words: Sequence[str]) -> int:
    name = basename(path)
    if whole in (name, path):
        return 0
    if path.endswith("/" + whole):
        return 1
    return 2 if all(word in name for word in words) else 3


def _order(path: RepoPath) -> tuple[int, RepoPath]:
    return path.count("/"), path
