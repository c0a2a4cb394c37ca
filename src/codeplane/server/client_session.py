"""A front that is attached to the engine: its calls, whom it asks for, and how many of them have their turn.

A front on standard input stands for one client, one on HTTP for many: what one of these does
must not keep the others waiting. Lives in the loop of the engine.
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
"""A client that reads nothing is closed when this much waits for it."""
_MAX_PRINCIPALS = 1_024
_MAX_NAME_CHARS = 100


@dataclass(frozen=True)
class ConcurrencyLimits:
    calls: int
    """That may be under way at a time; those that have no turn yet wait for it."""
    running: int
    each: int
    """That may run at a time for one principal."""


ONE_CLIENT = ConcurrencyLimits(calls=64, running=32, each=32)
MANY_CLIENTS = ConcurrencyLimits(calls=1_100, running=128, each=64)
"""Of the clients of HTTP, all that have no session of their own are one principal."""
_AT_ONCE_MARGIN = 16
"""Calls that are answered at once are taken even from a client that has as many others as it may have."""


class ActiveCall:
    def __init__(self) -> None:
        self.cancelled = threading.Event()
        self._entering: asyncio.Task[bool] | None = None

    def cancel(self) -> None:
        self.cancelled.set()
        if self._entering is not None:
            self._entering.cancel()

    async def enter(self, slots: asyncio.Semaphore) -> bool:
        """Take a slot, as soon as there is one; False when the call was cancelled before."""
        if not slots.locked():
            return await slots.acquire()
        if self.cancelled.is_set():
            return False
        self._entering = asyncio.ensure_future(slots.acquire())
        try:
            return await self._entering
        except asyncio.CancelledError:
            if not self.cancelled.is_set():
                raise
            return False
        finally:
            self._entering = None


class ClientSession:
    def __init__(self, writer: asyncio.StreamWriter, surface: Surface, kind: str) -> None:
        self.writer = writer
        self.surface = surface
        self.kind = kind
        self.calls: dict[int, ActiveCall] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        self.asked: list[int] = []
        """Questions for the state that wait for its next telling."""
        self.is_told = False
        self._limits = MANY_CLIENTS if kind == "http" else ONE_CLIENT
        self._slots = asyncio.Semaphore(self._limits.running)
        # Least recently used first.
        self._principals: OrderedDict[str, asyncio.Semaphore] = OrderedDict()

    @property
    def principals(self) -> tuple[str, ...]:
        return tuple(self._principals)

    def send(self, frame: Frame) -> None:
        if self.writer.is_closing():
            return
        self.writer.write(frame.encode())
        if self.writer.transport.get_write_buffer_size() > MAX_UNREAD_BYTES:
            telemetry.warn("a client does not read; closed", kind=self.kind)
            self.writer.transport.abort()

    def cancel_all(self) -> None:
        for call in self.calls.values():
            call.cancel()

    def too_many(self, *, at_once: bool) -> int | None:
        """How many calls may be under way, when there is no room for one more."""
        limit = self._limits.calls
        return limit if len(self.calls) >= limit + (_AT_ONCE_MARGIN if at_once else 0) else None

    def know(self, principal: str, client: object) -> list[str]:
        """Note who asks; returns those that must make room for it."""
        known = self._principals.get(principal)
        if known is not None:
            self._principals.move_to_end(principal)
            return []
        name = client[:_MAX_NAME_CHARS] if isinstance(client, str) else None
        telemetry.debug("a client asks for the first time", kind=self.kind, client=name)
        self._principals[principal] = asyncio.Semaphore(self._limits.each)
        gone = len(self._principals) - _MAX_PRINCIPALS
        return [self._principals.popitem(last=False)[0] for _ in range(gone)]

    def forget(self, principal: str) -> bool:
        """Whether there was such a one."""
        return self._principals.pop(principal, None) is not None

    @asynccontextmanager
    async def turn(self, call: ActiveCall, principal: str) -> AsyncIterator[bool]:
        """Wait for the turn of a call, and hold it; False when it was cancelled before it came."""
        own = self._principals.get(principal, self._slots)
        async with AsyncExitStack() as held:
            has_turn = True
            for slots in dict.fromkeys((own, self._slots)):
                if not await call.enter(slots):
                    has_turn = False
                    break
                held.callback(slots.release)
            yield has_turn
