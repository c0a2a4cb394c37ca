"""Standard input and output of the stdio frontend, reserved for the protocol.

Output that a library prints goes to standard error; a library that reads standard input finds it empty. Reading and
writing block in their own threads. If a client does not read its answers, no more input is read from it (backpressure);
only its disconnect is still detected.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import sys
import threading
import time
from collections import deque
from collections.abc import Callable

MAX_LINE_BYTES = 4 * 1024 * 1024
MAX_PENDING_BYTES = 8 * 1024 * 1024
MAX_PENDING_LINES = 1_000
TOO_LONG = b"\n"
"""Marker for a line above MAX_LINE_BYTES; never a real line."""
_CHUNK = 256 * 1024
_LINES_AHEAD = 64
"""Lines read ahead; small, because an answer may be a thousand times as long as its request."""
_SLICE_SECONDS = 0.1
_LAST_SECONDS = 0.3
"""Time in which input that a client sent before it disconnected is still read."""
_HANG_UP = select.POLLHUP | select.POLLERR | select.POLLNVAL | getattr(select, "POLLRDHUP", 0)


def claim_standard_streams() -> tuple[int, int]:
    """Return private descriptors for the protocol: (input, output)."""
    null = os.open(os.devnull, os.O_RDWR)
    if null == 2:
        # The client started us without standard error: use /dev/null.
        os.set_inheritable(null, True)
    protocol_input, protocol_output = os.dup(0), os.dup(1)
    os.dup2(null, 0)
    os.dup2(2, 1)
    if null != 2:
        os.close(null)
    # Flush output that was printed before, now to standard error.
    sys.stdout.flush()
    return protocol_input, protocol_output


class LineReader:
    """Read lines in a thread; None marks the end, TOO_LONG a line that is too long."""

    def __init__(self, descriptor: int, wait_for_room: Callable[[float], bool]) -> None:
        """`wait_for_room(seconds)` waits until more may be read; False on timeout."""
        self.ended_at: float | None = None
        """Monotonic time at which the client was found to be gone."""
        self._descriptor = descriptor
        self._wait_for_room = wait_for_room
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._places = threading.Semaphore(_LINES_AHEAD)
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    async def next(self) -> bytes | None:
        line = await self._queue.get()
        self._places.release()
        return line

    def _read(self) -> None:
        parts: list[bytes] = []
        held, dropped = 0, False
        while True:
            try:
                chunk = os.read(self._descriptor, _CHUNK) if self._wait(self._wait_for_room) else b""
            except OSError:
                chunk = b""
            if not chunk:
                return self._end()
            *ended, rest = chunk.split(b"\n")
            for piece in ended:
                if not (self._wait(self._wait_for_room) and self._wait(self._wait_for_place)):
                    return self._end()
                line = b"".join([*parts, piece])
                self._put(TOO_LONG if dropped or len(line) > MAX_LINE_BYTES else line)
                parts, held, dropped = [], 0, False
            held += len(rest)
            if held > MAX_LINE_BYTES:
                parts, dropped = [], True
            elif rest:
                parts.append(rest)

    def _end(self) -> None:
        self.ended_at = self.ended_at or time.monotonic()
        self._put(None)

    def _wait_for_place(self, seconds: float) -> bool:
        return self._places.acquire(timeout=seconds)

    def _wait(self, has_room: Callable[[float], bool]) -> bool:
        """Wait for room; False if the client is gone and its grace time is over."""
        while not has_room(_SLICE_SECONDS):
            now = time.monotonic()
            if self.ended_at is None and self._is_hung_up():
                self.ended_at = now
            if self.ended_at is not None and now - self.ended_at >= _LAST_SECONDS:
                return False
        return True

    def _is_hung_up(self) -> bool:
        """True if the client has closed its end, as far as poll(2) can tell without reading."""
        poll = select.poll()
        poll.register(self._descriptor, _HANG_UP)
        return bool(poll.poll(0))

    def _put(self, line: bytes | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._queue.put_nowait, line)
        except RuntimeError:
            # The loop is closed.
            return


class LineWriter:
    """Write complete lines in order, in a thread."""

    def __init__(self, descriptor: int, on_broken: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._on_broken = on_broken
        self._lines: deque[bytes] = deque()
        self._bytes = 0
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._write, name="stdout", daemon=True)
        self._thread.start()

    def put(self, line: bytes) -> None:
        with self._changed:
            self._lines.append(line)
            self._bytes += len(line)
            self._changed.notify_all()

    def wait_for_room(self, seconds: float) -> bool:
        """Block while too much output is pending; False on timeout."""
        with self._changed:
            return self._changed.wait_for(
                lambda: self._closed or (len(self._lines) < MAX_PENDING_LINES and self._bytes < MAX_PENDING_BYTES),
                seconds,
            )

    def close(self, seconds: float) -> None:
        """Write pending lines for at most `seconds`."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(seconds)

    def _write(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._lines or self._closed)
                if not self._lines:
                    return
                line = self._lines[0]
            try:
                view = memoryview(line)
                while view:
                    view = view[os.write(self._descriptor, view) :]
            except OSError:
                with self._changed:
                    self._closed = True
                    self._lines.clear()
                    self._bytes = 0
                    self._changed.notify_all()
                # The loop may be closed already.
                with contextlib.suppress(RuntimeError):
                    self._on_broken()
                return
            with self._changed:
                self._lines.popleft()
                self._bytes -= len(line)
                self._changed.notify_all()
