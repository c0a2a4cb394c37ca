"""ASGI application: an MCP server and operator routes, wrapped by the guard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http import EventStore
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from codeplane.server.http.connections import Connections
from codeplane.server.http.guard import MCP_PATH, Guard, GuardedApp

MAX_SESSIONS: Final = 1000
SESSION_IDLE_SECONDS: Final = 30 * 60.0


def build_app(
    server: Server[Any],
    guard: Guard,
    connections: Connections,
    routes: Sequence[BaseRoute] = (),
    *,
    event_store: EventStore | None = None,
    retry_milliseconds: int | None = None,
    on_session_end: Callable[[str], None] | None = None,
) -> GuardedApp:
    """Build the application.

    `event_store` lets clients of protocol 2025-11-25 resume a stream; without one they repeat the request.
    `on_session_end` is called when a client ends its session; abandoned sessions end by idle timeout.
    """
    sessions = StreamableHTTPSessionManager(
        server,
        event_store=event_store,
        # Plain JSON answers would drop progress notifications.
        json_response=False,
        retry_interval=retry_milliseconds,
        session_idle_timeout=SESSION_IDLE_SECONDS,
        max_sessions=MAX_SESSIONS,
        # One more than the guard allows, so the guard answers first.
        max_request_body_size=guard.max_body_bytes + 1,
    )
    inner = Starlette(
        routes=[Route(MCP_PATH, _McpEndpoint(sessions.handle_request, on_session_end)), *routes],
        lifespan=lambda _: sessions.run(),
    )
    inner.router.redirect_slashes = False
    return GuardedApp(inner, guard, connections)


class _McpEndpoint:
    """MCP endpoint; GET and DELETE are only allowed in a session."""

    def __init__(self, handle: ASGIApp, on_session_end: Callable[[str], None] | None) -> None:
        self._handle = handle
        self._on_session_end = on_session_end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = next((value for name, value in scope["headers"] if name == b"mcp-session-id"), None)
        if scope["method"] == "DELETE" and session is not None:
            await self._handle(scope, receive, self._observed(session.decode("latin-1"), send))
        elif scope["method"] == "POST" or (scope["method"] == "GET" and session is not None):
            await self._handle(scope, receive, send)
        else:
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)

    def _observed(self, session: str, send: Send) -> Send:
        """Return `send` with a call of `on_session_end` when the server accepts the end of the session."""

        async def observed(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 200 and self._on_session_end:
                self._on_session_end(session)
            await send(message)

        return observed
