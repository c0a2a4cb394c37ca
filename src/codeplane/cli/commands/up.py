"""`cpl up` and `cpl token`: the HTTP server of a repository."""

from __future__ import annotations

import asyncio
import hmac
import json as json_format
import sys
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.cli.answer import Reply, answer, write_warnings
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.connect import open_runtime, warn_of_overrides
from codeplane.cli.fronts import make_surface, start_engine
from codeplane.cli.options import format_option, json_option, no_prewarm_option, read_only_option, toolsets_option
from codeplane.cli.terminal import Style, facts, home_path

if TYPE_CHECKING:
    from codeplane.operations.context import Context
    from codeplane.server.engine_client import EngineClient
    from codeplane.server.http.token_file import PersistentToken
    from codeplane.server.runtime_directory import HttpRecord, RuntimeDirectory
    from codeplane.tools.surface import Surface


@click.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), metavar="PORT", help="Port to listen on. Default: any free port."
)
@click.option("--keep-token", is_flag=True, help="Use the same token at every start. Default: server.keep_token.")
@toolsets_option
@format_option
@read_only_option
@no_prewarm_option
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Same as 'cpl --set' before the command.")
@json_option
@click.pass_context
def up(
    context: click.Context,
    port: int | None,
    keep_token: bool,
    toolsets: str | None,
    form: str | None,
    read_only: bool,
    no_prewarm: bool,
    overrides: tuple[str, ...],
    json: bool,
) -> None:
    """Serve MCP over HTTP on this machine, until Ctrl-C.

    Clients send the token that 'cpl token' prints, as 'Authorization: Bearer TOKEN'.

    \b
    Example:
      cpl up --port 8741 --keep-token
    """
    invocation = replace(context.obj, overrides=(*context.obj.overrides, *overrides))
    code = run_up(
        invocation,
        port=port,
        keep_token=keep_token,
        toolsets=toolsets,
        form=form,
        read_only=read_only,
        prewarm=not no_prewarm,
        json=json,
    )
    context.exit(code)


@click.command()
@json_option
@click.pass_context
def token(context: click.Context, json: bool) -> None:
    """Print the token of the HTTP server that 'cpl up' started."""
    context.exit(answer("token", lambda: _token(context.obj), json=json))


def run_up(
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
        surface = make_surface(context.config, toolsets, form, read_only=read_only)
        with open_runtime(context.root) as runtime, acquire_http_lock(runtime) or nullcontext() as lock:
            if lock is None:
                given = port or keep_token or toolsets or form or read_only or invocation.overrides
                return _already_up(runtime, given=bool(given))
            warn_of_overrides(invocation, query_state(runtime.socket_path))
            engine = start_engine(context.root, runtime.socket_path, invocation, surface, "http", prewarm=prewarm)
            wanted = context.config.server.port if port is None else port
            persistent = None
            if keep_token or context.config.server.keep_token:
                from codeplane.server.http.token_file import load_or_create_token as keep

                persistent = keep(context.user_state, context.root)
            code = asyncio.run(_serve_http(context, runtime, engine, surface, wanted, persistent, json=json))
        return Reply({"stopped": True}, "Stopped.", exit_code=code)

    return answer("up", work, json=json)


def _token(invocation: Invocation) -> Reply:
    """Return the token of the HTTP server of this repository, for a client or a script."""
    from codeplane.server.http.token_file import find_token
    from codeplane.server.runtime_directory import HTTP_NAME

    context = assemble(invocation).context
    persistent = find_token(context.user_state, context.root)
    with open_runtime(context.root) as runtime:
        running = running_http(runtime)
        record_path = runtime.path / HTTP_NAME
    # A kept token has no effect on a server that was started without --keep-token.
    if persistent is not None and (running is None or running.token == persistent.token):
        return Reply({"token": persistent.token, "file": str(persistent.path), "kept": True}, persistent.token)
    if running is not None:
        return Reply({"token": running.token, "file": str(record_path), "kept": False}, running.token)
    raise CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        "no HTTP server is running for this repository, and no token is kept",
        remedy="Start a server: cpl up --keep-token",
    )


async def _serve_http(
    context: Context,
    runtime: RuntimeDirectory,
    engine: EngineClient,
    surface: Surface,
    port: int,
    persistent: PersistentToken | None,
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
            token=persistent.token if persistent else None,
            port_directory=context.root / ".codeplane",
            grace_seconds=max(0.0, context.config.server.shutdown_sec - 2.0),
            on_started=lambda record: _announce(record, runtime, context, persistent, json=json),
        )
    finally:
        await engine.close()


def running_http(runtime: RuntimeDirectory) -> HttpRecord | None:
    """Return the HTTP server of this repository, if it answers and proves that it knows its token."""
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
    """Reply if a server is already running. Options have no effect on it, which the user must know."""
    running = running_http(runtime)
    text = f"Already running: {_url(running)} (process {running.pid})." if running else "Another one is starting."
    if not given:
        return Reply(_where(running) if running else {}, text)
    text += "\nIt keeps the options it was started with; stop it to change them."
    return Reply(_where(running) if running else {}, text, status="blocked", message=text)


def _announce(
    record: HttpRecord, runtime: RuntimeDirectory, context: Context, persistent: PersistentToken | None, *, json: bool
) -> None:
    """Print the address of the server. The token is not printed: the output of a server often ends in a log."""
    from codeplane.server.runtime_directory import HTTP_NAME

    place = {**_where(record), "token_file": str(runtime.path / HTTP_NAME), "token_kept": persistent is not None}
    if json:
        print(json_format.dumps({"status": "ok", "result": place}, separators=(",", ":")), flush=True)
        return
    style = Style.of(sys.stdout)
    rows = (
        ("URL", _url(record)),
        (
            "token",
            "'cpl token' prints it" + ("" if persistent else "; it is new at each start unless --keep-token is given"),
        ),
        ("token file", home_path(persistent.path) if persistent else ""),
        ("clients", "'cpl install --print-config --http' prints their configuration"),
        ("stop", "Ctrl-C"),
    )
    print("\n".join([f"CodePlane serves {style.bold(display(str(context.root)))}", *facts(rows, style)]), flush=True)


def _where(record: HttpRecord) -> dict[str, object]:
    return {"url": _url(record), "port": record.port, "pid": record.pid, "api_version": record.api_version}


def _url(record: HttpRecord) -> str:
    return f"http://127.0.0.1:{record.port}/mcp"
