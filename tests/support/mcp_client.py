"""A raw MCP client on standard input and output, and a repository with a user of its own to start servers in.

Nothing of the SDK is used: a test sees the lines as they come, those that are no answers too.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

import codeplane
from codeplane.disk.locks import FileLock
from codeplane.index.indexer import Indexer
from codeplane.index.options import IndexOptions
from codeplane.ledger.chain import verify_chain
from codeplane.server.runtime_directory import repository_id
from codeplane.server.sync_client import query_state
from codeplane.store.integrity import Verdict
from support.repositories import logical_dump, make_repository, scratch_dump
from support.sandbox import Sandbox

LATEST = "2026-07-28"
HANDSHAKE = "2025-11-25"
_META = {
    "io.modelcontextprotocol/protocolVersion": LATEST,
    "io.modelcontextprotocol/clientCapabilities": {},
}

# As the installed program runs: the directory that we stand in is no place for modules.
CPL = (sys.executable, "-P", "-m", "codeplane.cli")
RequestId = str | int


@dataclass
class Place(Sandbox):
    """A repository, a home, and a runtime directory whose path is short enough for a socket."""

    runtime: Path = field(default_factory=Path)
    clients: list[McpClient] = field(default_factory=list)

    def environment(self) -> dict[str, str]:
        own = {
            "XDG_RUNTIME_DIR": str(self.runtime),
            "XDG_STATE_HOME": str(self.home / "state"),
            "PYTHONPATH": str(Path(codeplane.__file__).parents[1]),
        }
        inherited = super().environment()
        # Tests of what is printed speak of Python as clients start it.
        inherited.pop("PYTHONUNBUFFERED", None)
        return {**inherited, **own, **self.variables}

    @property
    def socket(self) -> Path:
        return self.runtime / "codeplane" / repository_id(self.root) / "engine.sock"

    def state(self) -> Mapping[str, Any] | None:
        return query_state(self.socket, 5.0)

    def engine_pid(self) -> int:
        state = self.state()
        assert state is not None
        return int(state["pid"])

    def mcp(self, *options: str, command: Sequence[str] = CPL, **changes: Any) -> McpClient:
        """A client that is answered in JSON; `McpClient.text` asks for text."""
        words = [*command, "-C", str(self.root), "mcp", "--format", "json", *options]
        client = McpClient(words, self.environment(), **changes)
        self.clients.append(client)
        return client

    def ready(self, *options: str) -> McpClient:
        """A client whose engine has an index."""
        client = self.mcp(*options)
        client.until_ready()
        return client

    def spawn(self, *arguments: str, **changes: Any) -> subprocess.Popen[bytes]:
        streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        command = [*CPL, "-C", str(self.root), *arguments]
        return subprocess.Popen(command, env=self.environment(), cwd=self.root, **{**streams, **changes})

    def processes(self) -> list[psutil.Process]:
        """Return every process that was started for this root, including orphans."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.pid != os.getpid() and process.environ().get("XDG_RUNTIME_DIR") == str(self.runtime):
                    found += [process, *process.children(recursive=True)]
        return list(dict.fromkeys(process for process in found if is_alive(process)))

    def engines(self) -> list[psutil.Process]:
        return [process for process in self.processes() if _is_engine(process)]

    def end(self) -> None:
        for client in self.clients:
            client.kill()
        for process in self.processes():
            with contextlib.suppress(psutil.Error):
                process.kill()


