"""manage_index: every action, every preflight outcome, and that no accepted parameter is without effect."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from codeplane.base.errors import ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.disk.locks import FileLock
from codeplane.index.indexer import Indexer
from codeplane.index.options import SyncReport
from codeplane.operations.read_meta import report_meta
from codeplane.tools.surface import Surface
from support.fingerprints import tamper
from support.ledgers import list_operations
from support.privileges import ordinary_rights
from support.repositories import git, make_repository, sync, write
from support.tooling import QUIET, Server, call_tool, codes_of, error_of, follow, serving
from support.workspaces import until

FILES: dict[str, str | bytes] = {
    "a.py": "def alpha():\n    return 1\n",
    "pkg/b.py": "def beta():\n    return 2\n",
    "fast.pyx": "def gamma():\n    return 3\n",
    "notes.md": "# Notes\n",
}

IMPATIENT = replace(QUIET, freshness=replace(QUIET.freshness, strict_sec=0.3))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo", FILES)


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Takes a while to build."""
    sources: dict[str, str | bytes] = {
        f"m{number:03}.py": f"def f{number}():\n    return 1\n" * 60 for number in range(300)
    }
    return make_repository(tmp_path / "large", sources)


def until_building(server: Server) -> None:
    until(lambda: server.health().get("active_job", {}).get("files_total", 0) > 0)


def files_of(server: Server) -> int:
    found = server.call("map_repo", {"include": "structure"})
    count = found["result"]["structure"]["file_count"]
    assert isinstance(count, int)
    return count


def test_create_builds_a_missing_index_and_reports_an_existing_one(root: Path) -> None:
    with serving(root) as server:
        assert server.manage("clear", confirm=True)["status"] == "ok"
        started = server.manage("create")
        assert (started["status"], started["reason"]) == ("ok", "indexing")
        assert started["result"]["active_job"]["kind"] == "create"
        server.wait_ready()
        there = server.manage("create")
        assert (there["status"], there["reason"]) == ("ok", "already_indexed")
        assert there["result"] == {"files": 4}
        assert follow(server, there["hints"]["sync"])["result"]["decision"] == "fresh"
        forced = server.manage("create", force=True, wait=True)
        assert (forced["status"], forced["result"]["decision"]) == ("ok", "rebuilt")
        assert forced["meta"]["epoch"] > there["meta"]["epoch"]
        assert forced["meta"]["freshness"] == {"status": "fresh", "decision": "synced"}


def test_concurrent_builds_are_reported_or_awaited(large: Path) -> None:
    with serving(large, ready=False) as server:
        until_building(server)
        for action in ("create", "reindex"):
            told = server.manage(action)
            assert (told["status"], told["reason"]) == ("not_ready", "indexing")
            assert told["result"]["active_job"]["kind"] == "create"
        status = server.manage("status")
        assert (status["status"], status["reason"]) == ("not_ready", "indexing")
        assert status["result"]["index_status"] == "indexing"
        assert status["result"]["active_job"]["files_total"] == 300
        asked = server.call("map_repo")
        assert (asked["status"], asked["reason"]) == ("not_ready", "indexing")
        assert error_of(asked, ErrorCode.NOT_READY)["details"]["files_total"] == 300
        waited = server.manage("reindex", wait=True)
        assert (waited["status"], waited["result"]["files"]) == ("ok", 300)
        assert waited["meta"]["epoch"] == 1, "one build for both"


def test_cancelled_request_does_not_stop_the_build(large: Path) -> None:
    with serving(large, ready=False) as server:
        until_building(server)
        asked = iter([False, False])
        left = server.call("manage_index", {"action": "create", "wait": True}, cancelled=lambda: next(asked, True))
        assert "continues" in error_of(left, ErrorCode.CANCELLED)["message"]
        server.wait_ready()
        assert files_of(server) == 300


def test_call_cancelled_before_start_has_no_effect(root: Path) -> None:
    with serving(root) as server:
        for answers in (iter(()), iter((False,))):
            cancelled = partial(next, answers, True)
            left = server.call("manage_index", {"action": "clear", "confirm": True}, cancelled=cancelled)
            error_of(left, ErrorCode.CANCELLED)
        assert files_of(server) == 4, "nothing was removed"
    rows = list_operations(root / ".codeplane", 100, None, None)
    ended = [row for row in rows if row.error_code == ErrorCode.CANCELLED.number]
    assert [row.intent_seq is not None for row in ended] == [True, False], "each has its outcome"


def test_progress_reports_the_phase(large: Path) -> None:
    told: set[str] = set()
    with serving(large) as server:
        write(large, "more.py", "x = 1\n")
        server.call("manage_index", {"action": "sync"}, progress=lambda done, total, message: told.add(message))
    assert told and told <= {"scan", "index", "finish"}


