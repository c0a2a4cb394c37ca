"""Codex: `.codex/config.toml` in the home directory, or in a project that the user trusts."""

from __future__ import annotations

from pathlib import Path

from codeplane.cli.clients.model import Client, ConfigScope, Endpoint, Entry, Form, Launch, Machine


def _traces(machine: Machine) -> tuple[Path, ...]:
    return (machine.directory("CODEX_HOME", ".codex"),)


def _user_files(machine: Machine) -> tuple[Path, ...]:
    return (machine.directory("CODEX_HOME", ".codex") / "config.toml",)


def _project_files(root: Path) -> tuple[Path, ...]:
    return (root / ".codex/config.toml",)


def _entry(launch: Launch, scope: ConfigScope) -> Entry:
    return {"command": launch.command, "args": list(launch.args)}


def _http_entry(endpoint: Endpoint) -> Entry:
    return {"url": endpoint.url, "bearer_token_env_var": endpoint.variable}


CLIENT = Client(
    name="codex",
    title="Codex",
    programs=("codex",),
    traces=_traces,
    user_files=_user_files,
    project_files=_project_files,
    ways=(("mcp_servers",),),
    entry=_entry,
    http_entry=_http_entry,
    form=Form.TOML,
    user_mode=0o600,
)
