"""Tasks over real connections: the engine is lost, the client leaves, calls over HTTP name what they belong to."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
from typing import Any

from codeplane.ledger.chain import verify_chain
from codeplane.ledger.queries import list_tasks
from codeplane.server.runtime_directory import RuntimeDirectory, read_http, runtime_base
from support.http_front import modern_headers, modern_message
from support.ledgers import list_operations
from support.mcp_client import Place, until

TOOLS = ("--toolsets", "core,tasks")


def states(place: Place) -> dict[str, str]:
    return {task.task_id: task.state for task in list_tasks(place.root / ".codeplane", 100)}


def test_engine_death_interrupts_a_task_and_is_reported(place: Place) -> None:
    client, other = place.ready(*TOOLS), place.mcp(*TOOLS)
    other.call("health_check")
    task_id = client.call("task", action="open", max_mutations=2)["result"]["task_id"]
    assert client.call("health_check")["meta"]["task_id"] == task_id
    until(lambda: states(place).get(task_id) == "OPEN")
    os.kill(place.engine_pid(), signal.SIGKILL)
    elsewhere = other.call("health_check")
    assert "warnings" not in elsewhere, "it was not theirs"
    after = client.call("health_check")
    assert after["status"] == "ok" and "task_id" not in after["meta"]
    assert [(warning["code"], warning["task_id"]) for warning in after["warnings"]] == [("TASK_INTERRUPTED", task_id)]
    assert "warnings" not in client.call("health_check")
    refused = client.call("health_check", task_id=task_id)
    assert refused["error"]["error"] == "TASK_CLOSED"
    assert refused["error"]["details"] == {"task_state": "CLOSED_INTERRUPTED"}
    assert refused["hints"]["open_task"] == {"tool": "task", "args": {"action": "open"}}
    assert client.call("task", action="open")["result"]["state"] == "OPEN"
    assert states(place)[task_id] == "CLOSED_INTERRUPTED"


def test_answered_calls_survive_kills(place: Place) -> None:
    client = place.ready(*TOOLS)
    answered = []
    for number in range(60):
        answered.append(client.call("health_check")["meta"]["request_id"])
        if number % 20 == 19:
            os.kill(place.engine_pid(), signal.SIGKILL)
    client.end()
    assert place.run("ledger").returncode == 0, "it puts into the ledger what the last kill left"
    rows = {row.request_id for row in list_operations(place.root / ".codeplane", 1000)}
    assert set(answered) <= rows
    assert verify_chain(place.root / ".codeplane").is_intact


def test_a_task_left_open_is_interrupted_when_its_client_leaves(place: Place) -> None:
    stays, leaves = place.ready(*TOOLS), place.mcp(*TOOLS)
    task_id = leaves.call("task", action="open")["result"]["task_id"]
    leaves.end()
    until(lambda: states(place).get(task_id) == "CLOSED_INTERRUPTED")
    assert stays.call("health_check", task_id=task_id)["error"]["error"] == "TASK_CLOSED"


def test_command_uses_a_task_of_another_client(place: Place) -> None:
    place.ready(*TOOLS)
    opened = place.run("call", "task", "action=open")
    assert opened.returncode == 0
    task_id = opened.stdout.split('"task_id":"')[1].split('"')[0]
    assert "task_id" not in place.run("call", "health_check").stdout
    assert task_id in place.run("call", "health_check", f"task_id={task_id}").stdout


def test_http_task_is_named_in_later_calls(place: Place) -> None:
    process = place.spawn("up", "--toolsets", "core,tasks", "--json", stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    with RuntimeDirectory.open(runtime_base(str(place.runtime)), place.root) as runtime:
        record = read_http(runtime)
    assert record is not None

    def call(tool: str, **arguments: object) -> dict[str, Any]:
        params = {"name": tool, "arguments": {"format": "json", **arguments}}
        headers = {**modern_headers("tools/call", params), "Authorization": f"Bearer {record.token}"}
        headers |= {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", record.port, timeout=20)
        connection.request("POST", "/mcp", json.dumps(modern_message("tools/call", params)), headers)
        text = connection.getresponse().read().decode()
        connection.close()
        found: dict[str, Any] = json.loads(text[text.index("{") :])["result"]["structuredContent"]
        return found

    opened = call("task", action="open", max_mutations=0)
    task_id = opened["result"]["task_id"]
    assert opened["message"] == "Pass task_id with every call that belongs to it."
    assert "task_id" not in call("health_check")["meta"], "another client may be meant"
    inside = call("health_check", task_id=task_id)
    assert (inside["meta"]["task_id"], inside["meta"]["task_state"]) == (task_id, "OPEN")
    session_id = opened["meta"]["session_id"]
    assert call("health_check", task_id=task_id, session_id=session_id)["meta"]["session_id"] == session_id
    assert call("task", action="status", task_id=task_id)["result"]["counters"]["calls"] == 2
    assert call("task", action="close", task_id=task_id)["result"]["state"] == "CLOSED_SUCCESS"
    assert call("health_check", task_id=task_id)["error"]["error"] == "TASK_CLOSED"
    process.send_signal(signal.SIGINT)
    process.wait(10)
    process.stdout.close()
