"""Limits and repetition of a task. Pure.

A limit closes the task; a repeated mutation or failure is only reported.
"""

from __future__ import annotations

from dataclasses import replace

from codeplane.base.call_record import CallRecord
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.warnings import WarningCode
from codeplane.ledger.events import TaskState, record_fingerprint
from codeplane.tasks.model import NO_LIMITS, CountedBudget, Task

_MAX_FINGERPRINTS = 200
_NOUNS = {
    "max_mutations": ("mutations", "Mutation budget"),
    "max_test_runs": ("test_runs", "Test run budget"),
    "max_duration_sec": ("duration_sec", "Task duration"),
    "max_tokens": ("tokens", "Token budget"),
}


def find_limit(task: Task, budget: CountedBudget | None, now: float) -> str | None:
    """Return the limit that a call exceeds."""
    limits = task.limits
    if limits == NO_LIMITS:
        return None
    exceeded = {
        "max_tokens": _reached(task.tokens, limits.max_tokens),
        "max_duration_sec": _reached(now - task.started_at, limits.max_duration_sec),
        "max_mutations": budget == "mutations" and _reached(task.mutations, limits.max_mutations),
        "max_test_runs": budget == "test_runs" and _reached(task.test_runs, limits.max_test_runs),
    }
    return next((name for name, is_exceeded in exceeded.items() if is_exceeded), None)


def is_refused(limit: str, budget: CountedBudget | None) -> bool:
    """True if the limit refuses a call. Reads are still answered, unless tokens are the limit."""
    return budget is not None or limit == "max_tokens"


def fail_task(task: Task, limit: str) -> Task:
    return replace(task, state=TaskState.CLOSED_FAILED, limit_triggered=task.limit_triggered or limit)


def budget_error(task: Task, limit: str, now: float) -> CodePlaneError:
    kind, noun = _NOUNS[limit]
    maximum = int(getattr(task.limits, limit) or 0)
    current = int(now - task.started_at) if limit == "max_duration_sec" else int(getattr(task, kind))
    return CodePlaneError(
        ErrorCode.TASK_BUDGET_EXCEEDED,
        f"{noun} exceeded ({min(current, maximum)}/{maximum}); the task is {task.state}",
        details={"budget_type": kind, "limit": maximum, "current": current},
        remedy="Close the task and report its progress to the user, or open another task.",
    )


def count_call(task: Task, budget: CountedBudget | None) -> Task:
    """Return the task with one more call counted."""
    if budget == "mutations":
        return replace(task, mutations=task.mutations + 1)
    return replace(task, test_runs=task.test_runs + 1) if budget == "test_runs" else task


def record_result(task: Task, record: CallRecord, budget: CountedBudget | None) -> tuple[Task, WarningCode | None]:
    """Return the task after a call, and a warning if it repeats an earlier mutation or the previous failure."""
    if budget == "mutations":
        fingerprint = record_fingerprint(record)
        known = task.mutation_fingerprints
        # Equal only for the same step from the same content, so the same small edit in another place is not repeated.
        is_repeated = fingerprint in known
        task = replace(
            task,
            mutation_fingerprints=known if fingerprint is None else (*known, fingerprint)[-_MAX_FINGERPRINTS:],
            changed_since_failure=True,
            repeated_mutations=task.repeated_mutations + is_repeated,
        )
        if is_repeated:
            return task, WarningCode.REPEATED_MUTATION
    failure = record.failure_fingerprint
    if failure is None:
        # A passing run: the next failure is not a repetition.
        return replace(task, last_failure_fingerprint=None) if budget == "test_runs" else task, None
    is_repeated = task.changed_since_failure and failure == task.last_failure_fingerprint
    task = replace(
        task,
        last_failure_fingerprint=failure,
        changed_since_failure=False,
        repeated_failures=task.repeated_failures + is_repeated,
    )
    return task, WarningCode.NO_PROGRESS if is_repeated else None


def _reached(used: float, maximum: int | None) -> bool:
    return maximum is not None and used >= maximum
