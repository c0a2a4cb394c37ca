"""Definitions whose name the query means: the very name, another style of it, its beginning, its words, a slip.

Each way has its own worth; a definition has that of the best way in which it was found.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

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
"""Nobody misspells, or begins, a longer name; and the text index takes no longer pattern."""

PassageKey = tuple[int, int, int, int, str]
"""A passage: file, definition, first line, last line, name."""
FileFilter = Callable[[FileBrief], bool]


@dataclass(frozen=True)
class NameMatch:
    match: PassageMatch
    way: str
    """exact, style, identifier, neighbours, prefix, part, typo or inside."""
    worth: float
    kind_worth: float = 0.0
    """For a definition that holds code, among those of the very name."""
    qualified_worth: float = 0.0
    """For one that lies in what the query says."""

    @property
    def total(self) -> float:
        return self.worth + self.kind_worth + self.qualified_worth

    @property
    def is_exact(self) -> bool:
        return self.way in ("exact", "style")


def passage_key(match: PassageMatch) -> PassageKey:
    return (match.file.file_id, match.definition, match.first, match.last, match.name)


def find_name_matches(
    snapshot: Snapshot,
    question: QueryFeatures,
    rarity: dict[str, int],
    files: int,
    weights: Weights,
    accepts: FileFilter,
) -> dict[PassageKey, NameMatch]:
    """The best of all ways for each definition. Guesses are only made for a query that may be a name."""
    found: dict[PassageKey, NameMatch] = {}
    asked = list_passages_named(snapshot, dict.fromkeys(question.names, 1), MAX_NAMED) if question.names else []
    _add(found, (_by_key(match, question, weights) for match in asked if accepts(match.file)))
    if question.shape is QueryShape.TEXT or not 0 < len(question.key) <= MAX_KEY_GUESSED:
        return _judged(snapshot, question, found, files, weights)
    key = question.key
    if len(key) > 1 and question.shape is QueryShape.NAME:
        begun = list_passages_with_prefix(snapshot, key, MAX_LIKE)
        _add(found, (_by_beginning(match, key, weights) for match in begun if accepts(match.file)))
    if question.shape is QueryShape.NAME:
        # Words with spaces between them are ranked by all that the text has of them.
        _add(found, _by_words(snapshot, question, rarity, weights, accepts))
    exact = any(named.is_exact for named in found.values())
    if not exact and len(key) >= MIN_KEY_FOR_TYPO:
        edits = 2 if len(key) >= MIN_KEY_FOR_TWO_EDITS else 1
        near = list_passages_named_like(snapshot, key, edits, MAX_LIKE)
        _add(found, (_by_slip(match, key, weights) for match in near if accepts(match.file)))
    if not found and len(key) >= MIN_KEY_INSIDE and question.shape is QueryShape.NAME:
        inside = list_passages_with_name_part(snapshot, key, MAX_LIKE)
        _add(found, (_by_inside(match, key, weights) for match in inside if accepts(match.file)))
    return _judged(snapshot, question, found, files, weights)


def _add(found: dict[PassageKey, NameMatch], more: Iterable[NameMatch]) -> None:
    for named in more:
        place = passage_key(named.match)
        known = found.get(place)
        if known is None or named.worth > known.worth:
            found[place] = named


def _judged(
    snapshot: Snapshot, question: QueryFeatures, found: dict[PassageKey, NameMatch], files: int, weights: Weights
) -> dict[PassageKey, NameMatch]:
    """What can only be said of all together.

    A name that few files define says more, unless it is the very one that was asked for. Fields and variables stand
    behind what holds code; what lies where the query says stands before the rest.
    """
    known = read_kinds(snapshot, [place[:2] for place in found]) if question.shape is not QueryShape.TEXT else {}
    keys = {place: name_key(named.match.name) for place, named in found.items()}
    owners: dict[str, set[int]] = {}
    for place, key in keys.items():
        owners.setdefault(key, set()).add(place[0])
    rarity = {key: math.log(1 + files / len(ids)) for key, ids in owners.items()}
    # However many are called so, a name that merely begins like it is not meant before it.
    rarity[question.key] = math.log(1 + files)
    bodied = {keys[place] for place, named in found.items() if _has_body(named.match)}
    judged: dict[PassageKey, NameMatch] = {}
    for place, named in found.items():
        worth = named.worth * rarity[keys[place]]
        if keys[place] in bodied and named.match.file.language in _DECLARED_APART and not _has_body(named.match):
            worth *= _DECLARATION
        kind, qualified = known.get(place[:2], ("", ""))
        for_kind = 0.0 if kind in MINOR_KINDS or question.shape is QueryShape.TEXT else weights.kind * worth
        share = _share_of_qualifiers(question, qualified, named.match.file.path)
        judged[place] = NameMatch(named.match, named.way, worth, for_kind, share * worth)
    return judged


_DECLARED_APART = frozenset({"c", "cpp"})
"""Languages in which a thing is declared in one file and defined in another."""
_DECLARATION = 0.75


def _has_body(match: PassageMatch) -> bool:
    return match.last - match.first > 1


def _share_of_qualifiers(question: QueryFeatures, qualified: str, path: str) -> float:
    """How much of what stands before the name in the query the definition lies in; by its path where facts say less."""
    if not question.qualifiers:
        return 0.0
    own = [name_key(part) for part in _PARTS.split(qualified)[:-1]]
    inner = own[-1] if own else None
    places = {name_key(part) for part in path.split("/")} | {name_key(basename(path).partition(".")[0])}
    found = sum(
        1.0 if part == inner else 0.8 if part in own else 0.6 if part in places else 0.0 for part in question.qualifiers
    )
    return found / len(question.qualifiers)


_PARTS = re.compile(r"::|->|[.#/]")


MINOR_KINDS = frozenset(
    {
        "alias", "block", "cell", "column", "element", "enum_member", "field", "heading", "import", "index", "key",
        "parameter", "property", "selector", "stage", "trigger", "variable",
    }
)  # fmt: skip


def _by_key(match: PassageMatch, question: QueryFeatures, weights: Weights) -> NameMatch:
    evidence = question.names[name_key(match.name)]
    if evidence is NameEvidence.WHOLE:
        if match.name == question.last:
            return NameMatch(match, "exact", weights.exact)
        same_letters = match.name.lower() == question.last.lower()
        return NameMatch(match, "exact" if same_letters else "style", weights.exact * (0.53 if same_letters else 0.5))
    if evidence is NameEvidence.IDENTIFIER:
        return NameMatch(match, "identifier", weights.ident * (1.0 if match.name in question.written else 0.5))
    return NameMatch(match, "neighbours", weights.neighbours)


def _by_beginning(match: PassageMatch, key: str, weights: Weights) -> NameMatch:
    return NameMatch(match, "prefix", weights.prefix * (0.4 + 0.6 * len(key) / max(1, len(name_key(match.name)))))


def _by_slip(match: PassageMatch, key: str, weights: Weights) -> NameMatch:
    other = name_key(match.name)
    slips = edit_distance(key, other)
    same_start = 0.1 if key[:1] == other[:1] else 0.0
    return NameMatch(match, "typo", weights.typo * max(0.1, 1 + same_start - 1.5 * slips / len(key)))


def _by_inside(match: PassageMatch, key: str, weights: Weights) -> NameMatch:
    return NameMatch(match, "inside", weights.inside * len(key) / max(1, len(name_key(match.name))))


def _by_words(
    snapshot: Snapshot, question: QueryFeatures, rarity: dict[str, int], weights: Weights, accepts: FileFilter
) -> Iterable[NameMatch]:
    words = {term: weight for term, weight in rarity.items() if term in question.terms}
    total = sum(words.values())
    if not total:
        return
    # What is common beside the rest finds too much, and no name by itself.
    telling = {term: weight for term, weight in words.items() if weight * 4 >= max(words.values())}
    least = total * _LEAST_SHARE - (total - sum(telling.values()))
    for match in rank_names(snapshot, telling, MAX_LIKE, least):
        if not accepts(match.file):
            continue
        shared, parts = covered(match.name, question.terms)
        share = sum(words.get(term, IDF_STEPS) for term in shared) / total
        own = min(1.0, len(shared) / parts)
        if share >= _LEAST_SHARE:
            yield NameMatch(match, "part", weights.part * share * share * (0.4 + 0.6 * own))


_LEAST_SHARE = 0.5
"""Of what the words of the query weigh; a name with less of them is none that was meant."""
