"""The engine: the process that answers calls for one repository, on a socket that only its user can access.

A lock in the user's runtime directory allows one engine; the index has its own lock, which commands may hold for a
while. The event loop only moves frames. Every call runs in a thread; calls that never wait have their own pool. Quick
to import, so the lock is acquired before the rest is loaded.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import time
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from codeplane import __version__, telemetry
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.server.async_frames import read_frame
from codeplane.server.client_session import MANY_CLIENTS, ONE_CLIENT, ActiveCall, ClientSession
from codeplane.server.frames import PROTOCOL, Frame, WireError, is_own_peer
from codeplane.server.idle_memory import IdleMemory
from codeplane.server.loop_lag import LagMonitor
from codeplane.server.reply_frames import (
    error_frame,
    internal_error_frame,
    parse_arguments,
    reply_frame,
    throttle_progress,
)
from codeplane.server.runtime_directory import RuntimeDirectory
from codeplane.server.tool_caller import is_shared
from codeplane.tools.calls import CallRequest, no_progress
from codeplane.tools.catalog import is_immediate
from codeplane.tools.surface import Format, Surface, requested_format

if TYPE_CHECKING:
    from codeplane.tools.pipeline import CallPipeline

_THREADS = MANY_CLIENTS.running + 4 * ONE_CLIENT.running
"""More than one frontend can use, so slow calls of one do not block the others."""
_QUICK_THREADS = 8
_HELLO_SECONDS = 5.0
_BUILD_SECONDS = 0.5
_CANCELLED_SECONDS = 0.3
_END_SECONDS = 1.0
"""Maximum time from the stop signal to the exit; parent processes wait at least this long."""
_LEAST_CLOSE_SECONDS = 0.3
_ARGUMENTS_NOT_OBJECT = CodePlaneError(ErrorCode.ARGUMENT_INVALID, "the arguments are not a JSON object")


class EngineServer:
    """Read frames, run calls in threads, send envelopes."""

    def __init__(self, pipeline: CallPipeline) -> None:
        self._pipeline = pipeline
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="call")
        self._immediate_pool = ThreadPoolExecutor(_QUICK_THREADS, thread_name_prefix="quick")
        self._clients: set[ClientSession] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._background: set[asyncio.Task[None]] = set()
        self._closing = False
        self._started = time.monotonic()
        self._stopped: float | None = None
        self._lag = LagMonitor()
        self._memory = IdleMemory(pipeline.drop_caches)

    async def serve(self, listener_path: Path, stop: asyncio.Event, seconds: float) -> None:
        server = await asyncio.start_unix_server(self._serve_client, str(listener_path), limit=1024 * 1024)
        listener_path.chmod(0o600)
        watching = (
            asyncio.ensure_future(self._lag.run()),
            asyncio.ensure_future(self._memory.run(self._immediate_pool)),
        )
        try:
            await stop.wait()
        finally:
            self._closing = True
            self._stopped = time.monotonic()
            # No new connections: the next engine binds its own socket.
            with contextlib.suppress(FileNotFoundError):
                os.unlink(listener_path)
            server.close()
            for watcher in watching:
                watcher.cancel()
            await self._drain(seconds)

    def seconds_since_stop(self) -> float:
        return time.monotonic() - self._stopped if self._stopped is not None else 0.0

    async def _drain(self, seconds: float) -> None:
        """Wait for running calls, cancel the rest, and close the connections."""
        deadline = time.monotonic() + seconds
        while self._tasks and time.monotonic() < deadline:
            await asyncio.wait(self._tasks, timeout=max(0.0, deadline - time.monotonic()))
        for client in list(self._clients):
            client.cancel_all()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_CANCELLED_SECONDS)
        for client in list(self._clients):
            client.writer.close()
        for pool in (self._pool, self._immediate_pool):
            pool.shutdown(wait=False, cancel_futures=True)

    async def _serve_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client: ClientSession | None = None
        try:
            client = await self._greet(reader, writer)
            if client is None:
                return
            self._clients.add(client)
            while (frame := await read_frame(reader)) is not None:
                self._handle_frame(client, frame)
                # Buffered frames are read without suspending; give other clients a chance.
                await asyncio.sleep(0)
        except (WireError, OSError, TimeoutError, TypeError) as error:
            # TypeError: a header field has a type that no frontend sends.
            telemetry.debug("a connection failed", error=type(error).__name__)
        except asyncio.CancelledError:
            # The loop is closing; asyncio would log this as an error.
            if not self._closing:
                raise
        finally:
            if client is not None:
                self._clients.discard(client)
                client.cancel_all()
                if not self._closing:
                    self._run_in_background(self._end_client(client))
            writer.close()

    def _run_in_background(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in the background."""
        task = asyncio.ensure_future(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _end_client(self, client: ClientSession) -> None:
        """End the sessions of a disconnected frontend. `cpl` commands share a session, which stays open."""
        if client.tasks:
            await asyncio.wait(client.tasks)
        if client.kind != "cli":
            await self._end_sessions(*client.principals)

    async def _end_sessions(self, *principals: str) -> None:
        """End the sessions of the principals; when the engine closes, all sessions end anyway."""
        loop = asyncio.get_running_loop()
        for principal in principals:
            if self._closing:
                return
            try:
                await loop.run_in_executor(self._pool, self._pipeline.leave, principal)
            except Exception as error:
                telemetry.warn("a session could not be ended", **telemetry.describe(error))

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> ClientSession | None:
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
            format=Format(hello.get("format", Format.TEXT)),
        )
        client = ClientSession(writer, surface, str(hello.get("kind", "")))
        client.send(Frame({"welcome": ours}))
        return client

    def _handle_frame(self, client: ClientSession, frame: Frame) -> None:
        header = frame.header
        cancel = header.get("cancel")
        if cancel is not None:
            call = client.calls.get(cancel)
            if call is not None:
                call.cancel()
            return
        left = header.get("leave")
        if left is not None:
            if client.drop_principal(left):
                self._run_in_background(self._end_sessions(left))
            return
        number = header.get("id")
        if not isinstance(number, int):
            raise WireError("a call without an id")
        if header.get("ask") == "state":
            client.state_requests.append(number)
            if not client.sends_state:
                client.sends_state = True
                self._run_in_background(self._send_state(client))
        elif self._closing:
            # The call has not started: the frontend sends it to the next engine.
            client.send(Frame({"id": number, "later": True}))
        elif (arguments := parse_arguments(frame.body)) is None:
            client.send(error_frame(number, _ARGUMENTS_NOT_OBJECT, str(header.get("call")), client.surface.format))
        elif limit := client.exceeded_limit(immediate=is_immediate(str(header.get("call")), arguments)):
            message = f"{limit} calls of this client are running"
            error = CodePlaneError(ErrorCode.TOO_BUSY, message, remedy="Retry later.")
            form = requested_format(arguments, client.surface.format)
            client.send(error_frame(number, error, str(header.get("call")), form))
        else:
            # Registered before it runs: the next frame may cancel it.
            client.calls[number] = ActiveCall()
            task = asyncio.ensure_future(self._call(client, number, header, arguments))
            for tasks in (self._tasks, client.tasks):
                tasks.add(task)
                task.add_done_callback(tasks.discard)

    async def _call(
        self, client: ClientSession, number: int, header: Mapping[str, Any], arguments: Mapping[str, object]
    ) -> None:
        call = client.calls[number]
        loop = asyncio.get_running_loop()
        principal = str(header.get("principal", ""))
        for dropped in client.add_principal(principal, header.get("client")):
            self._run_in_background(self._end_sessions(dropped))

        def send_progress(done: float, total: float | None, message: str) -> None:
            loop.call_soon_threadsafe(client.send, Frame({"id": number, "progress": [done, total, message]}))

        request = CallRequest(
            tool=str(header.get("call")),
            arguments=arguments,
            principal=principal,
            surface=client.surface,
            progress=throttle_progress(send_progress) if header.get("progress") else no_progress,
            cancelled=call.cancelled.is_set,
            shared=is_shared(principal),
            retry_key=str(header.get("key", "")),
            is_retry=bool(header.get("again")),
        )
        build_progress = (
            asyncio.ensure_future(self._send_build_progress(client, number)) if header.get("progress") else None
        )
        try:
            if is_immediate(request.tool, arguments):
                answer = await self._answer(self._immediate_pool, number, request)
            else:
                async with client.slots(call, principal) as has_slots:
                    # A cancelled call still records its outcome, and does not wait.
                    answer = await self._answer(self._pool if has_slots else self._immediate_pool, number, request)
            if not call.cancelled.is_set():
                client.send(answer)
        finally:
            if build_progress is not None:
                build_progress.cancel()
            client.calls.pop(number, None)

    async def _answer(self, pool: ThreadPoolExecutor, number: int, request: CallRequest) -> Frame:
        try:
            answering = asyncio.get_running_loop().run_in_executor(pool, self._pipeline.call, request)
        except RuntimeError as error:
            if self._closing:
                # The pool is closed, so the call has not started: the frontend sends it to the next engine.
                return Frame({"id": number, "later": True})
            return internal_error_frame(number, error, request.tool, request.format)
        try:
            return reply_frame(number, await answering)
        except Exception as error:
            return internal_error_frame(number, error, request.tool, request.format)

    async def _send_state(self, client: ClientSession) -> None:
        """Send the state; one snapshot answers all requests that came before it."""
        try:
            while client.state_requests:
                numbers, client.state_requests = client.state_requests, []
                body = orjson.dumps(await self.state())
                client.send(*(Frame({"id": number}, body) for number in numbers))
        finally:
            client.sends_state = False

    async def _send_build_progress(self, client: ClientSession, number: int) -> None:
        """Send the progress of the index build to a waiting call."""
        while True:
            await asyncio.sleep(_BUILD_SECONDS)
            progress = self._pipeline.building()
            if progress is not None:
                fields = [progress.files_done, progress.files_total, progress.phase]
                client.send(Frame({"id": number, "progress": fields}))

    async def state(self) -> dict[str, Any]:
        try:
            # In a thread, because it may wait for the session lock.
            pipeline_state = await asyncio.get_running_loop().run_in_executor(
                self._immediate_pool, self._pipeline.state
            )
        except Exception as error:
            telemetry.warn("the state could not be read", **telemetry.describe(error))
            pipeline_state = {"ready": False}
        return {
            "version": __version__,
            "pid": os.getpid(),
            "uptime_s": round(time.monotonic() - self._started, 1),
            "clients": sum(client.kind != "ask" for client in self._clients),
            "transport": sorted({client.kind for client in self._clients if client.kind in ("mcp", "http")}),
            "calls": len(self._tasks),
            "lag_ms": self._lag.figures(),
            **pipeline_state,
        }


def run_engine(
    runtime: RuntimeDirectory,
    open_pipeline: Callable[[], CallPipeline],
    *,
    lifeline: int | None,
    shutdown_seconds: float,
) -> None:
    """Serve until the lifeline closes or a signal arrives. The caller holds the engine lock."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(runtime.socket_path)
    pipeline = open_pipeline()
    server = EngineServer(pipeline)
    tune_garbage_collector()
    try:
        asyncio.run(_until_stopped(server, runtime.socket_path, lifeline, shutdown_seconds))
    finally:
        pipeline.close(max(_LEAST_CLOSE_SECONDS, _END_SECONDS - server.seconds_since_stop()))
        gc.unfreeze()


def tune_garbage_collector() -> None:
    """Run the cycle collector rarely: answers create thousands of rows without cycles, and a collection over all
    objects takes longer than most answers."""
    gc.freeze()
    gc.set_threshold(_GC_THRESHOLD)


_GC_THRESHOLD = 20_000


async def _until_stopped(server: EngineServer, path: Path, lifeline: int | None, seconds: float) -> None:
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
