"""Looking through a ledger, newest first, a page at a time. Needs no lock and writes nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import apsw

from codeplane.base.errors import CodePlaneError
from codeplane.base.limits import MAX_LIMIT
from codeplane.store.database import Row, Value, open_for_reading, rows
from codeplane.store.ledger import TURN, is_ours, ledger_error
from codeplane.store.ledger_files import LEDGER_NAME, list_archives

_ATTEMPTS = 5


class OperationRow(NamedTuple):
    """One call that came to an end, as the ledger knows it."""

    op_id: int
    task_id: str | None
    timestamp: int
    duration_ms: int | None
    op_type: str | None
    success: int | None
    repo_before_hash: str | None
    repo_after_hash: str | None
    changed_paths: str | None
    diff_stats: str | None
    short_diff: str | None
    mutation_fingerprint: str | None
    failure_fingerprint: str | None
    failure_class: str | None
    failing_tests: str | None
    limit_triggered: str | None
    session_id: str | None
    request_id: str | None
    tool: str | None
    params_digest: str | None
    status: str | None
    error_code: int | None
    tokens_given: int | None
    epoch: int | None
    intent_seq: int | None


class TaskRow(NamedTuple):
    task_id: str
    opened_at: int
    closed_at: int | None
    state: str
    repo_head_sha: str | None
    limits_json: str | None
    session_id: str | None
    epoch: int | None
    seq: int


_OPERATIONS = f"SELECT {', '.join(OperationRow._fields)} FROM operations WHERE op_id < ?"
_TASKS = f"SELECT {', '.join(TaskRow._fields)} FROM tasks ORDER BY seq DESC LIMIT ?"
_NO_BOUND = 2**63 - 1


def list_operations(
    directory: Path, limit: int, before: int | None = None, task_id: str | None = None
) -> list[OperationRow]:
    """Outcomes with a number below `before`, of one task or of all, newest first."""
    wanted = max(0, min(limit, MAX_LIMIT))
    parameters: list[Value] = [_NO_BOUND if before is None else before]
    condition = ""
    if task_id is not None:
        condition = " AND task_id = ?"
        parameters.append(task_id)
    sql = f"{_OPERATIONS}{condition} ORDER BY op_id DESC LIMIT ?"
    found: list[OperationRow] = []
    for path in _newest_first(directory):
        if len(found) >= wanted:
            break
        page = _ask(path, sql, [*parameters, wanted - len(found)])
        found.extend(OperationRow(*line) for line in page)
    return found


def list_tasks(directory: Path, limit: int) -> list[TaskRow]:
    """Tasks, newest first. One that went on in a later file is told once, as that file knows it."""
    wanted = max(0, min(limit, MAX_LIMIT))
    found: dict[str, TaskRow] = {}
    for path in _newest_first(directory):
        if len(found) >= wanted:
            break
        for line in _ask(path, _TASKS, [MAX_LIMIT]):
            task = TaskRow(*line)
            if len(found) < wanted:
                found.setdefault(task.task_id, task)
    return list(found.values())


def _newest_first(directory: Path) -> Iterator[Path]:
    if os.path.lexists(directory / LEDGER_NAME):
        yield directory / LEDGER_NAME
    yield from reversed(list_archives(directory))


def _ask(path: Path, sql: str, parameters: Sequence[Value]) -> list[Row]:
    for attempt in range(_ATTEMPTS):
        if not is_ours(path):
            return []
        before = os.lstat(path).st_ino
        try:
            with TURN:
                connection = open_for_reading(path)
            try:
                found = rows(connection, sql, parameters)
            finally:
                connection.close()
        except (CodePlaneError, apsw.Error) as error:
            if attempt == _ATTEMPTS - 1 or _same(path, before):
                raise ledger_error(error) from error
            continue
        # A rotation in between would have given a database the log of another.
        if _same(path, before):
            return found
    return []


def _same(path: Path, inode: int) -> bool:
    try:
        return os.lstat(path).st_ino == inode
    except OSError:
        return False
