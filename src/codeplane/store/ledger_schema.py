"""The tables of a ledger, and the hash that ties each row to the one before it.

There is one table, `events`, to which rows are only ever added; `tasks` and `operations` are
views of it, and the closing of a task is a row of its own. A row's hash covers every column
and the hash before it, so that a row that was altered, removed, moved or put in shows. Whoever
can write the file and knows this scheme can forge all of it: the chain is evidence, no proof.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import apsw
import orjson

SCHEMA_VERSION = 1
FIRST_HASH = "0" * 64


class EventRow(NamedTuple):
    """What is recorded, before it has its place in the chain. Holds no parameters and no content."""

    kind: str
    """`start` of a file, `intent`, `outcome`, `task_opened`, `task_carried` into a new file, `task_closed`."""
    at_ms: int
    intent_seq: int | None = None
    session_id: str | None = None
    task_id: str | None = None
    request_id: str | None = None
    tool: str | None = None
    op_type: str | None = None
    params_digest: str | None = None
    status: str | None = None
    success: int | None = None
    error_code: int | None = None
    duration_ms: int | None = None
    tokens_given: int | None = None
    epoch: int | None = None
    repo_before_hash: str | None = None
    repo_after_hash: str | None = None
    changed_paths: str | None = None
    diff_stats: str | None = None
    short_diff: str | None = None
    mutation_fingerprint: str | None = None
    failure_fingerprint: str | None = None
    failure_class: str | None = None
    failing_tests: str | None = None
    limit_triggered: str | None = None
    state: str | None = None
    opened_at_ms: int | None = None
    repo_head_sha: str | None = None
    limits_json: str | None = None
    owner: str | None = None


class Head(NamedTuple):
    """The last row of a chain."""

    seq: int
    hash: str


COLUMNS = ("seq", *EventRow._fields, "prev_hash", "hash")

TABLES = """
CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    intent_seq INTEGER,
    session_id TEXT,
    task_id TEXT,
    request_id TEXT,
    tool TEXT,
    op_type TEXT,
    params_digest TEXT,
    status TEXT,
    success INTEGER,
    error_code INTEGER,
    duration_ms INTEGER,
    tokens_given INTEGER,
    epoch INTEGER,
    repo_before_hash TEXT,
    repo_after_hash TEXT,
    changed_paths TEXT,
    diff_stats TEXT,
    short_diff TEXT,
    mutation_fingerprint TEXT,
    failure_fingerprint TEXT,
    failure_class TEXT,
    failing_tests TEXT,
    limit_triggered TEXT,
    state TEXT,
    opened_at_ms INTEGER,
    repo_head_sha TEXT,
    limits_json TEXT,
    owner TEXT,
    prev_hash TEXT NOT NULL,
    hash TEXT NOT NULL
) STRICT;

CREATE INDEX events_of_task ON events (task_id, kind);
CREATE INDEX events_of_intent ON events (intent_seq) WHERE intent_seq IS NOT NULL;
CREATE INDEX events_apart ON events (kind) WHERE kind <> 'outcome';

CREATE TRIGGER events_stay BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER events_keep BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

CREATE VIEW tasks AS
SELECT opened.task_id, opened.opened_at_ms AS opened_at, closed.at_ms AS closed_at,
       coalesce(closed.state, 'OPEN') AS state, opened.repo_head_sha, opened.limits_json,
       opened.session_id, opened.epoch, opened.seq
FROM events AS opened
LEFT JOIN events AS closed ON closed.seq = (
    SELECT min(seq) FROM events WHERE task_id = opened.task_id AND kind = 'task_closed'
)
WHERE opened.kind <> 'outcome' AND opened.kind IN ('task_opened', 'task_carried');

CREATE VIEW operations AS
SELECT seq AS op_id, task_id, at_ms AS timestamp, duration_ms, op_type, success,
       repo_before_hash, repo_after_hash, changed_paths, diff_stats, short_diff,
       mutation_fingerprint, failure_fingerprint, failure_class, failing_tests, limit_triggered,
       session_id, request_id, tool, params_digest, status, error_code, tokens_given, epoch, intent_seq
FROM events WHERE kind = 'outcome';
"""

OBJECTS = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"


def row_hash(seq: int, row: tuple[object, ...], previous: str) -> str:
    """The hash of a row: its number, its columns and the hash before it. TypeError on what no row of ours holds."""
    return hashlib.sha256(orjson.dumps([seq, *row, previous])).hexdigest()


def expected_objects() -> list[tuple[object, ...]]:
    """What the schema of a ledger lists, to compare one with: a trigger that is gone protects nothing."""
    connection = apsw.Connection(":memory:")
    try:
        connection.execute(TABLES)
        return list(connection.execute(OBJECTS))
    finally:
        connection.close()
