"""Tasks: open one, look at it, close it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.ledger.events import TaskState
from codeplane.operations.editing.delta import FINGERPRINT_CHARS
from codeplane.operations.task import open_task
from codeplane.tasks.model import Limits, Task
from codeplane.tools.calls import Call

_LIMITS = ("max_mutations", "max_test_runs", "max_duration_sec", "max_tokens")
_ONLY = {**dict.fromkeys((*_LIMITS, "paths"), ("open",)), "outcome": ("close",), "task_id": ("status", "close")}
_COUNTERS = ("calls", "tokens", "mutations", "test_runs", "repeated_mutations", "repeated_failures")
_FINGERPRINTS = ("last_mutation_fingerprint", "last_failure_fingerprint")
_OUTCOMES = {"success": TaskState.CLOSED_SUCCESS, "failed": TaskState.CLOSED_FAILED}


def check_task(args: Mapping[str, Any]) -> None:
    """A parameter that would have no effect is refused: whoever gave it expects one."""
    action = args["action"]
    for name, actions in _ONLY.items():
        if name in args and action not in actions:
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"'{name}' has no effect with action {action}",
                expected=f"{name} with action {' or '.join(actions)}",
                received=f"action {action}",
                example={"action": actions[0], name: args[name]},
            )


def task(call: Call, args: Mapping[str, Any]) -> Answer:
    if args["action"] == "open":
        return _open(call, args)
    named = args.get("task_id")
    is_closing = args["action"] == "close"
    try:
        if is_closing:
            found = call.tasks.close(call.session, named, _OUTCOMES[args.get("outcome", "success")])
        else:
            found = call.tasks.find(call.session, named)
    except CodePlaneError as error:
        state = error.details.get("task_state")
        if error.code is not ErrorCode.TASK_CLOSED or state is None:
            raise
        # It is known how it ended, which is what was asked.
        return Answer({"task_id": named, "state": state})
    counters = _counters(found, call.tasks.age_seconds(found))
    return Answer(_head(found) | ({} if is_closing else _rest(found)) | counters)


def _open(call: Call, args: Mapping[str, Any]) -> Answer:
    if call.once:
        raise CodePlaneError(
            ErrorCode.ENGINE_UNREACHABLE,
            "no server runs here, and a task would end with this command",
            remedy="Start one ('cpl mcp' in a client, or 'cpl up'), and open the task there.",
        )
    limits = Limits(**{name: args[name] for name in _LIMITS if name in args})
    opened = open_task(call.root.path, call.tasks, call.session, limits, tuple(args.get("paths", ())))
    message = "Pass task_id with every call that belongs to it." if call.shared else None
    return Answer(_head(opened), message=message)


def _head(found: Task) -> dict[str, object]:
    fields: dict[str, object] = {"task_id": found.id, "state": found.state.value}
    return fields | ({"limit_triggered": found.limit_triggered} if found.limit_triggered is not None else {})


def _counters(found: Task, age: int) -> dict[str, object]:
    counters = {name: getattr(found, name) for name in _COUNTERS} | {"duration_sec": age}
    return {"counters": {name: count for name, count in counters.items() if count}}


def _rest(found: Task) -> dict[str, object]:
    """What its client gave or was told before, for one who has lost it."""
    fields: dict[str, object] = {} if found.explicit else {"opened_by": "session"}
    if limits := found.limits.as_dict():
        fields["limits"] = limits
    if found.scope.patterns:
        fields["paths"] = list(found.scope.patterns)
    fields.update(
        (name, text[:FINGERPRINT_CHARS]) for name in _FINGERPRINTS if (text := getattr(found, name)) is not None
    )
    return fields
