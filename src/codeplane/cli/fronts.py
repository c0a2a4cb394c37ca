"""Shared by `cpl mcp` and `cpl up`: the surface that clients see, and the engine that answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.cli.assemble import Invocation
from codeplane.cli.connect import own_command

if TYPE_CHECKING:
    from codeplane.config import Config
    from codeplane.server.engine_client import EngineClient
    from codeplane.tools.surface import Surface


def start_engine(
    root: Path, socket_path: Path, invocation: Invocation, surface: Surface, kind: str, *, prewarm: bool
) -> EngineClient:
    from codeplane.processes.lifeline import start_with_lifeline
    from codeplane.server.engine_client import EngineClient

    command = own_command(root, invocation, "host", *(() if prewarm else ("--no-prewarm",)))
    return EngineClient(socket_path, lambda: start_with_lifeline(command), surface, kind)


def make_surface(config: Config, toolsets: str | None, form: str | None, *, read_only: bool) -> Surface:
    from codeplane.config.model import TOOLSETS
    from codeplane.tools.surface import Format, Surface

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
