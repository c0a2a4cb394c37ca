"""Call graph quality on PyCG's micro-benchmark, compared with published figures.

    python -m benchmarks.references.call_graph DATA --snippets FOLDER [--misses N] [--errors N] [--json]

DATA/pycg_snippets.txt names snippets (`category/name`, one a line), FOLDER is `micro-benchmark/snippets` of PyCG
(https://github.com/vitsalis/PyCG). A snippet is a small program with `callgraph.json`, the edges that it has. Of each
a copy without that file is indexed, and the tool `call_graph` is asked about every definition. Edges are compared as
sets, names without edges are not.
A snippet is sound when no edge is missing, complete when none is too many.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from pathlib import Path

from benchmarks.measure import Figure, Result, Table, emit
from benchmarks.references.codeplane_calls import edges as ask_ours
from benchmarks.trees import commit_all, scratch

REACH = {"precision": 0.97, "recall": 0.88}
PUBLISHED = {"PyCG": (0.976, 0.932), "pyan3": (0.706, 0.610), "code2flow": (0.899, 0.371)}
"""Precision and recall on the same suite, measured elsewhere."""
_LIST = "pycg_snippets.txt"
_TRUTH = "callgraph.json"
Edge = tuple[str, str]
Graph = Mapping[str, Iterable[str]]


@dataclass(frozen=True)
class Score:
    """Counts, which can be added up."""

    hit: int = 0
    wrong: int = 0
    missed: int = 0
    snippets: int = 0
    sound: int = 0
    complete: int = 0

    def __add__(self, other: Score) -> Score:
        return Score(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))

    @property
    def edges(self) -> int:
        return self.hit + self.missed

    @property
    def precision(self) -> float:
        return self.hit / max(1, self.hit + self.wrong)

    @property
    def recall(self) -> float:
        return self.hit / max(1, self.edges)


@dataclass(frozen=True)
class Compared:
    """One snippet."""

    name: str
    wrong: tuple[Edge, ...]
    missed: tuple[Edge, ...]
    score: Score

    @property
    def category(self) -> str:
        return self.name.partition("/")[0]


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--snippets", type=Path, required=True, metavar="FOLDER")
    arguments.add_argument("--misses", type=int, default=0, metavar="N", help="list N edges that we missed")
    arguments.add_argument("--errors", type=int, default=0, metavar="N", help="list N edges that are not there")
    arguments.add_argument("--json", action="store_true", help="one line of JSON with every value")
    given = arguments.parse_args()
    names = (given.data / _LIST).read_text("utf-8").split()
    result = measure(names, given.snippets.resolve(), ask_ours, misses=given.misses, errors=given.errors)
    return emit(result, given.json)


def measure(
    names: Sequence[str], snippets: Path, ask: Callable[[Path], Graph], *, misses: int = 0, errors: int = 0
) -> Result:
    result = Result("calls", 1)
    compared = []
    with scratch() as room:
        for name in names:
            truth = snippets / name / _TRUTH
            if not truth.is_file():
                raise SystemExit(f"{snippets / name} has no {_TRUTH}")
            # The folder keeps its name, and each tree a parent of its own.
            tree = room / name
            shutil.copytree(truth.parent, tree, ignore=shutil.ignore_patterns(_TRUTH, "README.md"))
            compared.append(compare(name, json.loads(truth.read_text("utf-8")), ask(commit_all(tree))))
    _report(result, compared)
    for title, limit, listed in (
        ("missed", misses, [(one.name, edge) for one in compared for edge in one.missed]),
        ("not there", errors, [(one.name, edge) for one in compared for edge in one.wrong]),
    ):
        if limit:
            rows = tuple((name, caller, callee) for name, (caller, callee) in listed[:limit])
            result.tables.append(Table(f"{title}: {len(listed)}", ("snippet", "caller", "callee"), rows))
    return result.finish()


def compare(name: str, truth: Graph, found: Graph) -> Compared:
    wanted, ours = _edges(truth), _edges(found)
    wrong, missed = tuple(sorted(ours - wanted)), tuple(sorted(wanted - ours))
    score = Score(len(wanted & ours), len(wrong), len(missed), 1, not missed, not wrong)
    return Compared(name, wrong, missed, score)


def _edges(graph: Graph) -> set[Edge]:
    return {(caller, callee) for caller, callees in graph.items() for callee in callees}


def _report(result: Result, compared: Sequence[Compared]) -> None:
    categories = sorted({one.category for one in compared})
    scores = {
        category: sum((one.score for one in compared if one.category == category), Score()) for category in categories
    }
    whole = sum(scores.values(), Score())
    rows = [(category, *_cells(score)) for category, score in scores.items()]
    columns = ("", "precision", "recall", "edges", "sound", "complete")
    result.tables.append(Table("by category", columns, tuple(rows)))
    others = [(name, _share(precision), _share(recall), "", "", "") for name, (precision, recall) in PUBLISHED.items()]
    reach = ("to reach", _share(REACH["precision"]), _share(REACH["recall"]), "", "", "")
    total = [("codeplane", *_cells(whole)), *others, reach]
    result.tables.append(Table("all, beside published figures", columns, tuple(total)))
    for share, least in REACH.items():
        value = getattr(whole, share)
        beside = ", ".join(f"{name} {_share(found[share == 'recall'])}" for name, found in PUBLISHED.items())
        result.figures.append(Figure(f"{share}: short of {least}", max(0.0, round(least - value, 4)), "", 0.0, beside))
    result.data = {
        "all": {**asdict(whole), "precision": whole.precision, "recall": whole.recall},
        "categories": {name: asdict(score) for name, score in scores.items()},
        "snippets": {one.name: {"wrong": one.wrong, "missed": one.missed} for one in compared},
    }


def _cells(score: Score) -> tuple[str, ...]:
    counts = (f"{score.sound}/{score.snippets}", f"{score.complete}/{score.snippets}")
    return (_share(score.precision), _share(score.recall), str(score.edges), *counts)


def _share(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


if __name__ == "__main__":
    sys.exit(main())
