"""Windsurf: `mcp_config.json` of the user. It has no project configuration."""

from __future__ import annotations

from pathlib import Path

from codeplane.cli.clients.model import Client, ConfigScope, Endpoint, Entry, Launch, Machine


def _traces(machine: Machine) -> tuple[Path, ...]:
    return (machine.home / ".codeium/windsurf", machine.applications / "Windsurf")


def _user_files(machine: Machine) -> tuple[Path, ...]:
    return (machine.home / ".codeium/windsurf/mcp_config.json",)


def _project_files(root: Path) -> tuple[Path, ...]:
    return ()


def _entry(launch: Launch, scope: ConfigScope) -> Entry:
    return {"command": launch.command, "args": list(launch.args)}


def _http_entry(endpoint: Endpoint) -> Entry:
    return {"serverUrl": endpoint.url, "headers": {"Authorization": f"Bearer ${{env:{endpoint.variable}}}"}}


CLIENT = Client(
    name="windsurf",
    title="Windsurf",
    programs=("windsurf",),
    traces=_traces,
    user_files=_user_files,
    project_files=_project_files,
    ways=(("mcpServers",),),
    entry=_entry,
    http_entry=_http_entry,
    starts_in_project=False,
)
