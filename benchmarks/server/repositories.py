"""Indexed copies of repositories on which the server is started, each with its own user state.

The copy is indexed by `cpl init` and left alone until its files can be trusted by their stat.
Every process that was started in a place is gone when the place is.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import psutil  # type: ignore[import-untyped]
from benchmarks.server.cli_startup import find_cpl, user_environment
from benchmarks.trees import copy_repository, settle

from codeplane.disk.locks import find_owner
from codeplane.query.snapshot import open_current
from codeplane.server.engine_lock import LOCK_NAME
from codeplane.server.runtime_directory import HTTP_NAME, SOCKET_NAME, repository_id
from codeplane.server.sync_client import query_state
from codeplane.store.codec import path_from_text
from codeplane.store.layout import open_state
from codeplane.store.records import FileState

_SYMBOLS = 200


@dataclass(frozen=True)
class Place:
    """An indexed copy, and how `cpl` is started on it."""

    root: Path
    runtime: Path
    environment: dict[str, str]

    def command(self, *words: str) -> list[str]:
        return [*find_cpl()[0], "-C", str(self.root), *words]

    @property
    def meeting(self) -> Path:
        """The directory where its processes find each other."""
        return self.runtime / "codeplane" / repository_id(self.root)

    def engine_state(self) -> Mapping[str, Any] | None:
        return query_state(self.meeting / SOCKET_NAME, 10.0)

    def engine_pid(self) -> int:
        state = self.engine_state()
        if state is None:
            raise RuntimeError("no engine answers")
        return int(state["pid"])

    def lock_owner(self) -> int | None:
        return find_owner(self.meeting / LOCK_NAME)

    def index_lock_owner(self) -> int | None:
        return find_owner(self.root / ".codeplane" / "lock")

    def is_warm(self) -> bool:
        state = self.engine_state()
        return state is not None and state["index"]["status"] == "ready"

    def until_warm(self, seconds: float = 60.0) -> None:
        """Until an engine has an index and has read ahead."""
        self._until(self.is_warm, seconds, "no engine became ready")

    def until_gone(self, seconds: float = 10.0) -> None:
        self._until(lambda: self.lock_owner() is None and self.index_lock_owner() is None, seconds, "an engine stayed")

    def end(self) -> None:
        for process in self.processes():
            with contextlib.suppress(psutil.Error):
                process.send_signal(signal.SIGKILL)

    def processes(self) -> list[Any]:
        """Return all processes started here, including reparented ones."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.pid != os.getpid() and process.environ().get("XDG_RUNTIME_DIR") == str(self.runtime):
                    found.append(process)
        return found

    def _until(self, condition: Any, seconds: float, otherwise: str) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise RuntimeError(f"{otherwise} within {seconds:g} s")
            time.sleep(0.01)


@contextmanager
def served_copy(repository: Path, directory: Path) -> Iterator[Place]:
    """Create an indexed copy of a repository under `directory`, which must not exist."""
    directory.mkdir(parents=True)
    root = copy_repository(repository, directory / "tree")
    # The path of a socket must be short, whatever TMPDIR is.
    runtime = Path(tempfile.mkdtemp(prefix="cpl-bench-", dir="/tmp"))
    environment = user_environment(directory) | {"XDG_RUNTIME_DIR": str(runtime)}
    place = Place(root, runtime, environment)
    try:
        subprocess.run(place.command("init"), env=environment, check=True, capture_output=True, cwd=root)
        settle(root)
        yield place
    finally:
        place.end()
        shutil.rmtree(runtime, ignore_errors=True)


class HttpServer(NamedTuple):
    pid: int
    port: int
    token: str


@asynccontextmanager
async def http_server(place: Place, *options: str) -> AsyncIterator[HttpServer]:
    """`cpl up`, from the moment that it says where it listens."""
    process = await asyncio.create_subprocess_exec(
        *place.command("up", "--json", *options),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=place.environment,
        cwd=place.root,
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(60):
            line = await process.stdout.readline()
        if not line:
            raise RuntimeError("cpl up did not start")
        record = json.loads((place.meeting / HTTP_NAME).read_text())
        yield HttpServer(process.pid, int(record["port"]), str(record["token"]))
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.wait()


class OutlineFile(NamedTuple):
    path: str
    symbols: int
    size: int


def outline_files(root: Path) -> list[OutlineFile]:
    """Files that have an outline, by path."""
    state = open_state(root)
    assert state is not None
    with open_current(state, lexical=False) as snapshot:
        query = "SELECT path, defs, size FROM files WHERE state = ? AND defs > 0 ORDER BY path"
        rows = list(snapshot.reader.rows(query, (FileState.INDEXED,)))
    found = [OutlineFile(path_from_text(row[0]), int(row[1]), int(row[2])) for row in rows]
    if not found:
        raise SystemExit("no file of the repository has an outline")
    return found


def median_file(files: list[OutlineFile]) -> OutlineFile:
    """By size, of the most frequent suffix."""
    suffix = Counter(Path(file.path).suffix for file in files).most_common(1)[0][0]
    ordered = sorted((file.size, file.path, file) for file in files if file.path.endswith(suffix))
    return ordered[len(ordered) // 2][2]


def large_file(files: list[OutlineFile]) -> OutlineFile:
    """The one whose symbols are nearest to two hundred."""
    return min(files, key=lambda file: (abs(file.symbols - _SYMBOLS), file.path))
