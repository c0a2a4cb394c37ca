"""Paged queries over all files of a ledger, newest first. Needs no lock and writes nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import apsw

from codeplane.base.errors import CodePlaneError
from codeplane.base.limits import MAX_LIMIT
from codeplane.ledger.errors import ledger_error
from codeplane.ledger.file import OPEN_LOCK, layout_of
from codeplane.ledger.paths import LEDGER_NAME, is_private_file, list_archives
from codeplane.ledger.schema import EventRow
from codeplane.store.database import Row, Value, open_for_reading, rows

_ATTEMPTS = 5


class OperationRow(NamedTuple):
    """Recorded outcome of one call."""

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
    mutation_id: str | None
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
    paths: str | None
    whole_tokens: int | None


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


class MutationRow(NamedTuple):
    """A mutation: its journal entry and its outcome."""

    seq: int
    mutation_id: str
    at_ms: int
    tool: str | None
    session_id: str | None
    task_id: str | None
    plan: str
    status: str | None
    """None while it is running."""
    failure_class: str | None
    diff_stats: str | None
    epoch: int | None


_OPERATIONS = "SELECT {fields} FROM operations WHERE op_id < ? AND op_id > ?"
_TASKS = "SELECT {fields} FROM tasks"
_NEWEST_TASKS = f"{_TASKS} ORDER BY seq DESC LIMIT ?"
_NAMED_TASKS = f"{_TASKS} WHERE task_id >= ? AND task_id < ? ORDER BY seq DESC LIMIT ?"
_SUMS = "SELECT task_id, count(*), coalesce(sum(tokens_given), 0) FROM operations"
_ROW_HASH = "SELECT hash FROM events WHERE seq = ?"
_FIRST_NUMBER = "SELECT min(seq) FROM events"
_LAST_ROWS = "SELECT {fields} FROM events WHERE kind <> 'start' ORDER BY seq DESC LIMIT ?"
_INTENT_FIELDS = ("seq", "mutation_id", "at_ms", "tool", "session_id", "task_id", "plan")
_MUTATIONS = """
WITH intents AS (SELECT {fields} FROM events WHERE kind <> 'outcome' AND kind = 'intent')
SELECT intents.*, outcome.status, outcome.failure_class, outcome.diff_stats, outcome.epoch
FROM intents LEFT JOIN events AS outcome ON outcome.intent_seq = intents.seq
WHERE intents.plan IS NOT NULL AND intents.mutation_id IS NOT NULL
"""
_NO_BOUND = 2**63 - 1
_MAX_CHARACTER = "\U0010ffff"


@dataclass(frozen=True)
class OperationFilter:
    """Filter for operations; all conditions must hold."""

    before: int | None = None
    """Exclusive upper bound of the number."""
    after: int = 0
    """Exclusive lower bound of the number."""
    task_id: str | None = None
    tool: str | None = None
    since_ms: int | None = None
    request_id: str | None = None

    def where(self) -> tuple[str, list[Value]]:
        conditions = (
            ("task_id = ?", self.task_id),
            ("tool = ?", self.tool),
            ("timestamp >= ?", self.since_ms),
            ("request_id = ?", self.request_id),
        )
        used = [(text, value) for text, value in conditions if value is not None]
        bounds: list[Value] = [_NO_BOUND if self.before is None else self.before, self.after]
        return "".join(f" AND {text}" for text, _ in used), bounds + [value for _, value in used]


def find_operations(
    directory: Path, limit: int, matching: OperationFilter, *, oldest: bool = False
) -> list[OperationRow]:
    """List matching outcomes, newest first; oldest first with `oldest`."""
    max_rows = max(0, min(limit, MAX_LIMIT))
    condition, parameters = matching.where()
    sql = f"{_OPERATIONS}{condition} ORDER BY op_id {'ASC' if oldest else 'DESC'} LIMIT ?"
    files = _files_newest_first(directory)
    found: list[OperationRow] = []
    for path in reversed(list(_files_after(files, matching.after))) if oldest else files:
        if len(found) >= max_rows:
            break
        page = _query(path, sql, OperationRow._fields, [*parameters, max_rows - len(found)])
        found.extend(OperationRow(*line) for line in page)
    return found


def list_mutations(
    directory: Path,
    limit: int,
    *,
    mutation_id: str | None = None,
    key: str | None = None,
    undoes: str | None = None,
    failed: bool = False,
) -> list[MutationRow]:
    """List mutations, newest first: all, or those with this id, this idempotency key, that undo this one, or failed."""
    max_rows = max(0, min(limit, MAX_LIMIT))
    sql, parameters = _MUTATIONS, list[Value]()
    if mutation_id is not None:
        sql += " AND intents.mutation_id = ?"
        parameters.append(mutation_id)
    if key is not None:
        sql += " AND iif(json_valid(intents.plan), json_extract(intents.plan, '$.about.key'), NULL) = ?"
        parameters.append(key)
    if undoes is not None:
        sql += " AND iif(json_valid(intents.plan), json_extract(intents.plan, '$.about.undoes'), NULL) = ?"
        parameters.append(undoes)
    if failed:
        sql += " AND outcome.status <> 'ok'"
    found: list[MutationRow] = []
    for path in _files_newest_first(directory):
        if len(found) >= max_rows:
            break
        page = _query(
            path, f"{sql} ORDER BY intents.seq DESC LIMIT ?", _INTENT_FIELDS, [*parameters, max_rows - len(found)]
        )
        found.extend(MutationRow(*line) for line in page)
    return found


def list_mutation_ids(directory: Path) -> frozenset[str]:
    """Return the ids of all mutations recorded in any file of the ledger."""
    sql = "WITH ids AS (SELECT {fields} FROM events) SELECT DISTINCT mutation_id FROM ids WHERE mutation_id IS NOT NULL"
    return frozenset(
        name for path in _files_newest_first(directory) for (name,) in _query(path, sql, ["mutation_id"], [])
    )


def list_tasks(directory: Path, limit: int) -> list[TaskRow]:
    """List tasks, newest first. A task carried over to a later file is listed once, as that file has it."""
    return _tasks(directory, _NEWEST_TASKS, [], limit)


def find_tasks(directory: Path, prefix: str, limit: int) -> list[TaskRow]:
    """List tasks whose id starts with the prefix, newest first."""
    return _tasks(directory, _NAMED_TASKS, [prefix, prefix + _MAX_CHARACTER], limit)


def sum_tasks(directory: Path, task_ids: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return the number of calls and answer tokens of each task that has calls."""
    found: dict[str, tuple[int, int]] = {}
    if not task_ids:
        return found
    sql = f"{_SUMS} WHERE task_id IN ({', '.join('?' * len(task_ids))}) GROUP BY task_id"
    for path in _files_newest_first(directory):
        for task_id, calls, tokens in _query(path, sql, (), task_ids):
            known = found.get(task_id, (0, 0))
            found[task_id] = (known[0] + calls, known[1] + tokens)
    return found


