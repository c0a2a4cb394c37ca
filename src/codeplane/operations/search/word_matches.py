"""Lines that have a name as a word, in files of code of which there are no facts.

Whether such a line uses the name, defines it or merely says it is not known, and is not guessed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.disk.safe_open import Root
from codeplane.languages.registry import is_programming
from codeplane.languages.role_paths import Role
from codeplane.operations.search.file_scan import Cancelled
from codeplane.operations.search.model import SkippedFile
from codeplane.operations.search.scan_cache import ScanCache
from codeplane.operations.search.text_search import RowFilter, find_text
from codeplane.query.contents import SearchableFile
from codeplane.query.snapshot import Snapshot
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
    places: Sequence[WordMatch] = ()
    """By path and line."""
    counts: Mapping[RepoPath, int] = MappingProxyType({})
    """Lines of every file that has some, also of those without a place here."""
    roles: Mapping[RepoPath, str] = MappingProxyType({})
    """Of those files."""
    aside: frozenset[RepoPath] = frozenset()
    """Files that are not wanted."""
    skipped: tuple[SkippedFile, ...] = ()
    not_searched: Mapping[str, int] = MappingProxyType({})


def find_word_matches(
    snapshot: Snapshot,
    root: Root,
    name: str,
    accepts: RowFilter | None,
    wanted: RowFilter | None,
    *,
    limit: int | None,
    per_file: int = sys.maxsize,
    cancelled: Cancelled | None,
    kept: ScanCache | None = None,
) -> WordMatches:
    """With a `limit` the first lines of files that are wanted, `per_file` of each; without one all lines of all."""
    aside: set[RepoPath] = set()

    def searched(path: RepoPath, row: SearchableFile) -> bool:
        if _has_references(row) or not _is_code(row) or (accepts is not None and not accepts(path, row)):
            return False
        if wanted is not None and not wanted(path, row):
            aside.add(path)
        return True

    is_word = _WORD.fullmatch(name) is not None
    found = find_text(
        snapshot,
        root,
        _as_word(name) if is_word else name,
        regex=is_word,
        case_sensitive=True,
        accepts=searched,
        wanted=wanted if limit is not None else None,
        cancelled=cancelled,
        limit=sys.maxsize if limit is None else limit,
        per_file=sys.maxsize if limit is None else per_file,
        kept=kept,
    )
    places = [WordMatch(path, match.line, match.column - 1, name, match.text) for path, match in found.rows]
    return WordMatches(places, found.counts, found.roles, frozenset(aside), found.skipped, found.not_searched)


_WORD = re.compile(r"[\w$]{1,500}")
_ASCII = re.compile(r"\w", re.ASCII)
_NO_CODE = frozenset({Role.CONFIG, Role.DOCS, Role.FIXTURE})
_NO_CODE_FAMILIES = frozenset({"json_yaml", "markdown"})
_DATA = (".csv", ".diff", ".lock", ".log", ".map", ".patch", ".po", ".snap", ".sum", ".svg", ".tsv")


def _as_word(name: str) -> str:
    """A pattern for the name; where it begins or ends with another letter than one of ASCII, for more than that."""
    begins, ends = (r"\b" if _ASCII.match(sign) else "" for sign in (name[0], name[-1]))
    return begins + name.replace("$", r"\$") + ends


def _has_references(row: SearchableFile) -> bool:
    """Whether facts tell where names are used in a file; of some languages they only tell what is defined."""
    return row.state == FileState.INDEXED and is_programming(row.language or "")


def _is_code(row: SearchableFile) -> bool:
    """In prose and in data a word is no more than a word."""
    no_code = row.role in _NO_CODE or row.family in _NO_CODE_FAMILIES
    return not no_code and not row.path.endswith(_DATA)
