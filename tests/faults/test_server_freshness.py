"""Through the server: changes made before a call are in its result, or the result says that it is stale.

The long version: `CPL_ROUNDS=20000 CPL_SEED=1 pytest -m sweep -s tests/faults/test_server_freshness.py`.
"""

from __future__ import annotations

import mmap
import os
import random
import shutil
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support.mcp_client import McpClient, Place, many_files, server_place, until
from support.repositories import git, write

WATCHER = pytest.mark.parametrize("watcher", ["true", "false"])


WAYS = ("in place", "in place", "replace", "new", "rename", "directory", "same size", "link", "mapped", "mapped")


class Writer:
    """Writes one version after the other, each time in another way."""

    def __init__(self, root: Path, seed: int) -> None:
        self._root = root
        self._chance = random.Random(seed)
        self._path = "pkg/m1.py"
        self._mapped: tuple[tuple[int, int], mmap.mmap | None] = (0, 0), None

    def write(self, version: int) -> str:
        """The current version."""
        text = f"def version_{version}():\n    return {version}\n"
        way = self._chance.choice(WAYS)
        if way == "link" and (self._root / self._path).exists():
            # Outside, where no watch is.
            link = self._root.with_name(f"link_{version}")
            os.link(self._root / self._path, link)
            link.write_text(text)
        elif way == "mapped" and (self._root / self._path).exists():
            self._write_mapped(text.encode())
        elif way == "replace":
            write(self._root, "pkg/temporary~", text)
            (self._root / "pkg/temporary~").replace(self._root / self._path)
        elif way == "rename":
            write(self._root, self._path, text)
            other = f"pkg/renamed_{version}.py"
            (self._root / self._path).rename(self._root / other)
            self._path = other
        elif way == "new":
            self._path = f"pkg/new_{version}.py"
            write(self._root, self._path, text)
        elif way == "directory":
            shutil.rmtree(self._root / "deep", ignore_errors=True)
            self._path = f"deep/{version % 7}/er/new.py"
            write(self._root, self._path, text)
        else:
            if way == "same size" and (self._root / self._path).exists():
                text = text.ljust((self._root / self._path).stat().st_size, "#")
            write(self._root, self._path, text)
        return self._path

    def _write_mapped(self, data: bytes) -> None:
        """Write through memory that stays mapped, perhaps mapped long ago, without a descriptor."""
        status = (self._root / self._path).stat()
        identity, memory = self._mapped
        if identity != (status.st_ino, status.st_size) or memory is None:
            with (self._root / self._path).open("r+b") as file:
                file.truncate(max(len(data), 200))
                memory = mmap.mmap(file.fileno(), 0)
                identity = status.st_ino, len(memory)
            self._mapped = identity, memory
        memory[:] = data.ljust(len(memory), b"#")


def names(envelope: dict[str, Any]) -> list[str]:
    return [symbol["name"] for symbol in envelope.get("result", {}).get("symbols", ())]


def is_stale(envelope: dict[str, Any]) -> bool:
    meta = envelope["meta"].get("freshness") or envelope.get("error", {}).get("details", {}).get("freshness", {})
    return bool(meta.get("status") == "stale")


