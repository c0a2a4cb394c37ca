"""The one gate in front of every route: who may ask, how much, and for how long.

It is put round the whole application, so that no route can be added outside of it. Nothing
about the repository leaves before the token was shown, and no answer ever allows another
origin. A body is read whole and judged before anything behind the gate sees it.
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
    """What the gate knows: the secret, the repository that answers name, and the port that requests must name."""

    token: str
    repository: str
    port: int
    max_body_bytes: int = MAX_BYTES
    body_seconds: float = 30.0
    stall_seconds: float = 30.0
    """How long a client may leave an answer unread before its connection is dropped."""

    @property
    def hosts(self) -> frozenset[bytes]:
        return frozenset(f"{name}:{self.port}".encode() for name in ("127.0.0.1", "localhost", "[::1]"))


class GuardedApp:
    """ASGI middleware. `drain` and `cut` belong to the shutdown of the server."""

    def __init__(self, app: ASGIApp, guard: Guard, connections: Connections) -> None:
        self._app = app
        self._guard = guard
        self._hosts = guard.hosts
        self._connections = connections
        self._repository = quote(guard.repository, safe="/:@!$&'()*+,;=~ ").encode()
        self._draining = asyncio.Event()
        self._cut = asyncio.Event()

    def drain(self) -> None:
        """Take nothing new, and end the streams that wait for nothing."""
        self._draining.set()

    def cut(self) -> None:
        """End whatever is still being answered."""
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
            await _plain(out, 431, f"headers have at most {MAX_HEADER_BYTES} bytes")
            return
        refusal = _refuse_origin(headers, self._hosts)
        if refusal is not None:
            await _plain(out, *refusal)
            return
        known = _bearer_matches(headers, self._guard.token)
        is_health = scope["path"] == HEALTH_PATH and scope["method"] in ("GET", "HEAD")
        if not known and not is_health:
            await _plain(
                out,
                401,
                "missing or wrong token; send 'Authorization: Bearer TOKEN' ('cpl token' prints it)",
                (b"www-authenticate", b"Bearer"),
            )
            return
        if known:
            self._connections.prove(scope.get("client"))
            out.headers = ((b"x-codeplane-repo", self._repository),)
        if self._draining.is_set():
            await _refuse(out, CodePlaneError(ErrorCode.SHUTTING_DOWN, "the server is shutting down"), 503)
            return
        body = b""
        if scope["method"] == "POST":
            if not _is_json(headers):
                await _plain(out, 400, "the Content-Type of a POST must be application/json")
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
        """The whole body, or None when the request was answered with a refusal, or is gone."""
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
            await _plain(out, 408, "the body was not received in time")
            return None
        body.clear()
        if not _values(headers, b"expect"):
            await _discard(receive)
        await _plain(out, 413, f"a body has at most {limit} bytes")
        return None


class _Reply:
    """`send`, with our headers on every answer and a limit on the time that a client may take to read."""

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
            # Neither what lies behind the gate nor a library of it decides who else may read an answer.
            kept = [
                (name, value)
                for name, value in message.get("headers", ())
                if not name.lower().startswith(b"access-control-") and name.lower() != b"x-codeplane-repo"
            ]
            names = {name.lower() for name, _ in kept}
            self.is_events = any(value.startswith(b"text/event-stream") for value in _values(kept, b"content-type"))
            ours = [header for header in (*_PRIVATE, *self.headers) if header[0] not in names]
            message = {**message, "headers": kept + ours}
        elif message["type"] == "http.response.body" and not message.get("more_body", False):
            self.finished = True
        try:
            async with asyncio.timeout(self._stall_seconds):
                await self._send(message)
        except TimeoutError:
            # Task groups on the way up wrap what is raised, so whoever catches it looks here.
            self.stalled = True
            raise


def _refuse_origin(headers: list[tuple[bytes, bytes]], hosts: frozenset[bytes]) -> tuple[int, str] | None:
    """Only requests that name this very server, and that no page of another origin made."""
    named = _values(headers, b"host")
    if len(named) != 1 or named[0] not in hosts:
        return 421, "the Host header does not name this server"
    if any(origin != b"http://" + named[0] for origin in _values(headers, b"origin")):
        return 403, "requests from this origin are not allowed"
    if any(site not in (b"none", b"same-origin") for site in _values(headers, b"sec-fetch-site")):
        return 403, "requests from other sites are not allowed"
    return None


def _bearer_matches(headers: list[tuple[bytes, bytes]], token: str) -> bool:
    given = _values(headers, b"authorization")
    if len(given) != 1:
        return False
    scheme, _, credentials = given[0].partition(b" ")
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
    """`receive` for those behind the gate: the body that was read, then the end, whoever brings it about."""
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
            # What is left of a body that nobody asked for is no end.
            if cut.done() or arriving.result()["type"] == "http.disconnect":
                return {"type": "http.disconnect"}

    return replay


async def _discard(receive: Receive) -> None:
    """Read on for a moment: a client that is still writing would not see the answer."""
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


async def _plain(out: _Reply, status: int, why: str, *headers: tuple[bytes, bytes]) -> None:
    await _send(out, status, orjson.dumps({"error": why}), *headers)


async def _send(out: _Reply, status: int, body: bytes, *headers: tuple[bytes, bytes]) -> None:
    """A refusal ends the connection, as part of the request may still be on its way."""
    length = (b"content-length", str(len(body)).encode())
    close = (b"connection", b"close")
    await out({"type": "http.response.start", "status": status, "headers": [_JSON, length, close, *headers]})
    await out({"type": "http.response.body", "body": body, "more_body": False})
