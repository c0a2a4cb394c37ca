"""Peers for search, by name, and how to start them.

BM25 and grep are of this folder. Semble is installed into a folder that the caller names, in the version that the
commands about the server use as well, and runs as a process with its own interpreter.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from benchmarks.search.bm25 import Bm25
from benchmarks.search.data import Place
from benchmarks.search.grep import Grep
from benchmarks.server.peers import PEERS, PeerFailed


class Contender(Protocol):
    def turn_to(self, tree: Path) -> None:
        """From now on questions are about this tree, as it is now."""

    def ask(self, query: str) -> list[Place]:
        """The best first."""

    def close(self) -> None: ...


class Semble:
    """Started with the first tree."""

    def __init__(self, folder: Path) -> None:
        peer = next(peer for peer in PEERS if peer.name == "semble")
        program = peer.install(folder) / "python"
        script = Path(__file__).with_name("semble_script.py")
        self._process = subprocess.Popen(
            [str(program), str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
            # Alone, so that it finds its own modules and none of ours.
            env={"HF_HUB_OFFLINE": "1", "PATH": "/usr/bin:/bin", "HOME": str(folder)},
        )

    def turn_to(self, tree: Path) -> None:
        self._request({"tree": str(tree.resolve())})

    def ask(self, query: str) -> list[Place]:
        answer = self._request({"query": query})
        assert isinstance(answer, list)
        return [Place(*row) for row in answer]

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _request(self, request: Mapping[str, str]) -> object:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise PeerFailed("Semble ended without an answer")
        answer: object = json.loads(line)
        return answer


def peers(folder: Path) -> dict[str, Callable[[], Contender]]:
    """By the name on the command line."""
    return {"bm25": Bm25, "grep": Grep, "semble": lambda: Semble(folder)}


TITLES = {"bm25": "BM25, whole files", "grep": "definition-aware grep", "semble": "Semble 0.7, BM25 and its rules"}
VERSIONS = {"bm25": 1, "grep": 1, "semble": 1}
"""Raised when the code of a peer changes, so that its answers are asked for again."""
