"""Definitions whose name matches the query: exactly, in another style, by prefix, by words, or misspelled.

Each kind of match has its own weight; a definition keeps its best match.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

from codeplane.base.edit_distance import edit_distance
from codeplane.base.paths import basename
from codeplane.facts.words import name_key
from codeplane.operations.search.query_features import NameEvidence, QueryFeatures, QueryShape, covered
from codeplane.operations.search.weights import Weights
from codeplane.query.snapshot import Snapshot
from codeplane.query.text import (
    IDF_STEPS,
    FileBrief,
    PassageMatch,
    list_passages_named,
    list_passages_named_like,
    list_passages_with_name_part,
    list_passages_with_prefix,
    rank_names,
    read_kinds,
)

MAX_NAMED = 1000
MAX_LIKE = 120
MIN_KEY_FOR_TYPO = 4
MIN_KEY_FOR_TWO_EDITS = 6
MIN_KEY_INSIDE = 3
MAX_KEY_GUESSED = 120
"""Longer names are not matched by prefix or edit distance; the text index accepts no longer pattern."""

PassageKey = tuple[int, int, int, int, str]
"""A passage: file, definition, first line, last line, name."""
FileFilter = Callable[[FileBrief], bool]

MINOR_KINDS = frozenset(
    {
        "alias", "block", "cell", "column", "element", "enum_member", "field", "heading", "import", "index", "key",
        "parameter", "property", "selector", "stage", "trigger", "variable",
    }
)  # fmt: skip
"""Kinds of definitions that hold no code."""

_SPLIT_DECLARATION_LANGUAGES = frozenset({"c", "cpp"})
"""Languages that declare a symbol in one file and define it in another."""
_DECLARATION_FACTOR = 0.75
_MIN_SHARE = 0.5
"""Minimum share of the query's idf that a name must cover."""
_SEPARATORS = re.compile(r"::|->|[.#/]")


class NameMatchKind(Enum):
    EXACT = "exact"
    STYLE = "style"
    IDENTIFIER = "identifier"
    NEIGHBOURS = "neighbours"
    PREFIX = "prefix"
    PART = "part"
    TYPO = "typo"
    INSIDE = "inside"

    @property
    def is_exact(self) -> bool:
        return self in (NameMatchKind.EXACT, NameMatchKind.STYLE)


@dataclass(frozen=True)
class NameMatch:
    match: PassageMatch
    kind: NameMatchKind
    boost: float
    kind_boost: float = 0.0
    """For a definition that holds code, among those of the same name."""
    qualified_boost: float = 0.0
    """For a definition inside of the query's qualifiers."""

    @property
    def total(self) -> float:
        return self.boost + self.kind_boost + self.qualified_boost


def passage_key(match: PassageMatch) -> PassageKey:
    return (match.file.file_id, match.definition, match.first, match.last, match.name)


def find_name_matches(
    snapshot: Snapshot, features: QueryFeatures, idf: dict[str, int], weights: Weights, accepts: FileFilter
) -> dict[PassageKey, NameMatch]:
    """Return the best match of each definition. Fuzzy matching only applies to queries that may be a name."""
    found: dict[PassageKey, NameMatch] = {}

    def add(matches: Iterable[PassageMatch], make: Callable[[PassageMatch], NameMatch]) -> None:
        for match in matches:
            if accepts(match.file):
                _add(found, make(match))

    if features.names:
        named = list_passages_named(snapshot, dict.fromkeys(features.names, 1), MAX_NAMED)
        add(named, lambda match: _by_key(match, features, weights))
    key = features.key
    if features.shape is not QueryShape.TEXT and 0 < len(key) <= MAX_KEY_GUESSED:
        if features.shape is QueryShape.NAME:
            if len(key) > 1:
                begun = list_passages_with_prefix(snapshot, key, MAX_LIKE)
                add(begun, lambda match: _by_prefix(match, key, weights))
            # Separate words are ranked by the whole text instead.
            for name_match in _by_words(snapshot, features, idf, weights, accepts):
                _add(found, name_match)
        if len(key) >= MIN_KEY_FOR_TYPO and not any(match.kind.is_exact for match in found.values()):
            edits = 2 if len(key) >= MIN_KEY_FOR_TWO_EDITS else 1
            near = list_passages_named_like(snapshot, key, edits, MAX_LIKE)
            add(near, lambda match: _by_typo(match, key, weights))
        if not found and len(key) >= MIN_KEY_INSIDE and features.shape is QueryShape.NAME:
            inside = list_passages_with_name_part(snapshot, key, MAX_LIKE)
            add(inside, lambda match: _by_inside(match, key, weights))
    return _with_boosts(snapshot, features, found, weights)


def _add(found: dict[PassageKey, NameMatch], match: NameMatch) -> None:
    key = passage_key(match.match)
    if key not in found or match.boost > found[key].boost:
        found[key] = match


