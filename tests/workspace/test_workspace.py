"""A workspace without an index, with a foreign or damaged one, and its close."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.warnings import WarningCode
from codeplane.disk.locks import FileLock
from codeplane.query.files import get_file
from codeplane.query.snapshot import Snapshot
from codeplane.store.registry import RootSettings, write_settings
from codeplane.workspace import workspace as workspace_module
from codeplane.workspace.freshness import ONE_SHOT, WorkspaceSettings
from codeplane.workspace.prewarm import prewarm
from codeplane.workspace.workspace import Workspace, open_workspace
from support.external_editor import Outside
from support.repositories import git, make_repository, options_for, sync, write
from support.text_search import search_files
from support.workspaces import QUIET, arm, door, is_ready, paths, until

FILES: dict[str, str | bytes] = {"a.py": "def alpha():\n    return 1\n", "pkg/b.py": "def beta():\n    return 1\n"}
LAZY = replace(QUIET, build=False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo", FILES)


def refusal(workspace: Workspace, policy: str | None = None) -> CodePlaneError:
    with pytest.raises(CodePlaneError) as raised:
        workspace.read(paths, policy)
    return raised.value


def test_missing_index_is_built_or_reported(root: Path) -> None:
    with door(root, LAZY) as workspace:
        until(lambda: workspace.state().phase == "absent")
        assert refusal(workspace).code is ErrorCode.NOT_INDEXED
        assert not (root / ".codeplane").exists(), "a question leaves no trace"
        job = workspace.build(force=False)
        assert job.wait(20) and job.report is not None
        assert (job.kind, job.report.decision, job.running) == ("create", "built", False)
        until(lambda: is_ready(workspace))
        assert workspace.read(paths).value == ["a.py", "pkg/b.py"]
    shutil.rmtree(root / ".codeplane")
    with door(root) as workspace:
        assert workspace.read(paths, "strict").value == ["a.py", "pkg/b.py"]
    with open_workspace(options_for(root), ONE_SHOT) as workspace:
        assert workspace.read(paths).freshness.status == "fresh"


def test_read_during_the_first_build_reports_progress(tmp_path: Path) -> None:
    sources: dict[str, str | bytes] = {
        f"m{number}.py": f"def f{number}():\n    return 1\n" * 40 for number in range(300)
    }
    root = make_repository(tmp_path / "repo", sources)
    with door(root) as workspace:
        seen = 0
        while workspace.state().phase in ("opening", "building"):
            try:
                workspace.read(paths, "balanced")
            except CodePlaneError as error:
                assert error.code is ErrorCode.NOT_READY
                seen = max(seen, int(str(error.details.get("files_total", 0))))
                job = workspace.state().active_job
                assert job is None or job.kind == "create"
        assert seen == 300
        assert workspace.build(force=False).wait(20)
        assert len(workspace.read(paths, "strict").value) == 300


def test_close_interrupts_a_build_that_the_next_start_resumes(tmp_path: Path) -> None:
    sources: dict[str, str | bytes] = {
        f"m{number:03}.py": f"def f{number}():\n    return 1\n" * 60 for number in range(400)
    }
    root = make_repository(tmp_path / "repo", sources)
    workspace = Workspace(options_for(root), QUIET)
    workspace.start()
    until(lambda: (progress := workspace.state().progress) is not None and progress.files_done > 5)
    answers: list[str] = []

    def ask() -> None:
        answers.append(refusal(workspace, "strict").code.name)

    waiting = threading.Thread(target=ask)
    waiting.start()
    workspace.close()
    waiting.join(5)
    assert answers == ["SHUTTING_DOWN"]
    with FileLock(root / ".codeplane" / "lock").acquire(0.5):
        pass
    assert refusal(workspace).code is ErrorCode.SHUTTING_DOWN
    with door(root) as workspace:
        assert len(workspace.read(paths, "strict").value) == 400
        assert workspace.state().epoch == 2, "the first epoch holds what was done before"


def test_close_leaves_no_thread(root: Path) -> None:
    before = threading.active_count()
    for settings in (WorkspaceSettings(), QUIET, ONE_SHOT):
        workspace = Workspace(options_for(root), settings)
        workspace.start()
        if settings.build:
            workspace.read(paths, "strict", lexical=True)
        workspace.close()
        workspace.close()
    assert threading.active_count() == before
    Workspace(options_for(root), QUIET).close()


def test_index_is_read_while_another_process_holds_the_lock(root: Path) -> None:
    sync(root)
    lock = FileLock(root / ".codeplane" / "lock").acquire()
    try:
        with door(root) as workspace:
            until(lambda: workspace.state().phase == "waiting")
            assert workspace.state().lock_owner == os.getpid()
            write(root, "c.py", "x = 1\n")
            read = workspace.read(paths)
            assert (read.value, read.freshness.decision) == (["a.py", "pkg/b.py"], "unchecked")
            assert [notice.code for notice in read.notices] == [WarningCode.FRESHNESS_UNCHECKED]
            with open_workspace(options_for(root)) as other:
                assert other.read(paths).freshness.decision == "unchecked"
            lock.release()
            until(lambda: is_ready(workspace), 1.0)
            assert workspace.read(paths).value == ["a.py", "c.py", "pkg/b.py"]
    finally:
        lock.release()


def test_clear_and_rebuild(root: Path) -> None:
    with door(root) as workspace:
        workspace.read(paths, "strict")
        for everything in (False, True):
            report = workspace.clear(everything)
            assert report.removed and report.bytes > 0
            assert workspace.state().phase == "absent"
            assert (root / ".codeplane").exists() is not everything
            assert refusal(workspace).code is ErrorCode.NOT_INDEXED
            assert refusal(workspace, "strict").code is ErrorCode.NOT_INDEXED
            workspace.build(force=False).wait(20)
            assert workspace.read(paths, "strict").value == ["a.py", "pkg/b.py"]


def test_manually_removed_index_is_rebuilt(root: Path) -> None:
    with door(root) as workspace:
        workspace.read(paths, "strict")
        shutil.rmtree(root / ".codeplane")
        assert workspace.read(paths, "strict").value == ["a.py", "pkg/b.py"]
        write(root, "c.py", "x = 1\n")
        assert "c.py" in workspace.read(paths, "strict").value


def test_reads_continue_during_a_forced_build(root: Path) -> None:
    with door(root) as workspace:
        before = workspace.read(paths, "strict")
        job = workspace.build(force=True)
        assert workspace.build(force=True) is job or not job.running
        while job.running:
            assert workspace.read(paths, "best_effort").value == before.value
        assert job.report is not None and job.kind == "reindex" and job.report.decision == "rebuilt"
        after = workspace.read(paths)
        assert (after.value, after.freshness.status) == (before.value, "fresh") and after.epoch > before.epoch
        write(root, "c.py", "x = 1\n")
        assert "c.py" in workspace.read(paths).value
        assert len(list((root / ".codeplane/generations").iterdir())) == 1


def _set_fingerprint(root: Path, old: str, new: str) -> None:
    (database,) = (root / ".codeplane").glob("generations/*/index.db")
    connection = apsw.Connection(str(database), vfs="cksmvfs")
    text = connection.execute("SELECT value FROM meta WHERE key = 'fingerprint'").get
    connection.execute("UPDATE meta SET value = ? WHERE key = 'fingerprint'", (text.replace(old, new),))
    connection.close()


def test_incompatible_index_is_refused_and_rebuilt_on_request(root: Path) -> None:
    sync(root)
    _set_fingerprint(root, '"extractor":"', '"extractor":"older-')
    with door(root) as workspace:
        until(lambda: workspace.state().phase == "incompatible")
        error = refusal(workspace)
        assert error.code is ErrorCode.REQUIRES_REINDEX
        assert list(error.details["differences"]) == ["extractor"]  # type: ignore[call-overload]
        assert {"runtime_fingerprint", "indexed_fingerprint", "source", "reason", "status_at_check"} <= set(
            error.details
        )
        assert refusal(workspace) is not error
        assert workspace.preflight().outcome == "reindex_required"
        assert workspace.build(force=True).wait(20)
        assert workspace.read(paths, "strict").value == ["a.py", "pkg/b.py"]


def test_corruption_met_by_a_reader_is_repaired(root: Path) -> None:
    calls = 0

    def meets_damage(snapshot: Snapshot) -> list[str]:
        nonlocal calls
        calls += 1
        if snapshot.epoch.epoch == 1:
            raise CodePlaneError(ErrorCode.INDEX_CORRUPT, "a page does not match its checksum")
        return paths(snapshot)

    with door(root) as workspace:
        workspace.read(paths, "strict")
        with pytest.raises(CodePlaneError) as raised:
            workspace.read(meets_damage)
        assert raised.value.code is ErrorCode.NOT_READY
        read = workspace.read(meets_damage, "strict")
        assert read.value == ["a.py", "pkg/b.py"] and calls >= 2
        assert WarningCode.INDEX_REBUILT in {notice.code for notice in read.notices}
    with open_workspace(options_for(root)) as workspace:

        def meets_more(snapshot: Snapshot) -> list[str]:
            if snapshot.epoch.epoch == 2:
                raise CodePlaneError(ErrorCode.INDEX_CORRUPT, "a page does not match its checksum")
            return paths(snapshot)

        assert workspace.read(meets_more).value == ["a.py", "pkg/b.py"]


def test_preflight_distinguishes_ignore_rules_from_corruption(root: Path) -> None:
    with door(root, LAZY) as workspace:
        assert workspace.preflight().outcome == "reindex_required"
        workspace.build(force=False).wait(20)
        assert workspace.preflight().outcome == "unknown"
        write(root, "c.py", "x = 1\n")
        assert workspace.preflight().outcome == "unknown"
        write(root, ".gitignore", "pkg/\n")
        assert workspace.preflight().outcome == "reindex_unnecessary_ignore_only"
        workspace.sync()
        assert workspace.preflight().outcome == "reindex_unnecessary_ignore_only"
        workspace.build(force=True).wait(20)
        assert workspace.preflight().outcome == "unknown"
        (root / ".git" / "HEAD").unlink()
        assert workspace.preflight().outcome == "unknown"


def test_user_settings_persist(root: Path) -> None:
    write(root, "tool.foo", "def in_foo():\n    return 1\n")
    watched = sys.platform.startswith("linux")
    options = options_for(root)

    def language(snapshot: Snapshot) -> str | None:
        file = get_file(snapshot, "tool.foo")
        return file.language if file is not None else None

    with door(root) as workspace:
        assert workspace.read(language, "strict").value is None
        write_settings(options.user_state, root, RootSettings(("pkg/",), ((".foo", "python"), (".bar", "klingon"))))
        workspace.reconfigure()
        read = workspace.read(language, "strict")
        assert read.value == "python"
        assert workspace.read(paths).value == ["a.py", "tool.foo"]
        write_settings(options.user_state, root, RootSettings((), ((".foo", "go"),)))
        workspace.reconfigure()
        assert workspace.read(language, "strict").value == "go"
        assert "pkg/b.py" in workspace.read(paths).value
        if watched:
            arm(workspace)
        write_settings(options.user_state, root, RootSettings(("a.py",), ((".foo", "go"),)))
        workspace.reconfigure()
        assert workspace.read(paths).value == ["pkg/b.py", "tool.foo"], "the watcher's word is not enough now"
    with open_workspace(options) as workspace:
        assert workspace.read(language).value == "go"
    write_settings(options.user_state, root, RootSettings())
    with open_workspace(options) as workspace:
        assert workspace.read(language).value is None


def test_prewarm_runs_after_the_start(root: Path) -> None:
    with door(root, WorkspaceSettings(background=False)) as workspace:
        workspace.read(paths, "strict")
        until(lambda: workspace.state().prewarm == "complete")
        state = workspace.state()
        assert state.compatibility is not None and state.compatibility.verdict == "ok"
        hits = workspace.read(lambda snapshot: search_files(snapshot, "alpha", 5), lexical=True).value
        assert hits == ["a.py"]
    with door(root) as workspace:
        assert workspace.state().prewarm == "skipped"


@pytest.mark.parametrize("looks", [0, 1, 3, 8, 12, 99])
def test_prewarm_stops_between_reads(root: Path, looks: int) -> None:
    """And reads only what every index has: an empty one as well as a full one."""
    asked = 0

    def stopped() -> bool:
        nonlocal asked
        asked += 1
        return asked > looks

    with door(root, QUIET) as workspace:
        workspace.read(lambda snapshot: prewarm(snapshot, stopped), "strict", lexical=True)
    assert asked == min(looks + 1, 13)


def test_failed_prewarm_is_retried(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[bool] = []
    fails = True

    def run(snapshot: Snapshot, stopped: Callable[[], bool]) -> None:
        runs.append(fails)
        if fails:
            raise CodePlaneError(ErrorCode.INDEX_LOCKED, "busy")
        prewarm(snapshot, stopped)

    monkeypatch.setattr(workspace_module, "prewarm", run)
    with door(root, replace(QUIET, prewarm=True)) as workspace:
        until(lambda: workspace.state().prewarm == "failed")
        workspace.sync()
        assert runs == [True], "not at every look"
        workspace.build(force=True).wait(20)
        until(lambda: len(runs) == 2)
        assert workspace.state().prewarm == "failed"
        fails = False
        monkeypatch.setattr(workspace_module, "PREWARM_RETRY_SECONDS", 0.0)
        workspace.sync()
        until(lambda: workspace.state().prewarm == "complete")
        workspace.sync()
        assert runs == [True, True, False]


def test_moved_root_is_an_error(root: Path) -> None:
    with door(root, replace(QUIET, watcher=False)) as workspace:
        workspace.read(paths, "strict")
        root.rename(root.with_name("elsewhere"))
        assert refusal(workspace).code is not ErrorCode.INTERNAL
        write(root, "other.py", "x = 1\n")
        until(lambda: is_ready(workspace))
        assert workspace.read(paths, "strict").value == ["other.py"], "another directory under the same name"


def test_failed_sync_is_reported(root: Path) -> None:
    with door(root, replace(QUIET, watcher=False)) as workspace:
        workspace.read(paths, "strict")
        head = root / ".git" / "HEAD"
        text = head.read_text()
        head.write_text("garbage\n")
        freshness = workspace.read(paths).freshness
        assert (freshness.status, freshness.decision, freshness.reason) == ("stale", "failed", "GIT_DAMAGED")
        assert refusal(workspace, "strict").code is ErrorCode.GIT_DAMAGED
        head.write_text(text)
        assert workspace.read(paths).freshness.status == "fresh"
        assert workspace.state().last_error is None


@pytest.mark.parametrize("watcher", [True, False])
def test_many_readers_and_an_external_editor(tmp_path: Path, watcher: bool) -> None:
    """Each reader sees at least what was written before its read, in one epoch, or a stale result."""
    root = make_repository(tmp_path / "repo", {"counter.py": "def n_0():\n    return 1\n", **FILES})
    outside = Outside(root, seed=7)
    stop = threading.Event()
    written = 0
    failures: list[str] = []
    asked = [0]

    def read_on(workspace: Workspace, number: int) -> None:
        policy = ("balanced", "balanced", "strict", "best_effort")[number % 4]
        try:
            while not stop.is_set():
                floor = written

                def ask(snapshot: Snapshot) -> int:
                    rows = snapshot.reader.rows("SELECT name FROM defs WHERE name GLOB 'n_[0-9]*'")
                    assert len(rows) == 1, rows
                    assert snapshot.reader.count("SELECT count(*) FROM files") == snapshot.epoch.files
                    return int(rows[0][0][2:])

                read = workspace.read(ask, policy, lexical=number % 5 == 0)
                asked[0] += 1
                if read.freshness.status == "fresh" and read.value < floor:
                    failures.append(f"{policy}: {read.value} after {floor} ({read.freshness})")
        except BaseException as error:
            failures.append(f"{policy}: {error!r}")
            raise

    settings = replace(QUIET, watcher=watcher, inline_ms=250, debounce_ms=20, background=True)
    with door(root, settings) as workspace:
        workspace.read(paths, "strict")
        threads = [threading.Thread(target=read_on, args=(workspace, number)) for number in range(20)]
        for thread in threads:
            thread.start()
        for number in range(1, 150):
            target = root / "counter.tmp"
            target.write_text(f"def n_{number}():\n    return 1\n")
            target.rename(root / "counter.py")
            written = number
            outside_file = root / f"gen/d{number % 5}/f{number % 7}.md"
            outside_file.parent.mkdir(parents=True, exist_ok=True)
            outside_file.write_text(outside.content(".md"))
            if number % 9 == 0:
                shutil.rmtree(root / f"gen/d{number % 5}")
            time.sleep(0.02)
            if failures:
                break
        stop.set()
        for thread in threads:
            thread.join(35)
        assert not failures, failures[:3]
        assert asked[0] >= len(threads), "every reader has read at least once"
        git(root, "add", "-A")
        assert workspace.read(paths, "strict").freshness.status == "fresh"
