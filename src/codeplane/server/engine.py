"""The one process that answers for a repository: it listens on a socket that only its user can reach.

A lock in the user's runtime directory lets one engine serve; the index has a lock of its own,
which commands of other processes may hold for a while. The loop only moves frames; every
call runs in a thread. Quick to import, so that the lock is had before the rest is loaded.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from codeplane import __version__, telemetry
from codeplane.base.envelope import error_envelope
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.server.lag import LagWatch
from codeplane.server.runtime import RuntimeDirectory
from codeplane.server.streams import read_frame
from codeplane.server.wire import PROTOCOL, Frame, WireError, is_own_peer
from codeplane.tools.calls import CallRequest, no_progress
from codeplane.tools.surface import Surface

if TYPE_CHECKING:
    from codeplane.tools.pipeline import Pipeline

MAX_CALLS = 64
"""Calls of one connection that may be under way at a time."""
MAX_UNREAD_BYTES = 8 * 1024 * 1024
"""A client that reads nothing is closed when this much waits for it."""
_RUNNING = 32
"""Of these, as many have a thread; the others wait their turn."""
_THREADS = 8 * _RUNNING
"""More than one client can hold, so that nobody who waits long keeps others from being answered."""
_HELLO_SECONDS = 5.0
_PROGRESS_SECONDS = 0.1
_BUILD_SECONDS = 0.5


@dataclass(eq=False)
class _Client:
    writer: asyncio.StreamWriter
    surface: Surface
    kind: str
    calls: dict[int, threading.Event] = field(default_factory=dict)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    principals: set[str] = field(default_factory=set)
    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_RUNNING))

    def send(self, frame: Frame) -> None:
        if self.writer.is_closing():
            return
        self.writer.write(frame.encode())
        if self.writer.transport.get_write_buffer_size() > MAX_UNREAD_BYTES:
            telemetry.warn("a client does not read; closed", kind=self.kind)
            self.writer.transport.abort()


class Server:
    """Frames in, calls into threads, envelopes out."""

    def __init__(self, pipeline: Pipeline, root: Path) -> None:
        self._pipeline = pipeline
        self._root = root
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="call")
        self._clients: set[_Client] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._leaving: set[asyncio.Task[None]] = set()
        self._closing = False
        self._started = time.monotonic()
        self._lag = LagWatch()

    async def serve(self, listener_path: Path, stop: asyncio.Event, seconds: float) -> None:
        server = await asyncio.start_unix_server(self._attend, str(listener_path), limit=1024 * 1024)
        listener_path.chmod(0o600)
        watching = asyncio.ensure_future(self._lag.run())
        try:
            await stop.wait()
        finally:
            self._closing = True
            # Nobody new may find us: the next engine binds its own.
            with contextlib.suppress(FileNotFoundError):
                os.unlink(listener_path)
            server.close()
            watching.cancel()
            await self._drain(seconds)

    async def _drain(self, seconds: float) -> None:
        """Let calls that are nearly done finish, tell the others to stop, and hang up."""
        deadline = time.monotonic() + seconds
        while self._tasks and time.monotonic() < deadline:
            await asyncio.wait(self._tasks, timeout=max(0.0, deadline - time.monotonic()))
        for client in list(self._clients):
            for cancelled in client.calls.values():
                cancelled.set()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=0.5)
        for client in list(self._clients):
            client.send(Frame({"bye": "shutdown"}))
            client.writer.close()
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client: _Client | None = None
        try:
            client = await self._greet(reader, writer)
            if client is None:
                return
            self._clients.add(client)
            while (frame := await read_frame(reader)) is not None:
                self._take(client, frame)
                # Frames that have all arrived already are read without a pause: others want their turn too.
                await asyncio.sleep(0)
        except (WireError, OSError, TimeoutError, TypeError) as error:
            # TypeError: a field of a header is of a kind that no front sends.
            telemetry.debug("a connection ended badly", error=type(error).__name__)
        finally:
            if client is not None:
                self._clients.discard(client)
                for cancelled in client.calls.values():
                    cancelled.set()
                leaving = asyncio.ensure_future(self._leave(client))
                self._leaving.add(leaving)
                leaving.add_done_callback(self._leaving.discard)
            writer.close()

    async def _leave(self, client: _Client) -> None:
        """Sessions end with the front whose clients they belong to; commands share one, for the next of them."""
        if client.tasks:
            await asyncio.wait(client.tasks)
        if client.kind == "cli" or self._closing:
            return
        loop = asyncio.get_running_loop()
        with contextlib.suppress(RuntimeError):
            for principal in client.principals:
                await loop.run_in_executor(self._pool, self._pipeline.leave, principal)

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> _Client | None:
        if not is_own_peer(writer.get_extra_info("socket")):
            return None
        async with asyncio.timeout(_HELLO_SECONDS):
            frame = await read_frame(reader)
        hello = frame.header.get("hello") if frame is not None else None
        if not isinstance(hello, dict):
            return None
        ours = {"version": __version__, "pid": os.getpid(), "protocol": PROTOCOL}
        if hello.get("version") != __version__ or hello.get("protocol") != PROTOCOL:
            writer.write(Frame({"refused": ours}).encode())
            return None
        surface = Surface(
            tuple(str(name) for name in hello.get("toolsets", ("core",))),
            read_only=bool(hello.get("read_only")),
            everything=bool(hello.get("everything")),
        )
        client = _Client(writer, surface, str(hello.get("kind", "")))
        client.send(Frame({"welcome": {**ours, "root": str(self._root)}}))
        return client

    def _take(self, client: _Client, frame: Frame) -> None:
        header = frame.header
        cancel = header.get("cancel")
        if cancel is not None:
            event = client.calls.get(cancel)
            if event is not None:
                event.set()
            return
        number = header.get("id")
        if not isinstance(number, int):
            raise WireError("a call without a number")
        if header.get("ask") == "state":
            client.send(Frame({"id": number}, orjson.dumps(self.state())))
        elif self._closing:
            # Nothing was begun: the front asks the next engine.
            client.send(Frame({"id": number, "later": True}))
        elif len(client.calls) >= MAX_CALLS:
            self._refuse(client, number, ErrorCode.TOO_BUSY, f"{MAX_CALLS} calls of this client are under way")
        elif (arguments := _arguments(frame.body)) is None:
            self._refuse(client, number, ErrorCode.ARGUMENT_INVALID, "the arguments are not a JSON object")
        else:
            # Known before it begins to run: the next frame may cancel it.
            client.calls[number] = threading.Event()
            task = asyncio.ensure_future(self._call(client, number, header, arguments))
            for tasks in (self._tasks, client.tasks):
                tasks.add(task)
                task.add_done_callback(tasks.discard)

    def _refuse(self, client: _Client, number: int, code: ErrorCode, message: str) -> None:
        meta = {"request_id": "r_" + os.urandom(8).hex()}
        body = orjson.dumps(error_envelope(CodePlaneError(code, message, remedy="Try again."), meta))
        client.send(Frame({"id": number, "error": True}, body))

    async def _call(
        self, client: _Client, number: int, header: Mapping[str, Any], arguments: Mapping[str, object]
    ) -> None:
        cancelled = client.calls[number]
        loop = asyncio.get_running_loop()
        principal = str(header.get("principal", ""))
        client.principals.add(principal)

        def tell(done: float, total: float | None, message: str) -> None:
            loop.call_soon_threadsafe(client.send, Frame({"id": number, "progress": [done, total, message]}))

        request = CallRequest(
            tool=str(header.get("call")),
            arguments=arguments,
            principal=principal,
            surface=client.surface,
            progress=at_intervals(tell) if header.get("progress") else no_progress,
            cancelled=cancelled.is_set,
        )
        telling = asyncio.ensure_future(self._tell_of_build(client, number)) if header.get("progress") else None
        try:
            async with client.slots:
                body, is_error = await loop.run_in_executor(self._pool, self._pipeline.call, request)
            if not cancelled.is_set():
                client.send(Frame({"id": number, "error": True} if is_error else {"id": number}, body))
        except RuntimeError:
            # The pool takes nothing any more: the engine is about to end, and the front asks the next one.
            telemetry.debug("a call came too late")
        finally:
            if telling is not None:
                telling.cancel()
            client.calls.pop(number, None)

    async def _tell_of_build(self, client: _Client, number: int) -> None:
        """Whoever waits while the index is built hears how far it is, whatever was asked."""
        while True:
            await asyncio.sleep(_BUILD_SECONDS)
            progress = self._pipeline.building()
            if progress is not None:
                client.send(Frame({"id": number, "progress": [*progress, "indexing"]}))

    def state(self) -> dict[str, Any]:
        return {
            "version": __version__,
            "pid": os.getpid(),
            "uptime_s": round(time.monotonic() - self._started, 1),
            "clients": sum(client.kind != "ask" for client in self._clients),
            "transport": sorted({client.kind for client in self._clients if client.kind in ("mcp", "http")}),
            "calls": len(self._tasks),
            "lag_ms": self._lag.figures(),
            **self._pipeline.state(),
        }


def run_engine(
    runtime: RuntimeDirectory,
    root: Path,
    open_pipeline: Callable[[], Pipeline],
    *,
    lifeline: int | None,
    shutdown_seconds: float,
) -> None:
    """Serve until the lifeline ends or a signal comes. Only in the seat."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(runtime.socket_path)
    pipeline = open_pipeline()
    try:
        asyncio.run(_until_stopped(Server(pipeline, root), runtime.socket_path, lifeline, shutdown_seconds))
    finally:
        pipeline.close()


async def _until_stopped(server: Server, path: Path, lifeline: int | None, seconds: float) -> None:
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(name, stop.set)
    if lifeline is not None:
        loop.add_reader(lifeline, _watch_lifeline, lifeline, stop)
    await server.serve(path, stop, seconds)


def _watch_lifeline(lifeline: int, stop: asyncio.Event) -> None:
    try:
        ended = not os.read(lifeline, 1024)
    except OSError:
        ended = True
    if ended:
        asyncio.get_running_loop().remove_reader(lifeline)
        stop.set()


def at_intervals(tell: Callable[[float, float | None, str], None]) -> Callable[[float, float | None, str], None]:
    """A few tellings a second are enough for anybody; the last one always comes through."""
    last = 0.0

    def told(done: float, total: float | None, message: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _PROGRESS_SECONDS or (total is not None and done >= total):
            last = now
            tell(done, total, message)

    return told


def _arguments(body: bytes) -> dict[str, object] | None:
    try:
        found = orjson.loads(body or b"{}")
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None
