from __future__ import annotations

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from codeplane.base.call_record import CallRecord
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.ledger.chain import verify_chain
from codeplane.ledger.events import Event, TaskState
from codeplane.ledger.ledger import Ledger
from codeplane.ledger.paths import list_archives
from codeplane.ledger.queries import OperationFilter, find_operations
from codeplane.ledger.rotation import Retention
from codeplane.tasks.model import digest_params
from support.ledgers import calls_of, list_operations, tasks_of

READ = Event("search", "r_1", session_id="s_1", task_id="t_1", status="ok", duration_ms=3, tokens_given=50, epoch=4)
EFFECT = Event("write_source", "r_2", session_id="s_1", task_id="t_1", op_type="mutation")


def state_of(ledger: Ledger, task_id: str) -> str:
    return next(task.state for task in tasks_of(ledger, 1000) if task.task_id == task_id)


def test_rows_are_listed_newest_first(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path, wall=lambda: 1000.0)
    ledger.open_task("t_1", "s_1", limits={"max_mutations": 5}, repo_head="abc123", epoch=4)
    ledger.outcome(replace(READ, params_digest=digest_params({"query": "x"})))
    ledger.outcome(replace(READ, request_id="r_9", status="error", error_code=1002, task_id="t_2"))
    newest, older = calls_of(ledger, 10)
    assert (newest.request_id, newest.success, newest.error_code) == ("r_9", 0, 1002)
    assert (older.tool, older.status, older.success, older.timestamp) == ("search", "ok", 1, 1_000_000)
    assert (older.duration_ms, older.tokens_given, older.epoch) == (3, 50, 4)
    assert older.params_digest == digest_params({"query": "x"})
    assert [row.op_id for row in calls_of(ledger, 1)] == [newest.op_id]
    assert calls_of(ledger, 10, before=newest.op_id) == [older]
    assert calls_of(ledger, 10, task_id="t_1") == [older]
    task = tasks_of(ledger, 10)[0]
    assert (task.state, task.limits_json, task.repo_head_sha) == ("OPEN", '{"max_mutations": 5}', "abc123")
    ledger.close_task("t_1", TaskState.CLOSED_FAILED)
    ledger.close_task("t_1", TaskState.CLOSED_SUCCESS)
    assert [(task.state, task.closed_at) for task in tasks_of(ledger, 10)] == [("CLOSED_FAILED", 1_000_000)]
    ledger.close()
    assert verify_chain(tmp_path).rows == 6


def test_params_digest_ignores_order() -> None:
    assert digest_params({"a": 1, "b": ["ü"]}) == digest_params({"b": ["ü"], "a": 1})
    assert digest_params({"a": 1}) != digest_params({"a": "1"})
    assert len(digest_params({"a": "\udcff", "b": float("nan")})) == 64


def test_an_effect_has_an_intent_and_one_outcome(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path)
    intent = ledger.intent(EFFECT)
    done = replace(
        EFFECT,
        intent=intent,
        status="ok",
        record=CallRecord(
            changed_paths=["a.py", "odd\udcff.py"],
            diff_stats={"files_changed": 2, "insertions": 3, "deletions": 1},
            short_diff="~ a.py \udcff",
        ),
    )
    ledger.outcome(done)
    row = calls_of(ledger, 1)[0]
    assert (row.intent_seq, row.op_type, row.success) == (intent, "mutation", 1)
    assert row.changed_paths == '["a.py", "odd\\udcff.py"]'
    assert row.diff_stats == '{"deletions": 1, "files_changed": 2, "insertions": 3}'
    with pytest.raises(CodePlaneError) as raised:
        ledger.outcome(done)
    assert raised.value.code is ErrorCode.INTERNAL
    ledger.close()
    assert verify_chain(tmp_path).is_intact


def test_open_items_are_interrupted_at_the_next_start(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path)
    ledger.open_task("t_open")
    ledger.open_task("t_done")
    ledger.close_task("t_done", TaskState.CLOSED_SUCCESS)
    first = ledger.intent(EFFECT)
    ledger.outcome(replace(EFFECT, intent=first, status="ok"))
    second = ledger.intent(replace(EFFECT, request_id="r_cut"))
    ledger.close()
    for _ in range(2):
        ledger = Ledger.open(tmp_path)
        assert (state_of(ledger, "t_open"), state_of(ledger, "t_done")) == ("CLOSED_INTERRUPTED", "CLOSED_SUCCESS")
        operations = calls_of(ledger, 10)
        assert [(row.status, row.intent_seq, row.request_id) for row in operations] == [
            ("INTERRUPTED", second, "r_cut"),
            ("ok", first, "r_2"),
        ]
        ledger.close()
    assert verify_chain(tmp_path).is_intact


