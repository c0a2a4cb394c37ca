"""Peers for references: jedi as a library, ty as a language server.

Each is installed from PyPI into a folder that the caller names, in an environment of its own and a fixed version, and
runs as a process that stays while one tree is asked about. What a repository depends on is not installed for them.
"""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote, unquote, urlsplit

from benchmarks.references.data import Answer, Definition
from benchmarks.server.peers import Peer, PeerFailed

JEDI = Peer("jedi", "0.20.1", "", ("python",))
TY = Peer("ty", "0.0.100", "", ("ty", "server"))
PEERS = {"jedi": JEDI, "ty": TY}
TITLES = {name: f"{peer.name} {peer.version}" for name, peer in PEERS.items()}


class Contender(Protocol):
    def turn_to(self, tree: Path) -> None:
        """Open a tree for the following queries; it must not change."""

    def ask(self, definition: Definition) -> list[Answer]: ...

    def close(self) -> None: ...


def peers(folder: Path) -> dict[str, Callable[[], Contender]]:
    """By the name on the command line."""
    return {"jedi": lambda: Jedi(folder), "ty": lambda: Ty(folder)}


class Jedi:
    def __init__(self, folder: Path) -> None:
        program = JEDI.install(folder) / "python"
        script = Path(__file__).with_name("jedi_script.py")
        self._process = _start([str(program), str(script)], folder)
        self.failed = 0

    def turn_to(self, tree: Path) -> None:
        self._request({"tree": str(tree)})

    def ask(self, definition: Definition) -> list[Answer]:
        answer = self._request({"path": definition.path, "line": definition.line, "col": definition.col})
        if isinstance(answer, dict):
            self.failed += 1
            return []
        return [Answer(*row) for row in answer]

    def close(self) -> None:
        _end(self._process)

    def _request(self, request: Mapping[str, object]) -> Any:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise PeerFailed("jedi ended without an answer")
        return json.loads(line)


class Ty:
    """A client of the language server protocol, as far as references need one. A server for each tree."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._programs = TY.install(folder)
        self._process: subprocess.Popen[bytes] | None = None
        self._messages: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._tree = Path()
        self._opened: set[str] = set()
        self._last = 0

    def turn_to(self, tree: Path) -> None:
        self.close()
        self._tree, self._opened = tree, set()
        self._process = _start([str(self._programs / "ty"), "server"], self._folder, cwd=tree)
        self._messages = queue.SimpleQueue()
        threading.Thread(target=_receive, args=(self._process, self._messages), daemon=True).start()
        root = {"uri": self._uri(""), "name": tree.name}
        # Who asks for diagnostics is not sent any, which would take time from answers.
        capabilities = {"general": {"positionEncodings": ["utf-32"]}, "textDocument": {"diagnostic": {}}}
        asked = {"processId": None, "rootUri": root["uri"], "workspaceFolders": [root], "capabilities": capabilities}
        answer = self._request("initialize", asked)
        if answer["capabilities"].get("positionEncoding") != "utf-32":
            raise PeerFailed("ty does not count columns in characters")
        self._notify("initialized", {})

    def open(self, path: str) -> None:
        """A server answers about documents that are open; to open one is no part of a query."""
        if path in self._opened:
            return
        self._opened.add(path)
        text = (self._tree / path).read_text("utf-8")
        document = {"uri": self._uri(path), "languageId": "python", "version": 1, "text": text}
        self._notify("textDocument/didOpen", {"textDocument": document})

    def ask(self, definition: Definition) -> list[Answer]:
        self.open(definition.path)
        asked = {
            "textDocument": {"uri": self._uri(definition.path)},
            "position": {"line": definition.line - 1, "character": definition.col},
            "context": {"includeDeclaration": True},
        }
        found = []
        for place in self._request("textDocument/references", asked) or ():
            path = Path(unquote(urlsplit(place["uri"]).path))
            if path.is_relative_to(self._tree):
                start = place["range"]["start"]
                found.append(Answer(path.relative_to(self._tree).as_posix(), start["line"] + 1, start["character"]))
        return found

    def close(self) -> None:
        if self._process is not None:
            _end(self._process)
        self._process = None

    def _uri(self, path: str) -> str:
        return f"file://{quote(str(self._tree / path))}"

    def _request(self, method: str, parameters: object) -> Any:
        self._last += 1
        self._send({"id": self._last, "method": method, "params": parameters})
        while True:
            message = self._messages.get()
            if message is None:
                raise PeerFailed("ty ended without an answer")
            if "method" in message:
                if "id" in message:
                    # Whatever it wants of a client can be had without.
                    items = message["params"].get("items") if message["method"] == "workspace/configuration" else None
                    self._send({"id": message["id"], "result": items and [None] * len(items)})
            elif message.get("id") == self._last:
                if "error" in message:
                    raise PeerFailed(f"ty: {message['error'].get('message', '')}"[:200])
                return message.get("result")

    def _notify(self, method: str, parameters: object) -> None:
        self._send({"method": method, "params": parameters})

    def _send(self, message: Mapping[str, object]) -> None:
        assert self._process is not None and self._process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._process.stdin.flush()


def _receive(process: subprocess.Popen[bytes], messages: queue.SimpleQueue[dict[str, Any] | None]) -> None:
    """Read whatever comes, so that neither side waits for the other to read; None at the end."""
    assert process.stdout is not None
    while True:
        length = 0
        while line := process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            messages.put(None)
            return
        messages.put(json.loads(process.stdout.read(length)))


def _start(command: list[str], folder: Path, cwd: Path | None = None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=cwd or folder,
        # Alone, so that it finds its own modules and none of ours.
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder)},
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
