"""Handler of health_check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.operations.health import health_fields, is_newer
from codeplane.tools.calls import Call, path_argument


def health_check(call: Call, args: Mapping[str, Any]) -> Answer:
    state = call.root.workspace.state()
    mends = {"incompatible": ("reindex", {"action": "reindex"}), "absent": ("create", {"action": "create"})}
    hints: dict[str, object] = {}
    if state.phase in mends and not is_newer(state):
        name, arguments = mends[state.phase]
        hints[name] = call.next_call("manage_index", arguments | path_argument(args), "cpl init")
    return Answer(health_fields(state), hints=hints)
