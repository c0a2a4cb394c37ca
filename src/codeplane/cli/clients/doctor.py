"""Check whether installed clients can use CodePlane. Changes nothing and starts nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from codeplane.base.errors import CodePlaneError
from codeplane.base.paths import display
from codeplane.cli.clients.catalog import CLIENTS
from codeplane.cli.clients.files import read_source
from codeplane.cli.clients.model import Client, ConfigScope, Machine, is_our_http, is_ours, launched
from codeplane.cli.clients.plan import look_up, read_text
from codeplane.cli.clients.syntax import SyntaxProblem

NOT_INSTALLED, NOT_CONFIGURED, READY, BROKEN = "not_installed", "not_configured", "ready", "broken"


@dataclass(frozen=True)
class Finding:
    client: str
    state: str
    ok: bool
    severity: str
    """error: the client cannot start CodePlane; warning: its file cannot be parsed; info."""
    message: str
    remedy: str = ""


def clients_doctor(environment: Mapping[str, str], root: Path | None = None) -> list[Finding]:
    """Return a finding per client and configuration: the user's and the project's."""
    machine = Machine.of(environment)
    return [_examine(client, machine, root) for client in CLIENTS]


def _examine(client: Client, machine: Machine, root: Path | None) -> Finding:
    entries: list[tuple[Path, object]] = []
    for scope in ConfigScope:
        for path in client.files(machine, scope, root):
            try:
                source = read_source(path, root if scope is ConfigScope.PROJECT else None)
                _, existing = look_up(client, read_text(source)[1])
            except (CodePlaneError, SyntaxProblem, UnicodeDecodeError) as error:
                reason = f"cannot parse {display(str(path))}: {display(str(error))}"
                return Finding(client.title, BROKEN, False, "warning", reason, "Fix the file.")
            if existing is not None:
                entries.append((path, existing))
    faults = [fault for path, entry in entries for fault in _faults(path, entry, machine)]
    again = f"Run 'cpl install {client.name} --yes'."
    if faults:
        return Finding(client.title, BROKEN, False, "error", faults[0], again)
    if entries:
        places = ", ".join(display(str(path)) for path, _ in entries)
        return Finding(client.title, READY, True, "info", f"configured in {places}")
    if client.is_present(machine):
        return Finding(
            client.title,
            NOT_CONFIGURED,
            True,
            "info",
            f"installed, not configured; to configure it: cpl install {client.name}",
        )
    return Finding(client.title, NOT_INSTALLED, True, "info", "not installed")


def _faults(path: Path, entry: object, machine: Machine) -> Iterator[str]:
    if is_our_http(entry):
        return
    place = display(str(path))
    started = launched(entry)
    if started is None or not is_ours(entry):
        yield f"the entry in {place} starts another program"
        return
    command = display(started.command)
    given = Path(started.command)
    found = given if given.is_absolute() else Path(machine.which(started.command) or "")
    if not found.name or not found.exists():
        yield f"{place} starts '{command}', which does not exist"
    elif not found.is_file() or not os.access(found, os.X_OK):
        yield f"{place} starts '{command}', which is not executable"
    elif not _has_interpreter(found):
        yield f"{place} starts '{command}', whose Python interpreter does not exist"


def _has_interpreter(program: Path) -> bool:
    """True if the interpreter of a script exists: a script can outlive its environment."""
    try:
        with open(program, "rb") as file:
            first = file.readline(4096)
    except OSError:
        return False
    if not first.startswith(b"#!"):
        return True
    interpreter = os.fsdecode(first[2:].strip().split(b" ")[0])
    return os.access(interpreter, os.X_OK)
