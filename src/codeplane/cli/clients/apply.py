"""Carry out what was planned, and remember which objects were made on the way.

The memory is a small file of the user. Without it uninstall still removes the entry, and leaves an empty object.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from codeplane import telemetry
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.cli.clients.files import read_source, write_source
from codeplane.cli.clients.model import Machine, Scope
from codeplane.cli.clients.plan import REMOVE, Step

_MEMORY = "clients.json"


def apply_step(step: Step, machine: Machine) -> Path | None:
    """Write the file, and return where the copy of the former one is."""
    if step.source is None or not step.changes:
        raise CodePlaneError(ErrorCode.INTERNAL, "there is nothing to apply in this step")
    mode = step.client.user_mode if step.scope is Scope.USER else 0o644
    backup = write_source(step.source, step.after, mode=mode)
    target = str(step.source.target)
    if step.made:
        _remember(machine, {**read_made(machine), target: step.made})
    elif step.action == REMOVE:
        _remember(machine, {path: made for path, made in read_made(machine).items() if path != target})
    telemetry.info("client configured", client=step.client.name, action=step.action)
    return backup


def read_made(machine: Machine) -> dict[str, int]:
    """How many objects install made in each file."""
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
        source = read_source(machine.state / _MEMORY)
        data = json.dumps(dict(sorted(made.items())), indent=1).encode()
        write_source(source, data + b"\n", mode=0o600, backup=False)
    except CodePlaneError as error:
        telemetry.debug("not remembered what was made in a client's file", error=error.code.name)
