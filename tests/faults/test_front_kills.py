"""Engines and fronts killed at random while agents edit, search and sync through `cpl mcp`.

After each kill no batch is torn, no acknowledged edit is lost, and no edit is applied twice.
`CPL_ROUNDS=1000 CPL_SEED=1 pytest -m sweep -s tests/faults/test_front_kills.py`
"""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from support.mcp_client import Place, check_state, server_place, until

_SECONDS = 60.0
_MAX_PAUSE = 0.6
_MAX_TRIES = 20
_NAMES = ("a", "b", "c")
_UNKNOWN = {"KILLED", "OUTCOME_UNKNOWN"}
_OUTCOMES = {"ok", "ENGINE_UNREACHABLE", *_UNKNOWN}


class Agent:
    """A client whose front may be killed; it then starts another front."""

    def __init__(self, place: Place, counts: Counter[str]) -> None:
        self._place, self._counts = place, counts
        self.client = place.ready()

    def call(self, tool: str, /, **arguments: Any) -> str:
        """Return `ok`, the error code, or `KILLED` if the front ended before it answered."""
        try:
            found = self.client.finish(self.client.begin(tool, **arguments), _SECONDS)
        except (AssertionError, BrokenPipeError):
            if not self.client.ended:
                raise
            self.client.kill()
            self.client = self._place.mcp()
            return "KILLED"
        return "ok" if found["status"] != "error" else found["error"]["error"]

    def work(self) -> None:
        """Make one change or query."""
        raise NotImplementedError

    def check(self) -> None:
        """Look at the files while nothing is under way."""


class Writer(Agent):
    """Inserts one line after another into three files; a line that is inserted twice stays visible."""

    def __init__(self, place: Place, counts: Counter[str], folder: str, *, keyed: bool) -> None:
        super().__init__(place, counts)
        self._folder, self._keyed = folder, keyed
        self._number = 0
        self._acknowledged: set[str] = set()
        self._refused: set[str] = set()

    def work(self) -> None:
        line = f"line{self._number}"
        self._number += 1
        edits = [
            {"path": f"{self._folder}/{name}.txt", "old_string": "first\n", "new_string": f"first\n{line}\n"}
            for name in _NAMES
        ]
        if not self._keyed:
            self._count(line, self.call("write_source", edits=edits))
            return
        for _ in range(_MAX_TRIES):
            outcome = self.call("write_source", edits=edits, idempotency_key=f"{self._folder}-{line}")
            if outcome == "ok":
                break
        self._count(line, outcome)
        assert outcome == "ok", outcome

    def _count(self, line: str, outcome: str) -> None:
        self._counts[f"edits {outcome}"] += 1
        assert outcome in _OUTCOMES, outcome
        if outcome == "ok":
            self._acknowledged.add(line)
        elif outcome not in _UNKNOWN:
            self._refused.add(line)

    def check(self) -> None:
        # The engine may still carry out a call whose front was killed.
        until(lambda: len({self._read(name) for name in _NAMES}) == 1, 10)
        seen = Counter(self._read("a").splitlines())
        assert self._acknowledged <= seen.keys(), f"lost: {sorted(self._acknowledged - seen.keys())}"
        assert max(seen.values()) == 1, f"applied twice: {seen.most_common(3)}"
        assert self._refused.isdisjoint(seen), "refused and applied"

    def _read(self, name: str) -> str:
        return (self._place.root / self._folder / f"{name}.txt").read_text()


class Reader(Agent):
    """Changes a source file from outside, syncs, and searches."""

    def work(self) -> None:
        self._counts["queries"] += 1
        (self._place.root / "outside.py").write_text(f"def load_{self._counts['queries']}():\n    return 1\n")
        for tool, arguments in (
            ("manage_index", {"action": "sync"}),
            ("search", {"query": "load", "freshness_policy": "strict"}),
            ("read", {"targets": ["keyed/a.txt"]}),
        ):
            outcome = self.call(tool, **arguments)
            self._counts[f"queries {outcome}"] += 1
            assert outcome in _OUTCOMES, outcome


def run_kills(place: Place, kills: int, seed: int) -> Counter[str]:
    """Kill engines and fronts beside two writers and a reader; check the files after each kill."""
    chance, counts = random.Random(seed), Counter[str]()
    agents: list[Agent] = [
        Writer(place, counts, "keyed", keyed=True),
        Writer(place, counts, "plain", keyed=False),
        Reader(place, counts),
    ]
    with ThreadPoolExecutor(len(agents)) as pool:
        while counts["kills"] < kills:
            ended = threading.Event()
            work = [pool.submit(_work, agent, ended) for agent in agents]
            # A second kill meets the start of the next engine, or its recovery.
            for _ in range(chance.choice((1, 1, 2))):
                time.sleep(chance.random() * _MAX_PAUSE)
                counts["kills"] += _kill(place, chance, agents, counts)
            ended.set()
            for future in work:
                future.result(5 * _SECONDS)
            for agent in agents:
                agent.check()
    for agent in agents:
        agent.client.kill()
    return counts


def _work(agent: Agent, ended: threading.Event) -> None:
    while not ended.is_set():
        agent.work()


def _kill(place: Place, chance: random.Random, agents: list[Agent], counts: Counter[str]) -> bool:
    if chance.random() < 0.3:
        chance.choice(agents).client.process.kill()
        counts["fronts killed"] += 1
        return True
    state = place.state()
    if state is None:
        return False
    os.kill(state["pid"], signal.SIGKILL)
    counts["engines killed"] += 1
    return True


def run(tmp_path: Path, kills: int, seed: int) -> None:
    files: dict[str, str | bytes] = {
        f"{folder}/{name}.txt": "first\n" for folder in ("keyed", "plain") for name in _NAMES
    }
    with server_place(tmp_path, {**files, "a.py": "def load():\n    return 1\n"}) as place:
        counts = run_kills(place, kills, seed)
        print(f"seed {seed}: {dict(counts)}", flush=True)
        assert counts["edits ok"] and counts["queries ok"]
        until(lambda: not place.processes(), 20)
        check_state(place, tmp_path)


def test_kills_beside_agents(tmp_path: Path) -> None:
    run(tmp_path, 6, 7)


@pytest.mark.sweep
@pytest.mark.timeout(0)
def test_many_kills_beside_agents(tmp_path: Path) -> None:
    run(tmp_path, int(os.environ.get("CPL_ROUNDS", "1000")), int(os.environ.get("CPL_SEED", "1")))
