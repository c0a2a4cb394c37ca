"""Cursor: `.cursor/mcp.json` in the project or in the home directory."""

from __future__ import annotations

from pathlib import Path

from codeplane.cli.clients.model import Client, ConfigScope, Endpoint, Entry, Launch, Machine


def _traces(machine: Machine) -> tuple[Path, ...]:
    return (machine.home / ".cursor", machine.applications / "Cursor")


def _user_files(machine: Machine) -> tuple[Path, ...]:
    return (machine.home / ".cursor/mcp.json",)


def _project_files(root: Path) -> tuple[Path, ...]:
    return (root / ".cursor/mcp.json",)


def _entry(launch: Launch, scope: ConfigScope) -> Entry:
    return {"type": "stdio", "command": launch.command, "args": list(launch.args)}


def _http_entry(endpoint: Endpoint) -> Entry:
    return {"url": endpoint.url, "headers": {"Authorization": f"Bearer ${{env:{endpoint.variable}}}"}}


CLIENT = Client(
    name="cursor",
    title="Cursor",
    programs=("cursor", "cursor-agent"),
    traces=_traces,
    user_files=_user_files,
    project_files=_project_files,
    ways=(("mcpServers",),),
    entry=_entry,
    http_entry=_http_entry,
    starts_in_project=False,
)
