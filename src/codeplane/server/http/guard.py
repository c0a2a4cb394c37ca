"""HTTP guard in front of every route: authentication, Host and Origin checks, size and time limits.

It wraps the whole application, so no route can bypass it. Nothing about the repository is sent before authentication,
and no response allows another origin. A request body is read and validated completely before the application sees it.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

import orjson
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from codeplane import telemetry
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.server.http.connections import Connections
from codeplane.server.strict_json import MAX_BYTES, MalformedMessage, error_response, parse_message

MCP_PATH: Final = "/mcp"
HEALTH_PATH: Final = "/health"
MAX_HEADER_BYTES: Final = 16 * 1024

_DRAIN_BYTES: Final = 16 * 1024 * 1024
_DRAIN_SECONDS: Final = 1.0
_JSON: Final = (b"content-type", b"application/json")
_PRIVATE: Final = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))
_SHUTDOWN_EVENT: Final = b"event: shutdown\ndata: {}\n\n"


@dataclass(frozen=True)
class Guard:
    """Settings of the guard: the token, the repository named in responses, and the port that Host must name."""

    token: str
    repository: str
    port: int
    max_body_bytes: int = MAX_BYTES
    body_seconds: float = 30.0
    stall_seconds: float = 30.0
    """Time after which the connection of a client that does not read is dropped."""

    @property
    def hosts(self) -> frozenset[bytes]:
        return frozenset(f"{name}:{self.port}".encode() for name in ("127.0.0.1", "localhost", "[::1]"))


class GuardedApp:
    """ASGI middleware. `drain` and `cut` are the two steps of a shutdown."""

    def __init__(self, app: ASGIApp, guard: Guard, connections: Connections) -> None:
        self._app = app
        self._guard = guard
        self._hosts = guard.hosts
        self._connections = connections
        self._repository = quote(guard.repository, safe="/:@!$&'()*+,;=~ ").encode()
        self._draining = asyncio.Event()
        self._cut = asyncio.Event()

    def drain(self) -> None:
        """Reject new requests, and end idle streams."""
        self._draining.set()

    def cut(self) -> None:
        """Abort all running requests."""
        self._cut.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        out = _Reply(send, self._guard.stall_seconds)
        try:
            await self._answer(scope, receive, out)
            if out.started and not out.finished:
                last = _SHUTDOWN_EVENT if out.is_events and self._draining.is_set() else b""
                await out({"type": "http.response.body", "body": last, "more_body": False})
        except Exception as error:
            if out.stalled:
                self._connections.abort(scope.get("client"))
                return
            telemetry.error("http request failed", **telemetry.describe(error))
            if out.started:
                raise
            await _refuse(out, CodePlaneError(ErrorCode.INTERNAL, "the request failed"), 500)

    async def _answer(self, scope: Scope, receive: Receive, out: _Reply) -> None:
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        if len(scope["raw_path"]) + sum(len(name) + len(value) + 4 for name, value in headers) > MAX_HEADER_BYTES:
            await _send_error(out, 431, f"the headers are larger than {MAX_HEADER_BYTES} bytes")
            return
        refusal = _refuse_origin(headers, self._hosts)
        if refusal is not None:
            await _send_error(out, *refusal)
            return
        authenticated = _bearer_matches(headers, self._guard.token)
        is_health = scope["path"] == HEALTH_PATH and scope["method"] in ("GET", "HEAD")
        if not authenticated and not is_health:
            await _send_error(
                out,
                401,
                "missing or wrong token; send 'Authorization: Bearer TOKEN' ('cpl token' prints it)",
                (b"www-authenticate", b"Bearer"),
            )
            return
        if authenticated:
            self._connections.mark_authenticated(scope.get("client"))
            out.headers = ((b"x-codeplane-repo", self._repository),)
        if self._draining.is_set():
            await _refuse(out, CodePlaneError(ErrorCode.SHUTTING_DOWN, "the server is shutting down"), 503)
            return
        body = b""
        if scope["method"] == "POST":
            if not _is_json(headers):
                await _send_error(out, 400, "the Content-Type of a POST must be application/json")
                return
            read = await self._read(headers, receive, out)
            if read is None:
                return
            body = read
            if scope["path"] == MCP_PATH and not await _is_message(body, out):
                return
        ending = self._cut if scope["method"] == "POST" else self._draining
        await self._app(scope, _replay(body, receive, ending), out)

    async def _read(self, headers: list[tuple[bytes, bytes]], receive: Receive, out: _Reply) -> bytes | None:
        """Return the body, or None if the request was rejected or the client is gone."""
        limit = self._guard.max_body_bytes
        declared = _values(headers, b"content-length")
        too_large = any(not value.isdigit() or int(value[:20]) > limit for value in declared)
        body = bytearray()
        try:
            async with asyncio.timeout(self._guard.body_seconds):
                while not too_large:
                    message = await receive()
                    if message["type"] != "http.request":
                        return None
                    body += message.get("body", b"")
                    too_large = len(body) > limit
                    if not too_large and not message.get("more_body", False):
                        return bytes(body)
        except TimeoutError:
            await _send_error(out, 408, "the body was not received in time")
            return None
        body.clear()
        if not _values(headers, b"expect"):
            await _discard(receive)
        await _send_error(out, 413, f"the body is larger than {limit} bytes")
        return None


class _Reply:
    """`send` with security headers and a write timeout."""

    def __init__(self, send: Send, stall_seconds: float) -> None:
        self._send = send
        self._stall_seconds = stall_seconds
        self.headers: Iterable[tuple[bytes, bytes]] = ()
        self.started = False
        self.is_events = False
        self.finished = False
        self.stalled = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            # The application and its libraries must not allow other origins.
            headers = [
                (name, value)
                for name, value in message.get("headers", ())
                if not name.lower().startswith(b"access-control-") and name.lower() != b"x-codeplane-repo"
            ]
            names = {name.lower() for name, _ in headers}
            self.is_events = any(value.startswith(b"text/event-stream") for value in _values(headers, b"content-type"))
            ours = [header for header in (*_PRIVATE, *self.headers) if header[0] not in names]
            message = {**message, "headers": headers + ours}
        elif message["type"] == "http.response.body" and not message.get("more_body", False):
            self.finished = True
        try:
            async with asyncio.timeout(self._stall_seconds):
                await self._send(message)
        except TimeoutError:
            # Task groups wrap this exception, so the handler checks this flag.
            self.stalled = True
            raise


def _refuse_origin(headers: list[tuple[bytes, bytes]], hosts: frozenset[bytes]) -> tuple[int, str] | None:
    """Reject requests for another host or from another origin (DNS rebinding, cross-site requests)."""
    host = _values(headers, b"host")
    if len(host) != 1 or host[0] not in hosts:
        return 421, "the Host header does not name this server"
    if any(origin != b"http://" + host[0] for origin in _values(headers, b"origin")):
        return 403, "requests from this origin are not allowed"
    if any(site not in (b"none", b"same-origin") for site in _values(headers, b"sec-fetch-site")):
        return 403, "requests from other sites are not allowed"
    return None


def _bearer_matches(headers: list[tuple[bytes, bytes]], token: str) -> bool:
    values = _values(headers, b"authorization")
    if len(values) != 1:
        return False
    scheme, _, credentials = values[0].partition(b" ")
    return hmac.compare_digest(credentials.strip(), token.encode()) and scheme.lower() == b"bearer"


def _is_json(headers: list[tuple[bytes, bytes]]) -> bool:
    types = _values(headers, b"content-type")
    return len(types) == 1 and types[0].partition(b";")[0].strip().lower() == b"application/json"


async def _is_message(body: bytes, out: _Reply) -> bool:
    try:
        parse_message(body)
    except MalformedMessage as error:
        await _send(out, 400, error_response(error))
        return False
    return True


def _values(headers: list[tuple[bytes, bytes]], name: bytes) -> list[bytes]:
    return [value for key, value in headers if key == name]


def _replay(body: bytes, receive: Receive, ending: asyncio.Event) -> Receive:
    """Return a `receive` that yields the body, then a disconnect by the client or by the shutdown."""
    pending = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        if pending:
            return pending.pop()
        while True:
            arriving, cut = asyncio.ensure_future(receive()), asyncio.ensure_future(ending.wait())
            try:
                await asyncio.wait((arriving, cut), return_when=asyncio.FIRST_COMPLETED)
            finally:
                arriving.cancel()
                cut.cancel()
            # A leftover part of a body is not a disconnect.
            if cut.done() or arriving.result()["type"] == "http.disconnect":
                return {"type": "http.disconnect"}

    return replay


async def _discard(receive: Receive) -> None:
    """Read on for a moment; a client that is still writing would not see the response."""
    left = _DRAIN_BYTES
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_DRAIN_SECONDS):
            while left > 0:
                message = await receive()
                if message["type"] != "http.request" or not message.get("more_body", False):
                    return
                left -= len(message.get("body", b""))


async def _refuse(out: _Reply, error: CodePlaneError, status: int) -> None:
    await _send(out, status, orjson.dumps({"error": error.as_dict()}))


async def _send_error(out: _Reply, status: int, message: str, *headers: tuple[bytes, bytes]) -> None:
    await _send(out, status, orjson.dumps({"error": message}), *headers)


async def _send(out: _Reply, status: int, body: bytes, *headers: tuple[bytes, bytes]) -> None:
    """Send an error and close the connection, as part of the request may still be in transit."""
    length = (b"content-length", str(len(body)).encode())
    close = (b"connection", b"close")
    await out({"type": "http.response.start", "status": status, "headers": [_JSON, length, close, *headers]})
    await out({"type": "http.response.body", "body": body, "more_body": False})
