"""A requested build always ends: also if the index is cleared, or another process holds the lock."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.disk.locks import FileLock
from codeplane.store.layout import create_state
from codeplane.workspace.freshness import ONE_SHOT, WorkspaceSettings
from codeplane.workspace.workspace import Workspace
from support.repositories import make_repository, sync, write
from support.workspaces import QUIET, HeldSync, door, is_ready, paths, until

LAZY = replace(QUIET, build=False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo", {"a.py": "def alpha():\n    return 1\n"})


@contextmanager
def clearing(workspace: Workspace) -> Iterator[None]:
    """The index is being cleared from the beginning of the block on, and is gone after it."""
    thread = threading.Thread(target=workspace.clear)
    thread.start()
    until(lambda: workspace.has_pending_request or workspace.state().phase == "absent")
    yield
    thread.join(20)
    assert workspace.state().phase == "absent"


def test_queued_build_fails_when_the_index_is_cleared(root: Path) -> None:
    with door(root, replace(QUIET, watcher=False)) as workspace:
        until(lambda: is_ready(workspace))
        write(root, "b.py", "x = 1\n")
        look = HeldSync(workspace)
        job = workspace.build(force=True)
        with clearing(workspace):
            look.release()
        look.end()
        assert job.wait(5) and job.error is not None
        assert (job.error.code, job.report) == (ErrorCode.NOT_INDEXED, None)
        time.sleep(0.05)
        assert workspace.state().phase == "absent", "what was asked for before the clearing is not done after it"
        again = workspace.build(force=False)
        assert again.wait(20) and again.report is not None


@pytest.mark.parametrize("force", [False, True])
def test_running_build_fails_when_the_index_is_cleared(tmp_path: Path, force: bool) -> None:
    text = "".join(f"def f{number}():\n    return 1\n" for number in range(40))
    root = make_repository(tmp_path / "repo", {f"m{number:03}.py": text for number in range(300)})
    if force:
        sync(root)
    with door(root, LAZY) as workspace:
        until(lambda: workspace.state().phase == ("ready" if force else "absent"))
        job = workspace.build(force=force)
        until(lambda: job.progress.files_done > 5)
        with clearing(workspace):
            assert job.wait(20)
        assert job.error is not None and job.error.code is ErrorCode.NOT_INDEXED
        assert job.report is None
        assert workspace.state().last_error is None


@pytest.mark.parametrize("settings", [QUIET, LAZY, ONE_SHOT], ids=["builds", "lazy", "once"])
@pytest.mark.parametrize("indexed", [True, False])
def test_build_is_refused_while_another_process_holds_the_lock(
    root: Path, indexed: bool, settings: WorkspaceSettings
) -> None:
    """Also before the first attempt to take the lock; and it is not done later in the background."""
    create_state(root)
    if indexed:
        sync(root)
    with FileLock(root / ".codeplane" / "lock").acquire() as lock, door(root, settings) as workspace:
        for force in (False, True, False):
            with pytest.raises(CodePlaneError) as raised:
                workspace.build(force=force)
            assert (raised.value.code, raised.value.details) == (ErrorCode.INDEX_LOCKED, {"pid": os.getpid()})
        expected = "waiting" if indexed or settings.build else "absent"
        until(lambda: workspace.state().phase == expected)
        lock.release()
        if expected == "waiting":
            until(lambda: is_ready(workspace))
        job = workspace.build(force=False)
        assert job.wait(20) and job.report is not None
        until(lambda: is_ready(workspace))
        assert workspace.read(paths).value == ["a.py"]


def test_refused_build_is_not_done_later(root: Path) -> None:
    create_state(root)
    with FileLock(root / ".codeplane" / "lock").acquire() as lock, door(root, LAZY) as workspace:
        with pytest.raises(CodePlaneError):
            workspace.build(force=False)
        lock.release()
        until(lambda: workspace.state().phase == "absent")
        time.sleep(0.3)
        assert workspace.state().phase == "absent"
        assert not (root / ".codeplane" / "CURRENT").exists()


def test_briefly_held_lock_refuses_no_build(root: Path) -> None:
    create_state(root)
    lock = FileLock(root / ".codeplane" / "lock").acquire()
    with door(root, LAZY) as workspace:
        until(lambda: workspace.state().phase == "absent")
        timer = threading.Timer(0.05, lock.release)
        timer.start()
        job = workspace.build(force=False)
        timer.join()
        assert job.wait(20) and job.report is not None


def test_published_flag(root: Path) -> None:
    with door(root, LAZY) as workspace:
        until(lambda: workspace.state().phase == "absent")
        assert not workspace.state().published
    create_state(root)
    with FileLock(root / ".codeplane" / "lock").acquire() as lock, door(root) as workspace:
        until(lambda: workspace.state().phase == "waiting")
        assert not workspace.state().published
        lock.release()
        until(lambda: is_ready(workspace))
        assert workspace.state().published
    with FileLock(root / ".codeplane" / "lock").acquire(), door(root) as workspace:
        until(lambda: workspace.state().phase == "waiting")
        assert workspace.state().published
