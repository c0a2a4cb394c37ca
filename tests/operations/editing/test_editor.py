"""Many batches at a time, the end of an editor, and what is kept of files."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.disk.batch import Batch
from codeplane.operations.editing.editor import AppliedEdit, Request
from codeplane.operations.editing.keeping import Keeping, Room
from codeplane.operations.editing.locks import Turns
from codeplane.operations.editing.model import EditPlan
from codeplane.operations.editing.planning import PlanOptions, plan_edits
from codeplane.tasks.model import ANYWHERE
from support.edits import CallJournal, bench, create, delete, kept_in, never, paths_of, tree_of, update
from support.repositories import write


def test_disjoint_batches_do_not_wait_for_each_other(tmp_path: Path) -> None:
    inside, go = threading.Event(), threading.Event()

    class Slow(CallJournal):
        def begin(self, batch: Batch) -> None:
            inside.set()
            assert go.wait(20)
            super().begin(batch)

    with bench(tmp_path) as opened:
        edits = [create("slow.txt", "x")]
        options = PlanOptions(ANYWHERE, False, opened.editor.explain)
        request = Request(paths_of(edits), lambda root: plan_edits(root, edits, options))
        slow = threading.Thread(target=opened.editor.apply, args=(request, Slow(opened.ledger), never))
        slow.start()
        assert inside.wait(20)
        opened.apply(create("quick.txt", "x"))
        assert not (tmp_path / "slow.txt").exists()
        waiting = threading.Thread(target=opened.apply, args=(update("slow.txt", "x", "y"),))
        waiting.start()
        time.sleep(0.05)
        assert waiting.is_alive(), "one of the same file waits"
        go.set()
        slow.join()
        waiting.join()
        assert (tmp_path / "slow.txt").read_text() == "y"


def test_turns_are_taken_in_the_order_of_coming() -> None:
    turns, order = Turns(), list[int]()
    first = turns.taken(["a", "b"], never)
    first.__enter__()

    def want(number: int, names: list[str]) -> None:
        with turns.taken(names, never):
            order.append(number)

    threads = []
    for number, names in enumerate((["b", "c"], ["c"], ["d"])):
        thread = threading.Thread(target=want, args=(number, names))
        thread.start()
        threads.append(thread)
        time.sleep(0.05)
    assert order == [2], "what nobody has is had at once; what an earlier one waits for is not"
    first.__exit__(None, None, None)
    for thread in threads:
        thread.join()
    assert order == [2, 0, 1]


def test_whoever_gives_up_waiting_leaves_no_trace() -> None:
    turns = Turns()
    with turns.taken(["a"], never), pytest.raises(CodePlaneError) as caught, turns.taken(["a"], lambda: True):
        raise AssertionError("it is taken")
    assert caught.value.code is ErrorCode.CANCELLED
    with turns.taken(["a"], never):
        pass


def test_the_end_waits_for_what_is_being_applied_and_refuses_the_rest(tmp_path: Path) -> None:
    inside, go = threading.Event(), threading.Event()
    results: list[AppliedEdit | EditPlan] = []

    class Slow(CallJournal):
        def begin(self, batch: Batch) -> None:
            super().begin(batch)
            inside.set()
            assert go.wait(20)

    with bench(tmp_path) as opened:
        edits = [create("slow.txt", "x")]
        options = PlanOptions(ANYWHERE, False, opened.editor.explain)
        request = Request(paths_of(edits), lambda root: plan_edits(root, edits, options))
        slow = threading.Thread(target=lambda: results.append(opened.editor.apply(request, Slow(opened.ledger), never)))
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
    assert isinstance(results[0], AppliedEdit)
    assert set(tree_of(tmp_path)) == {"slow.txt"}


def test_a_ledger_that_closes_in_the_middle_undoes_the_batch(tmp_path: Path) -> None:
    class Closing(CallJournal):
        def begin(self, batch: Batch) -> None:
            super().begin(batch)
            self._ledger.close()

        def end(self) -> None:
            pass

    with bench(tmp_path) as opened:
        edits = [create("a.txt", "x")]
        options = PlanOptions(ANYWHERE, False, opened.editor.explain)
        request = Request(paths_of(edits), lambda root: plan_edits(root, edits, options))
        with pytest.raises(CodePlaneError) as caught:
            opened.editor.apply(request, Closing(opened.ledger), never)
        assert caught.value.code is ErrorCode.SHUTTING_DOWN
    assert tree_of(tmp_path) == {}
    with bench(tmp_path) as again:
        assert [row.status for row in again.ledger.list_mutations(5)] == ["INTERRUPTED"]


def test_what_is_kept_is_bounded_by_bytes_and_by_age(tmp_path: Path) -> None:
    with bench(tmp_path, room=Room(days=1, bytes=250)) as opened:
        ids = []
        for number in range(5):
            write(tmp_path, f"f{number}.txt", "x" * 100)
            ids.append(opened.apply(delete(f"f{number}.txt")).batch.mutation_id)
        assert kept_in(tmp_path) == sorted(ids[-2:])
        now = time.time()
        for name in kept_in(tmp_path):
            os.utime(tmp_path / ".codeplane/txn" / name, (now - 3 * 86400, now - 3 * 86400))
        keeping = Keeping(opened.editor.root, Room(days=1, bytes=10_000))
        keeping.add("m_aaaaaaaaaaaaaaaaaaaa", 0, {ids[-1]})
        assert kept_in(tmp_path) == [ids[-1]], "what is under way stays, however old it is"


def test_leftovers_of_a_change_that_never_began_go_at_the_start(tmp_path: Path) -> None:
    with bench(tmp_path) as opened:
        known = opened.apply(create("a.txt", "x")).batch.mutation_id
    write(tmp_path, ".codeplane/txn/m_neverneverneverneve/0", "half of it")
    with bench(tmp_path):
        assert kept_in(tmp_path) == [known]


def test_what_a_damaged_ledger_may_have_known_stays(tmp_path: Path) -> None:
    with bench(tmp_path) as opened:
        known = opened.apply(create("a.txt", "x")).batch.mutation_id
    (tmp_path / ".codeplane/ledger.db").write_bytes(b"nothing of the kind")
    with bench(tmp_path):
        assert kept_in(tmp_path) == [known]


def test_a_directory_that_two_batches_need_survives_the_failure_of_one(tmp_path: Path) -> None:
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


def test_of_two_batches_with_names_that_are_one_file_elsewhere_one_makes_it(tmp_path: Path) -> None:
    with bench(tmp_path) as opened, ThreadPoolExecutor(4) as pool:
        for number in range(5):
            names = [f"Name{number}.txt", f"name{number}.txt", f"New{number}/a.txt", f"new{number}/b.txt"]
            futures = [pool.submit(opened.apply, create(name, "x")) for name in names]
            outcomes = [_code(future) for future in futures]
            assert set(outcomes[:2]) == set(outcomes[2:]) == {None, ErrorCode.PATH_UNPORTABLE}


def _code(future: Future[AppliedEdit]) -> ErrorCode | None:
    error = future.exception()
    assert error is None or isinstance(error, CodePlaneError)
    return error.code if error is not None else None
