"""The life of a stdio server: how it ends, what it leaves, and what does not disturb it."""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.server import stdio
from codeplane.server.engine_client import UnavailableEngine
from codeplane.server.stdio import StdioFrontend
from codeplane.tools.calls import CallReply
from codeplane.tools.surface import Format, Surface
from support.mcp_client import (
    CPL,
    McpClient,
    Place,
    index_held,
    is_alive,
    many_files,
    modern,
    server_place,
    until,
)
from support.repositories import write

HANG_SECONDS = 60.0
"""Guard against a process that never ends."""


def end_of(client: McpClient, place: Place) -> None:
    """Close the input, and check that the server and its child processes end."""
    processes = place.processes()
    assert len(processes) >= 2, "a front and its engine"
    client.close_input()
    client.process.wait(HANG_SECONDS)
    left = [process for process in processes if is_alive(process)]
    assert not left, left
    assert not place.processes()


def test_eof_stops_an_idle_server(place: Place) -> None:
    client = place.ready()
    end_of(client, place)
    assert client.process.returncode == 0
    assert not place.socket.exists()
    assert client.errors == b"" and client.strays == []


def test_eof_stops_a_busy_server(place: Place) -> None:
    with index_held(place):
        client = place.mcp()
        client.call("health_check")
        waiting = client.begin("map_repo", freshness_policy="strict")
        until(lambda: (place.state() or {}).get("calls"))
        end_of(client, place)
        assert not client.has_answer(waiting)


def test_eof_stops_the_first_build(tmp_path: Path) -> None:
    with server_place(tmp_path, many_files(300)) as place:
        client = place.mcp()
        client.until_building()
        end_of(client, place)
        again = place.ready()
        assert again.call("file_outline", file="pkg/m299.py", depth="top")["status"] == "ok"


