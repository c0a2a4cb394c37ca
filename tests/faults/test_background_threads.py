"""Background threads that meet an exception: the service is repaired, and no caller waits for ever.

The long version: `CPL_ROUNDS=1000 CPL_SEED=1 pytest -m sweep -s tests/faults/test_background_threads.py`.
"""

from __future__ import annotations

import ctypes
import os
import random
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.index.indexer import Indexer
from codeplane.ledger.events import Event
from codeplane.ledger.ledger import Ledger
from codeplane.processes.threads import SupervisedThread
from codeplane.query.defs import list_defs_by_name
from codeplane.query.snapshot import Snapshot
from codeplane.workspace.workspace import Workspace
from support.repositories import make_repository, write
from support.workspaces import QUIET, door, is_ready, paths, until

FILES: dict[str, str | bytes] = {"a.py": "def alpha():\n    return 1\n", "pkg/b.py": "def beta():\n    return 1\n"}
IDLE_SECONDS = 0.5
"""Pause between requests in which the index thread reaches its idle work."""
RAISED = (RuntimeError, SystemExit, MemoryError, KeyboardInterrupt, OSError)


@pytest.fixture
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codeplane.workspace.index_thread._RETRY_SECONDS", 0.02)
    monkeypatch.setattr("codeplane.workspace.index_thread._MAX_RETRY_SECONDS", 0.1)
    monkeypatch.setattr("codeplane.processes.threads.PAUSE_SECONDS", 0.02)


def raise_in(name: str, exception: type[BaseException]) -> bool:
    """Raise an exception in a thread, wherever it is."""
    found = [thread.ident for thread in threading.enumerate() if thread.name == name]
    if not found or found[0] is None:
        return False
    return bool(ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(found[0]), ctypes.py_object(exception)))


def test_exceptions_of_a_thread_are_followed_by_another_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codeplane.processes.threads.PAUSE_SECONDS", 0.0)
    attempts: list[BaseException | None] = [RuntimeError(), SystemExit(), None]
    failures: list[BaseException] = []

    def work() -> None:
        error = attempts[len(failures)]
        if error is not None:
            raise error

    def failed(error: BaseException) -> None:
        failures.append(error)
        raise OSError

    thread = SupervisedThread("test", work, failed)
    thread.start()
    assert thread.join(20)
    assert failures == attempts[:2]


def test_dead_threads_are_replaced() -> None:
    runs: list[int] = []
    release = threading.Event()

    def work() -> None:
        runs.append(1)
        release.wait(20)

    thread = SupervisedThread("test", work)
    thread.ensure_running()
    assert not runs, "it was not started"
    thread.start()
    until(lambda: bool(runs))
    dead = threading.Thread(target=lambda: None)
    dead.start()
    dead.join()
    thread._thread = dead
    thread.ensure_running()
    until(lambda: len(runs) == 2)
    release.set()
    assert thread.join(20)
    thread.ensure_running()
    assert len(runs) == 2, "its work has ended"


def test_damage_seen_in_a_replaced_index_leaves_the_new_one_readable(tmp_path: Path) -> None:
    """Also with a sync pending at the same time: the phase BUILDING must not outlive the request."""
    root = make_repository(tmp_path / "repo", FILES)
    with door(root) as workspace:
        workspace.read(paths, "strict")
        requests = workspace._requests
        with requests.changed:
            requests.mark_corrupt("another index")
            requests.request_sync()
        until(lambda: is_ready(workspace))
        assert workspace.read(paths, "strict").value == sorted(FILES)


