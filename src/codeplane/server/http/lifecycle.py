"""Lifecycle of the HTTP server: bind, announce, serve, shut down in time.

It listens only on the loopback interface. On a signal, running calls get a grace period and are then aborted; a second
SIGINT aborts at once. The files with port and token exist exactly as long as the server answers.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import uvicorn

from codeplane import telemetry
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.server.http.app import build_app
from codeplane.server.http.connections import Connections
from codeplane.server.http.guard import MAX_HEADER_BYTES, Guard, GuardedApp
from codeplane.server.http.mcp_server import ServerInfo, build_server, http_principal
from codeplane.server.http.routes import operator_routes
from codeplane.server.loop_lag import LagMonitor
from codeplane.server.runtime_directory import (
    HTTP_NAME,
    HttpRecord,
    RuntimeDirectory,
    new_token,
    remove_port,
    write_port,
)
from codeplane.server.tool_caller import SessionCloser, ToolCaller

HOST: Final = "127.0.0.1"
GRACE_SECONDS: Final = 3.0
"""Grace period for running calls; the whole shutdown, including the engine, takes less than five seconds."""
EXIT_STOPPED: Final = 0
"""Clean shutdown after a signal."""
EXIT_INTERRUPTED: Final = 130
"""A second SIGINT aborted running calls."""

_ABORT_SECONDS = 0.4
_KEEP_ALIVE_SECONDS = 60
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


async def serve(
    caller: ToolCaller,
    identity: ServerInfo,
    *,
    repository: Path,
    runtime: RuntimeDirectory,
    api_version: str,
    port: int = 0,
    token: str | None = None,
    port_directory: Path | None = None,
    grace_seconds: float = GRACE_SECONDS,
    on_started: Callable[[HttpRecord], None] | None = None,
) -> int:
    """Serve until a signal arrives, and return the exit code.

    Without `token` a new one is created. `port_directory` receives a file with the port, for other programs.
    """
    listener = listen(port)
    guard = Guard(token or new_token(), str(repository), listener.getsockname()[1])
    connections = Connections()
    lag = LagMonitor()
    server = build_server(identity, caller, guard.token)
    routes = operator_routes(
        caller,
        guard,
        version=identity.version,
        api_version=api_version,
        figures=lambda: {"connections": connections.count, "event_loop_lag_ms": lag.figures()},
    )
    app = build_app(server, guard, connections, routes, on_session_end=session_end_callback(caller, guard.token))
    record = HttpRecord(guard.port, os.getpid(), guard.token, api_version, time.time())

    def announce() -> None:
        runtime.write_secret(HTTP_NAME, record.as_text())
        if port_directory is not None:
            write_port(port_directory, guard.port)
        if on_started is not None:
            on_started(record)

    watching = asyncio.get_running_loop().create_task(lag.run())
    try:
        return await run_app(app, listener, connections, grace_seconds=grace_seconds, on_started=announce)
    finally:
        watching.cancel()
        with contextlib.suppress(CodePlaneError, OSError):
            runtime.remove(HTTP_NAME, holding=record.as_text())
        if port_directory is not None:
            remove_port(port_directory, guard.port)


def session_end_callback(caller: ToolCaller, token: str) -> Callable[[str], None]:
    """Return a callback that ends a session, if the caller has sessions."""

    def end_session(session: str) -> None:
        if isinstance(caller, SessionCloser):
            caller.end_session(http_principal(token, session))

    return end_session


def listen(port: int) -> socket.socket:
    """Return a socket bound to the loopback interface; port 0 chooses a free one."""
    # Without an explicit protocol asyncio leaves Nagle's algorithm on, which delays two-part responses by 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
    except (OSError, OverflowError) as error:
        listener.close()
        raise CodePlaneError(
            ErrorCode.CONFIG_INVALID,
            f"cannot listen on port {port}: {error.strerror if isinstance(error, OSError) else error}",
            remedy="Choose another port, or 0 for any free port: cpl up --port 0",
        ) from error
    return listener


async def run_app(
    app: GuardedApp,
    listener: socket.socket,
    connections: Connections,
    *,
    grace_seconds: float = GRACE_SECONDS,
    on_started: Callable[[], None] | None = None,
    stop: asyncio.Event | None = None,
) -> int:
    """Answer until a signal comes or `stop` is set."""
    with _quiet_libraries():
        config = uvicorn.Config(
            app,
            http=connections.protocol(),
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=int(grace_seconds) + 1,
            h11_max_incomplete_event_size=MAX_HEADER_BYTES,
        )
        server = _Server(config)
        running = asyncio.get_running_loop().create_task(server.serve(sockets=[listener]))
        shutdown = _Shutdown(server, app, connections, grace_seconds)
        with _on_signals(shutdown.begin):
            waiting = asyncio.get_running_loop().create_task(_begin_when(stop, shutdown)) if stop else None
            try:
                await _started(server, running)
                if on_started is not None:
                    on_started()
                await running
            except BaseException:
                shutdown.begin(None)
                server.force_exit = True
                with contextlib.suppress(Exception, SystemExit):
                    await running
                raise
            finally:
                shutdown.cancel_timers()
                if waiting is not None:
                    waiting.cancel()
        return EXIT_INTERRUPTED if server.force_exit else EXIT_STOPPED


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do not let uvicorn handle signals; it would raise them again at the end."""
        yield


