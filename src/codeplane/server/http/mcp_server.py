"""MCP server on the official SDK, with calls forwarded to the engine.

It lists the tools of the catalog and forwards every call unchanged. Every failure of a call becomes an envelope, so the
agent can read it. (The stdio frontend does not use the SDK: see `mcp_messages`.)
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import mcp_types as types
import orjson
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from codeplane import telemetry
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.server.tool_caller import ToolCaller
from codeplane.tools.calls import CallReply
from codeplane.tools.surface import Format, requested_format
from codeplane.tools.text.failures import failure_reply

MAX_CALLS: Final = 1_000
"""Maximum number of calls of all clients, running and queued in the engine."""
MAX_CALLS_EACH: Final = 500
"""Maximum per session. Clients without a session share one limit."""
_LIST_MILLISECONDS: Final = 300_000
_MAX_CLIENT_CHARS: Final = 100
_SESSION_HEADER: Final = "mcp-session-id"

Context = ServerRequestContext[Any, Any]


@dataclass(frozen=True)
class ServerInfo:
    """Name, version and tools of the server. `tools` has the form of `tools/list`."""

    name: str
    version: str
    instructions: str
    tools: Sequence[Mapping[str, object]]
    format: Format = Format.TEXT
    """Format of answers that the frontend creates itself."""


def build_server(identity: ServerInfo, caller: ToolCaller, token: str, max_calls: int = MAX_CALLS) -> Server[Any]:
    listed = types.ListToolsResult.model_validate({"tools": list(identity.tools)})
    schemas = {tool.name: tool.input_schema for tool in listed.tools}
    calls = _Calls(caller, token, max_calls, identity.format)

    async def list_tools(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return listed

    hint = CacheHint(ttl_ms=_LIST_MILLISECONDS, scope="private")
    return Server(
        identity.name,
        version=identity.version,
        instructions=identity.instructions,
        cache_hints={"tools/list": hint, "server/discover": hint},
        get_tool_input_schema=schemas.get,
        on_list_tools=list_tools,
        on_call_tool=calls.call_tool,
    )


def http_principal(token: str, session: str | None) -> str:
    """Return the principal of a session. Stateless clients have none, so all of them are one principal."""
    holder = "http:" + hashlib.sha256(token.encode()).hexdigest()[:32]
    return f"{holder}:{session}" if session else holder


def tool_result(reply: CallReply) -> types.CallToolResult:
    """Return an MCP result. An envelope is sent as text and structured, because clients show either to the model."""
    return types.CallToolResult(
        content=[types.TextContent(text=reply.body.decode())],
        structured_content=orjson.loads(reply.body) if reply.is_json else None,
        is_error=reply.is_error,
    )


class ProgressForwarder:
    """Forward the latest progress. Never waits for a slow reader: unsent progress is replaced by newer progress."""

    def __init__(self, context: Context) -> None:
        self._session = context.session
        self._last = float("-inf")
        self._next: tuple[float, float | None, str] | None = None
        self._sending: asyncio.Task[None] | None = None

    async def __call__(self, progress: float, total: float | None, message: str) -> None:
        if progress <= self._last:
            return
        self._last = progress
        self._next = (progress, total, message)
        if self._sending is None or self._sending.done():
            self._sending = asyncio.get_running_loop().create_task(self._send())

    async def close(self, *, cancel: bool) -> None:
        """Send or cancel pending progress; nothing may follow the answer."""
        if self._sending is not None:
            if cancel:
                self._sending.cancel()
            try:
                await asyncio.wait({self._sending})
            finally:
                self._sending.cancel()

    async def _send(self) -> None:
        while self._next is not None:
            progress, total, message = self._next
            self._next = None
            try:
                await self._session.report_progress(progress, total, message)
            except Exception as error:
                telemetry.debug("progress could not be sent", **telemetry.describe(error))
                return


class _Calls:
    def __init__(self, caller: ToolCaller, token: str, limit: int, form: Format) -> None:
        self._caller = caller
        self._token = token
        self._limit = limit
        self._format = form
        self._counts: Counter[str] = Counter()

    async def call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        principal = http_principal(self._token, _session_of(ctx))
        if self._counts.total() >= self._limit or self._counts[principal] >= MAX_CALLS_EACH:
            count = self._counts.total()
            error = CodePlaneError(ErrorCode.TOO_BUSY, f"{count} calls are running", remedy="Retry later.")
            return tool_result(self._failed(error, params))
        self._counts[principal] += 1
        try:
            return tool_result(await self._ask(ctx, params, principal))
        finally:
            self._counts[principal] -= 1
            if not self._counts[principal]:
                del self._counts[principal]

    async def _ask(self, ctx: Context, params: types.CallToolRequestParams, principal: str) -> CallReply:
        wants_progress = ctx.meta is not None and ctx.meta.get("progress_token") is not None
        progress = ProgressForwarder(ctx) if wants_progress else None
        answered = False
        try:
            reply = await self._caller.call(
                params.name,
                params.arguments or {},
                principal=principal,
                client=_client_of(ctx),
                on_progress=progress,
            )
            answered = True
        except CodePlaneError as error:
            return self._failed(error, params)
        except Exception as error:
            telemetry.error("call failed", tool=params.name, **telemetry.describe(error))
            return self._failed(CodePlaneError(ErrorCode.INTERNAL, "the call failed"), params)
        finally:
            if progress is not None:
                await progress.close(cancel=not answered)
        return reply

    def _failed(self, error: CodePlaneError, params: types.CallToolRequestParams) -> CallReply:
        form = requested_format(params.arguments or {}, self._format)
        return failure_reply(error, params.name, form)._replace(is_error=True)


def _session_of(ctx: Context) -> str | None:
    """Return the session that the SDK opened. Stateless requests have none, whatever their header says."""
    if ctx.request is None or ctx.protocol_version not in HANDSHAKE_PROTOCOL_VERSIONS:
        return None
    session = ctx.request.headers.get(_SESSION_HEADER)
    return session if isinstance(session, str) else None


def _client_of(ctx: Context) -> str | None:
    known = ctx.session.client_params
    if known is None:
        return None
    return f"{known.client_info.name}/{known.client_info.version}"[:_MAX_CLIENT_CHARS]
