"""Search requests and results, shared by all search modes. Independent of how hits are found or presented."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
Cancelled = Callable[[], bool]

MODES: tuple[Mode, ...] = ("auto", "lexical", "regex", "symbol", "definitions", "references", "files")
EXHAUSTIVE: frozenset[Mode] = frozenset({"lexical", "regex", "references", "files"})
"""Modes that find and count every match; the others rank candidates."""
LITERAL: frozenset[Mode] = frozenset({"lexical", "regex"})
"""Modes that take the query verbatim, without operators."""

NO_DEFINITION = "text"
"""Kind of a hit outside of every definition."""
MAX_RANKED = 100
"""Maximum results of a ranking mode, over all pages."""
MAX_MATCHES = 10_000
"""Maximum matches that an exhaustive mode returns, over all pages; further matches are only counted."""


@dataclass(frozen=True)
class SearchRequest:
    """Arguments of one search; `query` still contains its operators."""

    query: str
    mode: Mode = "auto"
    scope: Scope | None = None
    paths: tuple[str, ...] = ()
    """Patterns in .gitignore syntax; a file must match one of them."""
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    result_mode: ResultMode = "grouped"
    group_by: GroupBy = "symbol"
    ranking_mode: RankingMode = "auto_changed_first"
    case_sensitive: bool | None = None
    """For lexical and regex. None: case-sensitive if the query has an upper-case letter."""
    directory: str = ""
    """Subdirectory to search in."""
    limit: int = 20
    """Size of the first page, which is spread over files."""
    debug: bool = False
    evidence: bool = False
    """True to add the best matching line to ranked results."""

    @property
    def grouping(self) -> GroupBy | None:
        return None if self.result_mode == "raw" else self.group_by


class Factors(NamedTuple):
    """Parts of a ranking score, for explanations."""

    exact_match_boost: float = 0.0
    qualified_name_boost: float = 0.0
    path_affinity: float = 0.0
    definition_boost: float = 0.0
    kind_match: float = 0.0
    bm25_score: float = 0.0
    others: Mapping[str, float] = MappingProxyType({})


NO_FACTORS = Factors()


class Hit(NamedTuple):
    """One result: a symbol, a span of a file, or a match. Lines and columns count from 1."""

    path: RepoPath
    line_start: int
    line_end: int
    kind: str
    """Kind of the definition; "text" outside of definitions, "file" for a whole file."""
    name: str
    score: float = 0.0
    match_type: MatchType = "exact"
    column: int = 0
    """Column of the match, in characters; 0 for a symbol or a span."""
    match_line: int = 0
    """Line of the match, if it is not the first line."""
    snippet: str = ""
    qualified_name: str = ""
    lexical_path: str = ""
    signature: str = ""
    language: str = ""
    visibility: str = ""
    def_uid: str = ""
    def_line: int = 0
    """First line of the definition that the hit is, or lies in."""
    def_end: int = 0
    tier: str = ""
    """Tier of a reference: proven, strong, anchored or unknown."""
    is_import: bool = False
    """True for a reference that imports the symbol."""
    via: str = ""
    """Reference of another symbol that the occurrence names, if it reaches the target through that symbol."""
    role: str = "source"
    """Role of the file: source, test, docs, example, generated, vendored, config, build."""
    collapsed: int = 0
    """Further matches in the group that the hit represents."""
    evidence_line: int = 0
    """Best matching line of a ranked result, if it is not the first line."""
    evidence: str = ""
    literal: bool = False
    """True if the evidence line contains the query literally, or is its message template."""
    factors: Factors = NO_FACTORS


@dataclass(frozen=True)
class SkippedFile:
    path: RepoPath
    reason: str


@dataclass(frozen=True)
class SearchResult:
    """Complete result of one search on one epoch, in a total order."""

    hits: tuple[Hit, ...]
    total: int
    """Matches that pass the scope and the filters; more than `hits` if those were truncated."""
    outside_scope: Mapping[str, int] = field(default_factory=dict)
    """Matches outside of the scope, by role."""
    suppressed: int = 0
    """Near-identical results that were dropped."""
    exhaustive: bool = False
    """True if every match was found and counted."""
    files: int = 0
    """Files with a match, for exhaustive searches."""
    skipped: tuple[SkippedFile, ...] = ()
    """Files that match the filters but were not searched."""
    similar: tuple[str, ...] = ()
    """References of symbols with a name similar to one that was not found."""
    not_found: str = ""
    """Message that no symbol has the requested name."""
    notices: tuple[Notice, ...] = ()
    hints: Mapping[str, object] = field(default_factory=dict)
    debug: Mapping[str, object] = field(default_factory=dict)
