"""What is asked of a search, and what every way of searching answers with.

Nothing here knows how a result is found or how it is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.base.warnings import Notice

Mode = Literal["auto", "lexical", "regex", "symbol", "definitions", "references", "files"]
Scope = Literal["runtime", "mixed", "docs"]
ResultMode = Literal["grouped", "raw"]
GroupBy = Literal["symbol", "file"]
RankingMode = Literal["auto_changed_first", "default"]
MatchType = Literal["exact", "fuzzy", "semantic"]

MODES: tuple[Mode, ...] = ("auto", "lexical", "regex", "symbol", "definitions", "references", "files")
EXHAUSTIVE: frozenset[Mode] = frozenset({"lexical", "regex", "references", "files"})
"""Modes that find and count every match; the others rank candidates."""

MAX_RANKED = 100
"""Results that a ranking mode keeps for all pages together."""
MAX_MATCHES = 10_000
"""Matches that an exhaustive mode keeps for all pages together; it counts beyond."""


def default_scope(mode: Mode) -> Scope:
    """Who uses a thing includes tests; where to work does not."""
    return "runtime" if mode == "auto" else "mixed"


@dataclass(frozen=True)
class SearchRequest:
    """A search as it was asked for, with its operators still in the query."""

    query: str
    mode: Mode = "auto"
    scope: Scope | None = None
    paths: tuple[str, ...] = ()
    """Patterns as in .gitignore; a file needs to match one."""
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    result_mode: ResultMode = "grouped"
    group_by: GroupBy = "symbol"
    ranking_mode: RankingMode = "auto_changed_first"
    case_sensitive: bool | None = None
    """Of lexical and regex; None is case sensitive only if the query has a capital."""
    directory: str = ""
    """A sub-directory that the search is confined to."""
    limit: int = 20
    """Results of the first page; those are spread over files."""
    debug: bool = False
    evidence: bool = False
    """True to add the best matching line to ranked results."""


class Factors(NamedTuple):
    """Why a result stands where it does; each is a share of the score."""

    exact_match_boost: float = 0.0
    qualified_name_boost: float = 0.0
    path_affinity: float = 0.0
    definition_boost: float = 0.0
    kind_match: float = 0.0
    bm25_score: float = 0.0
    others: Mapping[str, float] = MappingProxyType({})


NO_FACTORS = Factors()


class Hit(NamedTuple):
    """One result: a symbol, a span of a file, or a match in it. Lines count from 1, columns from 1."""

    path: RepoPath
    line_start: int
    line_end: int
    kind: str
    """Kind of the definition; "text" for lines in no definition, "file" for a file as a whole."""
    name: str
    score: float = 0.0
    match_type: MatchType = "exact"
    column: int = 0
    """Of the match, in characters; 0 where the result is a symbol or a span."""
    match_line: int = 0
    """The line that matches, where it is not the first."""
    snippet: str = ""
    qualified_name: str = ""
    lexical_path: str = ""
    signature: str = ""
    language: str = ""
    visibility: str = ""
    def_uid: str = ""
    def_line: int = 0
    """First line of the definition that the result is, or lies in."""
    def_end: int = 0
    tier: str = ""
    """Of a reference: proven, strong, anchored or unknown."""
    is_import: bool = False
    """Of a reference: whether it imports the symbol."""
    via: str = ""
    """Of a reference that names another symbol, through which it is one: the written form of that symbol."""
    role: str = "source"
    """Role of the file: source, test, docs, example, generated, vendored, config, build."""
    collapsed: int = 0
    """Further matches that the group of this result holds."""
    evidence_line: int = 0
    """Of a ranked result: the line in it that matches the query best, if that is not its first."""
    evidence: str = ""
    literal: bool = False
    """True if that line contains the query literally, or is its template."""
    factors: Factors = NO_FACTORS


@dataclass(frozen=True)
class SkippedFile:
    path: RepoPath
    reason: str


@dataclass(frozen=True)
class SearchResult:
    """The whole result of one search on one epoch, in its total order."""

    hits: tuple[Hit, ...]
    total: int
    """Matches in all, in scope and through the filters; more than `hits` where those were cut."""
    outside_scope: Mapping[str, int] = field(default_factory=dict)
    """Matches by role that the scope left out."""
    suppressed: int = 0
    """Near-identical results that stand behind another."""
    exhaustive: bool = False
    """Every match was looked for and counted."""
    files: int = 0
    """Files with a match; of exhaustive searches."""
    skipped: tuple[SkippedFile, ...] = ()
    """Files that should have been searched and were not."""
    similar: tuple[str, ...] = ()
    """References of symbols that a name which was not found may mean."""
    not_found: str = ""
    """The message that no symbol has the name that was asked for."""
    notices: tuple[Notice, ...] = ()
    hints: Mapping[str, object] = field(default_factory=dict)
    debug: Mapping[str, object] = field(default_factory=dict)
