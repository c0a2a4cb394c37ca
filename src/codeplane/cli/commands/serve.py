"""`cpl mcp`, `cpl up` and the engine behind them."""

from __future__ import annotations

import asyncio
import hmac
import json as json_format
import os
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from codeplane.base.errors import CodePlaneError, ErrorCode, internal_error
from codeplane.base.paths import display
from codeplane.cli.answer import Reply, answer, write_warnings
from codeplane.cli.assemble import Invocation, assemble, find_root, load_config, start_logging
from codeplane.cli.connect import loader, open_runtime, own_command, warn_of_overrides
from codeplane.cli.terminal import Style, facts, home_path

if TYPE_CHECKING:
    from codeplane.config import Config
    from codeplane.operations.context import Context
    from codeplane.server.engine_client import EngineClient
    from codeplane.server.http.token_file import PersistentToken
    from codeplane.server.runtime_directory import HttpRecord, RuntimeDirectory
    from codeplane.tools.surface import Surface

_SEAT_SECONDS = 1.0
"""Time that a stopping engine may take to release its lock."""


def mcp(
    invocation: Invocation,
    *,
    toolsets: str | None,
    form: str | None,
    read_only: bool,
    prewarm: bool,
    start: bool = True,
) -> int:
    """Serve one client on standard input and output until it goes."""
    from codeplane.server.stdio_pipes import claim_standard_streams

    protocol_input, protocol_output = claim_standard_streams()
    from codeplane.server.engine_client import EngineClient, UnavailableEngine
    from codeplane.server.stdio import serve_stdio
    from codeplane.server.sync_client import query_state
    from codeplane.tools.surface import Surface

    surface = Surface(read_only=read_only)

    def engine_of(root: Path, seen: Surface) -> EngineClient:
        with open_runtime(root) as runtime:
            warn_of_overrides(invocation, query_state(runtime.socket_path))
            if not start:
                return EngineClient(runtime.socket_path, None, seen, "mcp")
            return _engine(root, runtime.socket_path, invocation, seen, "mcp", prewarm=prewarm)

    def choose(directories: list[str]) -> EngineClient | None:
        """Engine of the first directory that is in a repository. Its settings may only restrict the surface."""
        for directory in directories:
            try:
                root = find_root(Path(directory))
                config = load_config(root, invocation, os.environ)
                start_logging(root, config)
                return engine_of(root, replace(surface, read_only=surface.read_only or config.server.read_only))
            except (CodePlaneError, OSError, ValueError):
                continue
        return None

    engine: EngineClient | UnavailableEngine
    elsewhere = False
    try:
        # The user's settings apply wherever we were started.
        surface = _surface(load_config(None, invocation, os.environ), toolsets, form, read_only=read_only)
        root = find_root(invocation.start)
        config = load_config(root, invocation, os.environ)
        surface = _surface(config, toolsets, form, read_only=read_only)
        start_logging(root, config)
        engine = engine_of(root, surface)
    except Exception as error:
        # Answer with the error instead of exiting: clients report no more than that a server did not start. A client
        # that starts us outside its project may still tell us where the project is.
        refusal = error if isinstance(error, CodePlaneError) else internal_error(error)
        print(f"cpl mcp: {refusal.message}", file=sys.stderr)
        engine = UnavailableEngine(refusal, surface.format)
        elsewhere = refusal.code is ErrorCode.NOT_A_REPOSITORY
    serve_stdio(engine, surface, protocol_input, protocol_output, choose if elsewhere else None)
    return 0


def up(
    invocation: Invocation,
    *,
    port: int | None,
    keep_token: bool,
    toolsets: str | None,
    form: str | None,
    read_only: bool,
    prewarm: bool,
    json: bool,
) -> int:
    """Serve HTTP in the foreground until Ctrl-C."""
    from codeplane.server.engine_lock import acquire_http_lock
    from codeplane.server.sync_client import query_state

    code = 0

    def work() -> Reply:
        nonlocal code
        assembly = assemble(invocation)
        write_warnings(assembly.warnings)
        context = assembly.context
        surface = _surface(context.config, toolsets, form, read_only=read_only)
        with open_runtime(context.root) as runtime, acquire_http_lock(runtime) or nullcontext() as lock:
            if lock is None:
                given = port or keep_token or toolsets or form or read_only or invocation.overrides
                return _already_up(runtime, given=bool(given))
            warn_of_overrides(invocation, query_state(runtime.socket_path))
            engine = _engine(context.root, runtime.socket_path, invocation, surface, "http", prewarm=prewarm)
            wanted = context.config.server.port if port is None else port
            kept = None
            if keep_token or context.config.server.keep_token:
                from codeplane.server.http.token_file import load_or_create_token as keep

                kept = keep(context.user_state, context.root)
            code = asyncio.run(_serve_http(context, runtime, engine, surface, wanted, kept, json=json))
        return Reply({"stopped": True}, "Stopped.", exit_code=code)

    return answer("up", work, json=json)


def token(invocation: Invocation, *, json: bool) -> int:
    """Print the token of the HTTP server of this repository, for a client or a script."""

    def work() -> Reply:
        from codeplane.server.http.token_file import find_token
        from codeplane.server.runtime_directory import HTTP_NAME

        context = assemble(invocation).context
        kept = find_token(context.user_state, context.root)
        with open_runtime(context.root) as runtime:
            running = running_http(runtime)
            record_path = runtime.path / HTTP_NAME
        # A kept token has no effect on a server that was started without --keep-token.
        if kept is not None and (running is None or running.token == kept.token):
            return Reply({"token": kept.token, "file": str(kept.path), "kept": True}, kept.token)
        if running is not None:
            return Reply({"token": running.token, "file": str(record_path), "kept": False}, running.token)
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "no HTTP server is running for this repository, and no token is kept",
            remedy="Start a server: cpl up --keep-token",
        )

    return answer("token", work, json=json)