def test_concurrent_writers_lose_nothing(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path, queue_limit=50)

    def work(number: int) -> int | None:
        if number % 20 == 0:
            intent = ledger.intent(replace(EFFECT, request_id=f"r_{number}"))
            ledger.outcome(replace(EFFECT, request_id=f"r_{number}", intent=intent, status="ok"))
            return intent
        ledger.outcome(replace(READ, request_id=f"r_{number}"))
        return None

    with ThreadPoolExecutor(8) as pool:
        intents = [intent for intent in pool.map(work, range(2000)) if intent is not None]
    assert len(set(intents)) == 100
    seen: list[str | None] = []
    before = None
    while page := calls_of(ledger, 300, before):
        seen.extend(row.request_id for row in page)
        before = page[-1].op_id
    ledger.close()
    assert sorted(map(str, seen)) == sorted(f"r_{number}" for number in range(2000))
    assert ledger.lost == 0
    found = verify_chain(tmp_path)
    assert (found.is_intact, found.rows) == (True, 2101)


@pytest.mark.timeout(25)
def test_full_queue_is_written_without_waiting_for_a_group(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path, queue_limit=3, group_seconds=30.0)
    for number in range(20):
        ledger.outcome(replace(READ, request_id=f"r_{number}"))
    ledger.flush()
    assert len(calls_of(ledger, 100)) == 20
    ledger.outcome(READ)
    ledger.close()
    assert verify_chain(tmp_path).rows == 22


def test_closed_ledger_refuses_effects_and_ignores_reads(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path)
    ledger.close()
    ledger.close()
    with pytest.raises(CodePlaneError) as raised:
        ledger.intent(EFFECT)
    assert raised.value.code is ErrorCode.SHUTTING_DOWN
    ledger.outcome(READ)
    ledger.flush()
    assert ledger.lost == 1


def test_unwritable_directory_refuses_effects_only(tmp_path: Path) -> None:
    directory = tmp_path / "later"
    ledger = Ledger.open(directory)
    assert not ledger.is_available
    ledger.open_task("t_1")
    for _ in range(5):
        ledger.outcome(READ)
    with pytest.raises(CodePlaneError) as raised:
        ledger.intent(EFFECT)
    assert raised.value.code is ErrorCode.STATE_DIRECTORY_READ_ONLY
    assert ledger.lost == 5
    directory.mkdir()
    intent = ledger.intent(EFFECT)
    ledger.outcome(replace(EFFECT, intent=intent, status="ok"))
    assert ledger.is_available
    assert state_of(ledger, "t_1") == "OPEN", "the opening of a task is retained"
    ledger.close()
    assert verify_chain(directory).is_intact


def test_removed_ledger_is_recreated_before_the_next_effect(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path)
    ledger.open_task("t_1", "s_1")
    ledger.outcome(replace(EFFECT, intent=ledger.intent(EFFECT), status="ok"))
    pending = ledger.intent(EFFECT)
    shutil.rmtree(tmp_path)
    tmp_path.mkdir()
    with pytest.raises(CodePlaneError) as caught:
        ledger.ensure_settled()
    assert caught.value.code is ErrorCode.RECOVERY_PENDING, "an open intent must end in its own file"
    ledger.outcome(replace(EFFECT, intent=pending, status="ok"))
    ledger.ensure_settled()
    ledger.outcome(replace(EFFECT, request_id="r_9", intent=ledger.intent(EFFECT), status="ok"))
    assert [row.request_id for row in calls_of(ledger, 10)] == ["r_9"]
    assert state_of(ledger, "t_1") == "OPEN"
    ledger.close()
    again = Ledger.open(tmp_path)
    assert [row.request_id for row in calls_of(again, 10)] == ["r_9"]
    again.close()
    assert verify_chain(tmp_path).rows > 3


def fill_up(ledger: Ledger) -> None:
    """Prevent the database from growing, like a full disk."""
    ledger.flush()
    assert ledger._writer.file is not None
    connection = ledger._writer.file._connection
    connection.pragma("max_page_count", connection.pragma("page_count"))


def big(event: Event) -> Event:
    return replace(event, record=CallRecord(failing_tests=["x" * 1000] * 300))


