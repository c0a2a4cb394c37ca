"""`cpl` as a person or a script runs it: a real process, a real repository, a home of its own."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CPL = (sys.executable, "-c", "from codeplane.cli.main import main; main()")
HOSTILE = "evil\x1b]52;c;aGk=\x07.py"


@dataclass
class Sandbox:
    """A repository and a home."""

    root: Path
    home: Path
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def command(self) -> tuple[str, ...]:
        """The command that runs `cpl`."""
        return CPL

    def environment(self) -> dict[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("XDG_", "CODEPLANE", "GIT_")) and name not in ("NO_COLOR", "CI")
        }
        kept |= {"HOME": str(self.home), "TERM": "xterm", "GIT_CONFIG_GLOBAL": "/dev/null"}
        # One worker is enough for two files, and starts sooner than two.
        return {**kept, "CODEPLANE__INDEX__WORKERS": "1", **self.variables}

    def run(self, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.command, *arguments],
            cwd=cwd or self.root,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def json(self, *arguments: str, exit_code: int = 0) -> Any:
        done = self.run(*arguments, "--json")
        assert done.returncode == exit_code, done.stdout + done.stderr
        assert done.stdout.count("\n") == 1
        return json.loads(done.stdout)

    def terminal(self, *arguments: str, typed: str = "", interrupt: bool = False, columns: int = 80) -> tuple[int, str]:
        """Run on a terminal; returns the exit code and everything that was shown."""
        pid, descriptor = pty.fork()
        if pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
            os.chdir(self.root)
            os.execve(self.command[0], [*self.command, *arguments], self.environment())
        shown = b""
        sent = False
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            ready, _, _ = select.select([descriptor], [], [], 0.2)
            if ready:
                try:
                    data = os.read(descriptor, 65536)
                except OSError:
                    break
                if not data:
                    break
                shown += data
            if typed and not sent and b"[y/N]" in shown:
                os.write(descriptor, typed.encode())
                sent = True
            if interrupt and not sent and b"Indexing" in shown:
                os.kill(pid, signal.SIGINT)
                sent = True
        else:
            os.kill(pid, signal.SIGKILL)
        os.close(descriptor)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode("utf-8", "replace")

    def git(self, *arguments: str) -> str:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        command = ["git", *identity, *arguments]
        done = subprocess.run(command, cwd=self.root, env=self.environment(), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout


def make_sandbox(place: Path) -> Sandbox:
    """A repository of two files with one commit."""
    root, home = place / "repository", place / "home"
    (root / "shop").mkdir(parents=True)
    home.mkdir()
    made = Sandbox(root, home)
    (root / "shop" / "orders.py").write_text(
        'class Order:\n    """An order."""\n\n    def total(self) -> int:\n        return 1\n\n\n'
        "def place(order: Order) -> int:\n    return order.total()\n"
    )
    (root / HOSTILE).write_text("def hostile() -> None: ...\n")
    made.git("init", "--quiet")
    made.git("add", ".")
    made.git("commit", "--quiet", "-m", "one")
    return made
