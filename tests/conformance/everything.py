"""A server for the conformance suite alone: every feature that the suite asks about, on our transport.

The application, its guard and the way it is served are those of the product. Tools that only
need what our own tools have go through the same forwarding to a Caller; the others, which our
tools never do (images, sampling, elicitation), are answered here.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler

from codeplane.base.envelope import error_envelope
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.server.http.mcp_server import ServerInfo, build_server
from codeplane.server.tool_caller import OnProgress
from codeplane.tools.calls import CallReply
from conformance import prompts, resources, tools

Context = ServerRequestContext[Any, Any]


class EverythingCaller:
    """The tools of the suite that are like ours: arguments in, envelope and progress out."""

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, object],
        *,
        principal: str,
        client: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> CallReply:
        if tool == "test_error_handling":
            error = CodePlaneError(ErrorCode.ARGUMENT_INVALID, "This tool intentionally returns an error for testing")
            return CallReply(_compact(error_envelope(error, {})), is_error=True)
        if tool == "test_tool_with_progress":
            for progress in (0, 50, 100):
                if on_progress is not None:
                    await on_progress(progress, 100, f"{progress} of 100")
                await asyncio.sleep(0.05)
        answer = tools.FORWARDED_TEXTS.get(tool, f"Called {tool}.")
        return CallReply(_compact({"status": "ok", "message": answer, "result": dict(arguments), "meta": {}}), False)

    async def state(self) -> Mapping[str, object]:
        return {"ready": True}


def build_everything(token: str) -> Server[Any]:
    identity = ServerInfo("codeplane-conformance", "1.0.0", "A server for conformance tests.", tools.LISTED)
    server = build_server(identity, EverythingCaller(), token)
    bus = InMemorySubscriptionBus()
    forwarded = server.get_request_handler("tools/call")
    assert forwarded is not None

    async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> Any:
        own = tools.OWN.get(params.name)
        return await (own(ctx, params, bus) if own is not None else forwarded.handler(ctx, params))

    server.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)
    server.add_request_handler("subscriptions/listen", types.SubscriptionsListenRequestParams, ListenHandler(bus))
    resources.add_to(server)
    prompts.add_to(server)
    return server


class MemoryEvents(EventStore):
    """Lets a client of 2025-11-25 take up a stream again that the server has closed."""

    def __init__(self) -> None:
        self._events: list[tuple[str, str, types.JSONRPCMessage | None]] = []
        self._numbers = itertools.count(1)

    async def store_event(self, stream_id: str, message: types.JSONRPCMessage | None) -> str:
        event_id = str(next(self._numbers))
        self._events.append((event_id, stream_id, message))
        return event_id

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        stream = next((stream for event, stream, _ in self._events if event == last_event_id), None)
        if stream is None:
            return None
        for event_id, event_stream, message in list(self._events):
            if event_stream == stream and int(event_id) > int(last_event_id) and message is not None:
                await send_callback(EventMessage(message, event_id))
        return stream


def _compact(envelope: Mapping[str, object]) -> bytes:
    return json.dumps(envelope, separators=(",", ":")).encode()