def _with_boosts(
    snapshot: Snapshot, features: QueryFeatures, found: dict[PassageKey, NameMatch], weights: Weights
) -> dict[PassageKey, NameMatch]:
    """Apply the factors that depend on all matches together.

    A name that few files define weighs more, unless it is exactly the requested one. Fields and variables rank behind
    definitions that hold code; definitions inside of the query's qualifiers rank first.
    """
    files = snapshot.epoch.files
    known = read_kinds(snapshot, [key[:2] for key in found]) if features.shape is not QueryShape.TEXT else {}
    names = {key: name_key(match.match.name) for key, match in found.items()}
    owners: dict[str, set[int]] = {}
    for key, name in names.items():
        owners.setdefault(name, set()).add(key[0])
    idf = {name: math.log(1 + files / len(ids)) for name, ids in owners.items()}
    # However common, the requested name ranks before names that merely begin like it.
    idf[features.key] = math.log(1 + files)
    bodied = {names[key] for key, match in found.items() if _has_body(match.match)}
    boosted: dict[PassageKey, NameMatch] = {}
    for key, match in found.items():
        boost = match.boost * idf[names[key]]
        is_split = match.match.file.language in _SPLIT_DECLARATION_LANGUAGES
        if is_split and names[key] in bodied and not _has_body(match.match):
            boost *= _DECLARATION_FACTOR
        kind, qualified = known.get(key[:2], ("", ""))
        kind_boost = 0.0 if kind in MINOR_KINDS or features.shape is QueryShape.TEXT else weights.kind * boost
        share = _qualifier_share(features, qualified, match.match.file.path)
        boosted[key] = NameMatch(match.match, match.kind, boost, kind_boost, share * boost)
    return boosted


def _has_body(match: PassageMatch) -> bool:
    return match.last - match.first > 1


def _qualifier_share(features: QueryFeatures, qualified: str, path: str) -> float:
    """Return the share of the query's qualifiers that the definition lies in, by qualified name or else by path."""
    if not features.qualifiers:
        return 0.0
    own = [name_key(part) for part in _SEPARATORS.split(qualified)[:-1]]
    inner = own[-1] if own else None
    in_path = {name_key(part) for part in path.split("/")} | {name_key(basename(path).partition(".")[0])}
    found = sum(
        1.0 if part == inner else 0.8 if part in own else 0.6 if part in in_path else 0.0
        for part in features.qualifiers
    )
    return found / len(features.qualifiers)


def _by_key(match: PassageMatch, features: QueryFeatures, weights: Weights) -> NameMatch:
    evidence = features.names[name_key(match.name)]
    if evidence is NameEvidence.IDENTIFIER:
        boost = weights.ident * (1.0 if match.name in features.identifiers else 0.5)
        return NameMatch(match, NameMatchKind.IDENTIFIER, boost)
    if evidence is NameEvidence.NEIGHBOURS:
        return NameMatch(match, NameMatchKind.NEIGHBOURS, weights.neighbours)
    if match.name == features.last:
        return NameMatch(match, NameMatchKind.EXACT, weights.exact)
    if match.name.lower() == features.last.lower():
        return NameMatch(match, NameMatchKind.EXACT, weights.exact * 0.53)
    return NameMatch(match, NameMatchKind.STYLE, weights.exact * 0.5)


def _by_prefix(match: PassageMatch, key: str, weights: Weights) -> NameMatch:
    share = len(key) / max(1, len(name_key(match.name)))
    return NameMatch(match, NameMatchKind.PREFIX, weights.prefix * (0.4 + 0.6 * share))


def _by_typo(match: PassageMatch, key: str, weights: Weights) -> NameMatch:
    other = name_key(match.name)
    same_start = 0.1 if key[:1] == other[:1] else 0.0
    share = max(0.1, 1 + same_start - 1.5 * edit_distance(key, other) / len(key))
    return NameMatch(match, NameMatchKind.TYPO, weights.typo * share)


def _by_inside(match: PassageMatch, key: str, weights: Weights) -> NameMatch:
    return NameMatch(match, NameMatchKind.INSIDE, weights.inside * len(key) / max(1, len(name_key(match.name))))


def _by_words(
    snapshot: Snapshot, features: QueryFeatures, idf: dict[str, int], weights: Weights, accepts: FileFilter
) -> Iterable[NameMatch]:
    words = {term: weight for term, weight in idf.items() if term in features.terms}
    total = sum(words.values())
    if not total:
        return
    # A word that is common compared to the rest matches too many names.
    rare = {term: weight for term, weight in words.items() if weight * 4 >= max(words.values())}
    least = total * _MIN_SHARE - (total - sum(rare.values()))
    for match in rank_names(snapshot, rare, MAX_LIKE, least):
        if not accepts(match.file):
            continue
        shared, parts = covered(match.name, features.terms)
        share = sum(words.get(term, IDF_STEPS) for term in shared) / total
        own_share = min(1.0, len(shared) / parts)
        if share >= _MIN_SHARE:
            yield NameMatch(match, NameMatchKind.PART, weights.part * share * share * (0.4 + 0.6 * own_share))