@pytest.mark.usefixtures("quick_retries")
@pytest.mark.parametrize("method", ["needs_sync", "has_unresolved", "epoch", "index_id", "settle", "watchable"])
@pytest.mark.parametrize("code", [ErrorCode.INDEX_CORRUPT, ErrorCode.INTERNAL, None])
def test_errors_outside_of_a_sync_are_repaired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, code: ErrorCode | None
) -> None:
    """Reading the state of a truncated database fails in places that handle an earlier error, too."""
    root = make_repository(tmp_path / "repo", FILES)
    original = getattr(Indexer, method)
    read: Callable[[Indexer], object] = getattr(original, "fget", original)
    left = 0

    def fails(self: Indexer) -> object:
        nonlocal left
        if left > 0:
            left -= 1
            raise CodePlaneError(code, "it was truncated") if code is not None else RuntimeError
        return read(self)

    monkeypatch.setattr(Indexer, method, property(fails) if isinstance(original, property) else fails)
    monkeypatch.setattr("codeplane.workspace.sync_runner.SETTLE_SECONDS", 0.01)
    with door(root) as workspace:
        workspace.read(paths, "strict")
        for failures in (1, 3):
            left, version = failures, 0
            while left or not version:
                before, version = left, version + 1
                workspace._requests.mark_corrupt("another index")
                write(root, "a.py", f"def alpha_{failures}_{version}():\n    return 1\n")
                read_at_last(workspace, f"alpha_{failures}_{version}")
                # `settle` runs only when the thread is idle, and another request would postpone it.
                deadline = time.monotonic() + IDLE_SECONDS
                while 0 < left == before and time.monotonic() < deadline:
                    time.sleep(0.005)
            until(lambda: is_ready(workspace))
            read_at_last(workspace, "beta")


def read_at_last(workspace: Workspace, name: str) -> None:
    """Read until a definition is found. Errors are stated, and a strict result is never wrong."""

    def find(snapshot: Snapshot) -> bool:
        return bool(list_defs_by_name(snapshot, name, 1).rows)

    deadline = time.monotonic() + 60
    while True:
        try:
            assert workspace.read(find, "strict").value, f"{name} was not found by a fresh read"
            return
        except CodePlaneError as error:
            assert time.monotonic() < deadline, error
            time.sleep(0.02)


def raise_at_random(tmp_path: Path, seed: int, rounds: int) -> None:
    print(f"seed {seed}, {rounds} rounds")
    chooser = random.Random(seed)
    root = make_repository(tmp_path / "repo", FILES)
    raised = 0
    with door(root, QUIET) as workspace:
        workspace.read(paths, "strict")
        for number in range(rounds):
            name = f"gamma_{number}"
            write(root, "a.py", f"def {name}():\n    return 1\n")
            workspace.request_sync()
            time.sleep(chooser.random() * 0.03)
            raised += raise_in(chooser.choice(("codeplane-index", "codeplane-watch")), chooser.choice(RAISED))
            read_at_last(workspace, name)
    assert raised > rounds // 2


@pytest.mark.usefixtures("quick_retries")
def test_reads_survive_exceptions_in_background_threads(tmp_path: Path) -> None:
    raise_at_random(tmp_path, 1, 25)


@pytest.mark.sweep
@pytest.mark.timeout(0)
@pytest.mark.usefixtures("quick_retries")
def test_reads_survive_many_exceptions_in_background_threads(tmp_path: Path) -> None:
    raise_at_random(tmp_path, int(os.environ.get("CPL_SEED", "1")), int(os.environ.get("CPL_ROUNDS", "1000")))


@pytest.mark.usefixtures("quick_retries")
@pytest.mark.parametrize("method", ["start_group", "clear_group"])
def test_callers_of_the_ledger_are_answered_after_any_exception(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    ledger = Ledger.open(tmp_path)
    fails: list[BaseException] = [RuntimeError(), SystemExit()]
    original: Callable[[], None] = getattr(ledger._writer.acks, method)

    def fail() -> None:
        if fails:
            raise fails.pop()
        original()

    monkeypatch.setattr(ledger._writer.acks, method, fail)
    for _ in range(2):
        answered_or_refused(ledger)
    assert not fails
    answered_or_refused(ledger)
    ledger.close()


def answered_or_refused(ledger: Ledger) -> None:
    ended = threading.Event()

    def record() -> None:
        with suppress(CodePlaneError):
            ledger.intent(Event("write_source", "r_1", op_type="mutation"))
        ended.set()

    threading.Thread(target=record, daemon=True).start()
    assert ended.wait(20), "a caller of the ledger waits for ever"
