"""Limits for open connections: their number, and timeouts that no client can extend.

At the limit, unauthenticated connections are closed first, so half-open sockets of strangers cannot lock out the owner.
"""

from __future__ import annotations

import asyncio
from typing import Final

from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_CONNECTIONS: Final = 256
HEADER_SECONDS: Final = 30.0
"""Time limit for the headers of a request."""

Address = tuple[str, int]


class Connections:
    """The open connections of one server, oldest first."""

    def __init__(self, limit: int = MAX_CONNECTIONS, header_seconds: float = HEADER_SECONDS) -> None:
        self.limit = limit
        self.header_seconds = header_seconds
        self._open: dict[Address, _Connection] = {}

    @property
    def count(self) -> int:
        return len(self._open)

    def protocol(self) -> type[H11Protocol]:
        """Return the protocol class for uvicorn."""
        return type("Connection", (_Connection,), {"registry": self})

    def mark_authenticated(self, address: Address | None) -> None:
        """Mark a connection as authenticated."""
        connection = self._open.get(address) if address else None
        if connection is not None:
            connection.authenticated = True

    def abort(self, address: Address | None) -> None:
        """Drop a connection and its buffered output; a peer that does not read would keep it open forever."""
        connection = self._open.get(address) if address else None
        if connection is not None:
            connection.transport.abort()

    def abort_all(self) -> None:
        for connection in list(self._open.values()):
            connection.transport.abort()

    def admit(self, connection: _Connection) -> None:
        if connection.client is None:
            connection.transport.abort()
            return
        if len(self._open) >= self.limit:
            victim = self._find_evictable()
            if victim is None:
                connection.transport.abort()
                return
            self.forget(victim)
            victim.transport.abort()
        self._open[connection.client] = connection

    def forget(self, connection: _Connection) -> None:
        if connection.client is not None and self._open.get(connection.client) is connection:
            del self._open[connection.client]

    def _find_evictable(self) -> _Connection | None:
        oldest = list(self._open.values())
        return next(
            (item for item in oldest if not item.authenticated),
            next((item for item in oldest if not item.is_busy), None),
        )


class _Connection(H11Protocol):
    registry: Connections
    authenticated = False
    _header_timer: asyncio.TimerHandle | None = None

    @property
    def is_busy(self) -> bool:
        """True while a request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.registry.admit(self)
        self._watch_header()

    def connection_lost(self, exc: Exception | None) -> None:
        self._unwatch_header()
        self.registry.forget(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.is_busy:
            self._unwatch_header()
        elif not self.transport.is_closing():
            # Part of the next header stopped uvicorn's idle timer, so this timer takes over.
            self._watch_header()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._unwatch_header()

    def _watch_header(self) -> None:
        if self._header_timer is None:
            self._header_timer = self.loop.call_later(self.registry.header_seconds, self.transport.abort)

    def _unwatch_header(self) -> None:
        if self._header_timer is not None:
            self._header_timer.cancel()
            self._header_timer = None
