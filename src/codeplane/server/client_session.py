"""Engine side of one connected frontend: its running calls, its principals and their concurrency limits.

A stdio frontend serves one client, an HTTP frontend serves many; no client may block the others. Runs in the event loop
of the engine.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from codeplane import telemetry
from codeplane.server.frames import Frame
from codeplane.tools.surface import Surface

MAX_UNREAD_BYTES = 8 * 1024 * 1024
"""Unsent bytes at which a client that does not read is disconnected."""
_MAX_PRINCIPALS = 1_024
_MAX_NAME_CHARS = 100


@dataclass(frozen=True)
class ConcurrencyLimits:
    calls: int
    """Maximum number of calls, running and queued."""
    running: int
    per_principal: int


ONE_CLIENT = ConcurrencyLimits(calls=64, running=32, per_principal=32)
MANY_CLIENTS = ConcurrencyLimits(calls=1_100, running=128, per_principal=64)
"""HTTP clients without an MCP session share one principal."""
_IMMEDIATE_MARGIN = 16
"""Extra calls beyond the limit for tools that answer immediately."""


class ActiveCall:
    def __init__(self) -> None:
        self.cancelled = threading.Event()
        self._waiting: asyncio.Task[bool] | None = None

    def cancel(self) -> None:
        self.cancelled.set()
        if self._waiting is not None:
            self._waiting.cancel()

    async def enter(self, slots: asyncio.Semaphore) -> bool:
        """Wait for a slot; False if the call is cancelled first."""
        if not slots.locked():
            return await slots.acquire()
        if self.cancelled.is_set():
            return False
        self._waiting = asyncio.ensure_future(slots.acquire())
        try:
            return await self._waiting
        except asyncio.CancelledError:
            if not self.cancelled.is_set():
                raise
            return False
        finally:
            self._waiting = None


class ClientSession:
    def __init__(self, writer: asyncio.StreamWriter, surface: Surface, kind: str) -> None:
        self.writer = writer
        self.surface = surface
        self.kind = kind
        self.calls: dict[int, ActiveCall] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        self.state_requests: list[int] = []
        """Ids of pending state requests, answered together."""
        self.sends_state = False
        self._limits = MANY_CLIENTS if kind == "http" else ONE_CLIENT
        self._slots = asyncio.Semaphore(self._limits.running)
        # Least recently used first.
        self._principals: OrderedDict[str, asyncio.Semaphore] = OrderedDict()

    @property
    def principals(self) -> tuple[str, ...]:
        return tuple(self._principals)

    def send(self, *frames: Frame) -> None:
        if self.writer.is_closing():
            return
        # One write: from Python 3.12 on each takes time in proportion to the number of unsent ones.
        self.writer.write(b"".join(frame.encode() for frame in frames))
        if self.writer.transport.get_write_buffer_size() > MAX_UNREAD_BYTES:
            telemetry.warn("client disconnected: it does not read", kind=self.kind)
            self.writer.transport.abort()

    def cancel_all(self) -> None:
        for call in self.calls.values():
            call.cancel()

    def exceeded_limit(self, *, immediate: bool) -> int | None:
        """Return the limit if no further call is allowed, else None."""
        limit = self._limits.calls
        return limit if len(self.calls) >= limit + (_IMMEDIATE_MARGIN if immediate else 0) else None

    def add_principal(self, principal: str, client: object) -> list[str]:
        """Record a principal; return the least recently used principals that are dropped for it."""
        known = self._principals.get(principal)
        if known is not None:
            self._principals.move_to_end(principal)
            return []
        name = client[:_MAX_NAME_CHARS] if isinstance(client, str) else None
        telemetry.debug("first call of a client", kind=self.kind, client=name)
        self._principals[principal] = asyncio.Semaphore(self._limits.per_principal)
        excess = len(self._principals) - _MAX_PRINCIPALS
        return [self._principals.popitem(last=False)[0] for _ in range(excess)]

    def drop_principal(self, principal: str) -> bool:
        """Drop a principal; False if it is unknown."""
        return self._principals.pop(principal, None) is not None

    @asynccontextmanager
    async def slots(self, call: ActiveCall, principal: str) -> AsyncIterator[bool]:
        """Hold the slots of a call; yields False if the call is cancelled while it waits."""
        own = self._principals.get(principal, self._slots)
        async with AsyncExitStack() as stack:
            has_slots = True
            for semaphore in dict.fromkeys((own, self._slots)):
                if not await call.enter(semaphore):
                    has_slots = False
                    break
                stack.callback(semaphore.release)
            yield has_slots
