"""Apply the steps of a plan, and record which objects were created around an entry.

The record is a small file of the user. Without it, uninstall still removes the entry, but leaves an empty object.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from codeplane import telemetry
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.cli.clients.files import read_source, write_source
from codeplane.cli.clients.model import ConfigScope, Machine
from codeplane.cli.clients.plan import REMOVE, Step

_MEMORY = "clients.json"


def apply_step(step: Step, machine: Machine) -> Path | None:
    """Write the file, and return the path of the backup; removing the entry removes the backup too."""
    if step.source is None or not step.changes:
        raise CodePlaneError(ErrorCode.INTERNAL, "there is nothing to apply in this step")
    mode = step.client.user_mode if step.scope is ConfigScope.USER else 0o644
    backup = write_source(step.source, step.after, mode=mode, backup=step.action != REMOVE)
    if step.action == REMOVE:
        _remove_backup(step.source.backup)
    target = str(step.source.target)
    if step.made:
        _remember(machine, {**read_made(machine), target: step.made})
    elif step.action == REMOVE:
        _remember(machine, {path: made for path, made in read_made(machine).items() if path != target})
    telemetry.debug("client configured", client=step.client.name, action=step.action)
    return backup


def _remove_backup(path: Path) -> None:
    """Remove a backup. A failure is ignored: the entry is gone."""
    with suppress(OSError):
        if path.is_file() and not path.is_symlink():
            path.unlink()


def read_made(machine: Machine) -> dict[str, int]:
    """Return the number of objects that install created in each file."""
    try:
        known = json.loads(read_source(machine.state / _MEMORY).data or b"{}")
    except (CodePlaneError, ValueError, RecursionError):
        return {}
    if not isinstance(known, dict):
        return {}
    return {str(path): made for path, made in known.items() if isinstance(made, int) and 0 <= made <= 8}


def _remember(machine: Machine, made: Mapping[str, int]) -> None:
    if made == read_made(machine):
        return
    try:
        machine.state.mkdir(mode=0o700, parents=True, exist_ok=True)
        source = read_source(machine.state / _MEMORY)
        data = json.dumps(dict(sorted(made.items())), indent=1).encode()
        write_source(source, data + b"\n", mode=0o600, backup=False)
    except CodePlaneError as error:
        telemetry.debug("client record not written", error=error.code.name)
    except OSError as error:
        telemetry.debug("client record not written", error=error.strerror)