def trials(tmp_path: Path, seed: int, count: int, watcher: str) -> None:
    print(f"seed {seed}")
    variables = {"CODEPLANE__FRESHNESS__WATCHER": watcher, "CODEPLANE__FRESHNESS__INLINE_MS": "2000"}
    with server_place(tmp_path, many_files(50), variables=variables) as place:
        client = place.ready()
        expected = ("on", "starting") if watcher == "true" else ("off",)
        assert client.call("health_check")["result"]["watcher"] in expected
        writer = Writer(place.root, seed)
        stale = 0
        for number in range(count):
            path = writer.write(number)
            policy = "strict" if number % 2 else "balanced"
            envelope = client.call("file_outline", file=path, freshness_policy=policy)
            if names(envelope) != [f"version_{number}"]:
                assert policy == "balanced" and is_stale(envelope), (number, path, envelope)
                stale += 1
            if number % 10 == 0:
                on_disk = sum(1 for found in place.root.rglob("*.py") if ".codeplane" not in found.parts)
                mapped = client.call("map_repo", include=["structure"], freshness_policy="strict")
                assert mapped["result"]["structure"]["file_count"] == on_disk, (number, mapped)
        print(f"{count} trials, watcher {watcher}: {stale} said to be stale")
        assert stale <= max(3, count // 20)


@WATCHER
def test_a_write_is_seen_by_the_next_call(tmp_path: Path, watcher: str) -> None:
    trials(tmp_path, int(os.environ.get("CPL_SEED", "1")), 200 if watcher == "true" else 100, watcher)


@WATCHER
@pytest.mark.sweep
@pytest.mark.timeout(0)
def test_many_writes_are_seen_by_the_next_call(tmp_path: Path, watcher: str) -> None:
    trials(tmp_path, int(os.environ.get("CPL_SEED", "20261115")), int(os.environ.get("CPL_ROUNDS", "20000")), watcher)


@dataclass(frozen=True)
class Seen:
    """One answer about the whole tree: when it was asked for, and which versions of files it speaks of."""

    began: float
    ended: float
    versions: frozenset[int]
    stale: bool


class Watching:
    def __init__(self, client: McpClient) -> None:
        self.seen: list[Seen] = []
        self.failure: BaseException | None = None
        self._client = client
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._ask)
        self._thread.start()

    def _ask(self) -> None:
        try:
            while not self._stop.is_set():
                began = time.monotonic()
                envelope = self._client.call("map_repo", include=["structure"], limit=100)
                assert envelope["status"] == "ok", envelope
                tree = envelope["result"]["structure"]["tree"]
                versions = frozenset(lines for name, lines in tree.items() if not name.endswith("/"))
                self.seen.append(Seen(began, time.monotonic(), versions, is_stale(envelope)))
                time.sleep(0.02)
        except BaseException as error:
            self.failure = error

    def stop(self) -> list[Seen]:
        self._stop.set()
        self._thread.join()
        assert self.failure is None, self.failure
        return self.seen


def switch_to(place: Place, branch: str) -> tuple[float, float]:
    began = time.monotonic()
    git(place.root, "switch", "-q", branch)
    return began, time.monotonic()


@WATCHER
def test_branch_switch_is_seen_atomically(tmp_path: Path, watcher: str) -> None:
    """The number of lines tells the version of each file: 3 on one branch, 5 on the other."""
    files: dict[str, str | bytes] = {f"f{number:03}.py": "a = 1\n" * 3 for number in range(300)}
    with server_place(tmp_path, files, variables={"CODEPLANE__FRESHNESS__WATCHER": watcher}) as place:
        git(place.root, "switch", "-qc", "other")
        for name in files:
            write(place.root, name, "b = 1\n" * 5)
        git(place.root, "commit", "-qam", "five")
        clients = [place.ready() for _ in range(5)]
        watching = [Watching(client) for client in clients]
        branches = ["main", "other", "main", "other"]
        switches = []
        for branch in branches:
            time.sleep(0.2)
            switches.append(switch_to(place, branch))
            # The next switch comes only when this one was answered.
            until(lambda since=switches[-1][1]: all(_answered(watched, since) for watched in watching))  # type: ignore[misc]
        seen = [answer for watched in watching for answer in watched.stop()]
        checked = 0
        for answer in seen:
            settled = [end for _, end in switches if end <= answer.began]
            touched = any(began <= answer.ended and end >= answer.began for began, end in switches)
            if touched or answer.stale:
                continue
            current = 5 if not settled else {"main": 3, "other": 5}[branches[len(settled) - 1]]
            assert answer.versions == {current}, answer
            checked += 1
        assert checked >= 5 * len(branches) // 2


def _answered(watched: Watching, since: float) -> bool:
    if watched.failure is not None:
        return True
    return bool(watched.seen) and watched.seen[-1].began > since and not watched.seen[-1].stale
