"""VS Code: `.vscode/mcp.json` in a project, `mcp.json` in the user profile of each installed edition."""

from __future__ import annotations

from pathlib import Path

from codeplane.cli.clients.model import Client, ConfigScope, Endpoint, Entry, Launch, Machine

_INPUT = "codeplane-token"
_EDITIONS = ("Code", "Code - Insiders", "VSCodium")


def _traces(machine: Machine) -> tuple[Path, ...]:
    return tuple(machine.applications / edition / "User" for edition in _EDITIONS)


def _user_files(machine: Machine) -> tuple[Path, ...]:
    profiles = [profile for profile in _traces(machine) if profile.is_dir()]
    return tuple(profile / "mcp.json" for profile in profiles or _traces(machine)[:1])


def _project_files(root: Path) -> tuple[Path, ...]:
    return (root / ".vscode/mcp.json",)


def _entry(launch: Launch, scope: ConfigScope) -> Entry:
    entry: dict[str, object] = {"type": "stdio", "command": launch.command, "args": list(launch.args)}
    if scope is ConfigScope.USER and "-C" not in launch.args:
        # Servers of the profile are started in the home directory by default.
        entry["cwd"] = "${workspaceFolder}"
    return entry


def _http_entry(endpoint: Endpoint) -> Entry:
    return {"type": "http", "url": endpoint.url, "headers": {"Authorization": f"Bearer ${{input:{_INPUT}}}"}}


CLIENT = Client(
    name="vscode",
    title="VS Code",
    programs=("code", "code-insiders", "codium"),
    traces=_traces,
    user_files=_user_files,
    project_files=_project_files,
    ways=(("servers",),),
    entry=_entry,
    http_entry=_http_entry,
    http_extra={
        "inputs": [{"type": "promptString", "id": _INPUT, "description": "Token of CodePlane", "password": True}]
    },
    http_note="VS Code asks for the token once: enter the output of 'cpl token'.",
)