async def _serve_http(
    context: Context,
    runtime: RuntimeDirectory,
    engine: EngineClient,
    surface: Surface,
    port: int,
    kept: PersistentToken | None,
    *,
    json: bool,
) -> int:
    from codeplane import __version__
    from codeplane.server.http.lifecycle import serve
    from codeplane.server.http.mcp_server import ServerInfo
    from codeplane.tools.catalog import API_VERSION, INSTRUCTIONS, SERVER_NAME, listing

    engine.start()
    identity = ServerInfo(SERVER_NAME, __version__, INSTRUCTIONS, listing(surface), surface.format)
    try:
        return await serve(
            engine,
            identity,
            repository=context.root,
            runtime=runtime,
            api_version=API_VERSION,
            port=port,
            token=kept.token if kept else None,
            port_directory=context.root / ".codeplane",
            grace_seconds=max(0.0, context.config.server.shutdown_sec - 2.0),
            on_started=lambda record: _announce(record, runtime, context, kept, json=json),
        )
    finally:
        await engine.close()


def running_http(runtime: RuntimeDirectory) -> HttpRecord | None:
    """The HTTP server of this repository, if it answers. It proves that it knows its token: another process cannot."""
    import http.client
    import secrets

    from codeplane.server.runtime_directory import prove, read_http

    record = read_http(runtime)
    if record is None:
        return None
    challenge = secrets.token_hex(16)
    try:
        connection = http.client.HTTPConnection("127.0.0.1", record.port, timeout=1.0)
        connection.request("GET", "/health", headers={"X-CodePlane-Challenge": challenge})
        proof = connection.getresponse().getheader("X-CodePlane-Proof", "")
        connection.close()
    except (OSError, http.client.HTTPException):
        return None
    return record if hmac.compare_digest(proof or "", prove(record.token, challenge)) else None


def _already_up(runtime: RuntimeDirectory, *, given: bool) -> Reply:
    """The answer when a server runs already. Options have no effect on it, and the user must know."""
    running = running_http(runtime)
    text = f"Already running: {_url(running)} (process {running.pid})." if running else "Another one is starting."
    if not given:
        return Reply(_where(running) if running else {}, text)
    text += "\nIt keeps the options it was started with; stop it to change them."
    return Reply(_where(running) if running else {}, text, status="blocked", message=text)


def _announce(
    record: HttpRecord, runtime: RuntimeDirectory, context: Context, kept: PersistentToken | None, *, json: bool
) -> None:
    """Say where the server is. The token itself is not printed: the output of a server often ends in a log."""
    from codeplane.server.runtime_directory import HTTP_NAME

    place = {**_where(record), "token_file": str(runtime.path / HTTP_NAME), "token_kept": kept is not None}
    if json:
        print(json_format.dumps({"status": "ok", "result": place}, separators=(",", ":")), flush=True)
        return
    style = Style.of(sys.stdout)
    rows = (
        ("URL", _url(record)),
        ("token", "'cpl token' prints it" + ("" if kept else "; it is new at each start unless --keep-token is given")),
        ("token file", home_path(kept.path) if kept else ""),
        ("clients", "'cpl install --print-config --http' prints their configuration"),
        ("stop", "Ctrl-C"),
    )
    print("\n".join([f"CodePlane serves {style.bold(display(str(context.root)))}", *facts(rows, style)]), flush=True)


def _where(record: HttpRecord) -> dict[str, object]:
    return {"url": _url(record), "port": record.port, "pid": record.pid, "api_version": record.api_version}


def _url(record: HttpRecord) -> str:
    return f"http://127.0.0.1:{record.port}/mcp"


def host(invocation: Invocation, *, prewarm: bool) -> int:
    """The engine, as a child of a front: it ends when its standard input does."""
    from codeplane.server.engine_lock import ALREADY_SERVED, acquire_engine_lock

    with open_runtime(find_root(invocation.start, any_directory=True)) as runtime:
        seat = acquire_engine_lock(runtime, _SEAT_SECONDS)
        if seat is None:
            return ALREADY_SERVED
        from codeplane.server.assembly import open_pipeline
        from codeplane.server.engine import run_engine

        with seat:
            context = assemble(invocation, any_directory=True).context
            run_engine(
                runtime,
                lambda: open_pipeline(context, loader(invocation), prewarm=prewarm),
                lifeline=sys.stdin.fileno(),
                shutdown_seconds=min(0.3, context.config.server.shutdown_sec),
            )
    return 0


def _engine(
    root: Path, socket_path: Path, invocation: Invocation, surface: Surface, kind: str, *, prewarm: bool
) -> EngineClient:
    from codeplane.processes.lifeline import start_with_lifeline
    from codeplane.server.engine_client import EngineClient

    command = own_command(root, invocation, "host", *(() if prewarm else ("--no-prewarm",)))
    return EngineClient(socket_path, lambda: start_with_lifeline(command), surface, kind)


def _surface(config: Config, toolsets: str | None, form: str | None, *, read_only: bool) -> Surface:
    from codeplane.config.model import TOOLSETS
    from codeplane.tools.formats import Format
    from codeplane.tools.surface import Surface

    chosen = tuple(word.strip() for word in toolsets.split(",") if word.strip()) if toolsets else config.server.toolsets
    unknown = [name for name in chosen if name not in TOOLSETS]
    if unknown:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"no toolset '{unknown[0]}'",
            expected=", ".join(TOOLSETS),
            received=toolsets or ", ".join(chosen),
            example="cpl mcp --toolsets core,admin",
        )
    return Surface(chosen, read_only=read_only or config.server.read_only, format=Format(form or config.server.format))
