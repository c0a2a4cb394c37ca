"""Claude Code: `.mcp.json` in a project, `~/.claude.json` for the user."""

from __future__ import annotations

from pathlib import Path

from codeplane.cli.clients.model import Client, ConfigScope, Endpoint, Entry, Launch, Machine


def _traces(machine: Machine) -> tuple[Path, ...]:
    return (machine.directory("CLAUDE_CONFIG_DIR", ".claude"), *_user_files(machine))


def _user_files(machine: Machine) -> tuple[Path, ...]:
    # The file is in the home directory, or in the settings directory if that was moved.
    return (machine.directory("CLAUDE_CONFIG_DIR", "") / ".claude.json",)


def _project_files(root: Path) -> tuple[Path, ...]:
    return (root / ".mcp.json",)


def _entry(launch: Launch, scope: ConfigScope) -> Entry:
    return {"type": "stdio", "command": launch.command, "args": list(launch.args)}


def _http_entry(endpoint: Endpoint) -> Entry:
    return {"type": "http", "url": endpoint.url, "headers": {"Authorization": f"Bearer ${{{endpoint.variable}}}"}}


CLIENT = Client(
    name="claude-code",
    title="Claude Code",
    programs=("claude",),
    traces=_traces,
    user_files=_user_files,
    project_files=_project_files,
    ways=(("mcpServers",),),
    entry=_entry,
    http_entry=_http_entry,
    user_mode=0o600,
)
