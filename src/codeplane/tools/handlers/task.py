"""Handler of task: open, show or close a task."""

from __future__ import annotations

from dataclasses import dataclass

from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.edits.delta import FINGERPRINT_CHARS
from codeplane.ledger.events import TaskState
from codeplane.operations.task import open_task
from codeplane.tasks.model import Task, TaskLimits
from codeplane.tools.arguments import Arguments
from codeplane.tools.calls import Call
from codeplane.tools.handler import Handler
from codeplane.tools.handlers.paging import reject_unused
from codeplane.tools.text.task import render_task

_LIMITS = ("max_mutations", "max_test_runs", "max_duration_sec", "max_tokens")
_ONLY = {**dict.fromkeys((*_LIMITS, "paths"), ("open",)), "outcome": ("close",), "task_id": ("status", "close")}
_COUNTERS = ("calls", "tokens", "mutations", "test_runs", "repeated_mutations", "repeated_failures")
_FINGERPRINTS = ("last_mutation_fingerprint", "last_failure_fingerprint")
_OUTCOMES = {"success": TaskState.CLOSED_SUCCESS, "failed": TaskState.CLOSED_FAILED}


@dataclass(frozen=True, kw_only=True)
class TaskArguments(Arguments):
    action: str
    task_id: str | None = None
    max_mutations: int | None = None
    max_test_runs: int | None = None
    max_duration_sec: int | None = None
    max_tokens: int | None = None
    paths: tuple[str, ...] | None = None
    outcome: str | None = None


def check_task(args: TaskArguments) -> None:
    reject_unused(args, _ONLY)


def task(call: Call, args: TaskArguments) -> Answer:
    if args.action == "open":
        return _open(call, args)
    is_closing = args.action == "close"
    try:
        if is_closing:
            found = call.tasks.close(call.session, args.task_id, _OUTCOMES[args.outcome or "success"])
        else:
            found = call.tasks.find(call.session, args.task_id)
    except CodePlaneError as error:
        state = error.details.get("task_state")
        if error.code is not ErrorCode.TASK_CLOSED or state is None:
            raise
        # A closed task is an answer: it says how the task ended.
        return Answer({"task_id": args.task_id, "state": state})
    counters = _counters(found, call.tasks.age_seconds(found))
    return Answer(_head(found) | ({} if is_closing else _rest(found)) | counters)


def _open(call: Call, args: TaskArguments) -> Answer:
    if call.once:
        raise CodePlaneError(
            ErrorCode.ENGINE_UNREACHABLE,
            "no server is running, and a task would end with this command",
            remedy="Start a server ('cpl mcp' in a client, or 'cpl up') and open the task there.",
        )
    limits = TaskLimits(**{name: value for name in _LIMITS if (value := getattr(args, name)) is not None})
    opened = open_task(call.root.path, call.tasks, call.session, limits, args.paths or ())
    message = "Pass task_id with every call that belongs to it." if call.shared else None
    return Answer(_head(opened), message=message)


def _head(found: Task) -> dict[str, object]:
    fields: dict[str, object] = {"task_id": found.id, "state": found.state.value}
    return fields | ({"limit_triggered": found.limit_triggered} if found.limit_triggered is not None else {})


def _counters(found: Task, age: int) -> dict[str, object]:
    counters = {name: getattr(found, name) for name in _COUNTERS} | {"duration_sec": age}
    return {"counters": {name: count for name, count in counters.items() if count}}


def _rest(found: Task) -> dict[str, object]:
    """Limits, paths and fingerprints, for a client that has lost them."""
    fields: dict[str, object] = {} if found.explicit else {"opened_by": "session"}
    if limits := found.limits.as_dict():
        fields["limits"] = limits
    if found.scope.patterns:
        fields["paths"] = list(found.scope.patterns)
    fields.update(
        (name, text[:FINGERPRINT_CHARS]) for name in _FINGERPRINTS if (text := getattr(found, name)) is not None
    )
    return fields


HANDLERS = {"task": Handler(TaskArguments, task, check_task, render_task)}
