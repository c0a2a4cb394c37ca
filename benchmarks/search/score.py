"""Scores of a ranking: of files, and of spans if the answer has lines.

Files are ranked by their first occurrence. NDCG@10 has gains of 0 or 1. A span is hit by a result that overlaps it,
unless the result is longer than 120 lines and than three such spans: a whole file points nowhere. A question without
an answer counts as 0. Intervals are of a bootstrap over questions, from a fixed seed.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.search.data import Place, Question

DEPTH = 10
_MRR_DEPTH = 100
_DRAWS = 1000
_LONG_LINES = 120


@dataclass(frozen=True)
class Score:
    """Means over questions; those of spans only where the truth has lines."""

    questions: int
    answered: int
    measures: Mapping[str, float]
    low: float
    high: float
    """Ends of the 95 % interval of NDCG@10."""

    @property
    def ndcg(self) -> float:
        return self.measures["NDCG@10"]


def score(questions: Sequence[Question], answers: Mapping[str, Sequence[Place]]) -> Score:
    rows = [judge(question, answers.get(question.id, ())) for question in questions]
    measures = {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}
    low, high = interval([row["NDCG@10"] for row in rows])
    return Score(len(rows), sum(question.id in answers for question in questions), measures, low, high)


def judge(question: Question, ranked: Sequence[Place]) -> dict[str, float]:
    """The measures of one answer."""
    files = list(dict.fromkeys(place.path for place in ranked))
    ranks = [rank for rank, path in enumerate(files, 1) if path in question.gold_files]
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(DEPTH, len(question.gold_files)) + 1))
    found = {
        "NDCG@10": sum(1 / math.log2(rank + 1) for rank in ranks if rank <= DEPTH) / ideal,
        "R@10": sum(rank <= DEPTH for rank in ranks) / len(question.gold_files),
        "Hit@1": float(bool(ranks) and ranks[0] == 1),
        "MRR": 1 / ranks[0] if ranks and ranks[0] <= _MRR_DEPTH else 0.0,
    }
    if question.gold:
        rank = next((n for n, place in enumerate(ranked, 1) if any(_hits(place, gold) for gold in question.gold)), None)
        for depth in (1, 5, 10):
            found[f"span Hit@{depth}"] = float(rank is not None and rank <= depth)
        found["span MRR"] = 1 / rank if rank is not None and rank <= _MRR_DEPTH else 0.0
    return found


def interval(values: Sequence[float], seed: int = 1) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the mean."""
    chance = random.Random(seed)
    count = len(values)
    means = sorted(sum(chance.choices(values, k=count)) / count for _ in range(_DRAWS))
    return means[int(_DRAWS * 0.025)], means[int(_DRAWS * 0.975) - 1]


def _hits(place: Place, gold: Place) -> bool:
    if place.start_line is None or place.path != gold.path:
        return False
    assert gold.start_line is not None and gold.end_line is not None
    end = place.end_line or place.start_line
    longest = max(_LONG_LINES, 3 * (gold.end_line - gold.start_line + 1))
    overlaps = place.start_line <= gold.end_line and end >= gold.start_line
    return overlaps and end - place.start_line + 1 <= longest
