"""Description of an MCP client: where its configuration is, and how it writes an entry for a server.

Nothing here reads or writes a file, except to see which of several paths exists.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from urllib.parse import urlsplit

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display

NAME = "codeplane"
PROGRAM = "cpl"
TOKEN_VARIABLE = "CODEPLANE_TOKEN"
"""Environment variable in which clients find the token of an HTTP server."""

Entry = Mapping[str, object]


class ConfigScope(Enum):
    USER = "user"
    PROJECT = "project"


class Form(Enum):
    JSON = "json"
    """JSON with comments and trailing commas."""
    TOML = "toml"


@dataclass(frozen=True)
class Launch:
    """Command that a client starts."""

    command: str
    args: tuple[str, ...]


@dataclass(frozen=True)
class Endpoint:
    """An HTTP server that clients connect to."""

    url: str
    variable: str = TOKEN_VARIABLE


@dataclass(frozen=True)
class Machine:
    """Home directory, platform and environment of the user."""

    home: Path
    platform: str
    variables: Mapping[str, str]

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Machine:
        home = environment.get("HOME", "")
        return cls(Path(home) if home.startswith("/") else Path.home(), sys.platform, environment)

    def directory(self, variable: str, fallback: str) -> Path:
        """Return the directory in `variable`. A relative value is ignored: the result must not depend on the working
        directory."""
        given = self.variables.get(variable, "")
        return Path(given) if given.startswith("/") else self.home / fallback

    @property
    def config(self) -> Path:
        return self.directory("XDG_CONFIG_HOME", ".config")

    @property
    def applications(self) -> Path:
        """Settings directory of graphical programs."""
        return self.home / "Library/Application Support" if self.platform == "darwin" else self.config

    @property
    def state(self) -> Path:
        return self.directory("XDG_STATE_HOME", ".local/state") / "codeplane"

    def which(self, program: str) -> str | None:
        return shutil.which(program, path=self.variables.get("PATH", os.defpath))


@dataclass(frozen=True)
class Client:
    name: str
    title: str
    programs: tuple[str, ...]
    traces: Callable[[Machine], tuple[Path, ...]]
    """Files and directories that exist only if the client is used."""
    user_files: Callable[[Machine], tuple[Path, ...]]
    project_files: Callable[[Path], tuple[Path, ...]]
    """Configuration files relative to the repository root; empty if the client has no project configuration."""
    ways: tuple[tuple[str, ...], ...]
    """Key paths of the servers. The first one that the file has is used, otherwise the first."""
    entry: Callable[[Launch, ConfigScope], Entry]
    http_entry: Callable[[Endpoint], Entry]
    http_extra: Mapping[str, object] = field(default_factory=dict, compare=False)
    """Top-level settings that an HTTP entry needs."""
    http_note: str = ""
    """Steps for the user, besides or instead of setting the token variable."""
    form: Form = Form.JSON
    user_mode: int = 0o644
    """Permissions of a new file."""
    starts_in_project: bool = True
    """True if servers of the user's configuration are started in the project directory."""

    def files(self, machine: Machine, scope: ConfigScope, root: Path | None) -> tuple[Path, ...]:
        if scope is ConfigScope.USER:
            return self.user_files(machine)
        return self.project_files(root) if root else ()

    def is_present(self, machine: Machine) -> bool:
        if any(trace.exists() for trace in self.traces(machine)):
            return True
        return any(machine.which(program) for program in self.programs)


def first_existing(*paths: Path) -> tuple[Path, ...]:
    """Return the existing file, otherwise the first."""
    return (next((path for path in paths if os.path.lexists(path)), paths[0]),)


def launched(entry: object) -> Launch | None:
    """Return the command that an entry starts, in the format of any client."""
    if not isinstance(entry, Mapping):
        return None
    holder = entry
    if isinstance(entry.get("command"), Mapping):
        holder = {**entry["command"], "command": entry["command"].get("path")}
    command, args = holder.get("command"), holder.get("args", [])
    words = [*command] if isinstance(command, list) else [command]
    words += args if isinstance(args, list) else []
    if not words or not all(isinstance(word, str) for word in words):
        return None
    return Launch(str(words[0]), tuple(map(str, words[1:])))


def is_ours(entry: object) -> bool:
    """True if `cpl install` wrote the entry, on this machine or another."""
    found = launched(entry)
    return found is not None and Path(found.command).name == PROGRAM and "mcp" in found.args


def connected(entry: object) -> str | None:
    """Return the URL of an entry, in the format of any client."""
    if not isinstance(entry, Mapping):
        return None
    urls = (entry.get(name) for name in ("url", "serverUrl", "httpUrl"))
    return next((url for url in urls if isinstance(url, str)), None)


def is_our_http(entry: object) -> bool:
    """True if the entry connects to `cpl up` on this machine."""
    try:
        parts = urlsplit(connected(entry) or "")
    except ValueError:
        return False
    return parts.scheme == "http" and parts.hostname in ("127.0.0.1", "localhost", "::1") and parts.path == "/mcp"


def launch(machine: Machine, running: str, *, repo: Path | None, toolsets: tuple[str, ...], read_only: bool) -> Launch:
    """Return the command: the bare name if that starts the running program, otherwise its path."""
    place = ("-C", str(repo)) if repo else ()
    shown = ("--toolsets", ",".join(toolsets)) if toolsets else ()
    tight = ("--read-only",) if read_only else ()
    made = Launch(_command(machine, running), (*place, "mcp", *shown, *tight))
    for word in (made.command, *made.args):
        _check_text(word)
    return made


def _command(machine: Machine, running: str) -> str:
    found = machine.which(PROGRAM)
    named = Path(running)
    if named.name != PROGRAM:
        named = Path(sys.executable).with_name(PROGRAM)
    if named.is_file():
        # Keep a symbolic link: its target may change with the next upgrade.
        return PROGRAM if found and named.samefile(found) else str(named.absolute())
    if found:
        return PROGRAM
    raise CodePlaneError(
        ErrorCode.FILE_NOT_FOUND,
        f"a client starts CodePlane as the program '{PROGRAM}', and there is none",
        expected=f"'{PROGRAM}' on the PATH",
        remedy="Install CodePlane with pipx or uv tool, and run its own 'cpl install'.",
    )


def _check_text(word: str) -> None:
    try:
        word.encode("utf-8")
    except UnicodeEncodeError:
        raise CodePlaneError(
            ErrorCode.PATH_INVALID,
            "a path that is not UTF-8 cannot be written into the configuration of a client",
            received=display(word),
        ) from None
