"""Occurrences of a name as a word, in code files without extracted references.

Such a line may use, define or merely mention the name; this is not decided here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.languages.registry import is_programming
from codeplane.languages.role_paths import Role
from codeplane.operations.search.model import SkippedFile
from codeplane.operations.search.search_task import SearchSources
from codeplane.operations.search.text_search import RowFilter, TextQuery, find_text
from codeplane.query.contents import SearchableFile
from codeplane.store.records import FileState


class WordMatch(NamedTuple):
    path: RepoPath
    line: int
    column: int
    """From 0, in characters."""
    name: str
    text: str
    """The line."""


class WordMatches(NamedTuple):
    rows: Sequence[WordMatch] = ()
    """By path and line."""
    counts: Mapping[RepoPath, int] = MappingProxyType({})
    """Matching lines by path, including those without a row."""
    roles: Mapping[RepoPath, str] = MappingProxyType({})
    """Roles of those files."""
    outside: frozenset[RepoPath] = frozenset()
    """Files outside of the scope."""
    skipped: tuple[SkippedFile, ...] = ()
    not_searched: Mapping[str, int] = MappingProxyType({})


def find_word_matches(
    sources: SearchSources,
    name: str,
    file_filter: RowFilter | None,
    in_scope: RowFilter | None,
    limit: int | None,
    per_file: int = sys.maxsize,
) -> WordMatches:
    """Return the first lines of files in scope, `per_file` of each; without a `limit`, all lines of all files."""
    outside: set[RepoPath] = set()

    def is_searched(row: SearchableFile) -> bool:
        if _has_references(row) or not _is_code(row) or (file_filter is not None and not file_filter(row)):
            return False
        if in_scope is not None and not in_scope(row):
            outside.add(row.path)
        return True

    is_word = _WORD.fullmatch(name) is not None
    query = TextQuery(
        _word_pattern(name) if is_word else name,
        regex=is_word,
        case_sensitive=True,
        file_filter=is_searched,
        in_scope=in_scope if limit is not None else None,
        limit=sys.maxsize if limit is None else limit,
        per_file=sys.maxsize if limit is None else per_file,
    )
    found = find_text(sources, query)
    rows = [WordMatch(path, match.line, match.column - 1, name, match.text) for path, match in found.rows]
    return WordMatches(rows, found.counts, found.roles, frozenset(outside), found.skipped, found.not_searched)


_WORD = re.compile(r"[\w$]{1,500}")
_ASCII = re.compile(r"\w", re.ASCII)
_NON_CODE_ROLES = frozenset({Role.CONFIG, Role.DOCS, Role.FIXTURE})
_NON_CODE_FAMILIES = frozenset({"json_yaml", "markdown"})
_DATA_SUFFIXES = (".csv", ".diff", ".lock", ".log", ".map", ".patch", ".po", ".snap", ".sum", ".svg", ".tsv")


def _word_pattern(name: str) -> str:
    """Return a regex for the name, without a word boundary next to a non-ASCII letter (RE2's `\\b` is ASCII-only)."""
    start, end = (r"\b" if _ASCII.match(character) else "" for character in (name[0], name[-1]))
    return start + name.replace("$", r"\$") + end


def _has_references(row: SearchableFile) -> bool:
    """True if references were extracted from the file; for some languages only definitions are."""
    return row.state == FileState.INDEXED and is_programming(row.language or "")


def _is_code(row: SearchableFile) -> bool:
    """False for prose and data, where a word says nothing about a symbol."""
    no_code = row.role in _NON_CODE_ROLES or row.family in _NON_CODE_FAMILIES
    return not no_code and not row.path.endswith(_DATA_SUFFIXES)