def test_full_disk_refuses_effects_and_counts_lost_reads(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path)
    fill_up(ledger)
    with pytest.raises(CodePlaneError) as raised:
        ledger.intent(big(EFFECT))
    assert raised.value.code is ErrorCode.NO_SPACE
    assert ledger.lost == 0, "a refused effect is not lost"
    ledger.intent(EFFECT)
    fill_up(ledger)
    ledger.outcome(big(READ))
    ledger.flush()
    assert ledger.lost == 1
    ledger.close()
    assert verify_chain(tmp_path).is_intact


def test_outcome_of_an_effect_is_retained_while_the_disk_is_full(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path)
    intent = ledger.intent(EFFECT)
    fill_up(ledger)
    with pytest.raises(CodePlaneError) as raised:
        ledger.outcome(big(replace(EFFECT, intent=intent, status="ok")))
    assert raised.value.code is ErrorCode.NO_SPACE
    other = ledger.intent(EFFECT)
    rows = calls_of(ledger, 10)
    assert [(row.intent_seq, row.status) for row in rows] == [(intent, "ok")]
    assert other > rows[0].op_id
    ledger.close()
    assert ledger.lost == 0


def test_damaged_ledger_is_quarantined(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path)
    ledger.outcome(READ)
    ledger.close()
    (tmp_path / "ledger.db").write_bytes(b"garbage" * 1000)
    ledger = Ledger.open(tmp_path)
    assert [note.kind for note in ledger.quarantined] == ["damaged"]
    assert (tmp_path / ledger.quarantined[0].moved_to).read_bytes() == b"garbage" * 1000
    ledger.intent(EFFECT)
    ledger.close()
    found = verify_chain(tmp_path)
    assert (found.is_intact, found.breaks, len(found.damaged)) == (True, 1, 1)


def test_only_one_process_writes_at_a_time(tmp_path: Path) -> None:
    first = Ledger.open(tmp_path)
    first.open_task("t_1")
    intent = first.intent(EFFECT)
    second = Ledger.open(tmp_path)
    assert (first.availability, second.availability) == ("kept", "elsewhere")
    second.open_task("t_2")
    second.outcome(READ)
    with pytest.raises(CodePlaneError) as raised:
        second.intent(replace(EFFECT, request_id="r_3"))
    assert raised.value.code is ErrorCode.INDEX_LOCKED
    second.outcome(replace(READ, request_id="r_5"))
    second.flush()
    assert state_of(first, "t_1") == "OPEN", "a live process keeps its task open"
    first.outcome(replace(EFFECT, intent=intent, status="ok"))
    first.close()
    taken = second.intent(replace(EFFECT, request_id="r_4"))
    second.outcome(replace(EFFECT, request_id="r_4", intent=taken, status="ok"))
    assert second.availability == "kept"
    assert [row.request_id for row in calls_of(second, 10)] == ["r_4", "r_5", "r_1", "r_2"]
    assert second.lost == 0
    assert (state_of(second, "t_1"), state_of(second, "t_2")) == ("CLOSED_INTERRUPTED", "OPEN")
    second.close()
    assert verify_chain(tmp_path).is_intact


def test_retained_rows_are_written_at_close_when_the_lock_is_released(tmp_path: Path) -> None:
    first, second = Ledger.open(tmp_path), Ledger.open(tmp_path, group_seconds=30.0)
    second.outcome(READ)
    threading.Timer(0.1, first.close).start()
    second.close()
    assert second.lost == 0
    assert verify_chain(tmp_path).rows == 2


def test_order_does_not_depend_on_the_clock(tmp_path: Path) -> None:
    days = iter([10, 9, 400, 1, 5, 3])
    for number in range(3):
        ledger = Ledger.open(tmp_path, wall=lambda: 86_400.0 * next(days, 2))
        ledger.outcome(replace(READ, request_id=f"r_{number}"))
        ledger.close()
    assert [row.request_id for row in list_operations(tmp_path, 9)] == ["r_2", "r_1", "r_0"]
    assert verify_chain(tmp_path).is_intact


class Calendar:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_rotation_by_age_carries_open_tasks_over(tmp_path: Path) -> None:
    wall = Calendar()
    ledger = Ledger.open(tmp_path, wall=wall)
    ledger.open_task("t_1", "s_1")
    ledger.outcome(READ)
    ledger.flush()
    wall.seconds = 14 * 86400.0
    ledger.outcome(replace(READ, request_id="r_last"))
    ledger.flush()
    ledger.outcome(replace(READ, request_id="r_new"))
    assert [row.request_id for row in calls_of(ledger, 10)] == ["r_new", "r_last", "r_1"]
    assert [path.name for path in list_archives(tmp_path)] == ["ledger-1970-01-15-1.db"]
    assert [(task.task_id, task.state, task.opened_at) for task in tasks_of(ledger, 10)] == [("t_1", "OPEN", 0)]
    ledger.close_task("t_1", TaskState.CLOSED_SUCCESS)
    assert state_of(ledger, "t_1") == "CLOSED_SUCCESS"
    ledger.close()
    found = verify_chain(tmp_path)
    assert (found.is_intact, found.files, found.rows) == (True, 2, 8)