class _Shutdown:
    """Steps of a shutdown with their timers."""

    def __init__(self, server: _Server, app: GuardedApp, connections: Connections, grace_seconds: float) -> None:
        self._server = server
        self._app = app
        self._connections = connections
        self._grace_seconds = grace_seconds
        self._timers: list[asyncio.TimerHandle] = []

    def begin(self, number: int | None) -> None:
        if self._server.should_exit:
            # Only a second SIGINT forces the exit; supervisors may repeat SIGTERM.
            if number == signal.SIGINT:
                self._server.force_exit = True
                # From Python 3.12 on a server is closed only when its connections are.
                self._connections.abort_all()
            return
        telemetry.info("http server ends", signal=number)
        self._server.should_exit = True
        self._app.drain()
        loop = asyncio.get_running_loop()
        self._timers = [
            loop.call_later(self._grace_seconds, self._app.cut),
            loop.call_later(self._grace_seconds + _ABORT_SECONDS, self._connections.abort_all),
        ]

    def cancel_timers(self) -> None:
        for timer in self._timers:
            timer.cancel()


@contextlib.contextmanager
def _on_signals(begin: Callable[[int | None], None]) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    installed: list[signal.Signals] = []
    # Signal handlers work only in the main thread; otherwise the owner of the loop stops the server.
    with contextlib.suppress(ValueError, RuntimeError):
        for number in _SIGNALS:
            loop.add_signal_handler(number, begin, number)
            installed.append(number)
    try:
        yield
    finally:
        for number in installed:
            loop.remove_signal_handler(number)


async def _begin_when(stop: asyncio.Event, shutdown: _Shutdown) -> None:
    await stop.wait()
    shutdown.begin(None)


async def _started(server: uvicorn.Server, running: asyncio.Task[None]) -> None:
    while not server.started and not running.done():
        await asyncio.sleep(0.005)


@contextlib.contextmanager
def _quiet_libraries() -> Iterator[None]:
    """Redirect library logs to our log, without their messages, which may quote a request."""
    handler = _Forward(logging.WARNING)
    loggers = [logging.getLogger(name) for name in ("uvicorn", "mcp", "sse_starlette", "asyncio")]
    before = [(logger, logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.addHandler(handler)
        logger.propagate = False
    try:
        yield
    finally:
        for logger, propagate in before:
            logger.removeHandler(handler)
            logger.propagate = propagate


class _Forward(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        fields = telemetry.describe(error) if error is not None else {}
        telemetry.debug("library log message", logger=record.name, line=record.lineno, **fields)