@pytest.mark.parametrize("at_work", [False, True])
def test_engine_gets_the_remaining_shutdown_time(at_work: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine killed while it writes would have to scan the whole tree again."""
    monkeypatch.setattr(stdio, "_END_SECONDS", 600.0)
    given: list[float] = []

    class Waiting(UnavailableEngine):
        async def call(self, *arguments: Any, **named: Any) -> CallReply:
            await asyncio.sleep(60)
            raise AssertionError

        async def close(self, seconds: float = 0.0) -> None:
            given.append(seconds)

    async def talk() -> None:
        (their_input, our_output), (our_input, their_output) = os.pipe(), os.pipe()
        front = StdioFrontend(Waiting(CodePlaneError(ErrorCode.INTERNAL, ""), Format.JSON), Surface())
        serving = asyncio.ensure_future(front.run(their_input, their_output))
        if at_work:
            call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "health_check"}}
            os.write(our_output, json.dumps(call).encode() + b"\n")
        await asyncio.sleep(0.1)
        os.close(our_output)
        await serving
        for descriptor in (our_input, their_output):
            os.close(descriptor)

    asyncio.run(asyncio.wait_for(talk(), HANG_SECONDS))
    assert 300 < given[0] < 600


def test_pending_answers_are_sent_after_eof(place: Place) -> None:
    client = place.ready()
    waiting = [client.begin("file_outline", file="app.py") for _ in range(20)]
    client.close_input()
    assert [client.finish(number)["status"] for number in waiting] == ["ok"] * 20
    assert client.process.wait(5) == 0


@pytest.mark.parametrize("kind", ["pipe", "socket"])
def test_eof_is_detected_while_input_is_paused(place: Place, kind: str) -> None:
    """A client that does not read, sends until the pipe is full, and disconnects."""
    ours, theirs = os.pipe()[::-1] if kind == "pipe" else [end.detach() for end in socket.socketpair()]
    command = [*CPL, "-C", str(place.root), "mcp"]
    server = subprocess.Popen(
        command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=place.environment()
    )
    try:
        os.close(theirs)
        os.set_blocking(ours, False)
        data = b"".join(b'{"jsonrpc":"2.0","id":%d,"method":"tools/list"}\n' % number for number in range(1000))
        sent = 0
        while select.select([], [ours], [], 1.0)[1]:
            sent += os.write(ours, data[sent % len(data) :])
        os.close(ours)
        server.wait(HANG_SECONDS)
        until(lambda: not place.processes())
    finally:
        server.kill()
        server.communicate()


def test_input_that_ends_before_the_handshake_ends_the_process(place: Place) -> None:
    client = place.mcp()
    assert client.end(10) == 0
    until(lambda: not place.processes())


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_signal_stops_the_server(place: Place, name: str) -> None:
    client = place.ready()
    for _ in range(2):
        # The second of two impatient ones does no harm.
        client.process.send_signal(getattr(signal, name))
    client.process.wait(HANG_SECONDS)
    assert not place.processes()
    assert b"Traceback" not in client.errors


def test_killed_front_stops_its_engine(tmp_path: Path) -> None:
    """Idle, and in the middle of a build with workers."""
    with server_place(tmp_path, many_files(200)) as place:
        for at_work in (True, False):
            client = place.mcp()
            if at_work:
                client.until_building()
            else:
                client.until_ready()
            client.process.kill()
            client.process.wait()
            until(lambda: not place.processes())


def test_closed_stdout_stops_the_server(place: Place) -> None:
    client = place.mcp(reads=False)
    assert client.process.stdout is not None
    client.request("tools/list")
    assert client.process.stdout.readline()
    client.process.stdout.close()
    client.request("ping")
    client.process.wait(HANG_SECONDS)
    until(lambda: not place.processes())


CLAIMING = """
import os, subprocess, sys
from codeplane.server.stdio_pipes import claim_standard_streams
print("before")
protocol_input, protocol_output = claim_standard_streams()
print("after", flush=True)
os.write(1, b"past Python")
subprocess.run(["/bin/sh", "-c", "echo child; echo child >&2"])
os.write(protocol_output, b"[" + os.read(protocol_input, 100) + os.read(0, 100) + b"]")
"""


@pytest.mark.parametrize("closing", ["", "2>&-"])
def test_protocol_streams_are_private(place: Place, closing: str) -> None:
    command = ["/bin/sh", "-c", f'exec "$@" {closing}', "sh", sys.executable, "-c", CLAIMING]
    done = subprocess.run(command, input=b"said", env=place.environment(), capture_output=True, timeout=20)
    assert done.stdout == b"[said]"
    assert done.returncode == 0
    if not closing:
        assert b"before" in done.stderr and b"after" in done.stderr


PRINTING = """
import os, sys, atexit
class Loud:
    def find_spec(self, name, path=None, target=None):
        if name == "codeplane.server.stdio_pipes":
            print("printed before the streams were claimed")
        if name in ("codeplane.server.stdio", "codeplane.server.engine_client", "codeplane.server.assembly"):
            print("printed at the import of", name, flush=True)
            os.write(1, b"written past Python\\n")
        return None
sys.meta_path.insert(0, Loud())
atexit.register(lambda: print("printed at the end", flush=True))
"""


def test_library_output_does_not_reach_the_client(place: Place, tmp_path: Path) -> None:
    loud = tmp_path / "loud"
    write(loud, "sitecustomize.py", PRINTING)
    place.variables["PYTHONPATH"] = f"{loud}{os.pathsep}{place.environment()['PYTHONPATH']}"
    client = place.mcp()
    assert client.call("health_check")["status"] == "ok"
    assert client.end() == 0
    assert client.strays == []
    for said in (
        b"before the streams were claimed",
        b"import of codeplane.server.stdio",
        b"past Python",
        b"at the end",
    ):
        assert said in client.errors


def test_modules_in_the_working_directory_are_not_imported(place: Place) -> None:
    canary = "import os\nopen(os.environ['CANARY'], 'a').write(__file__ + '\\n')\nraise SystemExit(9)\n"
    for name in ("codeplane/__init__.py", "json.py", "asyncio.py", "sitecustomize.py", "orjson.py", "apsw.py"):
        write(place.root, name, canary)
    found = place.home / "canary"
    place.variables["CANARY"] = str(found)
    client = place.mcp(cwd=place.root)
    client.until_ready()
    assert client.call("file_outline", file="json.py")["status"] == "ok"
    assert client.end() == 0
    assert not found.exists()


def test_every_call_outside_a_repository_reports_it(place: Place) -> None:
    place.root = place.home / "not a repository \udcff"
    place.root.mkdir()
    client = place.mcp()
    assert client.ask("initialize", {"protocolVersion": "2025-11-25"})["result"]["instructions"]
    assert client.ask("tools/list")["result"]["tools"]
    for _ in range(3):
        envelope = client.call("health_check")
        assert (envelope["status"], envelope["error"]["error"]) == ("error", "NOT_A_REPOSITORY")
    assert client.ask("tools/call", modern({"name": "map_repo"}))["result"]["isError"] is True
    assert client.end(5) == 0


def test_progress_is_monotonic_and_precedes_the_answer(tmp_path: Path) -> None:
    with server_place(tmp_path, many_files(60)) as place:
        client = place.ready()
        params = {"name": "manage_index", "arguments": {"action": "create", "force": True, "wait": True}}
        number = client.request("tools/call", {**params, "_meta": {"progressToken": "a token"}})
        assert client.finish(number, 60)["status"] == "ok"
        told = [message["params"] for message in client.notifications]
        assert {item["progressToken"] for item in told} == {"a token"}
        steps = [item["progress"] for item in told]
        assert steps == sorted(set(steps))
        # How many steps lie between depends on the speed of the machine.
        assert len(steps) >= 2 and steps[0] < 60 <= steps[-1] == told[-1]["total"]
        assert all(item["progress"] <= item.get("total", float("inf")) for item in told)
        client.notifications.clear()
        write(place.root, "new.py", "def new(): ...\n")
        assert client.call("manage_index", action="sync")["result"]["added"] == 1
        assert client.notifications == [], "no client requested notifications"


def test_a_cancelled_call_is_not_answered_and_frees_everything(place: Place) -> None:
    with index_held(place):
        client = place.mcp()
        client.call("health_check")
        for gap in (0.0, 0.0, 0.02, 0.2):
            waiting = [client.begin("map_repo", freshness_policy="strict") for _ in range(5)]
            time.sleep(gap)
            for number in waiting:
                client.notify("notifications/cancelled", {"requestId": number, "reason": "enough"})
            until(lambda: place.state()["calls"] == 0)  # type: ignore[index]
            assert client.call("health_check")["status"] == "ok"
            assert not any(client.has_answer(number) for number in waiting)
        client.notify("notifications/cancelled", {"requestId": waiting[0]})
    client.until_ready()
    assert client.call("map_repo")["status"] == "ok"


def test_call_cancelled_in_the_same_read(place: Place) -> None:
    """The call and its end arrive together, before anything was begun."""
    with index_held(place):
        client = place.mcp()
        client.call("health_check")
        call = {"name": "map_repo", "arguments": {"freshness_policy": "strict"}}
        lines = [
            message
            for number in range(100, 160)
            for message in (
                {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call},
                {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}},
            )
        ]
        client.send_raw(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
        assert client.call("health_check")["status"] == "ok"
        until(lambda: place.state()["calls"] == 0)  # type: ignore[index]
        assert not any(client.has_answer(number) for number in range(100, 160))


def test_clients_that_do_not_read_do_not_block_others(place: Place) -> None:
    """It sends far more than it is answered; the other one is answered, and its own answers are whole."""
    other = place.ready()
    other.call("file_outline", file="app.py")

    greedy = place.mcp(reads=False)
    line = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"map_repo"}}\n'
    data = b"".join(line % number for number in range(5000))
    assert greedy.process.stdin is not None and greedy.process.stdout is not None
    descriptor = greedy.process.stdin.fileno()
    os.set_blocking(descriptor, False)
    sent, deadline = 0, time.monotonic() + 3
    while sent < len(data) and time.monotonic() < deadline:
        if select.select([], [descriptor], [], 0.1)[1]:
            sent += os.write(descriptor, data[sent : sent + 65536])
    for _ in range(200):
        assert other.call("file_outline", file="app.py")["status"] == "ok"
    memory = sum(process.memory_info().rss for process in place.processes())
    assert memory < 800 * 1024 * 1024
    os.set_blocking(descriptor, True)
    greedy.process.stdin.close()
    answered = [json.loads(text)["id"] for text in greedy.process.stdout]
    assert len(answered) == len(set(answered)) and len(answered) > 50
    assert other.call("map_repo")["status"] == "ok"