def last_rows(directory: Path, limit: int) -> list[EventRow]:
    """Return the last rows of the chain, newest first, without the start rows of files."""
    found: list[EventRow] = []
    for path in _files_newest_first(directory):
        if len(found) >= limit:
            break
        try:
            page = _query(path, _LAST_ROWS, EventRow._fields, [limit - len(found)])
        except CodePlaneError:
            # Rows before damage are not the end of the chain.
            break
        found.extend(EventRow(*line) for line in page)
    return found


def find_row_hash(directory: Path, seq: int) -> str:
    """Return the hash of a row, newest file first; empty if the row is missing or cannot be read."""
    for path in _files_newest_first(directory):
        with suppress(CodePlaneError):
            for (digest,) in _query(path, _ROW_HASH, (), [seq]):
                return str(digest)
    return ""


def _tasks(directory: Path, sql: str, parameters: Sequence[Value], limit: int) -> list[TaskRow]:
    max_rows = max(0, min(limit, MAX_LIMIT))
    found: dict[str, TaskRow] = {}
    for path in _files_newest_first(directory):
        if len(found) >= max_rows:
            break
        for line in _query(path, sql, TaskRow._fields, [*parameters, MAX_LIMIT]):
            task = TaskRow(*line)
            if len(found) < max_rows:
                found.setdefault(task.task_id, task)
    return list(found.values())


def _files_newest_first(directory: Path) -> Iterator[Path]:
    if os.path.lexists(directory / LEDGER_NAME):
        yield directory / LEDGER_NAME
    yield from reversed(list_archives(directory))


def _files_after(files: Iterator[Path], after: int) -> Iterator[Path]:
    """Yield the files that can hold rows with a number above `after`."""
    for path in files:
        yield path
        first = _query(path, _FIRST_NUMBER, (), ())
        if first and first[0][0] is not None and first[0][0] <= after:
            break


def _query(path: Path, sql: str, fields: Sequence[str], parameters: Sequence[Value]) -> list[Row]:
    for attempt in range(_ATTEMPTS):
        if not is_private_file(path):
            return []
        before = os.lstat(path).st_ino
        try:
            with OPEN_LOCK:
                connection = open_for_reading(path)
            try:
                found = rows(connection, sql.format(fields=layout_of(connection).select(fields)), parameters)
            finally:
                connection.close()
        except (CodePlaneError, apsw.Error) as error:
            if attempt == _ATTEMPTS - 1 or _is_inode(path, before):
                raise ledger_error(error) from error
            continue
        # A rotation during the query may have paired the database with the WAL of another file.
        if _is_inode(path, before):
            return found
    return []


def _is_inode(path: Path, inode: int) -> bool:
    try:
        return os.lstat(path).st_ino == inode
    except OSError:
        return False
