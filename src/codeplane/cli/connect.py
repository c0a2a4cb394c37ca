"""Connection of commands to the engine of a repository: a running one, or one in this process."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.cli.answer import require_answer, write_warnings
from codeplane.cli.assemble import Invocation, context_at, load_config

if TYPE_CHECKING:
    from codeplane.base.text_lines import TextLine
    from codeplane.operations.context import Context
    from codeplane.server.runtime_directory import RuntimeDirectory
    from codeplane.tools.calls import CallReply
    from codeplane.tools.surface import Format, Surface

Tell = Callable[[float, float | None, str], None]

_CANCEL_SECONDS = 0.1
_OPEN_SECONDS = 10.0


def open_runtime(root: Path) -> RuntimeDirectory:
    from codeplane.server.runtime_directory import RuntimeDirectory, runtime_base

    return RuntimeDirectory.open(runtime_base(os.environ.get("XDG_RUNTIME_DIR")), root)


def engine_state(root: Path) -> Mapping[str, Any] | None:
    """Return the state of the running engine, None without one. Takes milliseconds and creates nothing."""
    from codeplane.server.runtime_directory import SOCKET_NAME, repository_id, runtime_base
    from codeplane.server.sync_client import query_state

    base = runtime_base(os.environ.get("XDG_RUNTIME_DIR"))
    return query_state(base / repository_id(root) / SOCKET_NAME)


def server_state(root: Path) -> Mapping[str, Any] | None:
    """Return the state of the running engine, with the port of its HTTP server."""
    found = engine_state(root)
    if found is None or "http" not in found.get("transport", ()):
        return found
    from codeplane.server.runtime_directory import read_http

    with open_runtime(root) as runtime:
        record = read_http(runtime)
    return {**found, "port": record.port} if record is not None else found


def serves(state: Mapping[str, Any] | None) -> bool:
    """True if an engine of this version is running."""
    return state is not None and not state.get("other_version")


def own_command(root: Path, invocation: Invocation, *words: str) -> list[str]:
    """Return the command line of this program for a repository, with the settings of this call."""
    overrides = [word for override in invocation.overrides for word in ("--set", override)]
    # -P keeps the current directory, which may contain untrusted code, off the module path.
    return [sys.executable, "-P", "-m", "codeplane.cli", "-C", str(root), *overrides, *words]


def loader(invocation: Invocation) -> Callable[[Path], Context]:
    """Return a loader of the context of a repository that is registered later."""

    def load(root: Path) -> Context:
        return context_at(root, load_config(root, invocation, os.environ), os.environ)

    return load


def warn_of_overrides(invocation: Invocation, state: Mapping[str, Any] | None) -> None:
    """Warn that --set has no effect on a running process."""
    if invocation.overrides and state is not None:
        write_warnings([f"--set has no effect on process {state.get('pid')}, which serves this repository"])


def call_tool(
    context: Context,
    invocation: Invocation,
    tool: str,
    arguments: Mapping[str, object],
    tell: Tell | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> tuple[dict[str, Any], bool]:
    """Return the envelope of one call, and True if it is an error. Every tool can be called."""
    from codeplane.tools.surface import Format

    reply = call_raw(context, invocation, tool, arguments, Format.JSON, tell, cancelled)
    return json.loads(reply.body), reply.is_error


def call_lines(
    context: Context, invocation: Invocation, tool: str, arguments: Mapping[str, object]
) -> tuple[str, list[TextLine]]:
    """Return status and lines of the text form of one call. Raises its error."""
    from codeplane.base.text_lines import from_fields
    from codeplane.tools.surface import Format

    found = json.loads(call_raw(context, invocation, tool, arguments, Format.LINES).body)
    require_answer(found)
    return found["status"], from_fields(found["lines"])


def call_raw(
    context: Context,
    invocation: Invocation,
    tool: str,
    arguments: Mapping[str, object],
    form: Format,
    tell: Tell | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> CallReply:
    """Return the answer of one call in the requested format."""
    import asyncio

    from codeplane.server.sync_client import query_state
    from codeplane.tools.surface import EVERYTHING

    surface = replace(EVERYTHING, format=form)

    with open_runtime(context.root) as runtime:
        state = query_state(runtime.socket_path)
        warn_of_overrides(invocation, state)
        takes_long = tool == "manage_index" and arguments.get("action") in ("create", "reindex")
        reply = None
        if state is None and takes_long:
            # An engine runs it, so that other processes can connect meanwhile; it ends with this process.
            arguments = {**arguments, "wait": True}
        elif state is None:
            reply = _call_here(runtime, context, invocation, surface, tool, arguments, tell)
        if reply is None:
            command = own_command(context.root, invocation, "host", "--no-prewarm") if takes_long else None
            reply = asyncio.run(_call_there(runtime.socket_path, command, surface, tool, arguments, tell, cancelled))
    return reply


async def _call_there(
    socket_path: Path,
    command: list[str] | None,
    surface: Surface,
    tool: str,
    arguments: Mapping[str, object],
    tell: Tell | None,
    cancelled: Callable[[], bool] | None,
) -> CallReply:
    """Call the running engine, or one that `command` starts if none runs."""
    import asyncio

    from codeplane.processes.lifeline import start_with_lifeline
    from codeplane.server.engine_client import EngineClient

    engine = EngineClient(socket_path, (lambda: start_with_lifeline(command)) if command else None, surface, "cli")
    engine.start()

    async def on_progress(done: float, total: float | None, message: str) -> None:
        if tell is not None:
            tell(done, total, message)

    call = asyncio.ensure_future(
        engine.call(tool, arguments, principal="cli", on_progress=on_progress if tell else None)
    )
    try:
        while not call.done():
            await asyncio.wait({call}, timeout=_CANCEL_SECONDS)
            if cancelled is not None and cancelled():
                call.cancel()
                raise CodePlaneError(ErrorCode.CANCELLED, "stopped on request")
        return call.result()
    finally:
        await engine.close()


def _call_here(
    runtime: RuntimeDirectory,
    context: Context,
    invocation: Invocation,
    surface: Surface,
    tool: str,
    arguments: Mapping[str, object],
    tell: Tell | None,
) -> CallReply | None:
    """Call in this process. Return None if an engine was started meanwhile, which is called instead."""
    from codeplane.server.assembly import open_pipeline
    from codeplane.server.engine_lock import acquire_engine_lock
    from codeplane.tools.calls import CallRequest, no_progress

    seat = acquire_engine_lock(runtime)
    if seat is None:
        return None
    with seat:
        request = CallRequest(tool, arguments, principal="cli", surface=surface, progress=tell or no_progress)
        pipeline = open_pipeline(context, loader(invocation), once=True)
        try:
            pipeline.wait_until_open(_OPEN_SECONDS)
            return pipeline.call(request)
        finally:
            pipeline.leave(request.principal)
            pipeline.close()
