"""Latency of navigation tools: `file_outline` of a file of two hundred symbols, and `list_files`.

    python -m benchmarks.reading.outline_latency REPOSITORY [--rounds N] [--json]

On an unchanged indexed copy, warm, in one process, through the pipeline of tools: from the arguments to the
finished envelope, with the policy that never looks at the tree. Times are CPU times, since others
may share the machine; the clock on the wall stands beside it. A ref of the same text is one that was parsed before.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from benchmarks.measure import Figure, Result, Series, Table, amount, emit, interleaved, parser, spread, timed
from benchmarks.search.codeplane_search import Ours
from benchmarks.server.repositories import OutlineFile, large_file, median_file, outline_files
from benchmarks.trees import copy_repository, scratch, settle

from codeplane.base.paths import parent
from codeplane.tools.calls import CallRequest
from codeplane.tools.surface import EVERYTHING

MOST_OUTLINE = 0.005
ROUNDS = 200
_WARM_UP = 20


def main() -> int:
    arguments = parser(__doc__, ROUNDS)
    arguments.add_argument("repository", type=Path)
    given = arguments.parse_args()
    return emit(measure(given.repository, given.rounds), given.json)


def measure(repository: Path, rounds: int) -> Result:
    result = Result("outline_latency", rounds)
    with scratch() as room:
        tree = copy_repository(repository, room / "tree")
        settle(tree)
        ours = Ours(room)
        try:
            ours.turn_to(tree)
            files = outline_files(tree)
            large, median = large_file(files), median_file(files)
            calls = _calls(ours, large, median)
            processor = {name: _clocked(work) for name, work in calls.items()}
            interleaved(_WARM_UP, processor)
            found = interleaved(rounds, processor)
            wall = interleaved(rounds, {name: partial(timed, work) for name, work in calls.items()})
        finally:
            ours.close()
    _report(result, f"{repository.resolve().name}: large file {large.symbols} symbols", found, wall)
    return result.finish()


def _calls(ours: Ours, large: OutlineFile, median: OutlineFile) -> dict[str, Callable[[], None]]:
    folder = parent(large.path) or "."
    asked: dict[str, tuple[str, Mapping[str, object]]] = {
        "outline, large file": ("file_outline", {"file": large.path}),
        "outline, large file, whole": ("file_outline", {"file": large.path, "limit_symbols": 1000}),
        "outline, large file, one symbol": ("file_outline", {"file": large.path, "symbol_label": "nothing"}),
        "outline, median file": ("file_outline", {"file": median.path}),
        "outline, large file, ref": ("file_outline", {"file": large.path, "ref": "HEAD"}),
        "list_files, its directory": ("list_files", {"path": folder}),
        "list_files, a pattern": ("list_files", {"pattern": "*.py"}),
    }

    def call(tool: str, arguments: Mapping[str, object]) -> None:
        policy = {} if "ref" in arguments else {"freshness_policy": "best_effort"}
        body, is_error, _ = ours.pipeline.call(
            CallRequest(tool, {**arguments, **policy}, principal="benchmark", surface=EVERYTHING)
        )
        if is_error:
            raise SystemExit(f"{tool} {arguments}: {body.decode()[:300]}")

    return {name: partial(call, tool, given) for name, (tool, given) in asked.items()}


def _clocked(work: Callable[[], None]) -> Callable[[], float]:
    def run() -> float:
        started = time.thread_time()
        work()
        return time.thread_time() - started

    return run


def _report(result: Result, title: str, found: Mapping[str, Series], wall: Mapping[str, Series]) -> None:
    rows = tuple((name, *spread(series), *spread(wall[name])) for name, series in found.items())
    result.tables.append(Table(title, ("", "median", "p95", "wall median", "wall p95"), rows))
    for name in ("outline, large file", "outline, large file, whole"):
        beside = f"median file {amount(found['outline, median file'].p95 * 1000, 'ms')}"
        result.figures.append(Figure(f"{name}: p95", found[name].p95 * 1000, "ms", MOST_OUTLINE * 1000, beside))
    result.data = {name: series.values for name, series in found.items()}


if __name__ == "__main__":
    sys.exit(main())
