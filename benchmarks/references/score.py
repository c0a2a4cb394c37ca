"""Scores of reference answers against the known references of each definition.

An answer is sure (PROVEN, STRONG, or of a contender without tiers) or not. A sure one is wrong where neither tool has
it, unless it was seen at run time; what only one tool has is never wrong. The definition's own position counts on
neither side. Pure arithmetic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields

from benchmarks.references.data import Answer, Position, Truth

SURE = frozenset({"PROVEN", "STRONG", ""})


@dataclass(frozen=True)
class Score:
    """Counts, which can be added up; the shares follow from them."""

    definitions: int = 0
    answered: int = 0
    agreed: int = 0
    union: int = 0
    hit_agreed: int = 0
    hit_union: int = 0
    hit_any_tier: int = 0
    errors: int = 0
    refuted: int = 0
    """Errors that run time speaks against."""
    beyond: int = 0
    """Right by run time alone: neither tool has them."""
    runtime: int = 0
    hit_runtime: int = 0
    exact: int = 0
    """Definitions with every agreed reference and no error."""

    def __add__(self, other: Score) -> Score:
        return Score(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))

    @property
    def precision(self) -> float:
        right = self.hit_union + self.beyond
        return _share(right, right + self.errors)

    @property
    def shares(self) -> dict[str, float | None]:
        return {
            "precision": self.precision,
            "recall_agreed": _share(self.hit_agreed, self.agreed),
            "recall_union": _share(self.hit_union, self.union),
            "recall_any_tier": _share(self.hit_any_tier, self.agreed),
            "recall_runtime": self.hit_runtime / self.runtime if self.runtime else None,
            "exact": _share(self.exact, self.definitions),
        }

    def as_document(self) -> dict[str, float | None]:
        counts = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "exact"}
        return {**counts, "exact_definitions": self.exact, **self.shares}


@dataclass(frozen=True)
class Verdict:
    """One definition: what it counts for, and which answers were wrong or missing."""

    score: Score
    wrong: tuple[Position, ...]
    missed: tuple[Position, ...]
    tiers: Mapping[str, tuple[int, int]]
    """By tier: how many answers, how many of them right."""


def judge(truth: Truth, answers: Iterable[Answer]) -> Verdict:
    own = truth.definition.position
    agreed, union = truth.agreed - {own}, (truth.agreed | truth.contested) - {own}
    tier_of = {answer.position: answer.tier for answer in answers if answer.position != own}
    every = frozenset(tier_of)
    sure = frozenset(position for position, tier in tier_of.items() if tier in SURE)
    wrong = sure - union - truth.confirmed
    given = Counter(tier_of.values())
    right = Counter(tier for position, tier in tier_of.items() if position in union | truth.confirmed)
    score = Score(
        definitions=1,
        answered=bool(every),
        agreed=len(agreed),
        union=len(union),
        hit_agreed=len(sure & agreed),
        hit_union=len(sure & union),
        hit_any_tier=len(every & agreed),
        errors=len(wrong),
        refuted=len((sure - union) & truth.refuted),
        beyond=len((sure - union) & truth.confirmed),
        runtime=len(truth.confirmed),
        hit_runtime=len(sure & truth.confirmed),
        exact=agreed <= sure and not wrong,
    )
    tiers = {tier: (given[tier], right[tier]) for tier in sorted(given)}
    return Verdict(score, tuple(sorted(wrong)), tuple(sorted(agreed - sure)), tiers)


def total(verdict: Iterable[Verdict]) -> Score:
    return sum((one.score for one in verdict), Score())


def total_tiers(verdict: Sequence[Verdict]) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for one in verdict:
        for tier, (given, right) in one.tiers.items():
            before = found.get(tier, (0, 0))
            found[tier] = (before[0] + given, before[1] + right)
    return dict(sorted(found.items()))


def _share(part: int, whole: int) -> float:
    """As a scorer must: nothing of nothing is nothing reached."""
    return part / max(1, whole)
