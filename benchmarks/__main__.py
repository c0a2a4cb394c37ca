"""All figures in one run: the scorecard of the README.

    python -m benchmarks REPOSITORY [REPOSITORY ...] [--peers FOLDER] [--quick] [--json]

The first repository is also the one that is edited, held open, served, and asked from the shell: make it a large
one, such as Django. All of them are indexed cold. Servers of others are installed into FOLDER and started beside
ours. With `--quick`, few rounds and small generated trees: that shows whether the commands work, and the figures
mean little.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.edits import batch as edit_batch
from benchmarks.index import cold_index, footprint, no_change, one_edit
from benchmarks.ledger import overhead as ledger_overhead
from benchmarks.measure import Figure, Result, as_document, as_markdown, machine, render, scorecard
from benchmarks.server import cli_startup as startup
from benchmarks.server import latency as server_latency
from benchmarks.server import load as server_load
from benchmarks.server import startup as server_startup
from benchmarks.server import takeover as server_takeover
from benchmarks.trees import SEED


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("repositories", nargs="+", type=Path)
    arguments.add_argument(
        "--peers", type=Path, metavar="FOLDER", help="where other servers are, or are to be, installed"
    )
    arguments.add_argument("--quick", action="store_true", help="few rounds, small trees")
    arguments.add_argument("--json", action="store_true", help="one line of JSON with every value")
    given = arguments.parse_args()
    results = []
    for run in plan(given.repositories, given.peers, given.quick):
        result = run()
        results.append(result)
        # A long run should show where it is, also when its output is kept for a program.
        print(render(result), end="\n\n", file=sys.stderr if given.json else sys.stdout, flush=True)
    figures = distinct(results)
    if given.json:
        print(json.dumps([as_document(result) for result in results]))
    else:
        before, after = results[0].load_before[0], results[-1].load_after[0]
        print(f"{machine()}; load {before:.2f} before, {after:.2f} after.\n\n{as_markdown(scorecard(figures))}")
    return 0 if all(figure.met for figure in figures) else 1


def plan(repositories: list[Path], peers: Path | None, quick: bool) -> list[Callable[[], Result]]:
    first = repositories[0]
    if quick:
        return [
            lambda: cold_index.measure(repositories, 1),
            lambda: no_change.measure(None, 1000, 5),
            lambda: one_edit.measure(first, 2, 0.0),
            lambda: edit_batch.measure(None, 5, 3),
            lambda: footprint.measure(first, 2000, 1),
            lambda: startup.measure(first, 3),
            lambda: server_startup.measure(first, 2, peers),
            lambda: server_latency.measure(first, 10, 2),
            lambda: ledger_overhead.measure(2000, 1),
            lambda: server_takeover.measure(first, 2, 3, SEED),
            lambda: server_load.measure(first, server_load.Plan(clients=10, seconds=3.0)),
        ]
    return [
        lambda: cold_index.measure(repositories, cold_index.ROUNDS),
        lambda: no_change.measure(None, no_change.FILES, no_change.ROUNDS),
        lambda: one_edit.measure(first, one_edit.ROUNDS, one_edit.PAUSE_SECONDS),
        lambda: edit_batch.measure(None, edit_batch.FILES, edit_batch.ROUNDS),
        lambda: footprint.measure(first, footprint.FILES, footprint.ROUNDS),
        lambda: startup.measure(first, startup.ROUNDS),
        lambda: server_startup.measure(first, server_startup.ROUNDS, peers),
        lambda: server_latency.measure(first, server_latency.ROUNDS, server_latency.STARTS),
        lambda: ledger_overhead.measure(ledger_overhead.CALLS, ledger_overhead.ROUNDS),
        lambda: server_takeover.measure(first, server_takeover.ROUNDS, server_takeover.FRONTS, SEED),
        lambda: server_load.measure(first, server_load.Plan()),
    ]


def distinct(results: list[Result]) -> list[Figure]:
    """In the order of the commands; what two commands give counts as the first says."""
    found: dict[str, Figure] = {}
    for result in results:
        for figure in result.figures:
            found.setdefault(figure.name, figure)
    return list(found.values())


if __name__ == "__main__":
    sys.exit(main())
