"""The one process that answers for a repository: it listens on a socket that only its user can reach.

A lock in the user's runtime directory lets one engine serve; the index has a lock of its own,
which commands of other processes may hold for a while. The loop only moves frames; every
call runs in a thread, and those that never wait have threads of their own. Quick to import,
so that the lock is had before the rest is loaded.
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
from codeplane.tools.formats import Format, requested_format
from codeplane.tools.surface import Surface

if TYPE_CHECKING:
    from codeplane.tools.pipeline import Pipeline

_THREADS = MANY_CLIENTS.running + 4 * ONE_CLIENT.running
"""More than one front can hold, so that nobody who waits long keeps others from being answered."""
_QUICK_THREADS = 8
_HELLO_SECONDS = 5.0
_BUILD_SECONDS = 0.5
_CANCELLED_SECONDS = 0.3
_END_SECONDS = 1.0
"""From the word to end to the end: whoever started us gives no less before it loses its patience."""
_LEAST_CLOSE_SECONDS = 0.3
_NO_OBJECT = CodePlaneError(ErrorCode.ARGUMENT_INVALID, "the arguments are not a JSON object")


class EngineServer:
    """Frames in, calls into threads, envelopes out."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="call")
        self._quick = ThreadPoolExecutor(_QUICK_THREADS, thread_name_prefix="quick")
        self._clients: set[ClientSession] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._aside: set[asyncio.Task[None]] = set()
        self._closing = False
        self._started = time.monotonic()
        self._stopped: float | None = None
        self._lag = LagMonitor()

    async def serve(self, listener_path: Path, stop: asyncio.Event, seconds: float) -> None:
        server = await asyncio.start_unix_server(self._attend, str(listener_path), limit=1024 * 1024)
        listener_path.chmod(0o600)
        watching = asyncio.ensure_future(self._lag.run())
        try:
            await stop.wait()
        finally:
            self._closing = True
            self._stopped = time.monotonic()
            # Nobody new may find us: the next engine binds its own.
            with contextlib.suppress(FileNotFoundError):
                os.unlink(listener_path)
            server.close()
            watching.cancel()
            await self._drain(seconds)

    def seconds_since_stop(self) -> float:
        return time.monotonic() - self._stopped if self._stopped is not None else 0.0

    async def _drain(self, seconds: float) -> None:
        """Let calls that are nearly done finish, tell the others to stop, and hang up."""
        deadline = time.monotonic() + seconds
        while self._tasks and time.monotonic() < deadline:
            await asyncio.wait(self._tasks, timeout=max(0.0, deadline - time.monotonic()))
        for client in list(self._clients):
            client.cancel_all()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_CANCELLED_SECONDS)
        for client in list(self._clients):
            client.writer.close()
        for pool in (self._pool, self._quick):
            pool.shutdown(wait=False, cancel_futures=True)

    async def _attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client: ClientSession | None = None
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
        except asyncio.CancelledError:
            # With the loop; asyncio would tell of it as of a failure.
            if not self._closing:
                raise
        finally:
            if client is not None:
                self._clients.discard(client)
                client.cancel_all()
                if not self._closing:
                    self._begin(self._leave(client))
            writer.close()

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        """What nobody waits for."""
        task = asyncio.ensure_future(work)
        self._aside.add(task)
        task.add_done_callback(self._aside.discard)

    async def _leave(self, client: ClientSession) -> None:
        """Sessions end with the front whose clients they belong to; commands share one, for the next of them."""
        if client.tasks:
            await asyncio.wait(client.tasks)
        if client.kind != "cli":
            await self._part(*client.principals)

    async def _part(self, *principals: str) -> None:
        """End the sessions of those who are gone; with the engine, all end."""
        loop = asyncio.get_running_loop()
        for principal in principals:
            if self._closing:
                return
            try:
                await loop.run_in_executor(self._pool, self._pipeline.leave, principal)
            except Exception as error:
                telemetry.warn("a session did not end well", **telemetry.describe(error))

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

    def _take(self, client: ClientSession, frame: Frame) -> None:
        header = frame.header
        cancel = header.get("cancel")
        if cancel is not None:
            call = client.calls.get(cancel)
            if call is not None:
                call.cancel()
            return
        left = header.get("leave")
        if left is not None:
            if client.forget(left):
                self._begin(self._part(left))
            return
        number = header.get("id")
        if not isinstance(number, int):
            raise WireError("a call without a number")
        if header.get("ask") == "state":
            client.asked.append(number)
            if not client.is_told:
                client.is_told = True
                self._begin(self._tell_state(client))
        elif self._closing:
            # Nothing was begun: the front asks the next engine.
            client.send(Frame({"id": number, "later": True}))
        elif (arguments := parse_arguments(frame.body)) is None:
            client.send(error_frame(number, _NO_OBJECT, str(header.get("call")), client.surface.format))
        elif limit := client.too_many(at_once=is_immediate(str(header.get("call")), arguments)):
            message = f"{limit} calls of this client are under way"
            error = CodePlaneError(ErrorCode.TOO_BUSY, message, remedy="Try again.")
            form = requested_format(arguments, client.surface.format)
            client.send(error_frame(number, error, str(header.get("call")), form))
        else:
            # Known before it begins to run: the next frame may cancel it.
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
        for gone in client.know(principal, header.get("client")):
            self._begin(self._part(gone))

        def tell(done: float, total: float | None, message: str) -> None:
            loop.call_soon_threadsafe(client.send, Frame({"id": number, "progress": [done, total, message]}))

        request = CallRequest(
            tool=str(header.get("call")),
            arguments=arguments,
            principal=principal,
            surface=client.surface,
            progress=throttle_progress(tell) if header.get("progress") else no_progress,
            cancelled=call.cancelled.is_set,
            shared=is_shared(principal),
        )
        telling = asyncio.ensure_future(self._tell_of_build(client, number)) if header.get("progress") else None
        try:
            if is_immediate(request.tool, arguments):
                answer = await self._answer(self._quick, number, request)
            else:
                async with client.turn(call, principal) as has_turn:
                    # One that was cancelled has its outcome noted, and waits for nothing.
                    answer = await self._answer(self._pool if has_turn else self._quick, number, request)
            if not call.cancelled.is_set():
                client.send(answer)
        finally:
            if telling is not None:
                telling.cancel()
            client.calls.pop(number, None)

    async def _answer(self, pool: ThreadPoolExecutor, number: int, request: CallRequest) -> Frame:
        try:
            answering = asyncio.get_running_loop().run_in_executor(pool, self._pipeline.call, request)
        except RuntimeError as error:
            if self._closing:
                # The pool takes nothing any more, so nothing was begun: the front asks the next engine.
                return Frame({"id": number, "later": True})
            return internal_error_frame(number, error, request.tool, request.format)
        try:
            return reply_frame(number, await answering)
        except Exception as error:
            return internal_error_frame(number, error, request.tool, request.format)

    async def _tell_state(self, client: ClientSession) -> None:
        """Each telling answers all who asked before it began."""
        try:
            while client.asked:
                numbers, client.asked = client.asked, []
                body = orjson.dumps(await self.state())
                for number in numbers:
                    client.send(Frame({"id": number}, body))
        finally:
            client.is_told = False

    async def _tell_of_build(self, client: ClientSession, number: int) -> None:
        """Whoever waits while the index is built hears how far it is, whatever was asked."""
        while True:
            await asyncio.sleep(_BUILD_SECONDS)
            progress = self._pipeline.building()
            if progress is not None:
                told = [progress.files_done, progress.files_total, progress.phase]
                client.send(Frame({"id": number, "progress": told}))

    async def state(self) -> dict[str, Any]:
        try:
            # In a thread: where the sessions stand may have to be waited for.
            found = await asyncio.get_running_loop().run_in_executor(self._quick, self._pipeline.state)
        except Exception as error:
            telemetry.warn("the state is not known", **telemetry.describe(error))
            found = {"ready": False}
        return {
            "version": __version__,
            "pid": os.getpid(),
            "uptime_s": round(time.monotonic() - self._started, 1),
            "clients": sum(client.kind != "ask" for client in self._clients),
            "transport": sorted({client.kind for client in self._clients if client.kind in ("mcp", "http")}),
            "calls": len(self._tasks),
            "lag_ms": self._lag.figures(),
            **found,
        }


def run_engine(
    runtime: RuntimeDirectory,
    open_pipeline: Callable[[], Pipeline],
    *,
    lifeline: int | None,
    shutdown_seconds: float,
) -> None:
    """Serve until the lifeline ends or a signal comes. Only in the seat."""
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
    """What is there by now stays; an answer makes thousands of rows without cycles, and looking for those in all that
    is there takes longer than most answers."""
    gc.freeze()
    gc.set_threshold(_ROWS_OF_AN_ANSWER)


_ROWS_OF_AN_ANSWER = 20_000


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
