"""Other servers that are started beside ours: which, in which version, and how.

Each gets an environment of its own in a folder that the caller names and may keep. What a peer
depends on is not pinned: it is what an installation brings on that day.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


class PeerFailed(Exception):
    """A peer could not be installed or started."""


@dataclass(frozen=True)
class Peer:
    name: str
    version: str
    extra: str
    words: tuple[str, ...]
    """Program and arguments; ROOT is replaced by the repository, HOME by a private directory."""
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return f"peer: {self.name} {self.version}"

    def install(self, cache: Path) -> Path:
        """The directory of its programs; made once, and used again."""
        place = cache.resolve() / f"{self.name}-{self.version}"
        done = place / "installed"
        if not done.exists():
            cache.mkdir(parents=True, exist_ok=True)
            _run([sys.executable, "-m", "venv", "--clear", str(place)])
            pip = [str(place / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
            _run([*pip, f"{self.name}{self.extra}=={self.version}"])
            done.touch()
        return place / "bin"

    def command(self, programs: Path, root: Path, home: Path) -> list[str]:
        stands_for = {"ROOT": str(root), "HOME": str(home)}
        program, *words = self.words
        return [str(programs / program), *(stands_for.get(word, word) for word in words)]


PEERS = (
    # Its model would be looked for on the network, on which the list of tools does not wait.
    Peer("semble", "0.7.0", "[mcp]", ("semble",), {"HF_HUB_OFFLINE": "1"}),
    Peer("code-index-mcp", "2.17.1", "", ("code-index-mcp", "--project-path", "ROOT", "--indexer-path", "HOME")),
    Peer(
        "serena-agent",
        "2.1.0",
        "",
        (
            "serena",
            "start-mcp-server",
            *("--project", "ROOT"),
            *("--context", "ide"),
            # By default it lists an interpreter in place of its tools, which compares with nothing.
            *("--agent-interface", "tools"),
            *("--enable-web-dashboard", "false"),
            *("--open-web-dashboard", "false"),
        ),
    ),
)


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise PeerFailed(last_words(done.stderr) or f"exit code {done.returncode}")


def last_words(errors: str) -> str:
    """The end of what a program complained of, as one line."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""