@pytest.mark.parametrize("action", ["create", "reindex"])
def test_short_build_reports_its_end_and_can_be_searched(
    root: Path, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[float, float | None]] = []
    arguments = {"action": action, "wait": True}
    arguments |= {"force": True} if action == "create" else {"allow_unnecessary_reindex": True}
    with serving(root) as server:
        monkeypatch.setattr(Indexer, "resolve", lambda *_: False)
        server.call("manage_index", arguments, progress=lambda done, total, _: told.append((done, total)))
        assert len(told) >= 2 and told[-1] == (4, 4)
        assert files_of(server) == 4, "the answer does not wait for references"


def test_create_during_a_build_stores_its_settings(large: Path) -> None:
    with serving(large, ready=False) as server:
        until_building(server)
        told = server.manage("create", ignore_patterns=["m0*.py"])
        assert told["status"] == "not_ready"
        done = server.manage("create", ignore_patterns=["m0*.py"], wait=True)
        assert done["status"] == "ok"
        assert files_of(server) == 200


def test_incompatible_index_requires_reindex(root: Path) -> None:
    sync(root)
    tamper(root, extractor="0.0")
    with serving(root, ready=False) as server:
        until(lambda: server.manage("status")["status"] == "requires_reindex")
        create = server.manage("create")
        assert (create["status"], create["reason"]) == ("requires_reindex", "index_incompatible")
        done = server.manage("reindex", wait=True)
        assert (done["status"], done["result"]["decision"]) == ("ok", "rebuilt")
        assert done["result"]["preflight"] == {"outcome": "reindex_required", "verdict": "requires_reindex"}
        assert "warnings" not in done and "reason" not in done
        assert server.manage("status")["status"] == "ok"


def test_create_with_force_rebuilds_an_incompatible_index(root: Path) -> None:
    sync(root)
    tamper(root, extractor="0.0")
    with serving(root, ready=False) as server:
        until(lambda: server.manage("status")["status"] == "requires_reindex")
        assert server.manage("create", force=True, wait=True)["status"] == "ok"
        assert files_of(server) == 4


def test_unnecessary_reindex_after_ignore_changes_is_blocked(root: Path) -> None:
    with serving(root) as server:
        write(root, ".gitignore", "*.md\n")
        blocked = server.manage("reindex")
        assert (blocked["status"], blocked["reason"]) == ("blocked", "unnecessary_reindex_ignore_only")
        assert blocked["result"]["preflight"]["outcome"] == "reindex_unnecessary_ignore_only"
        assert codes_of(blocked) == ["REINDEX_UNNECESSARY_IGNORE_ONLY"]
        assert blocked["hints"]["override_reindex"]["args"] == {"action": "reindex", "allow_unnecessary_reindex": True}
        synced = follow(server, blocked["hints"]["sync"])
        assert synced["result"]["reconciled_ignores"] is True
        assert files_of(server) == 4, "the notes went, the ignore file came"
        forced = follow(server, blocked["hints"]["override_reindex"], wait=True)
        assert (forced["status"], forced["result"]["decision"]) == ("ok", "rebuilt")
        assert codes_of(forced) == ["REINDEX_UNNECESSARY_IGNORE_ONLY"]


def test_reindex_without_a_known_reason_warns(root: Path) -> None:
    with serving(root) as server:
        done = server.manage("reindex", wait=True)
        assert (done["status"], done["reason"]) == ("ok", "preflight_unknown")
        assert done["result"]["preflight"] == {"outcome": "unknown"}
        assert codes_of(done) == ["REINDEX_PREFLIGHT_UNKNOWN"]
        assert done["result"]["decision"] == "rebuilt"
        assert "hints" not in done


def test_reindex_with_a_failed_preflight_warns(root: Path) -> None:
    write(root, ".gitignore", "*.log\n")
    with serving(root) as server:
        (root / ".gitignore").chmod(0)
        with ordinary_rights():
            done = server.manage("reindex", wait=True)
        assert done["status"] == "ok"
        assert done["result"]["preflight"] == {"outcome": "probe_failed", "error": "FILE_UNREADABLE"}
        assert "IGNORE_POLICY_PROBE_FAILED" in codes_of(done)
        assert done["hints"] == {"preflight": {"probe_failed": True}}
        assert "reason" not in done, "an outcome of the preflight, not of the answer"


@pytest.mark.parametrize("kind", ["directory", "link"])
def test_removed_ignore_file_changes_the_rules(root: Path, kind: str) -> None:
    write(root, ".gitignore", "*.md\n")
    with serving(root) as server:
        (root / ".gitignore").unlink()
        if kind == "directory":
            (root / ".gitignore").mkdir()
        else:
            (root / ".gitignore").symlink_to("notes.md")
        assert server.manage("reindex")["reason"] == "unnecessary_reindex_ignore_only"


