"""Clients of the server as thin as they can be: MCP over a pipe, and over one HTTP connection that is kept.

Nothing of the SDK is used, so that what is timed is the server. A clock stops when the last
byte of an answer is there, before it is read as JSON. One request at a time for each client.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import orjson

HANDSHAKE = "2025-11-25"
MODERN = "2026-07-28"
_SECONDS = 60.0
_LINE_BYTES = 64 * 1024 * 1024
_INITIALIZE = {
    "protocolVersion": HANDSHAKE,
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}
_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Answered(NamedTuple):
    message: dict[str, Any]
    seconds: float

    @property
    def envelope(self) -> dict[str, Any]:
        """Return the answer of the tool; a protocol error has none."""
        if "result" not in self.message:
            raise RuntimeError(f"no result: {str(self.message)[:300]}")
        found: dict[str, Any] = self.message["result"]["structuredContent"]
        return found


class Client(Protocol):
    async def ask(self, method: str, params: Mapping[str, Any]) -> Answered: ...

    async def close(self) -> None: ...


async def call(client: Client, tool: str, arguments: Mapping[str, Any] | None = None) -> Answered:
    return await client.ask("tools/call", {"name": tool, "arguments": {"format": "json", **(arguments or {})}})


class StdioClient:
    """A process of its own, spoken to through its standard streams."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._next = 0

    @classmethod
    async def start(cls, command: list[str], environment: Mapping[str, str], *, handshake: bool = True) -> StdioClient:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=dict(environment),
            limit=_LINE_BYTES,
        )
        client = cls(process)
        if handshake:
            await client.shake_hands()
        return client

    @property
    def pid(self) -> int:
        return self._process.pid

    async def shake_hands(self) -> Answered:
        """Initialize the session; return what the server said of itself."""
        answered = await self.ask("initialize", _INITIALIZE)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answered

    async def ask(self, method: str, params: Mapping[str, Any]) -> Answered:
        assert self._process.stdout is not None
        self._next += 1
        message = {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params}
        started = time.perf_counter()
        self._send(message)
        async with asyncio.timeout(_SECONDS):
            while line := await self._process.stdout.readline():
                seconds = time.perf_counter() - started
                answer = orjson.loads(line)
                if answer.get("id") == self._next:
                    return Answered(answer, seconds)
        raise RuntimeError(f"process {self.pid} ended before it answered {method}")

    async def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(5):
                await self._process.wait()
        except TimeoutError:
            await self.kill()

    async def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(orjson.dumps(message) + b"\n")


class HttpClient:
    """One connection that is kept. Of the era with sessions, or (`modern`) of the one without."""

    def __init__(self, port: int, token: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._common = (
            f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
            "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        )
        self._session = ""
        self._modern = False
        self._next = 0

    @classmethod
    async def open(cls, port: int, token: str, *, modern: bool) -> HttpClient:
        client = cls(port, token, *await asyncio.open_connection("127.0.0.1", port))
        client._modern = modern
        if not modern:
            await client.ask("initialize", _INITIALIZE)
            notice = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            await client._exchange("POST", "/mcp", client._session, orjson.dumps(notice))
        return client

    async def ask(self, method: str, params: Mapping[str, Any]) -> Answered:
        self._next += 1
        headers = self._session
        if self._modern:
            params = {**params, "_meta": _META}
            headers = f"MCP-Protocol-Version: {MODERN}\r\nMcp-Method: {method}\r\n"
            headers += f"Mcp-Name: {params['name']}\r\n" if "name" in params else ""
        message = {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params}
        started = time.perf_counter()
        status, found, body = await self._exchange("POST", "/mcp", headers, orjson.dumps(message))
        seconds = time.perf_counter() - started
        if status != 200:
            raise RuntimeError(f"{method} was answered with {status}: {body[:300]!r}")
        if method == "initialize":
            self._session = f"MCP-Protocol-Version: {HANDSHAKE}\r\nMcp-Session-Id: {found['mcp-session-id']}\r\n"
        return Answered(_answer(body, found, self._next), seconds)

    async def get(self, path: str) -> Answered:
        """A route for operators."""
        started = time.perf_counter()
        status, _, body = await self._exchange("GET", path, "", b"")
        seconds = time.perf_counter() - started
        if status != 200:
            raise RuntimeError(f"{path} was answered with {status}: {body[:300]!r}")
        return Answered(orjson.loads(body), seconds)

    async def close(self) -> None:
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    async def _exchange(self, method: str, path: str, headers: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
        head = f"{method} {path} HTTP/1.1\r\n{self._common}{headers}Content-Length: {len(body)}\r\n\r\n"
        self._writer.write(head.encode("latin-1") + body)
        async with asyncio.timeout(_SECONDS):
            lines = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            found = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
            if "content-length" in found:
                content = await self._reader.readexactly(int(found["content-length"]))
            elif found.get("transfer-encoding") == "chunked":
                content = await self._chunks()
            else:
                content = b""
        return int(lines[0].split()[1]), found, content

    async def _chunks(self) -> bytes:
        parts = []
        while size := int(await self._reader.readline(), 16):
            parts.append(await self._reader.readexactly(size))
            await self._reader.readexactly(2)
        await self._reader.readexactly(2)
        return b"".join(parts)


def _answer(body: bytes, headers: Mapping[str, str], identity: int) -> dict[str, Any]:
    if not headers.get("content-type", "").startswith("text/event-stream"):
        found: dict[str, Any] = orjson.loads(body)
        return found
    for line in body.split(b"\n"):
        if line.startswith(b"data:") and line[5:].strip():
            message: dict[str, Any] = orjson.loads(line[5:])
            if message.get("id") == identity:
                return message
    raise RuntimeError(f"no answer in the stream: {body[:300]!r}")