def test_rotation_by_tasks_waits_for_open_intents(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path, retention=Retention(tasks=3))
    intent = ledger.intent(EFFECT)
    for number in range(3):
        ledger.open_task(f"t_{number}")
    ledger.flush()
    assert list_archives(tmp_path) == []
    ledger.outcome(replace(EFFECT, intent=intent, status="ok"))
    ledger.flush()
    assert len(list_archives(tmp_path)) == 1
    assert sorted(task.task_id for task in tasks_of(ledger, 10)) == ["t_0", "t_1", "t_2"]
    ledger.close()
    ledger = Ledger.open(tmp_path)
    assert {task.state for task in tasks_of(ledger, 10)} == {"CLOSED_INTERRUPTED"}
    ledger.close()
    assert verify_chain(tmp_path).is_intact


def test_operations_after_a_number_span_files(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path, retention=Retention(tasks=1))
    for number in range(5):
        ledger.open_task(f"t_{number}")
        ledger.outcome(replace(READ, request_id=f"r_{number}", tool="read" if number % 2 else "search"))
        ledger.flush()
    ledger.close()
    assert len(list_archives(tmp_path)) == 5
    numbers = [row.op_id for row in find_operations(tmp_path, 100, OperationFilter(), oldest=True)]
    assert numbers == sorted(numbers) and len(numbers) == 5
    for place, number in enumerate(numbers):
        later = find_operations(tmp_path, 100, OperationFilter(after=number), oldest=True)
        assert [row.op_id for row in later] == numbers[place + 1 :]
    (found,) = find_operations(tmp_path, 1, OperationFilter(after=numbers[0], tool="search"), oldest=True)
    assert found.request_id == "r_2"


def test_rotation_by_size(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path, retention=Retention(bytes=200_000))
    for _ in range(12):
        for _ in range(10):
            ledger.outcome(replace(READ, record=CallRecord(failing_tests=["x" * 1000] * 20)))
        ledger.flush()
    ledger.close()
    assert len(list_archives(tmp_path)) >= 2
    assert verify_chain(tmp_path).rows == 121 + len(list_archives(tmp_path))


def test_concurrent_readers_during_rotations(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path, retention=Retention(tasks=2))
    stop = threading.Event()
    wrong: list[object] = []

    def look() -> None:
        while not stop.is_set():
            found = verify_chain(tmp_path)
            if not found.is_intact:
                wrong.append(found.broken)

    watcher = threading.Thread(target=look)
    watcher.start()
    for number in range(60):
        ledger.open_task(f"t_{number}")
        ledger.close_task(f"t_{number}", TaskState.CLOSED_SUCCESS)
        ledger.flush()
    stop.set()
    watcher.join()
    assert wrong == []
    assert len(tasks_of(ledger, 1000)) == 60
    ledger.close()
    assert verify_chain(tmp_path).is_intact


def test_secrets_of_a_call_are_not_written(tmp_path: Path) -> None:
    secret = "ghp_S3cretTokenThatMustNotBeWritten"
    ledger = Ledger.open(tmp_path, retention=Retention(tasks=2))
    params = {"query": secret, "content": f"password = {secret}"}
    event = Event(
        f"no such tool {secret}",
        f"id with spaces {secret}",
        session_id=f"not an id {secret}",
        params_digest=digest_params(params),
        status=f"status {secret}",
        record=CallRecord(failure_class=f"Error: {secret}"),
    )
    ledger.outcome(event)
    for number in range(4):
        ledger.open_task(f"t_{number}", f"not an id {secret}", repo_head=f"refs heads {secret}")
        intent = ledger.intent(event)
        ledger.outcome(replace(event, intent=intent))
    # A rotation may follow the last outcome.
    ledger.flush()
    written = [path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()]
    ledger.close()
    written += [path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()]
    assert any(digest_params(params).encode() in data for data in written)
    assert all(secret.encode() not in data for data in written)
    assert all(path.stat().st_mode & 0o077 == 0 for path in tmp_path.rglob("*"))
