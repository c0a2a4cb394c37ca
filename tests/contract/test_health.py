"""health_check: warming, ready, indexing or error, and why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from codeplane.base.errors import ErrorCode
from codeplane.disk.locks import FileLock
from codeplane.languages.registry import languages
from codeplane.operations.health import health_fields, index_word
from codeplane.store.layout import create_state
from codeplane.workspace.compatibility import usable
from codeplane.workspace.freshness import IndexPhase, WorkspaceState
from support.repositories import make_repository, sync
from support.tooling import QUIET, Envelope, Server, error_of, serving
from support.workspaces import until

FILES: dict[str, str | bytes] = {"a.py": "def alpha():\n    return 1\n"}
PREWARMED = replace(QUIET, server=replace(QUIET.server, prewarm=True))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo", FILES)


def test_from_warming_to_ready(root: Path) -> None:
    sync(root)
    lock = FileLock(root / ".codeplane" / "lock").acquire()
    with serving(root, config=PREWARMED, ready=False) as server:
        first = server.health()
        assert (first["status"], first["prewarm_status"]) == ("warming", "pending")
        lock.release()
        until(lambda: server.health()["status"] == "ready")
        last = server.health()
        assert last["prewarm_status"] == "complete"
        assert last["tantivy_ok"] is True and last["sqlite_ok"] is True


def test_without_prewarm(root: Path) -> None:
    sync(root)
    with serving(root) as server:
        assert (server.health()["status"], server.health()["prewarm_status"]) == ("ready", "skipped")


def test_while_indexing(tmp_path: Path) -> None:
    sources: dict[str, str | bytes] = {f"m{n:03}.py": f"def f{n}():\n    return 1\n" * 60 for n in range(300)}
    root = make_repository(tmp_path / "large", sources)
    with serving(root, config=PREWARMED, ready=False) as server:
        found = until_found(server, "create")
        job = found["active_job"]
        assert (job["phase"], job["files_total"]) == ("index", 300)
        assert 0 < job["files_done"] <= 300 and 0 <= job["percent"] <= 100
        assert found["startup_checks"]["index"]["status"] == "not_indexed"
        until(lambda: server.health()["status"] == "ready")
        assert "active_job" not in server.health()
        server.manage("reindex")
        until_found(server, "reindex")
        assert server.call("map_repo", {"include": "languages"})["status"] == "ok", "the old index answers meanwhile"
        until(lambda: server.health()["status"] == "ready")


def until_found(server: Server, kind: str) -> Envelope:
    """Health at a moment at which such a job was under way and had done something."""
    seen: list[Envelope] = []

    def at_work() -> bool:
        seen.append(server.health())
        return bool(seen[-1].get("active_job", {}).get("files_done"))

    until(at_work)
    assert seen[-1]["status"] == "indexing"
    assert seen[-1]["active_job"]["kind"] == kind
    return seen[-1]


def test_without_an_index(root: Path) -> None:
    with serving(root) as server:
        server.manage("clear", confirm=True)
        found = server.call("health_check")
        assert (found["status"], found["result"]["status"]) == ("ok", "error")
        assert found["result"]["startup_checks"]["index"]["status"] == "not_indexed"
        assert found["hints"]["create"] == {"tool": "manage_index", "args": {"action": "create"}}


def test_while_another_process_holds_the_lock(root: Path) -> None:
    create_state(root)
    with FileLock(root / ".codeplane" / "lock").acquire() as lock, serving(root, ready=False) as server:
        until(lambda: "lock_owner" in server.health())
        assert server.health()["status"] == "warming"
        assert server.health()["startup_checks"]["index"]["status"] == "not_indexed"
        for action in ("create", "reindex"):
            refused = server.manage(action, wait=True)
            assert refused["status"] == "blocked"
            error_of(refused, ErrorCode.INDEX_LOCKED)
        lock.release()
        until(lambda: server.health()["status"] == "ready")
    with FileLock(root / ".codeplane" / "lock").acquire(), serving(root, ready=False) as server:
        until(lambda: server.health()["startup_checks"]["index"]["status"] == "compatible")
        assert server.health()["status"] == "warming"


def test_text_for_an_index_locked_by_another_process() -> None:
    assert index_word("waiting", published=True) == "indexed"
    assert index_word("waiting", published=False) == "indexing"


def test_failed_prewarm_is_an_error_of_the_text_index() -> None:
    ready = WorkspaceState(IndexPhase.READY, "on", "failed", compatibility=usable())
    found = health_fields(ready)
    assert (found["status"], found["prewarm_status"]) == ("error", "failed")
    assert (found["sqlite_ok"], found["tantivy_ok"]) == (True, False)
    assert health_fields(replace(ready, phase=IndexPhase.OPENING))["status"] == "warming"


def test_grammars(root: Path) -> None:
    with serving(root) as server:
        assert server.health()["grammars"] == {"available": [language.name for language in languages()]}


def test_health_check_does_not_read_the_index(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(root) as server:
        monkeypatch.setattr(type(server.pipeline._roots.home.workspace), "read", None)
        assert server.call("health_check")["status"] == "ok"
