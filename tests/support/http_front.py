"""A real HTTP front on a real port, in a thread, before a caller that really runs small things."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.server.http.app import build_app
from codeplane.server.http.connections import Connections
from codeplane.server.http.guard import Guard
from codeplane.server.http.lifecycle import listen, run_app, session_end_callback
from codeplane.server.http.mcp_server import MAX_CALLS, ServerInfo, build_server
from codeplane.server.http.routes import operator_routes
from codeplane.server.tool_caller import OnProgress
from codeplane.tools.calls import CallReply
from codeplane.tools.surface import Format

TOKEN = "token-of-this-test-and-no-other"
REPOSITORY = "/somewhere/a repository é"
LATEST = "2026-07-28"

_OBJECT = {"type": "object", "properties": {"value": {}, "seconds": {"type": "number"}}}
TOOLS = [{"name": name, "description": name, "inputSchema": _OBJECT} for name in ("echo", "sleep", "refuse", "crash")]


@dataclass
class Local:
    """A caller that answers by itself, and remembers what it was asked."""

    asked: list[dict[str, Any]] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    running: int = 0
    cancelled: int = 0
    ready: bool = True
    unreachable: bool = False

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, object],
        *,
        principal: str,
        client: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> CallReply:
        self.asked.append({"tool": tool, "arguments": arguments, "principal": principal, "client": client})
        self.running += 1
        try:
            return await self._run(tool, arguments, on_progress)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.running -= 1

    def end_session(self, principal: str) -> None:
        self.left.append(principal)

    async def state(self) -> Mapping[str, object]:
        if self.unreachable:
            raise CodePlaneError(ErrorCode.ENGINE_UNREACHABLE, "no engine is listening")
        return {"ready": self.ready, "state": "ready" if self.ready else "indexing"}

    async def _run(self, tool: str, arguments: Mapping[str, Any], on_progress: OnProgress | None) -> CallReply:
        if tool == "crash":
            raise ValueError("a secret that stands in no answer")
        if tool == "refuse":
            raise CodePlaneError(ErrorCode.NOT_READY, "not yet")
        if tool == "sleep":
            steps = int(float(arguments["seconds"]) / 0.01)
            for step in range(steps):
                if on_progress is not None:
                    await on_progress(step, steps, f"step {step}" + "." * int(arguments.get("padding", 0)))
                await asyncio.sleep(0.01)
        envelope = {"status": "ok", "result": {"tool": tool, "value": arguments.get("value")}, "meta": {}}
        return CallReply(json.dumps(envelope, separators=(",", ":")).encode(), is_error=False)


@dataclass
class Front:
    port: int
    caller: Local
    connections: Connections
    loop: asyncio.AbstractEventLoop
    stop: asyncio.Event

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    @property
    def own_headers(self) -> dict[str, str]:
        return {"Host": f"127.0.0.1:{self.port}", "Authorization": f"Bearer {TOKEN}"}

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def ask(self, method: str, path: str, headers: Mapping[str, str] | None = None, body: bytes = b"") -> Response:
        """One request with exactly these headers, and those that frame the body."""
        chosen = dict(self.own_headers if headers is None else headers)
        if body:
            chosen.setdefault("Content-Type", "application/json")
            chosen["Content-Length"] = str(len(body))
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in chosen.items())]
        return self.send_raw("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body, method)

    def send_raw(self, request: bytes, method: str = "GET") -> Response:
        with self.connect() as connection:
            connection.sendall(request)
            reply = http.client.HTTPResponse(connection, method=method)
            reply.begin()
            return Response(reply.status, {k.lower(): v for k, v in reply.getheaders()}, reply.read())

    def rpc(self, message: object, **headers: str) -> Response:
        chosen = {**self.own_headers, "Accept": "application/json, text/event-stream", **headers}
        return self.ask("POST", "/mcp", chosen, message if isinstance(message, bytes) else json.dumps(message).encode())

    def modern(self, method: str, params: Mapping[str, object] | None = None, **headers: str) -> Response:
        return self.rpc(modern_message(method, params), **{**modern_headers(method, params), **headers})


@dataclass(frozen=True)
class Response:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def modern_message(method: str, params: Mapping[str, object] | None = None) -> dict[str, object]:
    meta = {
        "io.modelcontextprotocol/protocolVersion": LATEST,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    }
    given = dict(params or {})
    given_meta = given.pop("_meta", {})
    assert isinstance(given_meta, dict)
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**given, "_meta": {**meta, **given_meta}}}


def modern_headers(method: str, params: Mapping[str, object] | None = None) -> dict[str, str]:
    named = {"Mcp-Name": str(params["name"])} if params and "name" in params else {}
    return {"MCP-Protocol-Version": LATEST, "Mcp-Method": method, **named}


@contextmanager
def running_front(
    *, connections: Connections | None = None, grace_seconds: float = 0.3, max_calls: int = MAX_CALLS, **guarded: Any
) -> Iterator[Front]:
    fronts: list[Front] = []
    started = threading.Event()

    async def main() -> None:
        listener = listen(0)
        guard = Guard(TOKEN, REPOSITORY, listener.getsockname()[1], **guarded)
        caller = Local()
        accepted = connections or Connections()
        identity = ServerInfo("codeplane", "9.9.9", "Instructions.", TOOLS, Format.JSON)
        routes = operator_routes(caller, guard, version="9.9.9", api_version="0.1.0", figures=dict)
        server = build_server(identity, caller, TOKEN, max_calls)
        app = build_app(server, guard, accepted, routes, on_session_end=session_end_callback(caller, TOKEN))
        stop = asyncio.Event()
        fronts.append(Front(guard.port, caller, accepted, asyncio.get_running_loop(), stop))
        await run_app(app, listener, accepted, grace_seconds=grace_seconds, on_started=started.set, stop=stop)

    thread = threading.Thread(target=lambda: asyncio.run(main()), daemon=True)
    thread.start()
    assert started.wait(20)
    try:
        yield fronts[0]
    finally:
        fronts[0].loop.call_soon_threadsafe(fronts[0].stop.set)
        thread.join(20)
        assert not thread.is_alive()
