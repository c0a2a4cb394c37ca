"""One ASGI application out of an MCP server, routes for operators and the guard round both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http import EventStore
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

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
) -> GuardedApp:
    """`event_store` lets clients of 2025-11-25 resume a stream; without one a broken stream is asked again."""
    sessions = StreamableHTTPSessionManager(
        server,
        event_store=event_store,
        # Answers as plain JSON would drop progress.
        json_response=False,
        retry_interval=retry_milliseconds,
        session_idle_timeout=SESSION_IDLE_SECONDS,
        max_sessions=MAX_SESSIONS,
        # One more than what the guard lets through, which answers first.
        max_request_body_size=guard.max_body_bytes + 1,
    )
    inner = Starlette(
        routes=[Route(MCP_PATH, _McpEndpoint(sessions.handle_request)), *routes], lifespan=lambda _: sessions.run()
    )
    inner.router.redirect_slashes = False
    return GuardedApp(inner, guard, connections)


class _McpEndpoint:
    """Outside of a session there is nothing to GET or DELETE."""

    def __init__(self, handle: ASGIApp) -> None:
        self._handle = handle

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        in_session = any(name == b"mcp-session-id" for name, _ in scope["headers"])
        if scope["method"] == "POST" or (scope["method"] in ("GET", "DELETE") and in_session):
            await self._handle(scope, receive, send)
        else:
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
