"""Every change made before a call began is in its answer, or the answer says that it is stale."""

from __future__ import annotations

import os
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.query.defs import list_defs_by_name
from codeplane.query.snapshot import Snapshot
from codeplane.workspace.freshness import WorkspaceSettings
from support.repositories import git, make_repository, write
from support.workspaces import QUIET, HeldSync, arm, door, is_ready, paths, until

FILES: dict[str, str | bytes] = {"a.py": "def alpha():\n    return 1\n", "pkg/b.py": "def beta():\n    return 1\n"}
WATCHED = pytest.param(QUIET, id="watcher")
UNWATCHED = pytest.param(replace(QUIET, watcher=False), id="no-watcher")
BOTH = pytest.mark.parametrize("settings", [WATCHED, UNWATCHED])
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there is no watcher elsewhere")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo", FILES)


def names(name: str) -> object:
    return lambda snapshot: [row.path for row in list_defs_by_name(snapshot, name, 20).rows]


def count_defs(name: str):  # type: ignore[no-untyped-def]
    def ask(snapshot: Snapshot) -> int:
        return len(list_defs_by_name(snapshot, name, 20).rows)

    return ask


@BOTH
def test_read_your_writes(root: Path, settings: WorkspaceSettings) -> None:
    """Edits, new files, new directories, moves and removals, each asked for at once."""
    with door(root, settings) as workspace:
        until(lambda: is_ready(workspace))
        for number in range(12):
            write(root, "a.py", f"def alpha_{number:02}():\n    return 1\n")
            read = workspace.read(count_defs(f"alpha_{number:02}"))
            assert (read.value, read.freshness.status) == (1, "fresh"), number
            write(root, f"new{number}/deep/c.py", f"def gamma_{number}():\n    return 1\n")
            assert workspace.read(count_defs(f"gamma_{number}")).value == 1, number
            write(root, f"new{number}/deep/d.py", f"def delta_{number}():\n    return 1\n")
            assert workspace.read(count_defs(f"delta_{number}")).value == 1, number
            (root / f"new{number}").rename(root / f"moved{number}")
            write(root, f"moved{number}/deep/e.py", f"def epsilon_{number}():\n    return 1\n")
            assert f"moved{number}/deep/e.py" in workspace.read(paths).value
            assert f"new{number}/deep/c.py" not in workspace.read(paths).value
            (root / f"moved{number}/deep/c.py").unlink()
            assert f"moved{number}/deep/c.py" not in workspace.read(paths).value


@BOTH
def test_a_commit_and_a_branch_switch(root: Path, settings: WorkspaceSettings) -> None:
    with door(root, settings) as workspace:
        until(lambda: is_ready(workspace))
        workspace.read(paths)
        git(root, "switch", "-qc", "other")
        write(root, "c.py", "def gamma():\n    return 1\n")
        git(root, "add", "-A")
        git(root, "commit", "-qm", "more")
        assert "c.py" in workspace.read(paths).value
        git(root, "switch", "-q", "main")
        assert "c.py" not in workspace.read(paths).value


@LINUX
def test_watcher_proves_freshness_without_a_sync(root: Path) -> None:
    with door(root) as workspace:
        until(lambda: is_ready(workspace))
        arm(workspace)
        assert workspace.state().watcher == "on"
        before = workspace.state().last_sync
        read = workspace.read(paths)
        assert (read.freshness.decision, workspace.state().last_sync) == ("fresh", before)
        assert workspace.read(paths, "best_effort").freshness.status == "fresh"
        write(root, "a.py", "def changed():\n    return 1\n")
        found = workspace.read(paths, "best_effort").freshness
        assert (found.status, found.decision, found.stale_paths) == ("stale", "unchecked", ("a.py",))
        assert workspace.read(count_defs("changed")).freshness.decision == "synced"
        # The rules outside the walked directories are looked at, too.
        arm(workspace)
        write(root, ".git/info/exclude", "pkg/\n")
        assert workspace.read(paths).freshness.decision == "reconciled_ignores"
        assert workspace.read(paths).value == ["a.py"]


