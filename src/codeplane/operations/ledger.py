"""Queries on the recorded calls, for people. Reads files; no server needs to run.

Calls that a killed process acknowledged but did not write to the ledger are written first, as the next server would do.
A running server does this itself.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import MAX_LIMIT
from codeplane.base.paths import display
from codeplane.disk.locks import find_owner
from codeplane.ledger.ack_buffer import has_pending_rows
from codeplane.ledger.anchor import LedgerAnchor, LedgerFinding
from codeplane.ledger.ledger import Ledger
from codeplane.ledger.paths import ARCHIVE_NAME, LOCK_NAME
from codeplane.ledger.queries import (
    OperationFilter,
    OperationRow,
    TaskRow,
    find_operations,
    find_tasks,
    list_tasks,
    sum_tasks,
)
from codeplane.ledger.rotation import Retention
from codeplane.operations.context import Context
from codeplane.store.identity import user_identity
from codeplane.store.layout import open_state
from codeplane.store.state_files import STATE_NAME


@dataclass(frozen=True)
class TaskSummary:
    task: TaskRow
    calls: int
    tokens: int


def ledger_directory(context: Context) -> Path | None:
    """Return the directory of the complete ledger; None if nothing was recorded."""
    state = open_state(context.root)
    if state is None:
        return None
    if has_pending_rows(state.path) and find_owner(state.path / ARCHIVE_NAME / LOCK_NAME) is None:
        retention = Retention(days=context.config.ledger.retention_days)
        anchor = LedgerAnchor(context.user_state, context.root)
        Ledger.open(state.path, owner=user_identity(context.user_state), retention=retention, anchor=anchor).close()
    return state.path


def open_findings(context: Context) -> tuple[LedgerFinding, ...]:
    """Return signs of tampering or damage that were not acknowledged."""
    found = LedgerAnchor(context.user_state, context.root).findings()
    return tuple(finding for finding in found if finding.acknowledged_at_ms is None)


def acknowledge_findings(context: Context) -> tuple[LedgerFinding, ...]:
    """Accept the ledger as it is; return the findings that were open."""
    state_path = context.root / STATE_NAME
    return LedgerAnchor(context.user_state, context.root).acknowledge(state_path, time.time_ns() // 1_000_000)


def list_calls(
    directory: Path | None, limit: int, wanted: OperationFilter, *, oldest: bool = False
) -> list[OperationRow]:
    return find_operations(directory, limit, wanted, oldest=oldest) if directory is not None else []


def get_call(directory: Path | None, name: str) -> OperationRow:
    """Return a call by number, or by the request_id of its answer."""
    number = int(name) if name.isdecimal() and len(name) <= _MAX_DIGITS else None
    wanted = (
        OperationFilter(before=number + 1, after=number - 1) if number is not None else OperationFilter(request_id=name)
    )
    found = list_calls(directory, 1, wanted)
    if not found:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"no call '{display(name[:80])}' in the ledger",
            expected="a number that 'cpl ledger' lists, or the request_id of an answer",
            received=display(name[:80]),
            example="cpl ledger",
        )
    return found[0]


def summarize_tasks(directory: Path | None, limit: int) -> list[TaskSummary]:
    """Return task summaries, newest first."""
    tasks = list_tasks(directory, limit) if directory is not None else []
    sums = sum_tasks(directory, [task.task_id for task in tasks]) if directory is not None else {}
    return [TaskSummary(task, *sums.get(task.task_id, (0, 0))) for task in tasks]


def get_task(directory: Path | None, name: str) -> TaskRow:
    """Return a task by id or unique id prefix."""
    found = find_tasks(directory, name, 2) if directory is not None else []
    exact = [task for task in found if task.task_id == name]
    if len(found) == 1 or exact:
        return (exact or found)[0]
    raise CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"{'more than one task has' if found else 'no task has'} the id prefix '{display(name[:80])}'",
        expected="a task id that 'cpl ledger tasks' lists, or a unique prefix of one",
        received=display(name[:80]),
        example="cpl ledger tasks",
    )


def last_task(directory: Path | None) -> TaskRow:
    """Return the newest task with a call."""
    for summary in summarize_tasks(directory, MAX_LIMIT):
        if summary.calls:
            return summary.task
    raise CodePlaneError(
        ErrorCode.ARGUMENT_INVALID, "no calls were recorded yet", expected="a repository that an agent has worked on"
    )


_MAX_DIGITS = 18
