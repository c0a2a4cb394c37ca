"""Concurrent mutations, closing an editor, and the undo store."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.edits.delta import Delta
from codeplane.edits.journal import JournalEntry
from codeplane.edits.model import EditPlan
from codeplane.edits.name_locks import NameLocks
from codeplane.edits.undo_store import RetentionLimits, UndoStore
from support.edits import CallJournal, bench, create, delete, never, stored_in, tree_of, update
from support.repositories import write


def test_disjoint_mutations_run_concurrently(tmp_path: Path) -> None:
    inside, go = threading.Event(), threading.Event()

    class Slow(CallJournal):
        def begin(self, entry: JournalEntry) -> None:
            inside.set()
            assert go.wait(20)
            super().begin(entry)

    with bench(tmp_path) as opened:
        journal = Slow(opened.ledger)
        slow = threading.Thread(
            target=lambda: opened.try_apply([create("slow.txt", "x")], journal=journal),
        )
        slow.start()
        assert inside.wait(20)
        opened.apply(create("quick.txt", "x"))
        assert not (tmp_path / "slow.txt").exists()
        waiting = threading.Thread(target=opened.apply, args=(update("slow.txt", "x", "y"),))
        waiting.start()
        time.sleep(0.05)
        assert waiting.is_alive(), "a mutation of the same file waits"
        go.set()
        slow.join()
        waiting.join()
        assert (tmp_path / "slow.txt").read_text() == "y"


def test_name_locks_are_first_in_first_out() -> None:
    locks, order = NameLocks(), list[int]()
    first = locks.acquire(["a", "b"], never)
    first.__enter__()

    def want(number: int, names: list[str]) -> None:
        with locks.acquire(names, never):
            order.append(number)

    threads = []
    for number, names in enumerate((["b", "c"], ["c"], ["d"])):
        thread = threading.Thread(target=want, args=(number, names))
        thread.start()
        threads.append(thread)
        time.sleep(0.05)
    assert order == [2], "a free name is acquired at once; one that an earlier waiter wants is not"
    first.__exit__(None, None, None)
    for thread in threads:
        thread.join()
    assert order == [2, 0, 1]


def test_cancelled_waiter_releases_its_names() -> None:
    locks = NameLocks()
    with locks.acquire(["a"], never), pytest.raises(CodePlaneError) as caught, locks.acquire(["a"], lambda: True):
        raise AssertionError("it is held")
    assert caught.value.code is ErrorCode.CANCELLED
    with locks.acquire(["a"], never):
        pass


def test_lock_is_extended_only_by_free_names() -> None:
    locks = NameLocks()
    with locks.acquire(["a"], never) as ticket, locks.acquire(["b"], never):
        assert not locks.extend(ticket, ["b", "c"])
        assert locks.extend(ticket, ["a", "c"])
        with pytest.raises(CodePlaneError), locks.acquire(["c"], lambda: True):
            raise AssertionError("it is held")


def test_close_waits_for_running_mutations_and_refuses_new_ones(tmp_path: Path) -> None:
    inside, go = threading.Event(), threading.Event()
    results: list[Delta | EditPlan] = []

    class Slow(CallJournal):
        def begin(self, entry: JournalEntry) -> None:
            super().begin(entry)
            inside.set()
            assert go.wait(20)

    with bench(tmp_path) as opened:
        journal = Slow(opened.ledger)
        slow = threading.Thread(
            target=lambda: results.append(opened.try_apply([create("slow.txt", "x")], journal=journal))
        )
        slow.start()
        assert inside.wait(20)
        closing = threading.Thread(target=opened.editor.close, args=(20,))
        closing.start()
        time.sleep(0.05)
        with pytest.raises(CodePlaneError) as caught:
            opened.apply(create("late.txt", "x"))
        assert caught.value.code is ErrorCode.SHUTTING_DOWN
        assert closing.is_alive()
        go.set()
        closing.join()
        slow.join()
    assert isinstance(results[0], Delta)
    assert set(tree_of(tmp_path)) == {"slow.txt"}


def test_closing_the_ledger_during_a_mutation_rolls_it_back(tmp_path: Path) -> None:
    class Closing(CallJournal):
        def begin(self, entry: JournalEntry) -> None:
            super().begin(entry)
            self.ledger.close()

        def end(self) -> None:
            pass

    with bench(tmp_path) as opened:
        with pytest.raises(CodePlaneError) as caught:
            opened.try_apply([create("a.txt", "x")], journal=Closing(opened.ledger))
        assert caught.value.code is ErrorCode.SHUTTING_DOWN
    assert tree_of(tmp_path) == {}
    with bench(tmp_path) as again:
        assert [row.status for row in again.ledger.list_mutations(5)] == ["INTERRUPTED"]


def test_undo_store_is_limited_by_size_and_age(tmp_path: Path) -> None:
    with bench(tmp_path, limits=RetentionLimits(days=1, bytes=250)) as opened:
        ids = []
        for number in range(5):
            write(tmp_path, f"f{number}.txt", "x" * 100)
            ids.append(opened.apply(delete(f"f{number}.txt")).mutation_id)
        assert stored_in(tmp_path) == sorted(ids[-2:])
        now = time.time()
        for name in stored_in(tmp_path):
            os.utime(tmp_path / ".codeplane/txn" / name, (now - 3 * 86400, now - 3 * 86400))
        store = UndoStore(opened.editor.root, RetentionLimits(days=1, bytes=10_000))
        store.add("m_aaaaaaaaaaaaaaaaaaaa", 0, {ids[-1]})
        assert stored_in(tmp_path) == [ids[-1]], "a running mutation stays, whatever its age"


def test_staged_files_of_unknown_mutations_are_removed_at_start(tmp_path: Path) -> None:
    with bench(tmp_path) as opened:
        known = opened.apply(create("a.txt", "x")).mutation_id
    write(tmp_path, ".codeplane/txn/m_neverneverneverneve/0", "half of it")
    with bench(tmp_path):
        assert stored_in(tmp_path) == [known]


def test_undo_store_is_not_swept_if_the_ledger_was_quarantined(tmp_path: Path) -> None:
    with bench(tmp_path) as opened:
        known = opened.apply(create("a.txt", "x")).mutation_id
    (tmp_path / ".codeplane/ledger.db").write_bytes(b"nothing of the kind")
    with bench(tmp_path):
        assert stored_in(tmp_path) == [known]


def test_directory_needed_by_two_mutations_survives_the_failure_of_one(tmp_path: Path) -> None:
    write(tmp_path, "b.txt", "b\n")
    failures: list[str] = []

    def good(number: int) -> None:
        opened.apply(create(f"made/{number}.txt", "x"))

    def bad() -> None:
        try:
            opened.apply(create("made/bad.txt", "x"), update("b.txt", "not there", "x"))
        except CodePlaneError as error:
            failures.append(error.code.name)

    with bench(tmp_path) as opened:
        threads = [threading.Thread(target=good, args=(number,)) for number in range(4)]
        threads += [threading.Thread(target=bad) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failures == ["EDIT_NOT_FOUND"] * 4
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == [f"{number}.txt" for number in range(4)]


def test_concurrent_creations_of_case_variants_conflict(tmp_path: Path) -> None:
    with bench(tmp_path) as opened, ThreadPoolExecutor(4) as pool:
        for number in range(5):
            names = [f"Name{number}.txt", f"name{number}.txt", f"New{number}/a.txt", f"new{number}/b.txt"]
            futures = [pool.submit(opened.apply, create(name, "x")) for name in names]
            outcomes = [_code(future) for future in futures]
            assert set(outcomes[:2]) == set(outcomes[2:]) == {None, ErrorCode.PATH_UNPORTABLE}


def _code(future: Future[Delta]) -> ErrorCode | None:
    error = future.exception()
    assert error is None or isinstance(error, CodePlaneError)
    return error.code if error is not None else None
