"""Servers and commands start, die and take over on one repository while it changes: one writer, nothing damaged.

The long version: `CPL_ROUNDS=1000 CPL_SEED=1 pytest -m sweep -s tests/faults/test_server_rounds.py`.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from codeplane.disk.locks import find_owner
from support.external_editor import Outside
from support.mcp_client import McpClient, Place, check_state, is_alive, many_files, server_place, until

KINDS = ("mcp", "mcp", "mcp", "up", "call", "call")
CALLS = (("map_repo",), ("manage_index", "action=sync"), ("file_outline", "file=pkg/m1.py"))


class Round:
    """Two to five processes that start at random moments, with edits and kills between."""

    def __init__(self, place: Place, chance: random.Random, outside: Outside) -> None:
        self._place = place
        self._chance = chance
        self._outside = outside
        self._clients: list[McpClient] = []
        self._others: list[subprocess.Popen[bytes]] = []
        self._doomed: set[int] = set()

    def run(self) -> None:
        for _ in range(self._chance.randint(2, 5)):
            self._start()
            time.sleep(self._chance.choice((0.0, 0.05, 0.2, 0.5)) * self._chance.random())
            if self._chance.random() < 0.6:
                self._outside.step()
            if self._chance.random() < 0.4:
                self._kill()
        self._ask_survivors()
        self._end()

    def _start(self) -> None:
        kind = self._chance.choice(KINDS)
        if kind == "mcp":
            client = self._place.mcp()
            self._clients.append(client)
            with contextlib.suppress(BrokenPipeError):
                client.begin("map_repo", freshness_policy=self._chance.choice(("balanced", "strict")))
        elif kind == "up":
            self._others.append(self._place.spawn("up", "--port", "0"))
        else:
            self._others.append(self._place.spawn("call", *self._chance.choice(CALLS)))

    def _kill(self) -> None:
        """A front, a command, or the engine itself."""
        victims = [client.pid for client in self._clients] + [other.pid for other in self._others]
        engines = [process.pid for process in self._place.engines()]
        victim = self._chance.choice(engines if engines and self._chance.random() < 0.5 else victims)
        self._doomed.add(victim)
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim, self._chance.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM)))

    def _is_served(self) -> bool:
        state = self._place.state()
        return state is not None and find_owner(self._place.socket.parent / "engine.lock") == state["pid"]

    def _ask_survivors(self) -> None:
        survivors = [client for client in self._clients if client.pid not in self._doomed]
        for client in survivors:
            envelope = client.call("map_repo", freshness_policy="strict", include=["languages"])
            assert envelope["status"] == "ok", envelope
            assert len(client.answered) == len(set(client.answered))
            assert not client.strays
        if survivors:
            until(lambda: len(self._place.engines()) == 1, 10)
            # A process asked to stop may have answered everything, and exit a moment later.
            until(self._is_served, 10)

    def _end(self) -> None:
        ways = (McpClient.close_input, lambda client: client.process.terminate(), lambda client: client.process.kill())
        for client in self._clients:
            self._chance.choice(ways)(client)
        for other in self._others:
            # Commands finish by themselves; a server must be stopped.
            other.send_signal(self._chance.choice((signal.SIGTERM, signal.SIGINT, signal.SIGKILL)))
        for client in self._clients:
            client.process.wait(20)
            client.kill()
        for other in self._others:
            other.wait(20)
        self._place.clients.clear()
        until(lambda: not self._place.processes(), 10)


def rounds(tmp_path: Path, seed: int, count: int) -> None:
    print(f"seed {seed}")
    chance = random.Random(seed)
    with server_place(tmp_path, many_files(30)) as place:
        outside = Outside(place.root, seed)
        for number in range(count):
            began = time.monotonic()
            Round(place, chance, outside).run()
            check_state(place, tmp_path)
            if number % 20 == 19:
                print(f"{number + 1} rounds, the last in {time.monotonic() - began:.1f} s", flush=True)
        assert not [process for process in psutil.Process().children(recursive=True) if is_alive(process)]


@pytest.mark.timeout(300)
def test_processes_start_and_are_killed(tmp_path: Path) -> None:
    rounds(tmp_path, int(os.environ.get("CPL_SEED", "3")), int(os.environ.get("CPL_SERVER_ROUNDS", "10")))


@pytest.mark.sweep
@pytest.mark.timeout(0)
def test_processes_start_and_are_killed_sweep(tmp_path: Path) -> None:
    rounds(tmp_path, int(os.environ.get("CPL_SEED", "20261115")), int(os.environ.get("CPL_ROUNDS", "1000")))