def test_sync_reports_changes(root: Path) -> None:
    with serving(root) as server:
        assert server.manage("sync")["result"] == {"decision": "fresh", "files": 4}
        write(root, "c.py", "def delta():\n    return 1\n")
        (root / "notes.md").unlink()
        done = server.manage("sync")
        assert done["result"] == {"decision": "synced", "files": 4, "added": 1, "removed": 1}
        assert done["message"] == "Updated."
        assert done["meta"]["freshness"] == {"status": "fresh", "decision": "synced"}
        again = server.call("sync_repo")
        assert again["result"]["decision"] == "fresh"
        assert again["meta"]["freshness"] == {"status": "fresh"}
        assert codes_of(again) == ["DEPRECATED_TOOL"]


def test_partial_sync_is_reported() -> None:
    report = SyncReport(3, "synced", "", 4, stale=(RepoPath("a.py"),))
    freshness = {"status": "stale", "decision": "deferred", "stale_paths": ["a.py"], "stale_total": 1}
    assert report_meta(report) == {"epoch": 3, "freshness": freshness}


def test_clear_needs_confirm(root: Path) -> None:
    write(root, ".codeplane/config.yaml", "index:\n  workers: 1\n")
    with serving(root) as server:
        for arguments in ({}, {"confirm": False}):
            refused = server.manage("clear", **arguments)
            assert refused["status"] == "blocked"
            assert error_of(refused, ErrorCode.CONFIRMATION_REQUIRED)["example"] == {"action": "clear", "confirm": True}
        assert files_of(server) == 4, "nothing was removed"
        done = server.call("manage_index", error_of(refused, ErrorCode.CONFIRMATION_REQUIRED)["example"])
        assert done["status"] == "ok" and done["result"]["bytes"] > 0
        assert (root / ".codeplane/config.yaml").exists()
        assert (root / "a.py").exists()
        status = server.manage("status")
        assert (status["status"], status["reason"]) == ("not_indexed", "not_indexed")
        assert server.call("list_codebases")["result"] == {"not_indexed": [str(server.root)]}
        asked = server.call("map_repo")
        assert (asked["status"], asked["reason"]) == ("not_indexed", "not_indexed")
        assert follow(server, asked["hints"]["create"], wait=True)["status"] == "ok"
        assert files_of(server) == 4
        assert server.manage("clear", confirm=True)["message"] == "The index was removed."
        assert server.manage("clear", confirm=True)["message"] == "There was nothing to remove."


def test_custom_extensions_survive_a_restart(root: Path) -> None:
    with serving(root) as server:
        assert server.call("file_outline", {"file": "fast.pyx"})["status"] == "unsupported"
        assert server.manage("create", custom_extensions=[".pyx=python"])["status"] == "ok"
        assert server.call("file_outline", {"file": "fast.pyx"})["result"]["symbols"][0]["name"] == "gamma"
        assert server.manage("status")["result"]["custom_extensions"] == [".pyx=python"]
    with serving(root) as server:
        assert server.call("file_outline", {"file": "fast.pyx"})["result"]["language"] == "python"
        assert server.manage("reindex", custom_extensions=[], wait=True)["status"] == "ok"
        assert server.call("file_outline", {"file": "fast.pyx"})["status"] == "unsupported"
        assert "custom_extensions" not in server.manage("status")["result"]


def test_ignore_patterns_survive_a_restart(root: Path) -> None:
    with serving(root) as server:
        assert server.manage("create", ignore_patterns="*.md, pkg/")["status"] == "ok"
        assert files_of(server) == 2
        left_out = server.call("file_outline", {"file": "pkg/b.py"})
        assert error_of(left_out, ErrorCode.FILE_NOT_FOUND)["details"]["ignored_by"].endswith("pkg/")
    with serving(root) as server:
        assert files_of(server) == 2
        assert server.manage("status")["result"]["ignore_patterns"] == ["*.md", "pkg/"]
        assert server.manage("reindex", ignore_patterns=[], wait=True)["status"] == "ok"
        assert files_of(server) == 4
    assert not git(root, "status", "--porcelain"), "nothing of it lies in the tree"


def test_status_stays_small_with_the_maximum_of_settings(root: Path) -> None:
    patterns = [f"{'é' * 290}{number}" for number in range(100)]
    extensions = [f".x{'y' * 30}{number}=python" for number in range(100)]
    with serving(root) as server:
        done = server.manage("reindex", ignore_patterns=patterns, custom_extensions=extensions, wait=True)
        assert done["status"] == "ok"
        status = server.manage("status")["result"]
        assert status["ignore_patterns"] == patterns[:10] and status["ignore_patterns_total"] == 100
        assert len(status["custom_extensions"]) == 10 and status["custom_extensions_total"] == 100
        for name, values in (("ignore_patterns", patterns), ("custom_extensions", extensions)):
            refused = error_of(server.manage("create", **{name: [*values, values[0]]}), ErrorCode.ARGUMENT_INVALID)
            assert (refused["expected"], refused["received"]) == ("at most 100", "101")
        error_of(server.manage("create", ignore_patterns=["a" * 301]), ErrorCode.ARGUMENT_INVALID)


