"""Handler of health_check."""

from __future__ import annotations

from dataclasses import dataclass

from codeplane.base.envelope import Answer
from codeplane.operations.health import health_fields, is_newer
from codeplane.tools.arguments import Arguments
from codeplane.tools.calls import Call, path_argument
from codeplane.tools.handler import Handler
from codeplane.tools.text.health import render_health_check

_REPAIRS = {"incompatible": "reindex", "absent": "create"}
"""Action of manage_index that makes an index usable, by its phase."""


@dataclass(frozen=True, kw_only=True)
class HealthCheckArguments(Arguments):
    path: str | None = None


def health_check(call: Call, args: HealthCheckArguments) -> Answer:
    state = call.root.workspace.state()
    action = _REPAIRS.get(state.phase)
    hints: dict[str, object] = {}
    if action is not None and not is_newer(state):
        hints[action] = call.next_call("manage_index", {"action": action, **path_argument(args.path)}, "cpl init")
    return Answer(health_fields(state), hints=hints)


HANDLERS = {"health_check": Handler(HealthCheckArguments, health_check, render=render_health_check)}
