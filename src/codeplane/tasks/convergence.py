"""Whether a task goes on: its limits, and whether it does or meets the same thing again. Pure.

Nothing here decides what comes next: a limit ends a task, and a repetition is said.
"""

from __future__ import annotations

from dataclasses import replace

from codeplane.base.call_record import CallRecord
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.warnings import WarningCode
from codeplane.ledger.events import TaskState, record_fingerprint
from codeplane.tasks.model import NO_LIMITS, Counts, Task

_NOUNS = {
    "max_mutations": ("mutations", "Mutation budget"),
    "max_test_runs": ("test_runs", "Test run budget"),
    "max_duration_sec": ("duration_sec", "Time of the task"),
    "max_tokens": ("tokens", "Token budget"),
}


def find_limit(task: Task, counts: Counts | None, now: float) -> str | None:
    """The limit that a call meets."""
    limits = task.limits
    if limits == NO_LIMITS:
        return None
    met = {
        "max_tokens": _reached(task.tokens, limits.max_tokens),
        "max_duration_sec": _reached(now - task.began, limits.max_duration_sec),
        "max_mutations": counts == "mutations" and _reached(task.mutations, limits.max_mutations),
        "max_test_runs": counts == "test_runs" and _reached(task.test_runs, limits.max_test_runs),
    }
    return next((name for name, is_met in met.items() if is_met), None)


def stops(limit: str, counts: Counts | None) -> bool:
    """Whether a call is refused for it: what only looks is still answered, unless it is answers that are limited."""
    return counts is not None or limit == "max_tokens"


def failed(task: Task, limit: str) -> Task:
    return replace(task, state=TaskState.CLOSED_FAILED, limit_triggered=task.limit_triggered or limit)


def refuse(task: Task, limit: str, now: float) -> CodePlaneError:
    kind, noun = _NOUNS[limit]
    most = int(getattr(task.limits, limit) or 0)
    current = int(now - task.began) if limit == "max_duration_sec" else int(getattr(task, kind))
    return CodePlaneError(
        ErrorCode.TASK_BUDGET_EXCEEDED,
        f"{noun} exceeded ({min(current, most)}/{most}); the task is {task.state}",
        details={"budget_type": kind, "limit": most, "current": current},
        remedy="Close the task and tell its owner how far it is, or open another.",
    )


def counted(task: Task, counts: Counts | None) -> Task:
    """The task with one more call of a kind begun."""
    if counts == "mutations":
        return replace(task, mutations=task.mutations + 1)
    return replace(task, test_runs=task.test_runs + 1) if counts == "test_runs" else task


def noted(task: Task, record: CallRecord, counts: Counts | None) -> tuple[Task, WarningCode | None]:
    """The task after a call told what it changed or how it failed, and whether that is what was before."""
    if counts == "mutations":
        fingerprint = record_fingerprint(record)
        again = fingerprint is not None and fingerprint == task.last_mutation_fingerprint
        task = replace(
            task,
            last_mutation_fingerprint=fingerprint or task.last_mutation_fingerprint,
            changed_since_failure=True,
            repeated_mutations=task.repeated_mutations + again,
        )
        if again:
            return task, WarningCode.REPEATED_MUTATION
    failure = record.failure_fingerprint
    if failure is None:
        # A run that passed: what fails next is not what failed before.
        return replace(task, last_failure_fingerprint=None) if counts == "test_runs" else task, None
    again = task.changed_since_failure and failure == task.last_failure_fingerprint
    task = replace(
        task,
        last_failure_fingerprint=failure,
        changed_since_failure=False,
        repeated_failures=task.repeated_failures + again,
    )
    return task, WarningCode.NO_PROGRESS if again else None


def _reached(used: float, most: int | None) -> bool:
    return most is not None and used >= most
