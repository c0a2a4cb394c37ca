"""Overhead of the ledger per call with default durability, and its completeness.

    python -m benchmarks.ledger.overhead [--calls 100000] [--rounds N] [--json]

Calls are recorded one after the other as the pipeline records them, the digest of their parameters included. Wall is
what the caller waits for; CPU is of the whole process, with the thread that puts groups into the ledger and all else
that a round does. Beside them stands a bare `write` of a row's size to a file, in turns. A round is a new ledger; the
counts are of what its files hold at the end.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from benchmarks.measure import Figure, Result, Table, amount, emit, parser
from benchmarks.server.quantiles import COLUMNS, quantile, row_of
from benchmarks.trees import scratch

from codeplane.base.call_record import CallRecord
from codeplane.ledger.chain import verify_chain
from codeplane.ledger.events import Event, TaskState
from codeplane.ledger.ledger import Ledger
from codeplane.ledger.queries import sum_tasks
from codeplane.tasks.model import digest_params

MOST_SECONDS = 0.0005
CALLS = 100_000
ROUNDS = 3
_ARGUMENTS = {"query": "where a session ends", "mode": "auto", "limit": 20}
_TASK = "t_benchmark"
_PATHS = ("src/app/models.py", "src/app/views.py")
_ROW = b"x" * 400


def main() -> int:
    arguments = parser(__doc__, ROUNDS)
    arguments.add_argument("--calls", type=int, default=CALLS, help=f"calls in a round ({CALLS})")
    given = arguments.parse_args()
    return emit(measure(given.calls, given.rounds), given.json)


def measure(calls: int, rounds: int) -> Result:
    result = Result("ledger_overhead", rounds)
    waits: list[float] = []
    floor: list[float] = []
    cpu: list[float] = []
    missing = 0
    with scratch() as place:
        for number in range(rounds):
            directory = place / str(number)
            directory.mkdir()
            wait, bare, seconds = _round(directory, calls)
            waits += wait
            floor += bare
            cpu.append(seconds / calls)
            kept, _ = sum_tasks(directory, [_TASK]).get(_TASK, (0, 0))
            missing += abs(calls - kept) if verify_chain(directory).is_intact else calls
    result.tables = [Table("a call", COLUMNS, (row_of("recorded", waits), row_of("bare write", floor)))]
    beside = f"bare write {amount(quantile(floor, 0.5) * 1000, 'ms')}"
    result.figures = [
        Figure("wait for the ledger, median", quantile(waits, 0.5) * 1000, "ms", MOST_SECONDS * 1000, beside),
        Figure("wait for the ledger, p95", quantile(waits, 0.95) * 1000, "ms", MOST_SECONDS * 1000, beside),
        Figure("CPU of a recorded call", min(cpu) * 1000, "ms", MOST_SECONDS * 1000, "both threads, least of rounds"),
        Figure(f"outcomes missing of {calls * rounds:,}", missing, "", 0, "counted in the files"),
    ]
    result.data = {"cpu_per_call_s": cpu, "wait_s": [quantile(waits, share) for share in (0.5, 0.95, 0.99, 1.0)]}
    return result.finish()


def _round(directory: Path, calls: int) -> tuple[list[float], list[float], float]:
    waits, floor = [], []
    spare = os.open(directory / "bare", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    burnt = time.process_time()
    ledger = Ledger.open(directory)
    ledger.open_task(_TASK)
    for number in range(calls):
        began = time.perf_counter()
        ledger.outcome(
            Event(
                "search",
                f"r_{number:012x}",
                session_id="s_0123456789abcdefghijklmn",
                task_id=_TASK,
                params_digest=digest_params(_ARGUMENTS),
                epoch=7,
                status="ok",
                duration_ms=3,
                tokens_given=812,
                record=CallRecord(paths=_PATHS, whole_tokens=9001),
            )
        )
        waits.append(time.perf_counter() - began)
        began = time.perf_counter()
        os.write(spare, _ROW)
        floor.append(time.perf_counter() - began)
    ledger.close_task(_TASK, TaskState.CLOSED_SUCCESS)
    ledger.close()
    os.close(spare)
    return waits, floor, time.process_time() - burnt


if __name__ == "__main__":
    sys.exit(main())
