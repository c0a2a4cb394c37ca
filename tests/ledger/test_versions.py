"""Ledgers of an older version: preserved, listed, verified by their own columns, and continued."""

from __future__ import annotations

import hashlib
from pathlib import Path

import orjson
import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.ledger.chain import open_unchecked, verify_chain
from codeplane.ledger.events import Event
from codeplane.ledger.ledger import Ledger
from codeplane.ledger.paths import list_archives
from codeplane.ledger.queries import list_tasks
from codeplane.ledger.rotation import open_current
from codeplane.ledger.schema import FIRST_HASH, LAYOUTS, EventRow
from codeplane.store.database import create_database, finish_bulk
from support.ledgers import calls_of, list_operations, tasks_of

FIRST_TABLES = """
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


def first_version(directory: Path, owner: str = "") -> Path:
    """Write what the first version leaves when it is killed within an effect: start, task, outcome, intent."""
    path = directory / "ledger.db"
    connection = create_database(path)
    connection.execute(FIRST_TABLES)
    connection.pragma("user_version", 1)
    events = [
        EventRow("start", 1, status="first", owner=owner),
        EventRow("task_opened", 2, opened_at_ms=2, task_id="t_1", session_id="s_1", state="OPEN"),
        EventRow("outcome", 3, task_id="t_1", tool="search", status="ok", success=1, request_id="r_1"),
        EventRow("intent", 4, task_id="t_1", tool="manage_index", request_id="r_2", op_type="sync"),
    ]
    columns = LAYOUTS[1].columns
    insert = f"INSERT INTO events ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
    previous = FIRST_HASH
    for seq, event in enumerate(events, 1):
        values = [getattr(event, name) for name in LAYOUTS[1].fields]
        digest = hashlib.sha256(orjson.dumps([seq, *values, previous])).hexdigest()
        connection.execute(insert, (seq, *values, previous, digest))
        previous = digest
    finish_bulk(connection)
    connection.close()
    return path


def test_older_ledger_is_sealed_and_continued(tmp_path: Path) -> None:
    first_version(tmp_path)
    before = verify_chain(tmp_path)
    assert (before.is_intact, before.rows) == (True, 4)
    ledger = Ledger.open(tmp_path)
    assert ledger.quarantined == (), "an older ledger is not quarantined"
    ledger.outcome(Event("map_repo", "r_3", status="ok"))
    operations = calls_of(ledger, 10)
    assert [(row.request_id, row.status, row.paths) for row in operations] == [
        ("r_3", "ok", None),
        ("r_2", "INTERRUPTED", None),
        ("r_1", "ok", None),
    ]
    assert [(task.task_id, task.state, task.opened_at) for task in tasks_of(ledger, 10)] == [
        ("t_1", "CLOSED_INTERRUPTED", 2)
    ]
    ledger.close()
    found = verify_chain(tmp_path)
    assert (found.is_intact, found.files, found.breaks, found.damaged) == (True, 2, 0, ())
    assert len(list_archives(tmp_path)) == 1
    with open_unchecked(list_archives(tmp_path)[0]) as kept:
        assert kept.pragma("user_version") == 1


def test_older_ledger_is_readable_before_it_is_sealed(tmp_path: Path) -> None:
    path = first_version(tmp_path)
    before = path.read_bytes()
    assert [row.op_id for row in list_operations(tmp_path, 10)] == [3]
    assert [task.state for task in list_tasks(tmp_path, 10)] == ["OPEN"]
    assert path.read_bytes() == before


def test_kill_between_sealing_and_continuing_loses_nothing(tmp_path: Path) -> None:
    path = first_version(tmp_path)
    (tmp_path / "ledger").mkdir(0o700)
    path.rename(tmp_path / "ledger" / "ledger-1970-01-01-1.db")
    opened = open_current(tmp_path, "", 9)
    assert opened.quarantined is None and [row.task_id for row in opened.open_tasks] == ["t_1"]
    assert [(seq, row.plan) for seq, row in opened.open_intents] == [(4, None)]
    opened.file.close()
    assert verify_chain(tmp_path).is_intact


def test_older_ledger_being_read_refuses_effects(tmp_path: Path) -> None:
    path = first_version(tmp_path)
    with open_unchecked(path) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM events").fetchall()
        with pytest.raises(CodePlaneError) as raised:
            open_current(tmp_path, "", 9)
        assert raised.value.code is ErrorCode.INDEX_LOCKED
        assert list_archives(tmp_path) == []
    open_current(tmp_path, "", 9).file.close()
    assert verify_chain(tmp_path).rows == 5


def test_altered_row_of_an_older_ledger_is_detected(tmp_path: Path) -> None:
    first_version(tmp_path)
    open_current(tmp_path, "", 9).file.close()
    archive = list_archives(tmp_path)[0]
    archive.write_bytes(archive.read_bytes().replace(b"r_1", b"r_9"))
    broken = verify_chain(tmp_path).broken
    assert broken is not None and (broken.file, broken.seq) == (archive.name, 3)


def test_older_foreign_ledger_is_quarantined(tmp_path: Path) -> None:
    first_version(tmp_path, "theirs")
    opened = open_current(tmp_path, "ours", 9)
    opened.file.close()
    assert opened.quarantined is not None and opened.quarantined.kind == "foreign"


def test_wrong_tables_of_an_older_version_are_damage(tmp_path: Path) -> None:
    opened = open_current(tmp_path, "", 0)
    opened.file._connection.pragma("user_version", 1)
    opened.file.close()
    assert not verify_chain(tmp_path).is_intact
    again = open_current(tmp_path, "", 9)
    again.file.close()
    assert again.quarantined is not None and again.quarantined.kind == "damaged"
