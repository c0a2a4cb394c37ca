"""Ablation of the ranking signals: each is switched off in turn, on the questions of `search.quality`.

    python -m benchmarks.search.ablation DATA --mirror CLONES --work FOLDER [--sets B,C,D,S] [--sample 40] [--every N]
        [--signals NAME,NAME] [--json]

A line a signal: by how much NDCG@10 falls without it, set by set, with the 95 % interval of the difference over the
same questions. It pays if the interval lies above 0 in one set at least; on few questions, hardly anything does. A
weight is switched off by 0, and a factor by 1. Answers are kept as those of `search.quality` are, so that a run goes
on where it stopped; `--every` takes each Nth question.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path

from benchmarks.measure import Result, Table, emit
from benchmarks.search.codeplane_search import Ours, fingerprint
from benchmarks.search.data import SETS, Data, Question
from benchmarks.search.quality import OURS, names_of
from benchmarks.search.runs import Answers, answers_of
from benchmarks.search.score import interval, judge

from codeplane.operations.search.weights import WEIGHTS, Weights

_FACTORS = frozenset({"changed"})
_CLEAR = "*"
"""Behind a fall whose interval lies on one side of 0."""


def main() -> int:
    signals = tuple(field.name for field in fields(Weights))
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--mirror", type=Path, required=True, metavar="CLONES")
    arguments.add_argument("--work", type=Path, required=True, metavar="FOLDER")
    arguments.add_argument("--sets", type=names_of(SETS), default=["B", "C", "D", "S"], help="of A,B,C,D,S (all but A)")
    arguments.add_argument("--sample", type=int, help="rows of set A (all)")
    arguments.add_argument("--every", type=int, default=1, help="each Nth question of the other sets (1)")
    arguments.add_argument("--signals", type=names_of(signals), default=list(signals), help="only these")
    arguments.add_argument("--json", action="store_true", help="one line of JSON with every value")
    given = arguments.parse_args()
    data = Data(given.data.resolve(), given.mirror.resolve(), given.work.resolve())
    asked = {
        name: data.questions(name, given.sample) if name == "A" else data.questions(name)[:: given.every]
        for name in given.sets
    }
    return emit(measure(data, asked, given.signals), given.json)


def measure(data: Data, asked: Mapping[str, Sequence[Question]], signals: Sequence[str]) -> Result:
    result = Result("search_ablation", 1)
    kept_as = f"{OURS}-{fingerprint()}"
    whole = {name: answers_of(data, kept_as, partial(Ours, data.work), name, asked[name]) for name in asked}
    means = (f"{sum(_values(asked[name], whole[name])) / len(asked[name]):.3f}" for name in asked)
    rows: list[tuple[str, ...]] = [("all signals, NDCG@10", *means, "")]
    for signal in signals:
        start = partial(Ours, data.work, without(signal))
        cells, clear = [], []
        for name, questions in asked.items():
            answers = answers_of(data, f"{kept_as}-without-{signal}", start, name, questions)
            falls = [a - b for a, b in zip(_values(questions, whole[name]), _values(questions, answers), strict=True)]
            low, high = interval(falls)
            fall = sum(falls) / len(falls)
            result.data.setdefault(signal, {})[name] = {"fall": fall, "low": low, "high": high}
            cells.append(f"{fall:+.3f} {low:+.3f}…{high:+.3f}{_CLEAR if low > 0 or high < 0 else ' '}")
            clear.append(low > 0)
        rows.append((f"without {signal}", *cells, "pays" if any(clear) else "not shown to pay"))
    counts = ", ".join(f"{name} {len(questions)}" for name, questions in asked.items())
    title = f"by how much NDCG@10 falls; {_CLEAR} the interval lies on one side of 0; questions: {counts}"
    result.tables.append(Table(title, ("", *asked, ""), tuple(rows)))
    return result.finish()


def without(signal: str) -> Weights:
    """The weights with one signal switched off."""
    value = getattr(WEIGHTS, signal)
    nothing: object = {} if isinstance(value, Mapping) else 1.0 if signal in _FACTORS else 0.0
    return replace(WEIGHTS, **{signal: nothing})  # type: ignore[arg-type]


def _values(questions: Sequence[Question], answers: Answers) -> list[float]:
    return [judge(question, answers[question.id])["NDCG@10"] for question in questions]


if __name__ == "__main__":
    sys.exit(main())
