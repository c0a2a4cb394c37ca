"""Ranking: candidates from several retrievers, scored together, one result per definition or line range.

Retrievers: whole files by terms and path, passages by terms, definitions by name, mentioned paths, and literal
occurrences of the query. The files of all retrievers are scored by the same signals, so it does not matter which one
found them. A score is a sum; the part of each signal is kept for the explanation.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType

from codeplane.base.paths import RepoPath
from codeplane.facts.passages import LEVELS
from codeplane.facts.words import terms_of
from codeplane.languages.roles import Scope
from codeplane.operations.search.name_matches import (
    MINOR_KINDS,
    FileFilter,
    NameMatch,
    NameMatchKind,
    PassageKey,
    find_name_matches,
    passage_key,
)
from codeplane.operations.search.phrases import PhraseLines
from codeplane.operations.search.query_features import QueryFeatures, covered
from codeplane.operations.search.weights import Weights
from codeplane.query.outline import list_outline_rows
from codeplane.query.snapshot import Snapshot
from codeplane.query.text import (
    IDF_STEPS,
    FileBrief,
    PassageMatch,
    find_file_brief,
    find_mentioned_files,
    rank_files,
    rank_passages,
    weigh_terms,
)
from codeplane.store.lexical import path_terms

MAX_CANDIDATES = 80
"""Files that each retriever may propose."""
MAX_REPEATS = 8
ROWS_PER_FILE = 3
_FETCHED_PASSAGES = 120
_SCORED_PASSAGES = 300
_SATURATED = 2.2
"""BM25 score of a saturated term, per unit of idf."""
_UNIT = _SATURATED / (IDF_STEPS * LEVELS)
_GENERIC_STEMS = frozenset({"index", "mod", "__init__", "main", "lib", "init"})


@dataclass
class ScoredPassage:
    """A passage with its score, and the part of each signal."""

    file: FileBrief
    definition: int
    """Ordinal of the definition; -1 if the passage is not one."""
    first: int
    last: int
    name: str
    score: float = 0.0
    parts: dict[str, float] = field(default_factory=dict)
    name_match: NameMatchKind | None = None

    @property
    def path(self) -> RepoPath:
        return self.file.path

    @property
    def is_exact(self) -> bool:
        return self.name_match is not None and self.name_match.is_exact


@dataclass(frozen=True)
class Ranking:
    rows: tuple[ScoredPassage, ...]
    """Best first, at most a few per file."""
    candidates: int
    outside: Mapping[str, int]
    """Candidate files outside of the scope, by role."""
    idf: Mapping[str, int]


@dataclass(frozen=True)
class RankingScope:
    accepts: FileFilter
    """Path and language filters."""
    in_scope: FileFilter
    only_files: Collection[int] | None = None
    """File ids to retrieve from, if filters leave only some files."""
    scope: Scope = "mixed"
    changed: frozenset[RepoPath] = frozenset()
    rows_per_file: int = ROWS_PER_FILE


def rank(
    snapshot: Snapshot,
    features: QueryFeatures,
    scope: RankingScope,
    weights: Weights,
    *,
    names_only: bool,
    phrase: PhraseLines = MappingProxyType({}),
) -> Ranking:
    idf = _emphasised(weigh_terms(snapshot, features.terms), features, weights)
    retrieval = _Retrieval(snapshot, features, scope, weights, idf)
    retrieval.add_names(names_only=names_only)
    if not names_only:
        retrieval.add_mentions()
        retrieval.add_phrase(phrase)
        retrieval.add_texts()
    rows = _Scorer(retrieval).score(names_only=names_only)
    outside = Counter(role for file_id, role in retrieval.outside.items() if file_id not in retrieval.files)
    return Ranking(tuple(rows), len(retrieval.files), dict(sorted(outside.items())), idf)


def _emphasised(idf: dict[str, int], features: QueryFeatures, weights: Weights) -> dict[str, int]:
    """Boost the title terms and repeated terms of a long text."""
    if not features.title:
        return idf
    return {
        term: round(
            weight
            * (weights.title if term in features.title else 1.0)
            * (1 + weights.again * math.log(min(MAX_REPEATS, features.terms.get(term, 1))))
        )
        for term, weight in idf.items()
    }


class _Retrieval:
    """Candidate files of one query, with the boosts that retrievers give to files and passages."""

    def __init__(
        self,
        snapshot: Snapshot,
        features: QueryFeatures,
        scope: RankingScope,
        weights: Weights,
        idf: dict[str, int],
    ) -> None:
        self.snapshot = snapshot
        self.features = features
        self.scope = scope
        self.weights = weights
        self.idf = idf
        self.files: dict[int, FileBrief] = {}
        self.outside: dict[int, str] = {}
        """Roles of rejected files outside of the scope."""
        self.names: dict[PassageKey, NameMatch] = {}
        self.file_boosts: dict[int, dict[str, float]] = {}
        self.passage_boosts: dict[PassageMatch, dict[str, float]] = {}
        self._mentions: Sequence[tuple[FileBrief, float]] = ()
        self._is_file = False

    def add_names(self, *, names_only: bool) -> None:
        features, scope = self.features, self.scope
        self._mentions = [] if names_only else find_mentioned_files(self.snapshot, features.paths)
        # A file name looks like a member access; it is not one if such a file exists.
        self._is_file = features.only_path and bool(self._mentions)
        found: dict[PassageKey, NameMatch] = {}
        if not self._is_file:
            found = find_name_matches(self.snapshot, features, self.idf, self.weights, scope.accepts)
        # A name that is only defined outside of the scope is still returned.
        is_inside = any(match.kind.is_exact and scope.in_scope(match.match.file) for match in found.values())
        is_wide = not is_inside and scope.scope != "docs"
        self.names = {
            key: match
            for key, match in found.items()
            if self._accepts(match.match.file) or (is_wide and match.kind.is_exact)
        }
        best = sorted(self.names.values(), key=lambda match: (-match.total, match.match.file.path, match.match.first))
        for match in best:
            if len(self.files) >= MAX_CANDIDATES and not names_only:
                break
            self._add_file(match.match.file)

    def add_mentions(self) -> None:
        """Add mentioned files, and definitions around mentioned lines."""
        whole = self.weights.exact * self._max_idf
        for file, share in self._mentions:
            if self._accepts(file):
                self.files[file.file_id] = file
                boost = (whole if self._is_file else self.weights.mention) * share
                self.file_boosts[file.file_id] = {"mention": boost}
        line_boost = whole if self._is_file else self.weights.ident * self._max_idf
        for match, share in self._mentioned_lines().items():
            self.passage_boosts[match] = {"line": line_boost * share}

    def add_phrase(self, phrase: PhraseLines) -> None:
        """Add definitions that contain the query literally; a line outside of definitions boosts its file."""
        for path, lines in phrase.items():
            file = find_file_brief(self.snapshot, path)
            if file is None or not self._accepts(file):
                continue
            for line in lines:
                self._add_file(file)
                passage = _enclosing_passage(self.snapshot, file, line)
                if passage is None:
                    parts = self.file_boosts.setdefault(file.file_id, {})
                else:
                    parts = self.passage_boosts.setdefault(passage, {})
                parts["phrase"] = self.weights.phrase * math.log(1 + self.snapshot.epoch.files / len(phrase))

    def add_texts(self) -> None:
        """Add files by whole text and path, and the files of the best passages."""
        if not self.idf:
            return
        snapshot, scope, only = self.snapshot, self.scope.scope, self.scope.only_files
        by_path = {term: weight * LEVELS for term, weight in self.idf.items()}
        if scope != "mixed":
            # Only to count the best files outside of the scope.
            for match in rank_files(snapshot, self.idf, MAX_CANDIDATES, path_weights=by_path, among=only):
                self._accepts(match.file)
        files = rank_files(snapshot, self.idf, MAX_CANDIDATES, path_weights=by_path, among=only, scope=scope)
        passages = rank_passages(snapshot, self.idf, _FETCHED_PASSAGES, per_file=1, among=only, scope=scope)
        best = list(dict.fromkeys(match.file for match in passages if self._accepts(match.file)))
        for file in (*(match.file for match in files if self._accepts(match.file)), *best[: MAX_CANDIDATES // 2]):
            self._add_file(file)

    @property
    def _max_idf(self) -> float:
        return math.log(1 + self.snapshot.epoch.files)

    def _add_file(self, file: FileBrief) -> None:
        self.files.setdefault(file.file_id, file)

    def _accepts(self, file: FileBrief) -> bool:
        if not self.scope.accepts(file):
            return False
        if self.scope.in_scope(file):
            return True
        self.outside[file.file_id] = file.role
        return False

    def _mentioned_lines(self) -> dict[PassageMatch, float]:
        """Return the definition around each mentioned line, with the confidence in its file."""
        found: dict[PassageMatch, float] = {}
        files = {path: find_mentioned_files(self.snapshot, (path,)) for path in dict(self.features.lines)}
        for path, line in self.features.lines:
            for file, share in files[path]:
                match = _enclosing_passage(self.snapshot, file, line) if self._accepts(file) else None
                if match is not None:
                    found[match] = max(found.get(match, 0.0), share)
        return found


def _enclosing_passage(snapshot: Snapshot, file: FileBrief, line: int) -> PassageMatch | None:
    """Return the innermost definition around a line that holds code."""
    enclosing = [
        row
        for row in list_outline_rows(snapshot, file.path)
        if row.start_line <= line <= row.end_line and row.kind not in MINOR_KINDS
    ]
    if not enclosing:
        return None
    inner = max(enclosing, key=lambda row: (row.start_line, row.start_col, -row.end_line, row.ordinal))
    return PassageMatch(file, inner.ordinal, inner.start_line, inner.end_line, inner.name, False, 0)


class _Scorer:
    """Applies the signals of one query to the retrieved files."""

    def __init__(self, retrieval: _Retrieval) -> None:
        self._retrieval = retrieval
        self._features = retrieval.features
        self._weights = retrieval.weights
        self._scope = retrieval.scope
        self._idf = {term: weight / IDF_STEPS for term, weight in retrieval.idf.items()}
        self._passage_boosts = {passage_key(match): parts for match, parts in retrieval.passage_boosts.items()}

    def score(self, *, names_only: bool) -> list[ScoredPassage]:
        snapshot, files, idf = self._retrieval.snapshot, self._retrieval.files, self._retrieval.idf
        texts: dict[int, int] = {}
        passages: dict[int, dict[PassageKey, PassageMatch]] = {}

        def add(match: PassageMatch) -> None:
            passages.setdefault(match.file.file_id, {}).setdefault(passage_key(match), match)

        if not names_only and idf:
            per_file = self._scope.rows_per_file + 1
            texts = {
                found.file.file_id: found.score for found in rank_files(snapshot, idf, len(files), among=list(files))
            }
            for match in rank_passages(snapshot, idf, _SCORED_PASSAGES, per_file=per_file, among=list(files)):
                add(match)
        for name_match in self._retrieval.names.values():
            if name_match.match.file.file_id in files:
                add(name_match.match._replace(score=0))
        for match in self._retrieval.passage_boosts:
            add(match)
        rows: list[ScoredPassage] = []
        for file_id, file in files.items():
            rows += self._score_file(file, texts.get(file_id, 0), list(passages.get(file_id, {}).values()))
        rows.sort(key=ranking_order)
        return rows

    def _score_file(self, file: FileBrief, text_score: int, passages: Sequence[PassageMatch]) -> list[ScoredPassage]:
        weights = self._weights
        file_parts = {"bm25_file": weights.file * text_score * _UNIT, **self._path_parts(file)}
        rows = sorted((self._score_passage(file, match) for match in passages), key=ranking_order)
        if not rows:
            rows = [ScoredPassage(file, -1, 1, max(1, file.lines), "")]
        second = weights.second * rows[1].score if len(rows) > 1 else 0.0
        factors = self._factors(file)
        for row in rows:
            row.parts = {**file_parts, "second_passage": second, **row.parts}
            row.score = sum(row.parts.values()) * math.prod(factors.values())
            row.parts.update(factors)
        return rows[: self._scope.rows_per_file]

    def _score_passage(self, file: FileBrief, match: PassageMatch) -> ScoredPassage:
        weights = self._weights
        parts = {"bm25_passage": weights.passage * match.score * _UNIT}
        if match.name:
            shared, _ = covered(match.name, self._features.terms)
            parts["definition"] = weights.name * sum(self._idf.get(term, 0.0) for term in shared)
        named = self._retrieval.names.get(passage_key(match))
        if named is not None:
            parts["exact"] = named.boost
            parts["kind"] = named.kind_boost
            parts["qualified"] = named.qualified_boost
        parts.update(self._passage_boosts.get(passage_key(match), {}))
        row = ScoredPassage(file, match.definition, match.first, match.last, match.name)
        row.name_match = named.kind if named is not None else None
        if match.aside and not (self._features.asks_for_tests or row.is_exact):
            parts = {name: value * weights.aside for name, value in parts.items()}
        row.parts = parts
        row.score = sum(parts.values())
        return row

    def _path_parts(self, file: FileBrief) -> dict[str, float]:
        weights, idf = self._weights, self._idf
        terms, stem = _path_words(file.path)
        parts = {"path": weights.path * sum(idf[term] for term in terms if term in idf)}
        shared = [term for term in stem if term in idf]
        if shared:
            parts["stem"] = weights.stem * sum(idf[term] for term in shared) * len(shared) / len(stem)
        abbreviations = [term for term in stem if self._is_abbreviation(term)]
        if abbreviations:
            parts["abbreviation"] = weights.abbreviation * weights.stem * len(abbreviations) / len(stem)
        return {**parts, **self._retrieval.file_boosts.get(file.file_id, {})}

    def _is_abbreviation(self, term: str) -> bool:
        """True if the term begins a longer word of the query."""
        if len(term) <= 2 or term in self._idf:
            return False
        return any(len(word) > len(term) + 1 and word.startswith(term) for word in self._features.words)

    def _factors(self, file: FileBrief) -> dict[str, float]:
        factors: dict[str, float] = {}
        if file.role != "source":
            is_wanted = file.role in ("test", "fixture") and self._features.asks_for_tests
            factors["role_factor"] = 1.0 if is_wanted else self._weights.roles.get(file.role, 1.0)
        if file.path in self._scope.changed:
            factors["changed_factor"] = self._weights.changed
        return factors


def ranking_order(row: ScoredPassage) -> tuple[float, str, int, str, int]:
    """Sort key: best first, then by path, line and name; a total order."""
    return (-row.score, row.file.path, row.first, row.name, row.definition)


@lru_cache(maxsize=1 << 14)
def _path_words(path: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the terms of the path, and of the file name, or of its folder if the file name is generic."""
    *folders, name = path.split("/")
    stem = name.partition(".")[0]
    if stem.lower() in _GENERIC_STEMS and folders:
        stem = folders[-1]
    return tuple(path_terms(path)), tuple(dict.fromkeys(terms_of(stem)))
