"""Looking through a ledger, newest first, a page at a time. Needs no lock and writes nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import apsw

from codeplane.base.errors import CodePlaneError
from codeplane.base.limits import MAX_LIMIT
from codeplane.store.database import Row, Value, open_for_reading, rows
from codeplane.store.ledger import TURN, is_ours, layout_of, ledger_error
from codeplane.store.ledger_files import LEDGER_NAME, list_archives
from codeplane.store.ledger_schema import EventRow

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
    """A change of files: what it was to be, and how it ended."""

    seq: int
    mutation_id: str
    at_ms: int
    tool: str | None
    session_id: str | None
    task_id: str | None
    plan: str
    status: str | None
    """None while it goes on."""
    failure_class: str | None
    diff_stats: str | None
    epoch: int | None


_OPERATIONS = "SELECT {fields} FROM operations WHERE op_id < ? AND op_id > ?"
_TASKS = "SELECT {fields} FROM tasks"
_NEWEST_TASKS = f"{_TASKS} ORDER BY seq DESC LIMIT ?"
_NAMED_TASKS = f"{_TASKS} WHERE task_id >= ? AND task_id < ? ORDER BY seq DESC LIMIT ?"
_SUMS = "SELECT task_id, count(*), coalesce(sum(tokens_given), 0) FROM operations"
_FIRST_NUMBER = "SELECT min(seq) FROM events"
_LAST_ROWS = "SELECT {fields} FROM events WHERE kind <> 'start' ORDER BY seq DESC LIMIT ?"
_PLANNED = ("seq", "mutation_id", "at_ms", "tool", "session_id", "task_id", "plan")
_MUTATIONS = """
WITH told AS (SELECT {fields} FROM events WHERE kind <> 'outcome' AND kind = 'intent')
SELECT told.*, ended.status, ended.failure_class, ended.diff_stats, ended.epoch
FROM told LEFT JOIN events AS ended ON ended.intent_seq = told.seq
WHERE told.plan IS NOT NULL AND told.mutation_id IS NOT NULL
"""
_NO_BOUND = 2**63 - 1
_AFTER_ANY = "\U0010ffff"


@dataclass(frozen=True)
class Wanted:
    """Which operations: all conditions together."""

    before: int | None = None
    after: int = 0
    """Numbers: below the one, above the other."""
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
        given = [(text, value) for text, value in conditions if value is not None]
        bounds: list[Value] = [_NO_BOUND if self.before is None else self.before, self.after]
        return "".join(f" AND {text}" for text, _ in given), bounds + [value for _, value in given]


def list_operations(
    directory: Path, limit: int, before: int | None = None, task_id: str | None = None
) -> list[OperationRow]:
    """Outcomes with a number below `before`, of one task or of all, newest first."""
    return find_operations(directory, limit, Wanted(before, task_id=task_id))


def find_operations(directory: Path, limit: int, wanted: Wanted, *, oldest: bool = False) -> list[OperationRow]:
    """Outcomes, newest first; with `oldest` the other way round."""
    room = max(0, min(limit, MAX_LIMIT))
    condition, parameters = wanted.where()
    sql = f"{_OPERATIONS}{condition} ORDER BY op_id {'ASC' if oldest else 'DESC'} LIMIT ?"
    files = _newest_first(directory)
    found: list[OperationRow] = []
    for path in reversed(list(_back_to(files, wanted.after))) if oldest else files:
        if len(found) >= room:
            break
        page = _ask(path, sql, OperationRow._fields, [*parameters, room - len(found)])
        found.extend(OperationRow(*line) for line in page)
    return found


def list_mutations(
    directory: Path, limit: int, *, mutation_id: str | None = None, key: str | None = None
) -> list[MutationRow]:
    """Changes of files, newest first: all of them, the one with this id, or those with this key."""
    wanted = max(0, min(limit, MAX_LIMIT))
    sql, parameters = _MUTATIONS, list[Value]()
    if mutation_id is not None:
        sql += " AND told.mutation_id = ?"
        parameters.append(mutation_id)
    if key is not None:
        sql += " AND iif(json_valid(told.plan), json_extract(told.plan, '$.about.key'), NULL) = ?"
        parameters.append(key)
    found: list[MutationRow] = []
    for path in _newest_first(directory):
        if len(found) >= wanted:
            break
        page = _ask(path, f"{sql} ORDER BY told.seq DESC LIMIT ?", _PLANNED, [*parameters, wanted - len(found)])
        found.extend(MutationRow(*line) for line in page)
    return found


def known_mutations(directory: Path) -> frozenset[str]:
    """The ids of all changes of files that any file of the ledger tells of."""
    sql = (
        "WITH told AS (SELECT {fields} FROM events) SELECT DISTINCT mutation_id FROM told WHERE mutation_id IS NOT NULL"
    )
    return frozenset(name for path in _newest_first(directory) for (name,) in _ask(path, sql, ["mutation_id"], []))


def list_tasks(directory: Path, limit: int) -> list[TaskRow]:
    """Tasks, newest first. One that went on in a later file is told once, as that file knows it."""
    return _tasks(directory, _NEWEST_TASKS, [], limit)


def find_tasks(directory: Path, prefix: str, limit: int) -> list[TaskRow]:
    """Tasks whose id begins so, newest first."""
    return _tasks(directory, _NAMED_TASKS, [prefix, prefix + _AFTER_ANY], limit)


def sum_tasks(directory: Path, task_ids: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Of each task that has any: its calls, and the tokens of their answers."""
    found: dict[str, tuple[int, int]] = {}
    if not task_ids:
        return found
    sql = f"{_SUMS} WHERE task_id IN ({', '.join('?' * len(task_ids))}) GROUP BY task_id"
    for path in _newest_first(directory):
        for task_id, calls, tokens in _ask(path, sql, (), task_ids):
            known = found.get(task_id, (0, 0))
            found[task_id] = (known[0] + calls, known[1] + tokens)
    return found


