"""All clients, in the order in which they are listed: where each has its configuration, and how it writes an entry."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.cli.clients.model import Client, ConfigScope, Endpoint, Entry, Form, Launch, Machine, first_existing


def _in_project(*paths: str) -> Callable[[Path], tuple[Path, ...]]:
    return lambda root: tuple(root / path for path in paths)


def _entry(launch: Launch, scope: ConfigScope) -> Entry:
    return {"command": launch.command, "args": list(launch.args)}


def _stdio_entry(launch: Launch, scope: ConfigScope) -> Entry:
    return {"type": "stdio", **_entry(launch, scope)}


def _authorized(entry: Entry, token: str) -> Entry:
    return {**entry, "headers": {"Authorization": f"Bearer {token}"}}


def _env(endpoint: Endpoint) -> str:
    return f"${{env:{endpoint.variable}}}"


def _claude_json(machine: Machine) -> Path:
    # The file is in the home directory, or in the settings directory if that was moved.
    return machine.directory("CLAUDE_CONFIG_DIR", "") / ".claude.json"


_CLAUDE_CODE = Client(
    name="claude-code",
    title="Claude Code",
    programs=("claude",),
    traces=lambda machine: (machine.directory("CLAUDE_CONFIG_DIR", ".claude"), _claude_json(machine)),
    user_files=lambda machine: (_claude_json(machine),),
    project_files=_in_project(".mcp.json"),
    ways=(("mcpServers",),),
    entry=_stdio_entry,
    http_entry=lambda end: _authorized({"type": "http", "url": end.url}, f"${{{end.variable}}}"),
    user_mode=0o600,
)

_CURSOR = Client(
    name="cursor",
    title="Cursor",
    programs=("cursor", "cursor-agent"),
    traces=lambda machine: (machine.home / ".cursor", machine.applications / "Cursor"),
    user_files=lambda machine: (machine.home / ".cursor/mcp.json",),
    project_files=_in_project(".cursor/mcp.json"),
    ways=(("mcpServers",),),
    entry=_stdio_entry,
    http_entry=lambda end: _authorized({"url": end.url}, _env(end)),
    starts_in_project=False,
)


def _vscode_profiles(machine: Machine) -> tuple[Path, ...]:
    return tuple(machine.applications / edition / "User" for edition in ("Code", "Code - Insiders", "VSCodium"))


def _vscode_user_files(machine: Machine) -> tuple[Path, ...]:
    profiles = _vscode_profiles(machine)
    used = [profile for profile in profiles if profile.is_dir()]
    return tuple(profile / "mcp.json" for profile in used or profiles[:1])


def _vscode_entry(launch: Launch, scope: ConfigScope) -> Entry:
    # Servers of the profile are started in the home directory by default.
    is_anywhere = scope is ConfigScope.USER and "-C" not in launch.args
    return {**_stdio_entry(launch, scope), **({"cwd": "${workspaceFolder}"} if is_anywhere else {})}


_VSCODE_INPUT = "codeplane-token"
_VSCODE = Client(
    name="vscode",
    title="VS Code",
    programs=("code", "code-insiders", "codium"),
    traces=_vscode_profiles,
    user_files=_vscode_user_files,
    project_files=_in_project(".vscode/mcp.json"),
    ways=(("servers",),),
    entry=_vscode_entry,
    http_entry=lambda end: _authorized({"type": "http", "url": end.url}, f"${{input:{_VSCODE_INPUT}}}"),
    http_extra={
        "inputs": [{"type": "promptString", "id": _VSCODE_INPUT, "description": "Token of CodePlane", "password": True}]
    },
    http_note="VS Code asks for the token once: enter the output of 'cpl token'.",
)

# Codex reads the file of a project only if the user trusts the project.
_CODEX = Client(
    name="codex",
    title="Codex",
    programs=("codex",),
    traces=lambda machine: (machine.directory("CODEX_HOME", ".codex"),),
    user_files=lambda machine: (machine.directory("CODEX_HOME", ".codex") / "config.toml",),
    project_files=_in_project(".codex/config.toml"),
    ways=(("mcp_servers",),),
    entry=_entry,
    http_entry=lambda end: {"url": end.url, "bearer_token_env_var": end.variable},
    form=Form.TOML,
    user_mode=0o600,
)


def _zed_directory(machine: Machine) -> Path:
    # On macOS Zed always uses ~/.config, whatever the variable says.
    return (machine.home / ".config" if machine.platform == "darwin" else machine.config) / "zed"


_ZED = Client(
    name="zed",
    title="Zed",
    programs=("zed", "zeditor"),
    traces=lambda machine: (_zed_directory(machine),),
    user_files=lambda machine: (_zed_directory(machine) / "settings.json",),
    project_files=_in_project(".zed/settings.json"),
    ways=(("context_servers",),),
    # Older versions distinguish servers by "source"; newer ones ignore it.
    entry=lambda launch, scope: {"source": "custom", **_entry(launch, scope)},
    http_entry=lambda end: _authorized({"url": end.url}, "TOKEN"),
    http_note="Zed reads no variables: replace TOKEN by the output of 'cpl token'.",
)

# Windsurf has no project configuration.
_WINDSURF = Client(
    name="windsurf",
    title="Windsurf",
    programs=("windsurf",),
    traces=lambda machine: (machine.home / ".codeium/windsurf", machine.applications / "Windsurf"),
    user_files=lambda machine: (machine.home / ".codeium/windsurf/mcp_config.json",),
    project_files=_in_project(),
    ways=(("mcpServers",),),
    entry=_entry,
    http_entry=lambda end: _authorized({"serverUrl": end.url}, _env(end)),
    starts_in_project=False,
)

_GEMINI = Client(
    name="gemini",
    title="Gemini CLI",
    programs=("gemini",),
    # Other programs use ~/.gemini too.
    traces=lambda machine: (machine.home / ".gemini/settings.json",),
    user_files=lambda machine: (machine.home / ".gemini/settings.json",),
    project_files=_in_project(".gemini/settings.json"),
    ways=(("mcpServers",),),
    entry=_entry,
    http_entry=lambda end: _authorized({"httpUrl": end.url}, f"${{{end.variable}}}"),
)


def _opencode_files(*directories: Path) -> tuple[Path, ...]:
    return first_existing(*(place / name for place in directories for name in ("opencode.json", "opencode.jsonc")))


_OPENCODE = Client(
    name="opencode",
    title="OpenCode",
    programs=("opencode",),
    traces=lambda machine: (machine.config / "opencode", machine.home / ".opencode/bin"),
    user_files=lambda machine: _opencode_files(machine.config / "opencode"),
    project_files=lambda root: _opencode_files(root, root / ".opencode"),
    # Version 1 lists servers under `mcp`, version 2 under `mcp.servers` and reads both.
    ways=(("mcp",), ("mcp", "servers")),
    entry=lambda launch, scope: {"type": "local", "command": [launch.command, *launch.args]},
    http_entry=lambda end: _authorized({"type": "remote", "url": end.url}, f"{{env:{end.variable}}}"),
)

CLIENTS: tuple[Client, ...] = (_CLAUDE_CODE, _CURSOR, _VSCODE, _CODEX, _ZED, _WINDSURF, _GEMINI, _OPENCODE)
NAMES = tuple(client.name for client in CLIENTS)


def get_client(name: str) -> Client:
    wanted = name.strip().lower().replace("_", "-").replace(" ", "-")
    for client in CLIENTS:
        if wanted in (client.name, client.name.replace("-", ""), client.title.lower().replace(" ", "-")):
            return client
    near = get_close_matches(wanted, NAMES, n=1, cutoff=0.4)
    raise CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"no client '{name}'",
        expected=near[0] if near else ", ".join(NAMES),
        received=name,
        example="cpl install --print-config",
        remedy=f"Use '{near[0]}'." if near else None,
    )
