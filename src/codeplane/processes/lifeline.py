"""Child process that ends with its parent.

The parent holds a pipe to the child's standard input (the lifeline). However the parent ends, the child reads the end
of its input and exits. It has its own session, so terminal signals reach only the parent.
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
        """Return None while it runs."""
        return self._process.poll()

    def release(self) -> None:
        """Close the lifeline, which asks the child to end."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    def end(self, seconds: float) -> int:
        """Ask the child to end, wait, and kill its process group on timeout."""
        self.release()
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            return self._process.wait()


def start_with_lifeline(command: Sequence[str]) -> LifelineProcess:
    """Start the child; its standard output is discarded, its standard error is inherited."""
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True, close_fds=True
    )
    return LifelineProcess(process)
