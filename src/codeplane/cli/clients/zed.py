"""Zed: `context_servers` in `settings.json`, of the user or of the project."""

from __future__ import annotations

from pathlib import Path

from codeplane.cli.clients.model import Client, ConfigScope, Endpoint, Entry, Launch, Machine


def _directory(machine: Machine) -> Path:
    # On macOS Zed always uses ~/.config, whatever the variable says.
    return (machine.home / ".config" if machine.platform == "darwin" else machine.config) / "zed"


def _traces(machine: Machine) -> tuple[Path, ...]:
    return (_directory(machine),)


def _user_files(machine: Machine) -> tuple[Path, ...]:
    return (_directory(machine) / "settings.json",)


def _project_files(root: Path) -> tuple[Path, ...]:
    return (root / ".zed/settings.json",)


def _entry(launch: Launch, scope: ConfigScope) -> Entry:
    # Older versions distinguish servers by "source"; newer ones ignore it.
    return {"source": "custom", "command": launch.command, "args": list(launch.args)}


def _http_entry(endpoint: Endpoint) -> Entry:
    return {"url": endpoint.url, "headers": {"Authorization": "Bearer TOKEN"}}


CLIENT = Client(
    name="zed",
    title="Zed",
    programs=("zed", "zeditor"),
    traces=_traces,
    user_files=_user_files,
    project_files=_project_files,
    ways=(("context_servers",),),
    entry=_entry,
    http_entry=_http_entry,
    http_note="Zed reads no variables: replace TOKEN by the output of 'cpl token'.",
)
