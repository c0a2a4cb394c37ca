"""Search of files by name: a glob in .gitignore syntax, or words of the path. Reads no file."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from codeplane.base.paths import RepoPath, basename
from codeplane.operations.search.filters import Filters, PathPatterns
from codeplane.operations.search.model import MAX_MATCHES, Hit, SearchResult

MAX_SIMILAR = 5

_GLOB_CHARACTERS = frozenset("*?[")


def search_file_names(
    roles: Mapping[RepoPath, str], query: str, filters: Filters, line_count: Callable[[RepoPath], int]
) -> SearchResult:
    """Search the files, given by path with their roles; without a match, suggest similar names."""
    matching = match_file_names(roles, query)
    inside = [path for path in matching if filters.accepts_role(roles[path])]
    outside = Counter(roles[path] for path in matching if not filters.accepts_role(roles[path]))
    hits = [
        Hit(path, 1, max(1, line_count(path)), "file", basename(path), role=roles[path])
        for path in inside[:MAX_MATCHES]
    ]
    return SearchResult(
        hits=tuple(hits),
        total=len(inside),
        outside_scope=dict(sorted(outside.items())),
        files=len(inside),
        similar=tuple(similar_file_names(roles, query)) if not matching else (),
        exhaustive=True,
    )


def match_file_names(paths: Iterable[RepoPath], query: str) -> list[RepoPath]:
    """Return matching paths, best first: exact name, end of the path, part of the name, part of the path.

    A query with `*`, `?` or `[` is a pattern in .gitignore syntax. Any other query is case-insensitive, and each of its
    words must occur in the path.
    """
    pattern = query.strip().removeprefix("./")
    if _GLOB_CHARACTERS & set(pattern):
        return sorted(filter(PathPatterns((pattern,)).match, paths), key=_order)
    whole = pattern.lower().strip("/")
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
    """Return paths whose file name is similar to the query."""
    by_name: dict[str, list[RepoPath]] = {}
    for path in paths:
        by_name.setdefault(basename(path).lower(), []).append(path)
    close = difflib.get_close_matches(basename(query.strip()).lower(), by_name, MAX_SIMILAR, 0.7)
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
