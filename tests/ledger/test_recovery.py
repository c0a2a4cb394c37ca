"""Mutations in the ledger: committed by their outcome, or rolled back before the next mutation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from codeplane.base.call_record import CallRecord
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.ledger.chain import verify_chain
from codeplane.ledger.events import Event
from codeplane.ledger.file import LedgerFile
from codeplane.ledger.ledger import Ledger

EVENT = Event("write_source", "r_1", op_type="write_source", plan="the plan", record=CallRecord(mutation_id="m_1"))


class Undoing:
    """Rollback function that can be made to fail."""

    def __init__(self) -> None:
        self.plans: list[str] = []
        self.error: CodePlaneError | None = None
        self.conflicts: tuple[str, ...] | None = ()

    def __call__(self, mutation_id: str, plan: str) -> tuple[str, ...] | None:
        if self.error is not None:
            raise self.error
        self.plans.append(plan)
        return self.conflicts


def statuses(ledger: Ledger) -> list[tuple[str | None, str | None]]:
    return [(row.status, row.failure_class) for row in ledger.list_mutations(10)]


def test_interrupted_mutation_is_rolled_back_at_the_next_start(tmp_path: Path) -> None:
    undoing = Undoing()
    first = Ledger.open(tmp_path, recover=undoing)
    first.intent(EVENT)
    first.close()
    assert undoing.plans == []
    undoing.conflicts = ("a.txt",)
    second = Ledger.open(tmp_path, recover=undoing)
    assert undoing.plans == ["the plan"]
    assert statuses(second) == [("INTERRUPTED", "CONFLICT")]
    (told,) = second.take_rolled_back()
    assert (told.mutation_id, told.conflicts) == ("m_1", ("a.txt",))
    assert second.take_rolled_back() == ()
    second.close()
    third = Ledger.open(tmp_path, recover=undoing)
    assert undoing.plans == ["the plan"], "rolled back once"
    third.close()
    assert verify_chain(tmp_path).is_intact


def test_committed_mutation_gets_its_lost_outcome_again(tmp_path: Path) -> None:
    undoing = Undoing()
    first = Ledger.open(tmp_path, recover=undoing)
    first.intent(EVENT)
    first.close()
    undoing.conflicts = None
    second = Ledger.open(tmp_path, recover=undoing)
    assert statuses(second) == [("ok", None)]
    assert second.take_rolled_back() == ()
    second.close()


def test_failing_rollback_blocks_mutations(tmp_path: Path) -> None:
    undoing = Undoing()
    first = Ledger.open(tmp_path, recover=undoing)
    first.intent(EVENT)
    first.close()
    undoing.error = CodePlaneError(ErrorCode.FILE_UNWRITABLE, "the disk is read-only")
    ledger = Ledger.open(tmp_path, recover=undoing)
    assert statuses(ledger) == [(None, None)]
    with pytest.raises(CodePlaneError) as caught:
        ledger.ensure_settled()
    assert caught.value.code is ErrorCode.RECOVERY_PENDING
    assert "read-only" in caught.value.message
    undoing.error = None
    ledger.ensure_settled()
    assert statuses(ledger) == [("INTERRUPTED", "UNDONE")]
    ledger.close()


def test_unreadable_journal_entry_does_not_block_mutations(tmp_path: Path) -> None:
    undoing = Undoing()
    first = Ledger.open(tmp_path, recover=undoing)
    first.intent(EVENT)
    first.close()
    undoing.error = CodePlaneError(ErrorCode.LEDGER_DAMAGED, "what is this")
    ledger = Ledger.open(tmp_path, recover=undoing)
    ledger.ensure_settled()
    assert statuses(ledger) == [("INTERRUPTED", "UNREADABLE")]
    ledger.close()


def test_unexpected_error_in_a_rollback_releases_waiters(tmp_path: Path) -> None:
    first = Ledger.open(tmp_path)
    first.intent(EVENT)
    first.close()
    failures: list[Exception] = [OSError(24, "Too many open files"), ValueError()]

    def undo(mutation_id: str, plan: str) -> tuple[str, ...]:
        if failures:
            raise failures.pop()
        return ()

    ledger = Ledger.open(tmp_path, recover=undo)
    with pytest.raises(CodePlaneError) as caught:
        ledger.ensure_settled()
    assert caught.value.code is ErrorCode.RECOVERY_PENDING
    ledger.ensure_settled()
    assert statuses(ledger) == [("INTERRUPTED", "UNDONE")]
    ledger.close()


def test_mutation_in_a_foreign_ledger_is_not_rolled_back(tmp_path: Path) -> None:
    undoing = Undoing()
    foreign = Ledger.open(tmp_path, owner="another user", recover=undoing)
    foreign.intent(EVENT)
    foreign.close()
    ours = Ledger.open(tmp_path, owner="us", recover=undoing)
    ours.ensure_settled()
    assert undoing.plans == []
    assert [note.kind for note in ours.quarantined] == ["foreign"]
    ours.close()


def test_failed_commit_is_not_retained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    undoing = Undoing()
    ledger = Ledger.open(tmp_path, recover=undoing)
    intent = ledger.intent(EVENT)
    done = replace(EVENT, plan=None, intent=intent, status="ok")

    def full(*args: object, **named: object) -> None:
        raise CodePlaneError(ErrorCode.NO_SPACE, "the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(LedgerFile, "append", full)
        with pytest.raises(CodePlaneError) as caught:
            ledger.commit(done)
    assert caught.value.code is ErrorCode.NO_SPACE
    ledger.outcome(replace(done, status="error"))
    ledger.flush()
    assert statuses(ledger) == [("error", None)]
    ledger.close()
    assert verify_chain(tmp_path).is_intact


def test_commit_that_reached_the_file_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger.open(tmp_path, recover=Undoing())
    intent = ledger.intent(EVENT)
    append = LedgerFile.append

    def late(file: LedgerFile, *args: object, **named: object) -> None:
        append(file, *args, **named)  # type: ignore[arg-type]
        raise CodePlaneError(ErrorCode.STATE_DIRECTORY_READ_ONLY, "the ledger cannot be written")

    with monkeypatch.context() as patched:
        patched.setattr(LedgerFile, "append", late)
        ledger.commit(replace(EVENT, plan=None, intent=intent, status="ok"))
    assert statuses(ledger) == [("ok", None)]
    ledger.close()


def test_abandoned_mutation_is_rolled_back_first(tmp_path: Path) -> None:
    undoing = Undoing()
    ledger = Ledger.open(tmp_path, recover=undoing)
    ledger.abandon(ledger.intent(EVENT))
    assert undoing.plans == []
    ledger.ensure_settled()
    assert undoing.plans == ["the plan"]
    assert statuses(ledger) == [("INTERRUPTED", "UNDONE")]
    ledger.close()


def test_mutations_are_found_by_id_and_by_key(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path, recover=Undoing())
    for number in range(3):
        record = CallRecord(mutation_id=f"m_{number}")
        event = replace(EVENT, plan=f'{{"about":{{"key":"k{number}"}}}}', record=record)
        ledger.commit(replace(event, plan=None, intent=ledger.intent(event), status="ok"))
    assert [row.mutation_id for row in ledger.list_mutations(10)] == ["m_2", "m_1", "m_0"]
    assert [row.seq for row in ledger.list_mutations(10, mutation_id="m_1")] == [
        row.seq for row in ledger.list_mutations(10, key="k1")
    ]
    assert ledger.list_mutations(10, key="none") == []
    ledger.close()
