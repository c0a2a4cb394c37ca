"""Ranking: candidates from several lanes, scored together, one result per definition or stretch of lines.

Lanes: whole files by their terms and paths, passages by their terms, definitions by their names, paths that the query
mentions, places where it stands word for word. The files of all lanes are then scored by the same signals, so that it
does not matter which lane found them. A score is a sum; what each signal added is kept for the explanation.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
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
    PassageKey,
    find_name_matches,
    passage_key,
)
from codeplane.operations.search.phrases import Phrase
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
"""Files that each lane may propose."""
MAX_AGAIN = 8
ROWS_PER_FILE = 3
_FETCHED = 120
_SCORED_PASSAGES = 300
_FULL = 2.2
"""What BM25 gives a term that a text is full of, for each unit of its rarity."""
_UNIT = _FULL / (IDF_STEPS * LEVELS)
_STEMLESS = frozenset({"index", "mod", "__init__", "main", "lib", "init"})


@dataclass
class ScoredPassage:
    """A passage with its score, and what each signal added."""

    file: FileBrief
    definition: int
    first: int
    last: int
    name: str
    score: float = 0.0
    parts: dict[str, float] = field(default_factory=dict)
    way: str = ""

    @property
    def path(self) -> RepoPath:
        return self.file.path


@dataclass(frozen=True)
class Ranking:
    rows: tuple[ScoredPassage, ...]
    """Best first; of one file at most a few."""
    candidates: int
    outside: Mapping[str, int]
    """Candidate files that the scope left out, by role."""
    rarity: Mapping[str, int]


@dataclass(frozen=True)
class RankingScope:
    """Which files may answer. `among` is given where a filter leaves so few that ranking must keep to them."""

    accepts: FileFilter
    in_scope: FileFilter
    among: Collection[int] | None = None
    scope: Scope = "mixed"
    changed: frozenset[RepoPath] = frozenset()
    rows_per_file: int = ROWS_PER_FILE


def rank(
    snapshot: Snapshot,
    question: QueryFeatures,
    bounds: RankingScope,
    weights: Weights,
    *,
    names_only: bool,
    phrase: Phrase = MappingProxyType({}),
) -> Ranking:
    rarity = _emphasised(weigh_terms(snapshot, question.terms), question, weights)
    files = snapshot.epoch.files
    outside: dict[int, str] = {}

    def accepts(file: FileBrief) -> bool:
        if not bounds.accepts(file):
            return False
        if bounds.in_scope(file):
            return True
        outside[file.file_id] = file.role
        return False

    mentions = [] if names_only else find_mentioned_files(snapshot, question.paths)
    # The name of a file looks like that of a member, and is none where there is such a file.
    is_file = question.only_path and bool(mentions)
    named = {} if is_file else find_name_matches(snapshot, question, rarity, files, weights, bounds.accepts)
    # A name that is defined nowhere else is asked for where it is.
    here = any(one.is_exact and bounds.in_scope(one.match.file) for one in named.values())
    wide = not here and bounds.scope != "docs"
    named = {place: one for place, one in named.items() if accepts(one.match.file) or (wide and one.is_exact)}
    chosen: dict[int, FileBrief] = {}
    for one in sorted(named.values(), key=lambda one: (-one.total, one.match.file.path, one.match.first)):
        if len(chosen) >= MAX_CANDIDATES and not names_only:
            break
        chosen.setdefault(one.match.file.file_id, one.match.file)
    mentioned: dict[int, dict[str, float]] = {}
    holding: dict[PassageMatch, dict[str, float]] = {}
    if not names_only:
        whole = weights.exact * math.log(1 + files)
        for file, share in mentions:
            if accepts(file):
                chosen[file.file_id] = file
                mentioned[file.file_id] = {"mention": (whole if is_file else weights.mention) * share}
        line = whole if is_file else weights.ident * math.log(1 + files)
        for match, share in _find_lines(snapshot, question, accepts).items():
            holding[match] = {"line": line * share}
        for file, around in _find_phrase(snapshot, phrase, accepts):
            chosen.setdefault(file.file_id, file)
            parts = mentioned.setdefault(file.file_id, {}) if around is None else holding.setdefault(around, {})
            parts["phrase"] = weights.phrase * math.log(1 + files / len(phrase))
        _choose(snapshot, rarity, bounds, accepts, chosen)
    scored = _Scoring(question, rarity, files, weights, bounds, named, mentioned, holding)
    rows = scored.rows(snapshot, chosen, names_only=names_only)
    counts: dict[str, int] = {}
    for file_id, role in outside.items():
        if file_id not in chosen:
            counts[role] = counts.get(role, 0) + 1
    return Ranking(tuple(rows), len(chosen), dict(sorted(counts.items())), rarity)


def _emphasised(rarity: dict[str, int], question: QueryFeatures, weights: Weights) -> dict[str, int]:
    """What a long text says in its title, and says again, is what it is about."""
    if not question.title:
        return rarity
    return {
        term: round(
            weight
            * (weights.title if term in question.title else 1.0)
            * (1 + weights.again * math.log(min(MAX_AGAIN, question.terms.get(term, 1))))
        )
        for term, weight in rarity.items()
    }


def _choose(
    snapshot: Snapshot,
    rarity: Mapping[str, int],
    bounds: RankingScope,
    accepts: FileFilter,
    chosen: dict[int, FileBrief],
) -> None:
    """Files by whole text and path, and files of the best passages."""
    if not rarity:
        return
    by_path = {term: weight * LEVELS for term, weight in rarity.items()}
    if bounds.scope != "mixed":
        # Only to be counted: what the scope leaves out among the best.
        for match in rank_files(snapshot, rarity, MAX_CANDIDATES, path_weights=by_path, among=bounds.among):
            accepts(match.file)
    found = rank_files(snapshot, rarity, MAX_CANDIDATES, path_weights=by_path, among=bounds.among, scope=bounds.scope)
    passages = rank_passages(snapshot, rarity, _FETCHED, per_file=1, among=bounds.among, scope=bounds.scope)
    best = list(dict.fromkeys(match.file for match in passages if accepts(match.file)))
    for file in (*(match.file for match in found if accepts(match.file)), *best[: MAX_CANDIDATES // 2]):
        chosen.setdefault(file.file_id, file)


def _find_lines(snapshot: Snapshot, question: QueryFeatures, accepts: FileFilter) -> dict[PassageMatch, float]:
    """The definition around each line that the query names, and how sure its file is."""
    found: dict[PassageMatch, float] = {}
    files = {path: find_mentioned_files(snapshot, (path,)) for path in dict(question.lines)}
    for path, line in question.lines:
        for file, share in files[path]:
            match = _around(snapshot, file, line) if accepts(file) else None
            if match is not None:
                found[match] = max(found.get(match, 0.0), share)
    return found


def _find_phrase(
    snapshot: Snapshot, phrase: Phrase, accepts: FileFilter
) -> Iterator[tuple[FileBrief, PassageMatch | None]]:
    """File and definition of each line; what lies in no definition speaks for the file."""
    for path, lines in phrase.items():
        file = find_file_brief(snapshot, path)
        if file is not None and accepts(file):
            yield from ((file, _around(snapshot, file, line)) for line in lines)


def _around(snapshot: Snapshot, file: FileBrief, line: int) -> PassageMatch | None:
    """The innermost definition that holds code."""
    around = [
        row
        for row in list_outline_rows(snapshot, file.path)
        if row.start_line <= line <= row.end_line and row.kind not in MINOR_KINDS
    ]
    if not around:
        return None
    inner = max(around, key=lambda row: (row.start_line, row.start_col, -row.end_line, row.ordinal))
    return PassageMatch(file, inner.ordinal, inner.start_line, inner.end_line, inner.name, False, 0)


class _Scoring:
    """The signals of one query, applied to the files that were chosen."""

    def __init__(
        self,
        question: QueryFeatures,
        rarity: Mapping[str, int],
        files: int,
        weights: Weights,
        bounds: RankingScope,
        named: Mapping[PassageKey, NameMatch],
        mentioned: Mapping[int, Mapping[str, float]],
        holding: Mapping[PassageMatch, Mapping[str, float]],
    ) -> None:
        self._question = question
        self._rarity = {term: weight / IDF_STEPS for term, weight in rarity.items()}
        self._whole = dict(rarity)
        self._weights = weights
        self._bounds = bounds
        self._named = named
        self._mentioned = mentioned
        self._lines = tuple(holding)
        self._holding = {passage_key(match): parts for match, parts in holding.items()}

    def rows(self, snapshot: Snapshot, chosen: Mapping[int, FileBrief], *, names_only: bool) -> list[ScoredPassage]:
        texts: dict[int, int] = {}
        passages: dict[int, dict[PassageKey, PassageMatch]] = {}
        if not names_only and self._whole:
            texts = {
                match.file.file_id: match.score
                for match in rank_files(snapshot, self._whole, len(chosen), among=list(chosen))
            }
            for match in rank_passages(
                snapshot, self._whole, _SCORED_PASSAGES, per_file=self._bounds.rows_per_file + 1, among=list(chosen)
            ):
                passages.setdefault(match.file.file_id, {})[passage_key(match)] = match
        for place, one in self._named.items():
            if one.match.file.file_id in chosen:
                passages.setdefault(one.match.file.file_id, {}).setdefault(place, one.match._replace(score=0))
        for match in self._lines:
            passages.setdefault(match.file.file_id, {}).setdefault(passage_key(match), match)
        rows: list[ScoredPassage] = []
        for file_id, file in chosen.items():
            rows += self._rows_of_file(file, texts.get(file_id, 0), list(passages.get(file_id, {}).values()))
        rows.sort(key=ranking_order)
        return rows

    def _rows_of_file(self, file: FileBrief, text: int, passages: Sequence[PassageMatch]) -> list[ScoredPassage]:
        weights = self._weights
        own = {"bm25_file": weights.file * text * _UNIT, **self._path_parts(file)}
        rows = [self._row(file, match) for match in passages]
        rows.sort(key=ranking_order)
        if not rows:
            rows = [ScoredPassage(file, -1, 1, max(1, file.lines), "")]
        second = weights.second * rows[1].score if len(rows) > 1 else 0.0
        factor, factors = self._factor(file)
        for row in rows:
            row.parts = {**own, "second_passage": second, **row.parts}
            row.score = sum(row.parts.values()) * factor
            row.parts.update(factors)
        return rows[: self._bounds.rows_per_file]

    def _row(self, file: FileBrief, match: PassageMatch) -> ScoredPassage:
        weights = self._weights
        parts = {"bm25_passage": weights.passage * match.score * _UNIT}
        if match.name:
            shared, _ = covered(match.name, self._question.terms)
            parts["definition"] = weights.name * sum(self._rarity.get(term, 0.0) for term in shared)
        named = self._named.get(passage_key(match))
        if named is not None:
            parts["exact"] = named.worth
            parts["kind"] = named.kind_worth
            parts["qualified"] = named.qualified_worth
        parts.update(self._holding.get(passage_key(match), {}))
        row = ScoredPassage(file, match.definition, match.first, match.last, match.name, way=named.way if named else "")
        if match.aside and not (self._question.asks_for_tests or (named is not None and named.is_exact)):
            parts = {name: value * weights.aside for name, value in parts.items()}
        row.parts = parts
        row.score = sum(parts.values())
        return row

    def _path_parts(self, file: FileBrief) -> dict[str, float]:
        weights, rarity = self._weights, self._rarity
        terms, own = _path_words(file.path)
        parts = {"path": weights.path * sum(rarity[term] for term in terms if term in rarity)}
        shared = [term for term in own if term in rarity]
        if shared:
            parts["stem"] = weights.stem * sum(rarity[term] for term in shared) * len(shared) / len(own)
        begun = [
            term
            for term in own
            if len(term) > 2
            and term not in rarity
            and any(len(word) > len(term) + 1 and word.startswith(term) for word in self._question.words)
        ]
        if begun:
            parts["abbreviation"] = weights.abbreviation * weights.stem * len(begun) / len(own)
        return {**parts, **self._mentioned.get(file.file_id, {})}

    def _factor(self, file: FileBrief) -> tuple[float, dict[str, float]]:
        factors: dict[str, float] = {}
        if file.role != "source":
            asked = file.role in ("test", "fixture") and self._question.asks_for_tests
            factors["role_factor"] = 1.0 if asked else self._weights.roles.get(file.role, 1.0)
        if file.path in self._bounds.changed:
            factors["changed_factor"] = self._weights.changed
        factor = 1.0
        for value in factors.values():
            factor *= value
        return factor, factors


def ranking_order(row: ScoredPassage) -> tuple[float, str, int, str, int]:
    """Best first, then by path, line and name: total, whatever the order in which rows came."""
    return (-row.score, row.file.path, row.first, row.name, row.definition)


@lru_cache(maxsize=1 << 14)
def _path_words(path: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Terms of the path, and those of the name of the file, or of its folder where the name says nothing."""
    *folders, name = path.split("/")
    stem = name.partition(".")[0]
    if stem.lower() in _STEMLESS and folders:
        stem = folders[-1]
    own = terms_of(stem)
    return tuple(path_terms(path)), tuple(dict.fromkeys(own))