def last_rows(directory: Path, limit: int) -> list[EventRow]:
    """The end of the chain, newest first, the beginnings of files left out."""
    found: list[EventRow] = []
    for path in _newest_first(directory):
        if len(found) >= limit:
            break
        try:
            page = _ask(path, _LAST_ROWS, EventRow._fields, [limit - len(found)])
        except CodePlaneError:
            # What lies behind damage is no longer the end of anything.
            break
        found.extend(EventRow(*line) for line in page)
    return found


def _tasks(directory: Path, sql: str, parameters: Sequence[Value], limit: int) -> list[TaskRow]:
    wanted = max(0, min(limit, MAX_LIMIT))
    found: dict[str, TaskRow] = {}
    for path in _newest_first(directory):
        if len(found) >= wanted:
            break
        for line in _ask(path, sql, TaskRow._fields, [*parameters, MAX_LIMIT]):
            task = TaskRow(*line)
            if len(found) < wanted:
                found.setdefault(task.task_id, task)
    return list(found.values())


def _newest_first(directory: Path) -> Iterator[Path]:
    if os.path.lexists(directory / LEDGER_NAME):
        yield directory / LEDGER_NAME
    yield from reversed(list_archives(directory))


def _back_to(files: Iterator[Path], after: int) -> Iterator[Path]:
    """Those that can hold rows with a number above `after`."""
    for path in files:
        yield path
        first = _ask(path, _FIRST_NUMBER, (), ())
        if first and first[0][0] is not None and first[0][0] <= after:
            break


def _ask(path: Path, sql: str, fields: Sequence[str], parameters: Sequence[Value]) -> list[Row]:
    for attempt in range(_ATTEMPTS):
        if not is_ours(path):
            return []
        before = os.lstat(path).st_ino
        try:
            with TURN:
                connection = open_for_reading(path)
            try:
                found = rows(connection, sql.format(fields=layout_of(connection).select(fields)), parameters)
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
