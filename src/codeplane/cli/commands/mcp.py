"""`cpl mcp` and the engine behind it."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from codeplane.base.errors import CodePlaneError, ErrorCode, internal_error
from codeplane.cli.assemble import Invocation, assemble, find_root, load_config, start_logging
from codeplane.cli.connect import loader, open_runtime, warn_of_overrides
from codeplane.cli.fronts import make_surface, start_engine
from codeplane.cli.options import format_option, no_prewarm_option, read_only_option, toolsets_option

if TYPE_CHECKING:
    from codeplane.server.engine_client import EngineClient
    from codeplane.tools.surface import Surface

_SEAT_SECONDS = 1.0
"""Seconds that a stopping engine may take to release its lock."""


@click.command()
@toolsets_option
@format_option
@read_only_option
@no_prewarm_option
@click.option("--no-engine", is_flag=True, hidden=True, help="Only connect to a running engine; start none.")
@click.pass_context
def mcp(
    context: click.Context,
    toolsets: str | None,
    form: str | None,
    read_only: bool,
    no_prewarm: bool,
    no_engine: bool,
) -> None:
    """Serve MCP on standard input and output; MCP clients run this command.

    'cpl install' writes it into the configuration of a client.
    """
    code = run_mcp(
        context.obj,
        toolsets=toolsets,
        form=form,
        read_only=read_only,
        prewarm=not no_prewarm,
        start=not no_engine,
    )
    context.exit(code)


@click.command(hidden=True)
@no_prewarm_option
@click.pass_context
def host(context: click.Context, no_prewarm: bool) -> None:
    """Run the engine of the repository until standard input ends; started by other commands."""
    context.exit(run_host(context.obj, prewarm=not no_prewarm))


def run_mcp(
    invocation: Invocation,
    *,
    toolsets: str | None,
    form: str | None,
    read_only: bool,
    prewarm: bool,
    start: bool = True,
) -> int:
    """Serve one client on standard input and output until it disconnects."""
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
            return start_engine(root, runtime.socket_path, invocation, seen, "mcp", prewarm=prewarm)

    def choose(directories: list[str]) -> EngineClient | None:
        """Return the engine of the first directory in a repository. Its settings may only restrict the surface."""
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
        surface = make_surface(load_config(None, invocation, os.environ), toolsets, form, read_only=read_only)
        root = find_root(invocation.start)
        config = load_config(root, invocation, os.environ)
        surface = make_surface(config, toolsets, form, read_only=read_only)
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


def run_host(invocation: Invocation, *, prewarm: bool) -> int:
    """Run the engine as a child process of a server front, until its standard input ends."""
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
