"""Client of the git worker: runs operations in a child process that can be killed.

The worker starts on first use and ends when it was idle for a while. Operations run one at a time.
"""

from __future__ import annotations

import json
import selectors
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pygit2
from pygit2.enums import ConfigLevel

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.git.git_directory import has_git
from codeplane.processes.children import Child
from codeplane.processes.confinement import CPU_LIMIT_SIGNAL

CPU_SECONDS = 120.0
MEMORY_BYTES = 4 << 30
STALL_SECONDS = 30.0
"""A worker that uses no CPU time for this long is blocked, for example on a FIFO."""
IDLE_SECONDS = 60.0
_MODULE = "codeplane.git.worker"
_TICK_SECONDS = 0.1


class GitClient:
    """Thread-safe. The worker reads the same system and user configuration as this process."""

    def __init__(self, *, cpu_seconds: float = CPU_SECONDS) -> None:
        levels = (ConfigLevel.SYSTEM, ConfigLevel.XDG, ConfigLevel.GLOBAL)
        places = {int(level): pygit2.settings.search_path[level] for level in levels}
        self._arguments = (str(MEMORY_BYTES), str(cpu_seconds), json.dumps(places))
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._idle_timer: threading.Timer | None = None

    def run(self, operation: str, root: Path, arguments: Mapping[str, object], cancelled: Callable[[], bool]) -> Any:
        """Run an operation of `git.worker` on the repository at `root`, and return its result as JSON values."""
        if not has_git(root):
            raise CodePlaneError(ErrorCode.NOT_A_REPOSITORY, "this directory is not a git repository")
        request = json.dumps({"operation": operation, "root": str(root), "arguments": dict(arguments)})
        with self._lock:
            self._stop_timer()
            try:
                answer = json.loads(self._exchange(request.encode("ascii"), cancelled))
            except BaseException:
                self._end()
                raise
            self._start_timer()
        if "error" in answer:
            raise _error(answer["error"])
        return answer["result"]

    def close(self) -> None:
        with self._lock:
            self._stop_timer()
            self._end()

    def _exchange(self, request: bytes, cancelled: Callable[[], bool]) -> bytes:
        if self._child is None:
            self._child = Child(_MODULE, self._arguments)
        child = self._child
        child.send(request)
        used, since = child.cpu_seconds(), time.monotonic()
        with selectors.DefaultSelector() as selector:
            selector.register(child.output, selectors.EVENT_READ)
            while True:
                if selector.select(_TICK_SECONDS):
                    frames, is_alive = child.receive()
                    if frames:
                        return frames[0]
                    if not is_alive:
                        raise _ended(child.kill())
                if child.wants_to_write:
                    child.flush()
                if cancelled():
                    raise CodePlaneError(ErrorCode.CANCELLED, "the call was cancelled")
                now = child.cpu_seconds()
                if now > used:
                    used, since = now, time.monotonic()
                elif time.monotonic() - since > STALL_SECONDS:
                    raise _blocked()

    def _end(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child = None

    def _start_timer(self) -> None:
        self._idle_timer = threading.Timer(IDLE_SECONDS, self._end_if_idle)
        self._idle_timer.daemon = True
        self._idle_timer.start()

    def _stop_timer(self) -> None:
        if self._idle_timer is not None:
            self._idle_timer.cancel()
            self._idle_timer = None

    def _end_if_idle(self) -> None:
        if self._lock.acquire(blocking=False):
            try:
                self._end()
            finally:
                self._lock.release()


def _error(fields: Mapping[str, Any]) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode[fields["error"]],
        fields["message"],
        details=fields.get("details"),
        expected=fields.get("expected"),
        received=fields.get("received"),
        example=fields.get("example"),
        remedy=fields.get("remedy"),
    )


def _ended(status: int) -> CodePlaneError:
    if status == -CPU_LIMIT_SIGNAL:
        reason, remedy = "it used more CPU time than allowed", "Narrow it down with 'paths', 'limit' or a range."
    else:
        reason, remedy = "its process ended", "Run 'git fsck' there; nothing was changed."
    return CodePlaneError(ErrorCode.GIT_UNSUPPORTED, f"the git operation did not finish: {reason}", remedy=remedy)


def _blocked() -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.GIT_DAMAGED,
        "the git operation was blocked: a file of the repository cannot be read",
        remedy="Look for FIFOs and devices among .gitignore, .gitattributes and the files in .git.",
    )