class McpClient:
    """One client. Answers are kept by id until they are asked for; `strays` are lines that are no messages."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], *, cwd: Path | str = "/", reads: bool = True
    ) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=dict(environment),
        )
        self.notifications: list[dict[str, Any]] = []
        self.strays: list[bytes] = []
        self.unnamed: list[dict[str, Any]] = []
        """Responses to messages without a usable id."""
        self.answered: list[RequestId] = []
        self.history: list[dict[str, Any]] = []
        """Every answer with an id, in the order of arrival."""
        self.lines: dict[RequestId, bytes] = {}
        self.errors = b""
        self.ended = False
        self._changed = threading.Condition()
        self._answers: dict[RequestId, dict[str, Any]] = {}
        self._next = 0
        self._threads = [threading.Thread(target=self._read_errors, daemon=True)]
        if reads:
            self._threads.append(threading.Thread(target=self._read, daemon=True))
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        return self.process.pid

    def send_raw(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: object) -> None:
        self.send_raw(json.dumps(message).encode() + b"\n")

    def request(
        self, method: str, params: Mapping[str, Any] | None = None, *, identity: RequestId | None = None
    ) -> RequestId:
        if identity is None:
            self._next += 1
            identity = self._next
        self.send({"jsonrpc": "2.0", "id": identity, "method": method, "params": dict(params or {})})
        return identity

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": dict(params)})

    def receive(self, identity: RequestId, seconds: float = 20.0) -> dict[str, Any]:
        with self._changed:
            came = self._changed.wait_for(lambda: identity in self._answers or self.ended, seconds)
            assert identity in self._answers, f"no answer to {identity}: {'ended' if came else 'late'}: {self.errors!r}"
            return self._answers.pop(identity)

    def has_answer(self, identity: RequestId) -> bool:
        with self._changed:
            return identity in self._answers

    def ask(self, method: str, params: Mapping[str, Any] | None = None, seconds: float = 20.0) -> dict[str, Any]:
        return self.receive(self.request(method, params), seconds)

    def begin(self, tool: str, /, **arguments: Any) -> RequestId:
        return self.request("tools/call", {"name": tool, "arguments": arguments})

    def finish(self, identity: RequestId, seconds: float = 20.0) -> dict[str, Any]:
        """The envelope; what must hold of every answer of a tool is looked at here."""
        answer = self.receive(identity, seconds)
        assert "result" in answer, answer
        result = answer["result"]
        envelope: dict[str, Any] = result["structuredContent"]
        assert json.loads(result["content"][0]["text"]) == envelope
        assert result["isError"] == (envelope["status"] == "error"), envelope
        return envelope

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        return self.finish(self.begin(tool, **arguments))

    def text(self, tool: str, /, **arguments: Any) -> str:
        """The answer as an agent reads it by default: one text and nothing else."""
        result = self.receive(self.begin(tool, format="text", **arguments))["result"]
        assert set(result) <= {"content", "isError", "resultType", "_meta"} and len(result["content"]) == 1
        shown: str = result["content"][0]["text"]
        return shown

    def until_ready(self, seconds: float = 30.0) -> None:
        until(lambda: self.call("health_check")["result"]["status"] == "ready", seconds)

    def until_building(self) -> None:
        """Until the first build has done a part of its work."""
        until(lambda: self.call("health_check")["result"].get("active_job", {}).get("files_done"))

    def next_unnamed(self, seconds: float = 10.0) -> dict[str, Any]:
        with self._changed:
            assert self._changed.wait_for(lambda: self.unnamed, seconds), "no answer without an id came"
            return self.unnamed.pop(0)

    def close_input(self) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()

    def end(self, seconds: float = 20.0) -> int:
        """Close the input; the exit code."""
        self.close_input()
        return self.process.wait(seconds)

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.close_input()
        for thread in self._threads:
            thread.join(5)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with contextlib.suppress(ValueError, OSError):
            for line in self.process.stdout:
                self._take(line)
        with self._changed:
            self.ended = True
            self._changed.notify_all()

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
            assert isinstance(message, dict) and message.get("jsonrpc") == "2.0"
        except (ValueError, AssertionError):
            self.strays.append(line)
            return
        with self._changed:
            if "method" in message:
                self.notifications.append(message)
            elif message["id"] is None:
                self.unnamed.append(message)
            else:
                self.answered.append(message["id"])
                self.history.append(message)
                self.lines[message["id"]] = line
                self._answers[message["id"]] = message
            self._changed.notify_all()

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        with contextlib.suppress(ValueError, OSError):
            while data := os.read(self.process.stderr.fileno(), 65536):
                self.errors += data


def modern(params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Parameters of the era without a handshake."""
    given = dict(params or {})
    return {**given, "_meta": {**_META, **given.get("_meta", {})}}


@contextmanager
def server_place(
    directory: Path, files: Mapping[str, str | bytes], *, variables: Mapping[str, str] | None = None
) -> Iterator[Place]:
    """A place to start servers in; at the end nothing that was started in it is left."""
    root, home = directory / "repository", directory / "home"
    home.mkdir(parents=True)
    make_repository(root, dict(files))
    runtime = Path(tempfile.mkdtemp(prefix="cpl-"))
    place = Place(root, home, dict(variables or {}), runtime)
    try:
        yield place
    finally:
        place.end()
        shutil.rmtree(runtime, ignore_errors=True)


def many_files(count: int) -> dict[str, str | bytes]:
    text = "import os\n\ndef load_{n}(a):\n    return os.path.join(a, 'x')\n\nclass C{n}:\n    def m(self): return 1\n"
    return {f"pkg/m{number}.py": text.format(n=number) * 40 for number in range(count)}


@contextmanager
def index_held(place: Place) -> Iterator[None]:
    """Another process uses the index: a strict read waits until its deadline."""
    state = place.root / ".codeplane"
    state.mkdir(mode=0o700, exist_ok=True)
    with FileLock(state / "lock").acquire(10):
        yield


def check_state(place: Place, scratch: Path) -> None:
    """The index equals a build from scratch, and the ledger is whole; no server may run."""
    options = IndexOptions(place.root, place.home / "state" / "codeplane", workers=1)
    with Indexer.open(options, rebuild=True) as indexer:
        indexer.sync()
        assert logical_dump(indexer) == scratch_dump(place.root, scratch)
        assert indexer.verify("full").verdict is Verdict.OK
    found = verify_chain(place.root / ".codeplane")
    assert found.is_intact and not found.breaks and not found.damaged, found


def until(condition: Callable[[], object], seconds: float = 30.0, pause: float = 0.01) -> float:
    """Wait until it holds; how long that took."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, "it did not come to pass"
        time.sleep(pause)
    return time.monotonic() - began


def is_alive(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def _is_engine(process: psutil.Process) -> bool:
    try:
        words = process.cmdline()
    except psutil.Error:
        return False
    return "codeplane.cli" in words and "host" in words
