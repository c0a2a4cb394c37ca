"""Stdio frontend: MCP on standard input and output, with calls forwarded to the engine.

The handshake and the list of tools are answered from the catalog, while the engine may still be starting. Only the end
of its input ends the process, never the content of a message.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import signal
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from codeplane import telemetry
from codeplane.server import mcp_messages, strict_json
from codeplane.server.engine_client import EngineClient, UnavailableEngine
from codeplane.server.mcp_messages import RequestId, RpcError
from codeplane.server.stdio_pipes import MAX_LINE_BYTES, TOO_LONG, LineReader, LineWriter
from codeplane.tools.catalog import listing
from codeplane.tools.surface import Surface

MAX_CALLS = 1_000
_FINISH_SECONDS = 0.75
"""Time after the end of input in which running calls may still answer."""
_END_SECONDS = 1.8
"""Time after the end of input by which an engine started here has ended. A clean shutdown takes a second."""
_LEAST_END_SECONDS = 1.0
_FLUSH_SECONDS = 0.2
_ROOTS_ID = "codeplane-roots"
_ROOTS_SECONDS = 3.0
"""Time that a call waits for the directories of the client."""

Choose = Callable[[list[str]], EngineClient | None]


class StdioFrontend:
    def __init__(
        self, engine: EngineClient | UnavailableEngine, surface: Surface, choose: Choose | None = None
    ) -> None:
        """`choose` returns the engine for a directory of the client, if the working directory has no repository."""
        self._engine = engine
        self._choose = choose
        self._offers_roots = False
        self._roots_requested = False
        self._choosing: asyncio.Task[None] | None = None
        self._chosen = asyncio.Event()
        self._tools = listing(surface)
        self._principal = "stdio:" + secrets.token_hex(16)
        self._client: str | None = None
        self._running: dict[RequestId, asyncio.Task[None]] = {}

    async def run(self, protocol_input: int, protocol_output: int) -> None:
        """Serve until the input ends, the output breaks or a signal arrives."""
        loop = asyncio.get_running_loop()
        stop = asyncio.Event()
        for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(name, stop.set)

        def broken() -> None:
            loop.call_soon_threadsafe(stop.set)

        self._writer = LineWriter(protocol_output, broken)
        reader = LineReader(protocol_input, self._writer.wait_for_room)
        self._engine.start()
        reading = asyncio.ensure_future(self._read(reader))
        stopped = asyncio.ensure_future(stop.wait())
        await asyncio.wait((reading, stopped), return_when=asyncio.FIRST_COMPLETED)
        ended = reader.ended_at or time.monotonic()
        if self._running and not stop.is_set():
            await asyncio.wait(self._running.values(), timeout=max(0.0, ended + _FINISH_SECONDS - time.monotonic()))
        for task in (reading, stopped, self._choosing, *self._running.values()):
            if task is not None:
                task.cancel()
        # Pending output is written while the engine ends.
        self._writer.close(0.0)
        await self._engine.close(max(_LEAST_END_SECONDS, ended + _END_SECONDS - time.monotonic()))
        self._writer.close(max(0.0, min(_FLUSH_SECONDS, ended + _END_SECONDS - time.monotonic())))

    async def _read(self, reader: LineReader) -> None:
        while (line := await reader.next()) is not None:
            if line.strip():
                try:
                    self._handle_line(line)
                except Exception as error:
                    telemetry.error("a message could not be handled", **telemetry.describe(error))
            elif line is TOO_LONG:
                too_long = RpcError(mcp_messages.INVALID_REQUEST, f"a message is longer than {MAX_LINE_BYTES} bytes")
                self._writer.put(mcp_messages.error_response(None, too_long))

    def _handle_line(self, line: bytes) -> None:
        try:
            message = strict_json.parse_message(line, max_bytes=MAX_LINE_BYTES)
        except strict_json.MalformedMessage as refused:
            self._writer.put(strict_json.error_response(refused) + b"\n")
            return
        method, identity = message.get("method"), message.get("id")
        params = message.get("params")
        fields: Mapping[str, Any] = params if isinstance(params, dict) else {}
        if not isinstance(method, str):
            if self._roots_requested and identity == _ROOTS_ID:
                self._roots_requested = False
                self._choosing = asyncio.ensure_future(self._use_roots(mcp_messages.parse_roots(message.get("result"))))
            return
        if not isinstance(identity, str | int):
            self._handle_notification(method, fields)
            return
        if identity in self._running or len(self._running) >= MAX_CALLS:
            error = RpcError(mcp_messages.INVALID_REQUEST, "the id is in use, or too many requests are running")
            self._writer.put(mcp_messages.error_response(identity, error))
            return
        if method == "tools/call":
            task = asyncio.ensure_future(self._answer(identity, method, fields))
            self._running[identity] = task
            task.add_done_callback(lambda _: self._running.pop(identity, None))
        else:
            self._writer.put(self._answer_locally(identity, method, fields))

    def _handle_notification(self, method: str, params: Mapping[str, Any]) -> None:
        if method == "notifications/cancelled":
            identity = params.get("requestId")
            if isinstance(identity, str | int) and identity in self._running:
                self._running[identity].cancel()
        elif method == "notifications/initialized" and self._needs_roots() and self._choosing is None:
            self._roots_requested = True
            self._writer.put(mcp_messages.request(_ROOTS_ID, "roots/list"))

    def _needs_roots(self) -> bool:
        return self._choose is not None and self._offers_roots and not self._chosen.is_set()

    async def _use_roots(self, directories: list[str]) -> None:
        """Use the first directory of the client that is in a repository."""
        assert self._choose is not None
        try:
            engine = await _in_thread(self._choose, directories)
            if engine is not None:
                self._engine = engine
                engine.start()
        except Exception as error:
            telemetry.error("the directories of the client could not be used", **telemetry.describe(error))
        finally:
            self._chosen.set()

    def _answer_locally(self, identity: RequestId, method: str, params: Mapping[str, Any]) -> bytes:
        """Answer a request that needs no engine."""
        try:
            stateless = method != "initialize" and mcp_messages.uses_stateless_protocol(params)
            if method == "initialize":
                self._client = mcp_messages.client_name(params)
                self._offers_roots = mcp_messages.offers_roots(params)
                fields = mcp_messages.initialize_result(params)
            elif method == "server/discover" and stateless:
                fields = mcp_messages.discover_result()
            elif method == "tools/list":
                fields = mcp_messages.tools_list_result(self._tools, stateless=stateless)
            elif method == "ping":
                fields = {}
            else:
                raise RpcError(mcp_messages.METHOD_NOT_FOUND, "method not found")
            return mcp_messages.result(identity, fields, stateless=stateless)
        except RpcError as error:
            return mcp_messages.error_response(identity, error)
        except Exception as error:
            return _internal_error(identity, error)

    async def _answer(self, identity: RequestId, method: str, params: Mapping[str, Any]) -> None:
        try:
            self._writer.put(await self._call(identity, params))
        except RpcError as error:
            self._writer.put(mcp_messages.error_response(identity, error))
        except Exception as error:
            self._writer.put(_internal_error(identity, error))

    async def _call(self, identity: RequestId, params: Mapping[str, Any]) -> bytes:
        stateless = mcp_messages.uses_stateless_protocol(params)
        name, arguments = params.get("name"), params.get("arguments")
        if not isinstance(name, str):
            raise RpcError(mcp_messages.INVALID_PARAMS, "params.name must be a string")
        if arguments is not None and not isinstance(arguments, dict):
            raise RpcError(mcp_messages.INVALID_PARAMS, "params.arguments must be an object")
        if self._needs_roots():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_ROOTS_SECONDS):
                    await self._chosen.wait()
        token = mcp_messages.progress_token(params)
        last = -1.0

        async def send_progress(done: float, total: float | None, message: str) -> None:
            nonlocal last
            # MCP requires increasing progress, but each phase starts at zero.
            if token is not None and done > last:
                last = done
                self._writer.put(mcp_messages.progress_notification(token, done, total, message))

        reply = await self._engine.call(
            name,
            arguments or {},
            principal=self._principal,
            client=mcp_messages.client_name(params) or self._client,
            on_progress=send_progress if token is not None else None,
        )
        return mcp_messages.call_result(identity, reply, stateless=stateless)


def _internal_error(identity: RequestId, error: Exception) -> bytes:
    telemetry.error("a request failed in the frontend", **telemetry.describe(error))
    failure = RpcError(mcp_messages.INTERNAL_ERROR, "internal error")
    return mcp_messages.error_response(identity, failure)


async def _in_thread(choose: Choose, directories: list[str]) -> EngineClient | None:
    """Run `choose` in a daemon thread: a directory may be on a disk that does not respond."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[EngineClient | None] = loop.create_future()

    def settle(engine: EngineClient | None, error: Exception | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(engine)

    def run() -> None:
        engine: EngineClient | None = None
        failure: Exception | None = None
        try:
            engine = choose(directories)
        except Exception as error:
            failure = error
        # The loop may be closed already.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, engine, failure)

    threading.Thread(target=run, name="choose", daemon=True).start()
    return await future


def serve_stdio(
    engine: EngineClient | UnavailableEngine,
    surface: Surface,
    protocol_input: int,
    protocol_output: int,
    choose: Choose | None = None,
) -> None:
    async def serve() -> None:
        await StdioFrontend(engine, surface, choose).run(protocol_input, protocol_output)

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve())
