"""Queries over ledgers. For an open ledger, queued rows are flushed first."""

from __future__ import annotations

from pathlib import Path

from codeplane.ledger.ledger import Ledger
from codeplane.ledger.queries import OperationFilter, OperationRow, TaskRow, find_operations, list_tasks


def list_operations(
    directory: Path, limit: int, before: int | None = None, task_id: str | None = None
) -> list[OperationRow]:
    return find_operations(directory, limit, OperationFilter(before, task_id=task_id))


def calls_of(ledger: Ledger, limit: int, before: int | None = None, task_id: str | None = None) -> list[OperationRow]:
    ledger.flush()
    return list_operations(ledger.directory, limit, before, task_id)


def tasks_of(ledger: Ledger, limit: int) -> list[TaskRow]:
    ledger.flush()
    return list_tasks(ledger.directory, limit)
