"""Latency of `read` by mode, compared with reading and hashing the file; without the scan for changes.

    python -m benchmarks.reading.latency REPOSITORY [--rounds N] [--json]

On an unchanged indexed copy, warm, in one process, through the pipeline of tools: from the arguments to the
finished envelope. Symbols are drawn from the index by a fixed seed: functions, methods and classes, wherever they are.
A symbol is asked for by its reference and by its qualified name, its file as a file, as lines, and as a diff; every
answer is checked to be of the file that was asked for. Calls that ask the index are timed with the policy that never
looks at the tree; a symbol with the default policy, which looks at its one file, stands beside them. Times of this
process's CPU stand beside those of the clock, since others may use the machine. The first calls are not counted.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
import time
from collections.abc import Callable, Mapping
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import Figure, Result, Series, Table, amount, emit, interleaved, parser, spread
from benchmarks.search.codeplane_search import Ours
from benchmarks.trees import SEED, copy_repository, scratch, settle

from codeplane.base.symbols import symbol_ref
from codeplane.query.snapshot import open_current
from codeplane.store.codec import ORDINAL_BITS, path_from_text
from codeplane.store.layout import open_state
from codeplane.tools.calls import CallRequest

MOST_SYMBOL = 0.005
ROUNDS = 300
_WARM_UP = 20
_FLOOR = "open, read, sha256"
_SYMBOL = "symbol, by reference"


class Drawn(NamedTuple):
    path: str
    reference: str
    qualified_name: str
    line: int


def main() -> int:
    arguments = parser(__doc__, ROUNDS)
    arguments.add_argument("repository", type=Path)
    given = arguments.parse_args()
    return emit(measure(given.repository, given.rounds), given.json)


def measure(repository: Path, rounds: int) -> Result:
    result = Result("read_latency", rounds)
    with scratch() as room:
        tree = copy_repository(repository, room / "tree")
        settle(tree)
        ours = Ours(room)
        try:
            ours.turn_to(tree)
            spent: dict[str, list[float]] = {}
            calls = _calls(ours, tree, _draw(tree, rounds + _WARM_UP), spent)
            interleaved(_WARM_UP, calls)
            spent.clear()
            found = interleaved(rounds, calls)
        finally:
            ours.close()
    _report(result, repository.resolve().name, found, {name: Series(tuple(times)) for name, times in spent.items()})
    return result.finish()


def _draw(tree: Path, count: int) -> list[Drawn]:
    """The same for the same tree; of names that only one definition has, so that a name is an answer."""
    state = open_state(tree)
    assert state is not None
    with open_current(state, lexical=False) as snapshot:
        rows = snapshot.reader.rows(
            "SELECT path, lexical_path, start_line, qualified_name FROM defs "
            f"JOIN files ON files.file_id = def_id >> {ORDINAL_BITS} "
            "WHERE kind IN ('function', 'method', 'class') GROUP BY qualified_name HAVING count(*) = 1 "
            "ORDER BY path, def_id"
        )
    if not rows:
        raise SystemExit("the repository has no definitions")
    drawn = random.Random(SEED).choices(rows, k=count)
    return [
        Drawn(path, symbol_ref(path, lexical_path, line), name, line)
        for path, lexical_path, line, name in ((path_from_text(str(stored)), *more) for stored, *more in drawn)
    ]


def _calls(ours: Ours, tree: Path, drawn: list[Drawn], spent: dict[str, list[float]]) -> dict[str, Callable[[], float]]:
    def clocked(name: str, work: Callable[[Drawn], None]) -> Callable[[], float]:
        turns = cycle(drawn)

        def call() -> float:
            asked = next(turns)
            began, used = time.perf_counter(), time.process_time()
            work(asked)
            taken = time.perf_counter() - began
            spent.setdefault(name, []).append(time.process_time() - used)
            return taken

        return call

    def reading(name: str, arguments: Callable[[Drawn], dict[str, object]]) -> tuple[str, Callable[[], float]]:
        def work(asked: Drawn) -> None:
            request = CallRequest("read", {**arguments(asked), "fresh": True, "format": "json"}, principal="benchmark")
            body, *_ = ours.pipeline.call(request)
            found = json.loads(body)
            # One name may be the suffix of another; an ambiguous answer counts too.
            if found["status"] != "ambiguous" and found["result"]["path"] != asked.path:
                raise SystemExit(f"{asked}: {body.decode()[:500]}")

        return name, clocked(name, work)

    def floor(asked: Drawn) -> None:
        hashlib.sha256((tree / asked.path).read_bytes()).hexdigest()

    unchecked = {"freshness_policy": "best_effort"}
    return dict(
        [
            reading(_SYMBOL, lambda asked: {"target": asked.reference, **unchecked}),
            reading("symbol, by name", lambda asked: {"target": asked.qualified_name, "mode": "symbol", **unchecked}),
            reading("symbol, its file looked at", lambda asked: {"target": asked.reference}),
            reading(
                "symbol, with its context",
                lambda asked: {"target": asked.reference, "include_context": True, **unchecked},
            ),
            reading("snippet", lambda asked: {"target": f"{asked.path}:{asked.line}-{asked.line + 20}"}),
            reading("file", lambda asked: {"target": asked.path}),
            reading("file, annotated", lambda asked: {"target": asked.path, "annotated": True, **unchecked}),
            reading("diff_preview", lambda asked: {"target": asked.path, "mode": "diff_preview"}),
            (_FLOOR, clocked(_FLOOR, floor)),
        ]
    )


def _report(result: Result, name: str, found: Mapping[str, Series], spent: Mapping[str, Series]) -> None:
    rows = tuple(
        (kind, *spread(series), amount(max(series.values) * 1000, "ms"), *spread(spent[kind]))
        for kind, series in found.items()
    )
    columns = ("", "median", "p95", "max", "CPU median", "CPU p95")
    result.tables.append(Table(f"{name}: one call", columns, rows))
    floor = amount(found[_FLOOR].p95 * 1000, "ms")
    beside = f"CPU {amount(spent[_SYMBOL].p95 * 1000, 'ms')}; {_FLOOR} of its file {floor}"
    result.figures.append(Figure("read of a symbol: p95", found[_SYMBOL].p95 * 1000, "ms", MOST_SYMBOL * 1000, beside))
    result.data = {kind: series.values for kind, series in found.items()}


if __name__ == "__main__":
    sys.exit(main())