@LINUX
def test_watcher_overflow_loses_no_change(root: Path) -> None:
    room = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if room > 100_000:
        pytest.skip("the queue of this machine is too long to fill")
    with door(root) as workspace:
        until(lambda: is_ready(workspace))
        arm(workspace)
        watcher = workspace._requests.watcher
        assert watcher is not None
        with watcher._mutex:  # The watcher cannot read its queue meanwhile.
            for _ in range(room // 2 + 10):
                os.utime(root / "a.py")
                os.utime(root / "pkg/b.py")
            (root / "pkg").rename(root / "lib")
            write(root, "lib/new/c.py", "def gamma():\n    return 1\n")
        assert workspace.read(paths).value == ["a.py", "lib/b.py", "lib/new/c.py"]
        arm(workspace)
        write(root, "lib/new/d.py", "x = 1\n")
        assert "lib/new/d.py" in workspace.read(paths).value
        assert workspace.state().watcher == "on"


@BOTH
def test_ignore_rules_are_reconciled(root: Path, settings: WorkspaceSettings) -> None:
    with door(root, settings) as workspace:
        until(lambda: is_ready(workspace))
        workspace.read(paths)
        write(root, ".gitignore", "pkg/\n")
        read = workspace.read(paths)
        assert (read.value, read.freshness.decision) == ([".gitignore", "a.py"], "reconciled_ignores")
        assert workspace.read(paths).freshness.decision == "fresh"
        write(root, ".gitignore", "a.py\n")
        read = workspace.read(paths)
        assert (read.value, read.freshness.decision) == ([".gitignore", "pkg/b.py"], "reconciled_ignores")


def test_balanced_read_returns_stale_and_the_sync_continues(root: Path) -> None:
    with door(root, replace(QUIET, watcher=False, inline_ms=0)) as workspace:
        until(lambda: is_ready(workspace))
        for number in range(30):
            write(root, f"m{number:02}.py", f"def load_{number}():\n    return 1\n")
        read = workspace.read(count_defs("load_7"))
        assert (read.value, read.freshness.status, read.freshness.decision) == (0, "stale", "deferred")
        until(lambda: workspace.state().active_job is None and workspace.read(count_defs("load_7")).value == 1)


def test_stale_paths_are_reported_once_known(root: Path) -> None:
    with door(root, replace(QUIET, watcher=False, inline_ms=100)) as workspace:
        until(lambda: is_ready(workspace))
        write(root, "c.py", "def gamma():\n    return 1\n")
        (root / "pkg/b.py").unlink()
        look = HeldSync(workspace)
        read = workspace.read(paths)
        # That look began before the call: the next one, which has not begun, is what the call waits for.
        assert (read.freshness.decision, read.freshness.stale_total) == ("deferred", 0)
        look.end()
        read = workspace.read(paths, "strict")
        assert (read.value, read.freshness.status) == (["a.py", "c.py"], "fresh")


def test_running_sync_is_not_shared(root: Path) -> None:
    answers: list[object] = []
    with door(root, replace(QUIET, watcher=False)) as workspace:
        until(lambda: is_ready(workspace))
        write(root, "c.py", "x = 1\n")
        first = HeldSync(workspace)
        write(root, "late.py", "def late():\n    return 1\n")
        readers = [
            threading.Thread(target=lambda: answers.append(workspace.read(count_defs("late")))) for _ in range(4)
        ]
        for reader in readers:
            reader.start()
        until(lambda: workspace.has_pending_request)
        first.end()
        for reader in readers:
            reader.join(20)
        assert [read.value for read in answers] == [1] * 4  # type: ignore[attr-defined]
        decisions = sorted(read.freshness.decision for read in answers)  # type: ignore[attr-defined]
        assert decisions.count("coalesced") == 3, decisions


def test_strict_read_fails_at_its_deadline(root: Path) -> None:
    with door(root, replace(QUIET, watcher=False, strict_seconds=0.0)) as workspace:
        until(lambda: is_ready(workspace))
        write(root, "a.py", "def changed():\n    return 1\n")
        with pytest.raises(CodePlaneError) as raised:
            workspace.read(paths, "strict")
        assert raised.value.code is ErrorCode.INDEX_STALE
        with pytest.raises(CodePlaneError) as raised:
            workspace.read(paths, "lenient")
        assert raised.value.code is ErrorCode.ARGUMENT_INVALID


@BOTH
def test_best_effort_starts_no_sync(root: Path, settings: WorkspaceSettings) -> None:
    with door(root, settings) as workspace:
        until(lambda: is_ready(workspace))
        before = workspace.state().last_sync
        write(root, "c.py", "x = 1\n")
        read = workspace.read(paths, "best_effort")
        assert (read.freshness.status, read.freshness.decision) == ("stale", "unchecked")
        assert workspace.state().active_job is None and workspace.state().last_sync == before
        assert "stale_paths" not in replace(read.freshness, stale_total=0).as_dict()


def test_read_of_one_file_checks_only_that_file(root: Path) -> None:
    for path in FILES:
        os.utime(root / path, ns=(0, 0))
    with door(root, replace(QUIET, watcher=False)) as workspace:
        until(lambda: is_ready(workspace))
        # Settled files only: what was made a moment ago is hashed again first.
        until(lambda: workspace.read(paths, file=RepoPath("a.py")).freshness.decision == "fresh")
        before = workspace.state().last_sync

        def is_seen_alone() -> bool:
            nonlocal before
            before = workspace.state().last_sync
            workspace.read(paths, file=RepoPath("a.py"))
            return workspace.state().last_sync == before

        until(is_seen_alone)
        write(root, "pkg/c.py", "x = 1\n")
        read = workspace.read(paths, file=RepoPath("a.py"))
        assert (read.freshness.decision, workspace.state().last_sync) == ("fresh", before)
        write(root, "a.py", "def changed():\n    return 1\n")
        assert workspace.read(count_defs("changed"), file=RepoPath("a.py")).value == 1
        assert "pkg/new.py" not in workspace.read(paths, file=RepoPath("pkg/new.py")).value
        write(root, "pkg/new.py", "x = 1\n")
        assert "pkg/new.py" in workspace.read(paths, file=RepoPath("pkg/new.py")).value
        write(root, ".gitignore", "pkg/\n")
        assert "pkg/b.py" not in workspace.read(paths, file=RepoPath("pkg/b.py")).value


def test_query_error_of_an_old_epoch_is_retried(root: Path) -> None:
    def ask(snapshot: Snapshot) -> str:
        if "c.py" not in paths(snapshot):
            raise CodePlaneError(ErrorCode.FILE_NOT_FOUND, "not there")
        return "found"

    def blunder(snapshot: Snapshot) -> int:
        return paths(snapshot).index("d.py")

    with door(root, replace(QUIET, watcher=False)) as workspace:
        until(lambda: is_ready(workspace))
        with pytest.raises(CodePlaneError):
            workspace.read(ask)
        write(root, "c.py", "x = 1\n")
        assert workspace.read(ask).value == "found"
        with pytest.raises(ValueError):
            workspace.read(blunder)
        write(root, "d.py", "x = 1\n")
        assert workspace.read(blunder).value == 2


def test_a_call_can_be_cancelled_while_it_waits(root: Path) -> None:
    with door(root, replace(QUIET, watcher=False)) as workspace:
        until(lambda: is_ready(workspace))
        write(root, "c.py", "x = 1\n")
        look = HeldSync(workspace)
        with pytest.raises(CodePlaneError) as raised:
            workspace.read(paths, cancelled=lambda: True)
        assert raised.value.code is ErrorCode.CANCELLED
        look.end()


@pytest.mark.parametrize("watcher", [True, False])
def test_background_sync_follows_a_change(root: Path, watcher: bool) -> None:
    """By the watcher after its debounce; without it at the interval."""
    settings = WorkspaceSettings(prewarm=False, watcher=watcher, debounce_ms=50, interval_seconds=0.2, background=True)
    with door(root, settings) as workspace:
        until(lambda: is_ready(workspace))
        workspace.sync()
        write(root, "c.py", "def gamma():\n    return 1\n")
        until(lambda: workspace.read(count_defs("gamma"), "best_effort").value == 1)
