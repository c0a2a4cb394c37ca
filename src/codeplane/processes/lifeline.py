"""A child that lives as long as its parent: a pipe that only the parent holds open is its lifeline.

However the parent ends, the child reads the end of its standard input and goes. It has a
session of its own, so that a key pressed at the terminal reaches the parent alone.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence


class LifelineProcess:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    @property
    def pid(self) -> int:
        return self._process.pid

    def exit_code(self) -> int | None:
        """None while it runs."""
        return self._process.poll()

    def release(self) -> None:
        """Let go of the lifeline: it is asked to end, and may take a moment."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    def end(self, seconds: float) -> int:
        """Ask, wait, and kill it with all that it started when it does not go."""
        self.release()
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            return self._process.wait()


def start_with_lifeline(command: Sequence[str]) -> LifelineProcess:
    """Its output goes nowhere, its errors to where ours go."""
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True, close_fds=True
    )
    return LifelineProcess(process)
