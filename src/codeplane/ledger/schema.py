"""Tables of a ledger file, and the hash that links each row to the row before it.

There is one append-only table, `events`; `tasks` and `operations` are views of it, and closing a task is a row of
its own. The hash of a row covers every column and the previous hash, so an altered, removed, moved or inserted row
is detected. Anyone who can write the file and knows this scheme can forge all of it: the chain is evidence, not proof.
Files of older versions are read and verified by their own columns, and never written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import apsw
import orjson

SCHEMA_VERSION = 2
FIRST_HASH = "0" * 64


class EventRow(NamedTuple):
    """An event before it is appended to the chain. Holds no parameters and no content."""

    kind: str
    """`start` of a file, `intent`, `outcome`, `task_opened`, `task_carried` over to a new file, `task_closed`."""
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
    paths: str | None = None
    whole_tokens: int | None = None
    repo_before_hash: str | None = None
    repo_after_hash: str | None = None
    changed_paths: str | None = None
    diff_stats: str | None = None
    short_diff: str | None = None
    mutation_id: str | None = None
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
    plan: str | None = None
    """Intent of a mutation: its journal entry, from which an interrupted mutation is rolled back."""


class ChainHead(NamedTuple):
    """Last row of a chain."""

    seq: int
    hash: str


COLUMNS = ("seq", *EventRow._fields, "prev_hash", "hash")

# Compared with the schema of existing files character by character, so no text or name in it may change.
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
    paths TEXT,
    whole_tokens INTEGER,
    repo_before_hash TEXT,
    repo_after_hash TEXT,
    changed_paths TEXT,
    diff_stats TEXT,
    short_diff TEXT,
    mutation_id TEXT,
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
    plan TEXT,
    prev_hash TEXT NOT NULL,
    hash TEXT NOT NULL
) STRICT;

CREATE INDEX events_of_task ON events (task_id, kind);
CREATE INDEX events_of_intent ON events (intent_seq) WHERE intent_seq IS NOT NULL;
CREATE INDEX events_apart ON events (kind) WHERE kind <> 'outcome';
CREATE INDEX events_of_mutation ON events (mutation_id) WHERE mutation_id IS NOT NULL;
CREATE INDEX events_of_key ON events (iif(json_valid(plan), json_extract(plan, '$.about.key'), NULL))
    WHERE plan IS NOT NULL;

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
       mutation_id, mutation_fingerprint, failure_fingerprint, failure_class, failing_tests, limit_triggered,
       session_id, request_id, tool, params_digest, status, error_code, tokens_given, epoch, intent_seq,
       paths, whole_tokens
FROM events WHERE kind = 'outcome';
"""

OBJECTS = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"


class Layout(NamedTuple):
    """Columns of one schema version."""

    version: int
    fields: tuple[str, ...]
    objects: str | None = None
    """Digest of the schema objects of an older version."""

    @property
    def columns(self) -> tuple[str, ...]:
        return ("seq", *self.fields, "prev_hash", "hash")

    def select(self, fields: Sequence[str]) -> str:
        """Return a column list for SELECT; columns that this version lacks are NULL."""
        missing = set(EventRow._fields) - set(self.fields)
        return ", ".join(f"NULL AS {name}" if name in missing else name for name in fields)


PRESENT = Layout(SCHEMA_VERSION, EventRow._fields)

_FIRST = (
    "kind at_ms intent_seq session_id task_id request_id tool op_type params_digest status success error_code"
    " duration_ms tokens_given epoch repo_before_hash repo_after_hash changed_paths diff_stats short_diff"
    " mutation_fingerprint failure_fingerprint failure_class failing_tests limit_triggered state opened_at_ms"
    " repo_head_sha limits_json owner"
)
LAYOUTS = {
    1: Layout(1, tuple(_FIRST.split()), "1087b4217e0b30afaae1ae2476edeeae442fedd31faefb54ae28c19aaac5c984"),
    SCHEMA_VERSION: PRESENT,
}


def row_hash(seq: int, row: tuple[object, ...], previous: str) -> str:
    """Return the hash of a row: its number, its columns and the previous hash. TypeError for values no row can hold."""
    return hashlib.sha256(orjson.dumps([seq, *row, previous])).hexdigest()


def is_unaltered(layout: Layout, objects: Sequence[tuple[object, ...]]) -> bool:
    """True if the schema has exactly the expected tables, views and triggers (the triggers enforce append-only)."""
    if layout.objects is None:
        return list(objects) == _expected_objects()
    return hashlib.sha256(orjson.dumps(objects)).hexdigest() == layout.objects


def _expected_objects() -> list[tuple[object, ...]]:
    connection = apsw.Connection(":memory:")
    try:
        connection.execute(TABLES)
        return list(connection.execute(OBJECTS))
    finally:
        connection.close()
