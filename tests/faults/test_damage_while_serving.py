"""Damage to a file of the index or the ledger while a server answers: it recovers, and no answer is wrong.

The long version: `CPL_ROUNDS=200 CPL_SEED=1 pytest -m sweep -s tests/faults/test_damage_while_serving.py`.
"""

from __future__ import annotations

import os
import random
import shutil
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from support.mcp_client import McpClient, Place, many_files, server_place, until
from support.repositories import write

KINDS = ("empty", "truncate", "overwrite", "zero", "remove", "replace", "directory")
SECONDS = 60.0
TOOLSETS = ("--toolsets", "core,admin")


def damage(path: Path, kind: str, chooser: random.Random) -> None:
    size = path.stat().st_size
    if kind in ("empty", "truncate"):
        os.truncate(path, chooser.randrange(size) if size and kind == "truncate" else 0)
    elif kind in ("overwrite", "zero"):
        with path.open("r+b") as file:
            for _ in range(8):
                file.seek(chooser.randrange(size) if size and kind == "overwrite" else 0)
                file.write(chooser.randbytes(4096) if kind == "overwrite" else bytes(size))
    elif kind == "replace":
        other = path.with_name(path.name + ".other")
        other.write_bytes(chooser.randbytes(5000))
        other.replace(path)
    else:
        path.unlink()
        if kind == "directory":
            path.mkdir()


def victims(place: Place) -> dict[str, list[Path]]:
    """Files by kind, so that the many segments of the text index are as likely as the one database."""
    groups: dict[str, list[Path]] = {}
    state, user = place.root / ".codeplane", place.home / "state"
    for path in sorted((*state.rglob("*"), *user.rglob("*"))):
        if path.is_file():
            lexical = "generations" in path.parts and not path.name.startswith("index.db")
            groups.setdefault("lexical" if lexical else path.name if state in path.parents else "user", []).append(path)
    return groups


class Asker:
    """A client that asks all the time. Answers are right, or say that they are not ready."""

    def __init__(self, client: McpClient) -> None:
        self.outcomes: Counter[str] = Counter()
        self.failure: BaseException | None = None
        self._client = client
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(SECONDS)
        assert self.failure is None, self.failure
        assert set(self.outcomes) <= {"ok", "NOT_READY", "INDEX_CORRUPT", "OUTCOME_UNKNOWN"}, self.outcomes

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                envelope = ask(self._client, "search", query="load_7", mode="definitions")
                if envelope["status"] == "ok":
                    assert envelope["result"]["results"], envelope
                self.outcomes[envelope.get("error", {}).get("error", envelope["status"])] += 1
                time.sleep(0.02)
        except BaseException as error:
            self.failure = error


def ask(client: McpClient, tool: str, **arguments: Any) -> dict[str, Any]:
    return client.finish(client.begin(tool, **arguments), SECONDS)


def find_at_last(client: McpClient, name: str) -> None:
    """Until a definition is found; a strict answer must not deny it."""
    deadline = time.monotonic() + SECONDS
    while True:
        envelope = ask(client, "search", query=name, mode="definitions", freshness_policy="strict")
        if envelope["status"] == "ok":
            assert envelope["result"]["results"], envelope
            return
        assert time.monotonic() < deadline, envelope
        time.sleep(0.05)


def is_healthy(client: McpClient) -> bool:
    found = ask(client, "health_check")["result"]
    return found["status"] == "ready" and "last_error" not in found


def run_round(directory: Path, chooser: random.Random, only: str | None) -> str:
    with server_place(directory, many_files(20)) as place:
        asker = Asker(place.ready(*TOOLSETS))
        time.sleep(chooser.random() * 0.3)
        groups = victims(place)
        group = only or chooser.choice((*sorted(groups), "index.db", "lexical"))
        kind = chooser.choice(KINDS)
        # A file may vanish between the listing and the damage.
        with suppress(FileNotFoundError):
            damage(chooser.choice(groups[group]), kind, chooser)
        client = place.mcp(*TOOLSETS)
        try:
            find_at_last(client, "load_8")
            for number in range(3):
                write(place.root, f"pkg/new_{number}.py", f"def fresh_{number}():\n    return 1\n")
                find_at_last(client, f"fresh_{number}")
            until(lambda: is_healthy(client), SECONDS)
            reindexed = ask(client, "manage_index", action="reindex", allow_unnecessary_reindex=True)
            assert reindexed["status"] == "ok", reindexed
            find_at_last(client, "load_8")
            asker.stop()
        except BaseException as error:
            error.add_note(f"{kind} of {group}")
            raise
        return f"{kind} of {group}"


def run_rounds(tmp_path: Path, rounds: int, only: str | None = None) -> None:
    seed = int(os.environ.get("CPL_SEED", "1"))
    print(f"seed {seed}, {rounds} rounds")
    done: Counter[str] = Counter()
    for number in range(rounds):
        done[run_round(tmp_path / str(number), random.Random(f"{seed} {number}"), only)] += 1
        shutil.rmtree(tmp_path / str(number))
    print(dict(sorted(done.items())))


def test_truncated_database_is_rebuilt_while_serving(tmp_path: Path) -> None:
    run_rounds(tmp_path, 2, "index.db")


@pytest.mark.sweep
@pytest.mark.timeout(0)
def test_any_damage_is_repaired_while_serving(tmp_path: Path) -> None:
    run_rounds(tmp_path, int(os.environ.get("CPL_ROUNDS", "200")))
