"""Python worker process that exchanges frames over its standard input and output.

It runs in its own session, with an empty environment, in `/`, and with the module path of its parent, so it cannot
import anything from a repository. A frame is a four-byte big-endian length and the data.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import struct
import subprocess
import sys
from collections import deque
from itertools import islice
from pathlib import Path
from typing import BinaryIO

LENGTH = struct.Struct(">I")
_CHUNK = 1 << 20
_PIPE_BYTES = 1 << 20
_READ_BYTES = 1 << 18
_MAX_PARTS = 256
"""Buffers per writev; every system allows more."""


class Child:
    """A running worker with non-blocking pipes."""

    def __init__(self, module: str, arguments: tuple[str, ...] = ()) -> None:
        start = (
            f"import sys; sys.path[:] = {[entry for entry in sys.path if entry]!r}; from {module} import main; main()"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", start, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={},
            start_new_session=True,
            bufsize=0,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self.input = self._process.stdin.fileno()
        self.output = self._process.stdout.fileno()
        for pipe in (self.input, self.output):
            _widen(pipe)
        os.set_blocking(self.input, False)
        os.set_blocking(self.output, False)
        self._outbox: deque[memoryview] = deque()
        self._inbox = bytearray()

    @property
    def pid(self) -> int:
        return self._process.pid

    def cpu_seconds(self) -> float:
        """Return the CPU time used so far; 0 where the system does not show it."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text("latin-1").rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def wants_to_write(self) -> bool:
        return bool(self._outbox)

    def send(self, *parts: bytes) -> None:
        """Queue one frame made of `parts`, and write as much as the pipe accepts."""
        self._outbox.append(memoryview(LENGTH.pack(sum(map(len, parts)))))
        self._outbox.extend(memoryview(part) for part in parts if part)
        self.flush()

    def flush(self) -> None:
        """Write as much as the pipe accepts now. A dead child is detected when its output ends."""
        with contextlib.suppress(BlockingIOError, BrokenPipeError):
            while self._outbox:
                written = os.writev(self.input, list(islice(self._outbox, _MAX_PARTS)))
                while self._outbox and written >= len(self._outbox[0]):
                    written -= len(self._outbox.popleft())
                if written:
                    self._outbox[0] = self._outbox[0][written:]

    def receive(self) -> tuple[list[bytes], bool]:
        """Return the complete frames received, and False if the child has closed its output."""
        alive = True
        with contextlib.suppress(BlockingIOError):
            while True:
                data = os.read(self.output, _CHUNK)
                if not data:
                    alive = False
                    break
                self._inbox += data
                if len(data) < _CHUNK:
                    break
        frames: list[bytes] = []
        start = 0
        while len(self._inbox) - start >= LENGTH.size:
            (length,) = LENGTH.unpack_from(self._inbox, start)
            end = start + LENGTH.size + length
            if len(self._inbox) < end:
                break
            frames.append(bytes(memoryview(self._inbox)[start + LENGTH.size : end]))
            start = end
        if start:
            del self._inbox[:start]
        return frames, alive

    def kill(self) -> int:
        """Kill the child and its session; return its exit status (negative: signal number)."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        status = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        return status


def take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """In the child: return the streams of requests and answers, and redirect stdin and stdout to /dev/null."""
    requests = os.fdopen(os.dup(0), "rb", buffering=_READ_BYTES)
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    return requests, answers


def write_frame(stream: BinaryIO, data: bytes) -> None:
    stream.write(LENGTH.pack(len(data)) + data)


def read_frame(stream: BinaryIO) -> bytes | None:
    """In the child: read the next frame; None at the end."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    return stream.read(LENGTH.unpack(head)[0])


def _widen(pipe: int) -> None:
    """Enlarge the pipe buffer for several frames, if the system supports it."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
