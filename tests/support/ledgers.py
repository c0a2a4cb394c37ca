"""Queries over an open ledger: written rows are flushed first."""

from __future__ import annotations

from codeplane.ledger.ledger import Ledger
from codeplane.ledger.queries import OperationRow, TaskRow, list_operations, list_tasks


def calls_of(ledger: Ledger, limit: int, before: int | None = None, task_id: str | None = None) -> list[OperationRow]:
    ledger.flush()
    return list_operations(ledger.directory, limit, before, task_id)


def tasks_of(ledger: Ledger, limit: int) -> list[TaskRow]:
    ledger.flush()
    return list_tasks(ledger.directory, limit)
