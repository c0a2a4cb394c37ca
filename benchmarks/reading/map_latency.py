"""Latency of an uncached `map_repo`, by section and in total.

    python -m benchmarks.reading.map_latency REPOSITORY... [--rounds N] [--json]

Of an indexed copy, in one process, with the collector of garbage as the engine has it. Reports CPU
time: the median, and the minimum of all rounds, which is the undisturbed cost. A map is kept
for as long as the index stays the same, so most calls take a fraction of this. Tokens are characters by four.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import orjson
from benchmarks.measure import Figure, Result, Series, Table, amount, emit, interleaved, parser
from benchmarks.search.codeplane_search import Ours
from benchmarks.trees import copy_repository, scratch, settle

from codeplane.operations.map_repo import SECTIONS, map_repo
from codeplane.query.snapshot import Snapshot, open_current
from codeplane.store.layout import open_state

MOST_MAP = 0.200
ROUNDS = 15


def main() -> int:
    arguments = parser(__doc__, ROUNDS)
    arguments.add_argument("repositories", nargs="+", type=Path)
    given = arguments.parse_args()
    return emit(measure(given.repositories, given.rounds), given.json)


def measure(repositories: list[Path], rounds: int) -> Result:
    result = Result("map_latency", rounds)
    for repository in repositories:
        with scratch() as room:
            tree = copy_repository(repository, room / "tree")
            settle(tree)
            ours = Ours(room)
            try:
                ours.turn_to(tree)
                state = open_state(tree)
                assert state is not None
                with open_current(state, lexical=False) as snapshot:
                    _measure_one(result, snapshot, repository.resolve().name, rounds)
            finally:
                ours.close()
    return result.finish()


def _measure_one(result: Result, snapshot: Snapshot, name: str, rounds: int) -> None:
    def make(*include: str) -> float:
        started = time.thread_time()
        map_repo(snapshot, include or None, repo_name=name)
        return time.thread_time() - started

    calls = {"all sections": make, **{section: (lambda section=section: make(section)) for section in SECTIONS}}
    interleaved(2, calls)
    found = interleaved(rounds, calls)
    rows = tuple((title, _ms(series.median), _ms(min(series.values))) for title, series in found.items())
    size = len(orjson.dumps(map_repo(snapshot, repo_name=name).fields, default=str)) // 4
    result.tables.append(Table(f"{name}: a map of {size} tokens", ("", "median", "least"), rows))
    whole: Series = found["all sections"]
    beside = f"the structure alone {_ms(min(found['structure'].values))}; median {_ms(whole.median)}"
    result.figures.append(Figure(f"{name}: map_repo", min(whole.values) * 1000, "ms", MOST_MAP * 1000, beside))
    result.data[name] = {title: series.values for title, series in found.items()} | {"tokens": size}


def _ms(seconds: float) -> str:
    return amount(seconds * 1000, "ms")


if __name__ == "__main__":
    sys.exit(main())
