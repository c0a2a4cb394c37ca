"""OpenCode: `opencode.json` or `opencode.jsonc`, in the project or in the user's configuration.

Version 1 lists servers under `mcp`, version 2 under `mcp.servers` and reads both.
"""

from __future__ import annotations

from pathlib import Path

from codeplane.cli.clients.model import Client, ConfigScope, Endpoint, Entry, Launch, Machine, first_existing


def _traces(machine: Machine) -> tuple[Path, ...]:
    return (machine.config / "opencode", machine.home / ".opencode/bin")


def _user_files(machine: Machine) -> tuple[Path, ...]:
    directory = machine.config / "opencode"
    return first_existing(directory / "opencode.json", directory / "opencode.jsonc")


def _project_files(root: Path) -> tuple[Path, ...]:
    places = (root, root / ".opencode")
    return first_existing(*(place / name for place in places for name in ("opencode.json", "opencode.jsonc")))


def _entry(launch: Launch, scope: ConfigScope) -> Entry:
    return {"type": "local", "command": [launch.command, *launch.args]}


def _http_entry(endpoint: Endpoint) -> Entry:
    return {"type": "remote", "url": endpoint.url, "headers": {"Authorization": f"Bearer {{env:{endpoint.variable}}}"}}


CLIENT = Client(
    name="opencode",
    title="OpenCode",
    programs=("opencode",),
    traces=_traces,
    user_files=_user_files,
    project_files=_project_files,
    ways=(("mcp",), ("mcp", "servers")),
    entry=_entry,
    http_entry=_http_entry,
)
