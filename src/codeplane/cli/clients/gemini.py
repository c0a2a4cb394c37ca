"""Gemini CLI: `.gemini/settings.json` in the home directory or in the project."""

from __future__ import annotations

from pathlib import Path

from codeplane.cli.clients.model import Client, ConfigScope, Endpoint, Entry, Launch, Machine


def _traces(machine: Machine) -> tuple[Path, ...]:
    # Other programs use ~/.gemini too.
    return _user_files(machine)


def _user_files(machine: Machine) -> tuple[Path, ...]:
    return (machine.home / ".gemini/settings.json",)


def _project_files(root: Path) -> tuple[Path, ...]:
    return (root / ".gemini/settings.json",)


def _entry(launch: Launch, scope: ConfigScope) -> Entry:
    return {"command": launch.command, "args": list(launch.args)}


def _http_entry(endpoint: Endpoint) -> Entry:
    return {"httpUrl": endpoint.url, "headers": {"Authorization": f"Bearer ${{{endpoint.variable}}}"}}


CLIENT = Client(
    name="gemini",
    title="Gemini CLI",
    programs=("gemini",),
    traces=_traces,
    user_files=_user_files,
    project_files=_project_files,
    ways=(("mcpServers",),),
    entry=_entry,
    http_entry=_http_entry,
)
