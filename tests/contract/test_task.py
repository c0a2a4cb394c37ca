"""task: open, use, exceed limits, close; and the rows in the ledger."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from codeplane.base.call_record import CallRecord
from codeplane.base.envelope import Answer
from codeplane.base.errors import ErrorCode
from codeplane.ledger.queries import OperationFilter, find_operations, list_tasks
from codeplane.tools import catalog
from codeplane.tools.arguments import Arguments
from codeplane.tools.calls import Call
from codeplane.tools.handler import Handler, load_handler
from codeplane.tools.spec import Param, ToolSpec
from codeplane.tools.surface import Surface
from support.repositories import make_repository
from support.tooling import Envelope, Server, codes_of, error_of, follow, serving

CHANGE = ToolSpec(
    "change",
    ("files",),
    "",
    (Param("what", "string"),),
    read_only=False,
    budget="mutations",
    read_only_when={"what": ("look",)},
)
RUN_TESTS = ToolSpec("run_tests", ("tests",), "", (Param("failure", "string"),), read_only=False, budget="test_runs")


@dataclass(frozen=True, kw_only=True)
class ChangeArguments(Arguments):
    what: str


@dataclass(frozen=True, kw_only=True)
class RunTestsArguments(Arguments):
    failure: str | None = None


def change(call: Call, args: ChangeArguments) -> Answer:
    call.session.scope.require(args.what)
    return Answer({}, record=CallRecord(changed_paths=[args.what], mutation_fingerprint=f"m_{args.what[0]}"))


def run_tests(call: Call, args: RunTestsArguments) -> Answer:
    return Answer({}, record=CallRecord(failure_fingerprint=args.failure))


HANDLERS: dict[str, Handler[Any]] = {
    "change": Handler(ChangeArguments, change),
    "run_tests": Handler(RunTestsArguments, run_tests),
}


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """With two tools that use up budgets."""
    for spec in (CHANGE, RUN_TESTS):
        monkeypatch.setitem(catalog.BY_NAME, spec.name, spec)
    monkeypatch.setattr(
        "codeplane.tools.pipeline.load_handler", lambda spec: HANDLERS.get(spec.name) or load_handler(spec)
    )
    with serving(make_repository(tmp_path / "repo", {"a.py": "def a():\n    pass\n"})) as running:
        yield running


def opened(server: Server, **limits: object) -> Envelope:
    envelope = server.call("task", {"action": "open", **limits})
    assert envelope["status"] == "ok"
    result: Envelope = envelope["result"]
    return result


def rows_of(server: Server, task_id: str) -> list[tuple[str | None, ...]]:
    """Return the rows of a task in the ledger, oldest first."""
    ledger = server.pipeline._ledger
    assert ledger is not None
    ledger.flush()
    found = find_operations(server.root / ".codeplane", 100, OperationFilter(task_id=task_id), oldest=True)
    return [(row.tool, row.op_type, row.status, row.limit_triggered) for row in found]


def state_of(server: Server, task_id: str) -> str:
    ledger = server.pipeline._ledger
    assert ledger is not None
    ledger.flush()
    return next(task.state for task in list_tasks(server.root / ".codeplane", 100) if task.task_id == task_id)


def test_calls_between_open_and_close_belong_to_the_task(server: Server) -> None:
    before = server.call("map_repo")
    assert "task_id" not in before["meta"]
    task = opened(server, max_mutations=3)
    assert task == {"task_id": task["task_id"], "state": "OPEN"}
    inside = server.call("map_repo")
    assert (inside["meta"]["task_id"], inside["meta"]["task_state"]) == (task["task_id"], "OPEN")
    status = server.call("task", {"action": "status"})
    assert status["result"]["limits"] == {"max_mutations": 3}
    assert status["result"]["counters"]["calls"] == 1 and status["result"]["counters"]["tokens"] > 10
    assert "task_id" not in status["meta"], "nothing is said twice"
    closed = server.call("task", {"action": "close"})["result"]
    assert (closed["task_id"], closed["state"]) == (task["task_id"], "CLOSED_SUCCESS")
    assert "task_id" not in server.call("map_repo")["meta"]
    assert rows_of(server, task["task_id"]) == [
        ("map_repo", "read", "ok", None),
        ("task", "read", "ok", None),
        ("task", "read", "ok", None),
    ]
    kept = next(row for row in list_tasks(server.root / ".codeplane", 9) if row.task_id == task["task_id"])
    assert (kept.state, json.loads(str(kept.limits_json))) == ("CLOSED_SUCCESS", {"max_mutations": 3})
    assert kept.epoch is not None and kept.repo_head_sha is not None and len(kept.repo_head_sha) == 40


def test_a_refused_call_within_a_task_names_it_too(server: Server) -> None:
    task = opened(server)
    failed = server.call("file_outline", {"file": "../x"})
    assert failed["status"] == "error" and failed["meta"]["task_id"] == task["task_id"]


def test_call_beyond_a_budget_is_rejected_and_fails_the_task(server: Server) -> None:
    task = opened(server, max_mutations=1)
    server.call("change", {"what": "look"})
    assert server.call("change", {"what": "a.py"})["status"] == "ok"
    refused = server.call("change", {"what": "b.py"})
    error = error_of(refused, ErrorCode.TASK_BUDGET_EXCEEDED)
    assert error["message"] == "Mutation budget exceeded (1/1); the task is CLOSED_FAILED"
    assert error["details"] == {"budget_type": "mutations", "limit": 1, "current": 1}
    assert refused["meta"]["task_state"] == "CLOSED_FAILED"
    assert refused["hints"]["open_task"] == {"tool": "task", "args": {"action": "open"}}
    assert server.call("map_repo")["meta"]["task_state"] == "CLOSED_FAILED", "what only looks is answered"
    error_of(server.call("run_tests"), ErrorCode.TASK_BUDGET_EXCEEDED)
    status = server.call("task", {"action": "status"})["result"]
    assert (status["state"], status["limit_triggered"]) == ("CLOSED_FAILED", "max_mutations")
    assert rows_of(server, task["task_id"])[:3] == [
        ("change", "read", "ok", None),
        ("change", "mutation", "ok", None),
        ("change", "mutation", "error", "max_mutations"),
    ]
    assert state_of(server, task["task_id"]) == "CLOSED_FAILED"
    again = follow(server, refused["hints"]["open_task"])
    assert again["status"] == "ok"
    assert server.call("change", {"what": "b.py"})["meta"]["task_id"] == again["result"]["task_id"]


def test_test_runs_have_a_budget_of_their_own(server: Server) -> None:
    opened(server, max_test_runs=1)
    assert server.call("run_tests")["status"] == "ok"
    assert server.call("change", {"what": "a.py"})["status"] == "ok"
    assert error_of(server.call("run_tests"), ErrorCode.TASK_BUDGET_EXCEEDED)["details"]["budget_type"] == "test_runs"


def test_token_budget_stops_reads(server: Server) -> None:
    opened(server, max_tokens=20)
    assert server.call("map_repo")["status"] == "ok"
    error = error_of(server.call("map_repo"), ErrorCode.TASK_BUDGET_EXCEEDED)
    assert error["details"]["budget_type"] == "tokens"
    assert server.call("task", {"action": "close"})["result"]["state"] == "CLOSED_FAILED"
    assert server.call("map_repo")["status"] == "ok"


def test_time_limit_stops_mutations(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(server, max_duration_sec=1)
    monkeypatch.setattr(server.pipeline._tasks, "_clock", lambda: 10.0**9)
    assert server.call("map_repo")["meta"]["task_state"] == "CLOSED_FAILED"
    error = error_of(server.call("change", {"what": "a.py"}), ErrorCode.TASK_BUDGET_EXCEEDED)
    assert error["details"]["budget_type"] == "duration_sec"


def test_task_paths_restrict_edits(server: Server) -> None:
    task = opened(server, paths=["src/**", "*.md"])
    assert server.call("task", {"action": "status"})["result"]["paths"] == ["src/**", "*.md"]
    assert server.call("change", {"what": "src/b.py"})["status"] == "ok"
    assert server.call("change", {"what": "docs/x.md"})["status"] == "ok"
    error_of(server.call("change", {"what": "a.py"}), ErrorCode.TASK_SCOPE)
    server.call("task", {"action": "close"})
    assert server.call("change", {"what": "a.py"})["status"] == "ok"
    kept = next(row for row in list_tasks(server.root / ".codeplane", 9) if row.task_id == task["task_id"])
    assert json.loads(str(kept.limits_json)) == {"paths": 2}
    server.call("task", {"action": "open", "paths": ["my-secret-pattern"]})
    server.call("task", {"action": "close", "task_id": "my-secret-pattern"})
    server.call("map_repo", {"task_id": "my-secret-pattern"})
    rows_of(server, task["task_id"])
    for path in (server.root / ".codeplane").rglob("ledger*"):
        written = b"" if path.is_dir() else path.read_bytes()
        assert b"my-secret" not in written, "the words of the caller are not recorded"


def test_repeated_mutations_are_reported(server: Server) -> None:
    opened(server)
    assert codes_of(server.call("change", {"what": "a.py"})) == []
    assert codes_of(server.call("change", {"what": "a.py"})) == ["REPEATED_MUTATION"]
    assert codes_of(server.call("run_tests", {"failure": "f"})) == []
    server.call("change", {"what": "b.py"})
    assert codes_of(server.call("run_tests", {"failure": "f"})) == ["NO_PROGRESS"]
    counters = server.call("task", {"action": "status"})["result"]["counters"]
    assert (counters["repeated_mutations"], counters["repeated_failures"]) == (1, 1)
    status = server.call("task", {"action": "status"})["result"]
    assert (status["last_mutation_fingerprint"], status["last_failure_fingerprint"]) == ("m_b", "f")


def test_closed_task_is_rejected_with_a_hint(server: Server) -> None:
    task = opened(server)
    server.call("task", {"action": "close", "outcome": "failed"})
    refused = server.call("map_repo", {"task_id": task["task_id"]})
    error = error_of(refused, ErrorCode.TASK_CLOSED)
    assert error["details"] == {"task_state": "CLOSED_FAILED"}
    assert follow(server, refused["hints"]["open_task"])["result"]["state"] == "OPEN"
    ended = server.call("task", {"action": "status", "task_id": task["task_id"]})["result"]
    assert ended == {"task_id": task["task_id"], "state": "CLOSED_FAILED"}
    unknown = server.call("map_repo", {"task_id": "t_" + "q" * 24})
    assert "details" not in error_of(unknown, ErrorCode.TASK_CLOSED)
    for odd in ("t_", "x", "t_" + "é" * 24, 7):
        error_of(server.call("map_repo", {"task_id": odd}), ErrorCode.ARGUMENT_INVALID)


def test_clients_that_share_a_session_name_their_task(server: Server) -> None:
    answer = server.call("task", {"action": "open"}, shared=True)
    assert "task_id" in answer["message"]
    task_id = answer["result"]["task_id"]
    assert "task_id" not in server.call("map_repo", shared=True)["meta"]
    assert server.call("map_repo", {"task_id": task_id}, shared=True)["meta"]["task_id"] == task_id
    error_of(server.call("map_repo", {"task_id": task_id}, principal="another"), ErrorCode.HANDLE_NOT_YOURS)
    assert server.call("task", {"action": "status"}, shared=True)["result"]["opened_by"] == "session"
    closed = server.call("task", {"action": "close", "id": task_id}, shared=True)
    assert closed["result"]["state"] == "CLOSED_SUCCESS"


def test_open_task_is_interrupted_when_its_client_disconnects(server: Server) -> None:
    task = opened(server)
    server.pipeline.leave("test")
    assert state_of(server, task["task_id"]) == "CLOSED_INTERRUPTED"
    assert "task_id" not in server.call("map_repo")["meta"]


def test_parameter_without_effect_is_rejected(server: Server) -> None:
    for arguments in (
        {"action": "status", "max_mutations": 3},
        {"action": "close", "paths": ["a"]},
        {"action": "open", "outcome": "success"},
        {"action": "open", "task_id": "t_" + "a" * 24},
        {"action": "status", "outcome": "failed"},
    ):
        error_of(server.call("task", arguments), ErrorCode.ARGUMENT_INVALID)
    error_of(server.call("task", {"action": "open", "paths": ["!"]}), ErrorCode.ARGUMENT_INVALID)
    error_of(server.call("task", {"action": "close"}), ErrorCode.ARGUMENT_INVALID)
    assert server.call("task", {"action": "begin", "working_set": "src/**,docs"})["status"] == "ok"
    assert server.call("task", {"action": "show"})["result"]["paths"] == ["src/**", "docs"]


def test_read_only_server_supports_tasks(server: Server) -> None:
    surface = Surface(("tasks", "core"), read_only=True)
    assert server.call("task", {"action": "open"}, surface=surface)["status"] == "ok"


def test_single_command_cannot_open_a_task(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "x = 1\n"})
    with serving(root, once=True, ready=False) as server:
        error_of(server.call("task", {"action": "open"}), ErrorCode.ENGINE_UNREACHABLE)
        assert server.call("task", {"action": "status"})["result"]["opened_by"] == "session"