@pytest.mark.parametrize(
    ("action", "name", "value"),
    [
        ("sync", "force", True),
        ("reindex", "force", True),
        ("status", "custom_extensions", [".pyx=python"]),
        ("sync", "ignore_patterns", ["*.md"]),
        ("create", "allow_unnecessary_reindex", True),
        ("create", "confirm", True),
        ("sync", "wait", True),
        ("clear", "wait", True),
    ],
)
def test_parameter_without_effect_is_rejected(shared: Server, action: str, name: str, value: object) -> None:
    refused = error_of(shared.manage(action, **{name: value}), ErrorCode.ARGUMENT_INVALID)
    assert name in refused["message"] and name in refused["expected"]
    assert name in refused["example"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("custom_extensions", "pyx"),
        ("custom_extensions", [".pyx=cobol"]),
        ("custom_extensions", ["a/b=python"]),
        ("ignore_patterns", ["a\nb"]),
        ("ignore_patterns", [" "]),
    ],
)
def test_invalid_settings_are_rejected_with_a_valid_example(shared: Server, name: str, value: object) -> None:
    refused = error_of(shared.manage("create", **{name: value}), ErrorCode.ARGUMENT_INVALID)
    assert refused["expected"] and refused["received"] and refused["example"]["action"] == "create"
    assert name not in shared.manage("status")["result"]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Asked by many and changed by none."""
    with serving(make_repository(tmp_path_factory.mktemp("shared") / "repo", FILES)) as server:
        yield server


READ_ONLY = Surface(("all", "compat"), read_only=True)


@pytest.mark.parametrize("action", ["create", "reindex", "sync", "clear"])
def test_read_only_surface_rejects_effects(shared: Server, action: str) -> None:
    refused = shared.call("manage_index", {"action": action, "confirm": action == "clear"}, surface=READ_ONLY)
    error = error_of(refused, ErrorCode.READ_ONLY)
    assert error["expected"] == "action: status"
    assert shared.manage("status")["status"] == "ok"


def test_read_only_surface_allows_status(shared: Server) -> None:
    for tool, arguments in (("manage_index", {"action": "status"}), ("index_status", {}), ("map_repo", {})):
        assert shared.call(tool, arguments, surface=READ_ONLY)["status"] == "ok"
    assert shared.call("sync_repo", surface=READ_ONLY)["error"]["error"] in ("UNKNOWN_TOOL", "READ_ONLY")


def test_index_from_a_clone_is_replaced(root: Path, tmp_path: Path) -> None:
    theirs = make_repository(tmp_path / "theirs" / "repo", {"a.py": "def planted():\n    return 1\n"})
    sync(theirs)
    shutil.copytree(theirs / ".codeplane", root / ".codeplane")
    assert call_tool(root, "manage_index", {"action": "create", "wait": True})["status"] == "ok"
    found = call_tool(root, "file_outline", {"file": "a.py"})
    assert [symbol["name"] for symbol in found["result"]["symbols"]] == ["alpha"]


def test_index_locked_by_another_process_is_read_unsynced(root: Path) -> None:
    sync(root)
    with (
        FileLock(root / ".codeplane" / "lock").acquire(),
        serving(root, config=IMPATIENT) as server,
    ):
        status = server.manage("status")
        assert status["message"].startswith("Another process")
        assert server.health()["status"] == "warming"
        found = server.call("map_repo", {"include": "languages"})
        assert found["meta"]["freshness"] == {"status": "stale", "decision": "unchecked"}
        assert codes_of(found) == ["FRESHNESS_UNCHECKED"]
        strict = server.call("map_repo", {"freshness_policy": "strict"})
        assert (strict["status"], strict["reason"]) == ("stale", "index_stale")


def test_unusable_index_reports_the_reason(root: Path) -> None:
    write(root, ".codeplane", "in the way")
    with serving(root, ready=False) as server:
        until(lambda: server.health()["status"] == "error")
        assert server.health()["last_error"]["error"] == "STATE_DIRECTORY_UNSAFE"
        status = server.manage("status")
        assert status["status"] == "error"
        assert "startup_checks" in error_of(status, ErrorCode.STATE_DIRECTORY_UNSAFE)["details"]
        error_of(server.call("map_repo"), ErrorCode.STATE_DIRECTORY_UNSAFE)
        assert server.call("list_codebases")["result"] == {"failed": [str(server.root)]}
