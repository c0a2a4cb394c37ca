"""Failover time: kill -9 of the engine, or of the frontend that started it, while others are connected.

    python -m benchmarks.server.takeover REPOSITORY [--fronts 5] [--rounds N] [--seed N] [--json]

On an indexed copy, with several `cpl mcp` attached. Each round kills the engine, and then the front whose child the
next engine is (that front is replaced afterwards), each at a random moment. From the kill on, two clocks run: until
another process holds the lock of the engine, and that of the index; and until the fronts that are left have given
the right answer to a question asked right after the kill, which an engine that lost its front may still give while
it ends, and to one asked when the locks have passed on. More than one owner, or a wrong answer, ends the command.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
from benchmarks.measure import Figure, Result, Table, amount, emit, parser
from benchmarks.server.clients import StdioClient, call
from benchmarks.server.quantiles import COLUMNS, quantile, row_of
from benchmarks.server.repositories import Place, median_file, outline_files, served_copy
from benchmarks.trees import SEED, scratch

FRONTS = 5
ROUNDS = 30
MOST_LOCK_SECONDS = 1.0
MOST_ANSWER_SECONDS = 3.0
KINDS = ("engine killed", "its front killed")
_POLL_SECONDS = 0.002
_PATIENCE_SECONDS = 30.0
_LONGEST_PAUSE = 1.0

Times = dict[str, list[float]]


def main() -> int:
    arguments = parser(__doc__, ROUNDS)
    arguments.add_argument("repository", type=Path)
    arguments.add_argument("--fronts", type=int, default=FRONTS, help=f"attached, two or more ({FRONTS})")
    arguments.add_argument("--seed", type=int, default=SEED)
    given = arguments.parse_args()
    if given.fronts < 2:
        arguments.error("--fronts: when the only front is killed, none is left to take over")
    return emit(measure(given.repository, given.rounds, given.fronts, given.seed), given.json)


def measure(repository: Path, rounds: int, fronts: int, seed: int) -> Result:
    result = Result("server_takeover", rounds)
    with scratch() as room, served_copy(repository, room / "a") as place:
        found = asyncio.run(_Kills(place, seed).run(fronts, rounds))
    rows = tuple(row_of(name, values) for name, values in found.items())
    title = f"{repository.resolve().name}: {fronts} fronts attached, {rounds} kills of each kind"
    result.tables.append(Table(title, COLUMNS, rows))
    for kind in KINDS:
        lock, answer = (
            found[f"{kind}: lock of the index"],
            found[f"{kind}: every front has an answer of the next engine"],
        )
        beside = f"median {amount(quantile(lock, 0.5) * 1000, 'ms')}"
        name = f"{kind}: until another has both locks, worst"
        held = [max(pair) for pair in zip(found[f"{kind}: lock of the engine"], lock, strict=True)]
        result.figures.append(Figure(name, max(held), "s", MOST_LOCK_SECONDS, beside))
        beside = f"median {amount(quantile(answer, 0.5) * 1000, 'ms')}"
        name = f"{kind}: until the next engine has answered every front, worst"
        result.figures.append(Figure(name, max(answer), "s", MOST_ANSWER_SECONDS, beside))
    result.notes.append(f"seed {seed}; right answers and one owner after every kill")
    result.data = dict(found)
    return result.finish()


class _Kills:
    def __init__(self, place: Place, seed: int) -> None:
        self._place = place
        self._chance = random.Random(seed)
        self._file = median_file(outline_files(place.root)).path
        self._fronts: list[StdioClient] = []
        self._expected: Any = None

    async def run(self, fronts: int, rounds: int) -> Times:
        found: Times = {}
        try:
            for _ in range(fronts):
                await self._add_front()
            await asyncio.to_thread(self._place.until_warm)
            self._expected = await self._answer(self._fronts[0])
            for _ in range(rounds):
                for kind in KINDS:
                    await asyncio.sleep(self._chance.uniform(0.0, _LONGEST_PAUSE))
                    for name, seconds in (await self._kill(kind)).items():
                        found.setdefault(f"{kind}: {name}", []).append(seconds)
        finally:
            await asyncio.gather(*(front.close() for front in self._fronts))
        return found

    async def _kill(self, kind: str) -> dict[str, float]:
        """Seconds from the kill, by what was waited for."""
        place = self._place
        engine = await asyncio.to_thread(place.engine_pid)
        victim = engine if kind == "engine killed" else int(psutil.Process(engine).ppid())
        left = [front for front in self._fronts if front.pid != victim]
        if len(left) + (victim != engine) != len(self._fronts):
            raise RuntimeError("the engine is no child of a front")
        killed = time.perf_counter()
        os.kill(victim, signal.SIGKILL)
        engine_lock, index_lock, *answers = await asyncio.gather(
            _until_other(place.lock_owner, engine, killed),
            _until_other(place.index_lock_owner, engine, killed),
            *(self._timed_answer(front, killed) for front in left),
        )
        served = await asyncio.gather(*(self._timed_answer(front, killed) for front in left))
        self._require_one_owner(engine)
        if victim != engine:
            for gone in set(self._fronts) - set(left):
                await gone.kill()
            self._fronts = left
            await self._add_front()
        return {
            "lock of the engine": engine_lock,
            "lock of the index": index_lock,
            "first answer": min(answers),
            "every front has answered": max(answers),
            "every front has an answer of the next engine": max(served),
        }

    async def _add_front(self) -> None:
        self._fronts.append(await StdioClient.start(self._place.command("mcp"), self._place.environment))

    async def _timed_answer(self, front: StdioClient, killed: float) -> float:
        found = await self._answer(front)
        seconds = time.perf_counter() - killed
        if found != self._expected:
            raise RuntimeError(f"a wrong answer after a kill: {str(found)[:300]}")
        return seconds

    async def _answer(self, front: StdioClient) -> Any:
        envelope = (await call(front, "file_outline", {"file": self._file})).envelope
        return envelope["status"], envelope.get("result"), envelope.get("error")

    def _require_one_owner(self, killed: int) -> None:
        owners = {self._place.engine_pid(), self._place.lock_owner(), self._place.index_lock_owner()}
        if len(owners) != 1 or killed in owners:
            raise RuntimeError(f"not one owner but {owners}")


async def _until_other(owner: Callable[[], int | None], before: int, killed: float) -> float:
    """Looks at the note in the lock's file: who tried the lock itself would be in the way."""
    while owner() in (None, before):
        if time.perf_counter() - killed > _PATIENCE_SECONDS:
            raise RuntimeError(f"no front took the lock within {_PATIENCE_SECONDS:g} s")
        await asyncio.sleep(_POLL_SECONDS)
    return time.perf_counter() - killed


if __name__ == "__main__":
    sys.exit(main())
