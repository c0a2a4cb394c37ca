"""`cpl ledger` and `cpl receipt`: recorded calls, with and without a running server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codeplane.base.call_record import CallRecord
from codeplane.base.errors import ErrorCode
from codeplane.ledger.events import Event, TaskState
from codeplane.ledger.ledger import Ledger
from codeplane.ledger.schema import EventRow
from support.ledgers import list_operations
from support.mcp_client import Place, server_place, until
from support.repositories import make_repository
from support.sandbox import HOSTILE, Sandbox

TASK = "t_" + "a" * 24
OTHER = "t_" + "b" * 24


def call(tool: str, tokens: int, **more: Any) -> Event:
    return Event(tool, f"r_{tool}_{tokens}", task_id=TASK, status="ok", duration_ms=2, tokens_given=tokens, **more)


EVENTS = [
    call("search", 800),
    call("search_codebase", 700),
    call("read", 300, record=CallRecord(paths=["src/a.py"], whole_tokens=4000)),
    call("read_source", 310, record=CallRecord(paths=["src/a.py"], whole_tokens=4000)),
    call("read", 900, record=CallRecord(paths=["src/a.py", HOSTILE], whole_tokens=6000)),
    call("map_repo", 50),
    replace(call("read", 5), status="error", error_code=ErrorCode.SECRET_PATH.number),
]


def recorded(directory: Path) -> None:
    """A task in which everything happened, and one of a session after it."""
    ledger = Ledger.open(directory, wall=iter(range(1_700_000_000, 1_800_000_000)).__next__)
    ledger.open_task(TASK, "s_1", limits={"max_mutations": 2}, repo_head="c0ffee" * 6)
    for event in EVENTS:
        ledger.outcome(event)
    for number in range(2):
        change = call("write_source", 40 + number, op_type="mutation")
        stats = {"files_changed": 1, "insertions": 3, "deletions": 1}
        done = CallRecord(
            changed_paths=["src/a.py"], diff_stats=stats, mutation_fingerprint="f", mutation_id=f"m_{number}"
        )
        ledger.outcome(replace(change, intent=ledger.intent(change), record=done))
    tests = call("run_test_targets", 60, op_type="test_run")
    failing = CallRecord(failure_fingerprint="x", failing_tests=["tests/test_a.py::test_b"])
    ledger.outcome(replace(tests, intent=ledger.intent(tests), record=failing))
    limit = CallRecord(limit_triggered="max_mutations")
    ledger.outcome(replace(call("write_source", 30), status="error", error_code=6001, record=limit))
    ledger.close_task(TASK, TaskState.CLOSED_FAILED, "max_mutations")
    ledger.open_task(OTHER, "s_2")
    ledger.outcome(replace(call("health_check", 20), task_id=OTHER))
    ledger.close()


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    base = tmp_path_factory.mktemp("ledger")
    root = make_repository(base / "repo", {"src/a.py": "x = 1\n"})
    (base / "home").mkdir()
    made = Sandbox(root, base / "home")
    assert made.run("init").returncode == 0
    recorded(root / ".codeplane")
    return made


def test_calls_are_listed_newest_first_and_filtered(sandbox: Sandbox) -> None:
    calls = sandbox.json("ledger")["result"]["calls"]
    assert [found["tool"] for found in calls][:3] == ["health_check", "write_source", "run_test_targets"]
    assert calls[1]["error"] == "TASK_BUDGET_EXCEEDED" and calls[1]["limit_triggered"] == "max_mutations"
    assert calls[3]["changed_paths"] == ["src/a.py"] and calls[3]["diff_stats"]["insertions"] == 3
    assert len(sandbox.json("ledger", "list", "-n", "4")["result"]["calls"]) == 4
    assert len(sandbox.json("ledger", "--task", "t_aaa")["result"]["calls"]) == 11
    assert len(sandbox.json("ledger", "--tool", "read")["result"]["calls"]) == 3
    since = "2023-11-14T22:13:40+00:00"
    later = sandbox.json("ledger", "--since", since)["result"]["calls"]
    assert later and all(found["timestamp"] >= 1_700_000_020_000 for found in later) and len(later) < 12
    assert sandbox.json("ledger", "--since", "1h")["result"]["calls"] == []


def test_list_fits_the_terminal_and_is_escaped(sandbox: Sandbox) -> None:
    shown = sandbox.run("ledger").stdout
    lines = shown.splitlines()
    assert "\x1b" not in shown and max(map(len, lines)) <= 110
    assert lines[0].split() == ["#", "time", "task", "tool", "status", "ms", "tokens"]
    assert any("max_mutations" in line for line in lines) and any("SECRET_PATH" in line for line in lines)


def test_one_call_is_shown_by_number_and_by_request(sandbox: Sandbox) -> None:
    (first,) = (found for found in sandbox.json("ledger")["result"]["calls"] if found["tool"] == "map_repo")
    shown = sandbox.json("ledger", "show", str(first["op_id"]))["result"]
    assert shown == first == sandbox.json("ledger", "show", first["request_id"])["result"]
    assert "map_repo" in sandbox.run("ledger", "show", str(first["op_id"])).stdout
    wrongs = (["show", "99999"], ["show", "no such"], ["show"], ["list", "x"], ["elsewhere"], ["--since", "soon"])
    for wrong in (*wrongs, ["tasks", "--tool", "x"]):
        failed = sandbox.run("ledger", *wrong)
        assert failed.returncode == 2 and "expected" in failed.stderr, wrong
    assert sandbox.run("ledger", "--task", "t_zzz").returncode == 2


def test_tasks_are_listed_with_tokens(sandbox: Sandbox) -> None:
    other, task = sandbox.json("ledger", "tasks")["result"]["tasks"]
    assert (other["task_id"], other["opened_by"], other["state"], other["calls"]) == (OTHER, "session", "OPEN", 1)
    assert (task["opened_by"], task["state"], task["limits"]) == ("client", "CLOSED_FAILED", {"max_mutations": 2})
    assert (task["calls"], task["tokens"]) == (11, 800 + 700 + 300 + 310 + 900 + 50 + 5 + 40 + 41 + 60 + 30)
    assert "mutations 2" in sandbox.run("ledger", "tasks").stdout


def test_receipt_summarizes_calls_and_tokens(sandbox: Sandbox) -> None:
    result = sandbox.json("receipt", "t_a")["result"]
    assert result.pop("task")["task_id"] == TASK
    assert result == {
        "calls": 11,
        "duration_ms": result["duration_ms"],
        "searches": 2,
        "reads": 3,
        "files_read": ["src/a.py", HOSTILE],
        "mutations": 2,
        "files_changed": ["src/a.py"],
        "insertions": 6,
        "deletions": 2,
        "mutation_ids": ["m_0", "m_1"],
        "test_runs": 1,
        "failed_runs": 1,
        "failing_tests": ["tests/test_a.py::test_b"],
        "other": {"map_repo": 1},
        "failed": {"SECRET_PATH": 1, "TASK_BUDGET_EXCEEDED": 1},
        "repeated_mutations": 1,
        "limits_triggered": ["max_mutations"],
        "tokens_given": 3236,
        "tokens_read": 1510,
        "whole_tokens": 4000 + 3000,
    }
    shown = sandbox.run("receipt", TASK).stdout
    assert "\x1b" not in shown and "2 files in 3 calls" in shown and "+6 -2" in shown
    assert "3,236 given in 11 calls; 1,510 of them for files that cost 7,000 whole (22 %)" in shown
    assert max(map(len, shown.splitlines())) <= 100


def test_the_last_task_is_the_newest_with_calls(sandbox: Sandbox) -> None:
    assert sandbox.json("receipt")["result"]["task"]["task_id"] == OTHER
    assert sandbox.json("receipt", "--last")["result"]["calls"] == 1
    assert sandbox.run("receipt", TASK, "--last").returncode == 2
    assert sandbox.run("receipt", "t_").returncode == 2, "both begin so"


def test_empty_ledger(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    empty = Sandbox(make_repository(tmp_path / "repo", {"a.py": ""}), tmp_path / "home")
    assert empty.json("ledger")["result"] == {"calls": []}
    assert empty.json("ledger", "tasks")["result"] == {"tasks": []}
    assert empty.run("receipt").returncode == 2
    assert not (empty.root / ".codeplane").exists(), "looking makes nothing"


def test_unexpected_column_values_do_not_crash(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    odd = Sandbox(make_repository(tmp_path / "repo", {"a.py": ""}), tmp_path / "home")
    (odd.root / ".codeplane").mkdir(mode=0o700)
    ledger = Ledger.open(odd.root / ".codeplane")
    assert ledger._writer.file is not None
    ledger.open_task(TASK)
    ledger.flush()
    row = list_row(changed_paths="[1, {", diff_stats="[]", paths='{"a": 1}', status="\x1b[31m", tool="\u202etool")
    ledger._writer.file.append([row], durable=True)
    ledger.close()
    for command in (["ledger"], ["ledger", "show", "3"], ["receipt"], ["ledger", "tasks"]):
        done = odd.run(*command)
        assert done.returncode == 0, done.stderr
        assert "\x1b" not in done.stdout and "\u202e" not in done.stdout


def list_row(**fields: Any) -> Any:
    return EventRow("outcome", 1, task_id=TASK, **fields)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with server_place(tmp_path, {"app.py": "class App: ...\n"}) as made:
        yield made


def test_follow_prints_new_calls(place: Place) -> None:
    client = place.ready("--toolsets", "core,tasks")
    task_id = client.call("task", action="open", max_tokens=100_000)["result"]["task_id"]
    client.call("file_outline", file="app.py")
    until(lambda: any(row.task_id == task_id for row in list_operations(place.root / ".codeplane", 100)))
    process = place.spawn("ledger", "follow", "--task", task_id, "--json", stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["tool"] == "file_outline"
    for tool in ("health_check", "map_repo"):
        client.call(tool)
    assert [json.loads(process.stdout.readline())["tool"] for _ in range(2)] == ["health_check", "map_repo"]
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 130
    process.stdout.close()
    receipt = place.json("receipt", task_id)["result"]
    assert (receipt["task"]["state"], receipt["other"]["map_repo"]) == ("OPEN", 1)


def test_follow_ends_when_the_pipe_closes(place: Place) -> None:
    client = place.ready()
    process = place.spawn("ledger", "follow", stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline()
    process.stdout.close()
    began = time.monotonic()
    while process.poll() is None and time.monotonic() - began < 20:
        client.call("health_check")
        time.sleep(0.1)
    assert process.returncode == 0


def test_calls_of_a_killed_server_are_listed(place: Place) -> None:
    client = place.ready()
    answered = client.call("health_check")["meta"]["request_id"]
    client.kill()
    with_engine = place.engines()
    for process in with_engine:
        os.kill(process.pid, signal.SIGKILL)
    until(lambda: not place.engines())
    assert answered in {found.get("request_id") for found in place.json("ledger", "-n", "1000")["result"]["calls"]}
    assert {task["state"] for task in place.json("ledger", "tasks")["result"]["tasks"]} == {"CLOSED_INTERRUPTED"}
