"""Text form of the tools for the index, the server and tasks: one to three lines each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from codeplane.base.envelope import Answer
from codeplane.base.text_lines import agent_text
from codeplane.tools.arguments import Arguments
from codeplane.tools.text.health import render_health_check
from codeplane.tools.text.manage_index import render_manage_index
from codeplane.tools.text.task import render_task
from support.repositories import make_repository
from support.tooling import Server, serving


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    files: dict[str, str | bytes] = {"a.py": "def f():\n    return 1\n", "b.py": "x = 1\n"}
    with serving(make_repository(tmp_path_factory.mktemp("admin-text") / "repo", files)) as server:
        yield server


def test_healthy_server_is_one_word(shop: Server) -> None:
    assert shop.text("health_check") == "ready"


def test_index_actions_are_one_line(shop: Server) -> None:
    assert shop.text("manage_index", {"action": "status"}) == "the index is ready: 2 files"
    assert shop.text("manage_index", {"action": "sync"}) == "up to date: 2 files"
    assert shop.text("manage_index", {"action": "create"}) == "the index exists and is kept up to date: 2 files"


def test_codebases_are_one_path_a_line(shop: Server) -> None:
    assert shop.text("list_codebases") == str(shop.root.resolve())


def test_repository_is_described_in_one_line(shop: Server) -> None:
    shown = shop.text("describe")
    assert shown.startswith(f"{shop.root.resolve()}; branch ") and "indexed: 2 files, 2 definitions" in shown
    assert "\n" not in shown


def test_tool_is_described_with_parameters_and_calls(shop: Server) -> None:
    lines = shop.text("describe", {"action": "tool", "name": "file_outline"}).split("\n")
    assert lines[0].startswith("file_outline: ")
    assert any(line.startswith("  file: required string. ") for line in lines)
    assert any(line.startswith("  depth: all|top = all. ") for line in lines)
    assert any(line.startswith("example: file_outline path=src/app.py") for line in lines)
    assert any(line.startswith("  resolve_mode: outline|exact") for line in lines), "unlisted parameters are described"


def test_building_index_reports_progress() -> None:
    fields: dict[str, Any] = {
        "status": "indexing",
        "grammars": {"available": ["python"]},
        "prewarm_status": "pending",
        "watcher": "starting",
        "startup_checks": {"index": {"status": "not_indexed"}},
        "active_job": {"kind": "create", "phase": "parse", "files_done": 2410, "files_total": 7007},
    }
    assert agent_text(render_health_check(Arguments(), Answer(fields))).split("\n") == [
        "indexing; index not indexed",
        "create: parse 2,410 of 7,007 files",
    ]


def test_problems_of_a_server_are_named() -> None:
    fields: dict[str, Any] = {
        "status": "error",
        "grammars": {"available": [], "missing": ["zig"]},
        "prewarm_status": "failed",
        "watcher": "limit",
        "startup_checks": {"index": {"status": "reindex_required"}},
        "lock_owner": 12,
        "last_error": {"code": 1, "error": "INDEX_CORRUPT"},
    }
    hints = {"reindex": {"tool": "manage_index", "args": {"action": "reindex"}}}
    assert agent_text(render_health_check(Arguments(), Answer(fields, hints=hints))).split("\n") == [
        "error; index reindex required; prewarm failed; file watcher stopped at the inotify limit; "
        "grammars missing: zig; index held by process 12; last error INDEX_CORRUPT",
        "hint: manage_index action=reindex",
    ]


def test_blocked_reindex_names_both_remedies() -> None:
    hints = {
        "sync": {"tool": "manage_index", "args": {"action": "sync"}},
        "override_reindex": {"tool": "manage_index", "args": {"action": "reindex", "allow_unnecessary_reindex": True}},
    }
    answer = Answer({}, status="blocked", message="Only ignore rules changed; a sync is enough.", hints=hints)
    assert agent_text(render_manage_index(Arguments(), answer)).split("\n") == [
        "only ignore rules changed; a sync is enough",
        "hint: manage_index action=sync",
        "hint: manage_index action=reindex allow_unnecessary_reindex=true",
    ]


def test_task_from_open_to_close(shop: Server) -> None:
    opened = shop.text("task", {"action": "open", "max_mutations": 20, "paths": ["src/**"]})
    task_id, _, state = opened.partition(" ")
    assert state == "open"
    shop.text("read", {"target": "a.py"})
    first, *rest = shop.text("task", {"action": "status"}).split("\n")
    assert first.startswith(f"{task_id} open, 1 call, ")
    assert rest == ["limits: max_mutations 20", "paths: src/**"]
    assert shop.text("task", {"action": "close"}).startswith(f"{task_id} closed_success, 2 calls")


def test_task_that_reached_a_limit() -> None:
    fields = {
        "task_id": "t_1",
        "state": "CLOSED_FAILED",
        "limit_triggered": "max_tokens",
        "counters": {"duration_sec": 3},
    }
    assert agent_text(render_task(Arguments(), Answer(fields))) == "t_1 closed_failed, limit max_tokens reached, 3 s"
