"""Commands while a server runs on the same repository, and without one."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.mcp_client import CPL, HANDSHAKE, McpClient, Place, many_files, server_place, until

FILES: dict[str, str | bytes] = {"app.py": "class App:\n    def start(self) -> int:\n        return 1\n"}


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with server_place(tmp_path, FILES) as made:
        yield made


def status_of(done: subprocess.CompletedProcess[str]) -> str:
    return str(json.loads(done.stdout)["status"])


def test_init_joins_a_running_build(tmp_path: Path) -> None:
    with server_place(tmp_path, many_files(150)) as place:
        place.mcp()
        until(lambda: place.state() is not None)
        done = place.run("init", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["result"]["files"] == 150


def test_joining_a_build_shows_progress(tmp_path: Path) -> None:
    with server_place(tmp_path, many_files(150)) as place:
        place.mcp().until_building()
        code, shown = place.terminal("init")
        assert code == 0
        assert "Indexing" in shown and "Indexed" in shown
        assert "Traceback" not in shown


def test_commands_see_what_the_engine_sees(place: Place) -> None:
    place.ready()
    engine = place.engine_pid()
    (place.root / "more.py").write_text("class Later: ...\n")
    found = place.json("defs", "Later")
    assert found["result"]["total"] == 1 and found["meta"]["freshness"]["status"] == "fresh"
    assert place.json("outline", "more.py")["result"]["symbols"][0]["name"] == "Later"
    assert place.json("status")["result"]["server"]["pid"] == engine
    assert place.json("init")["result"]["decision"] in ("fresh", "synced")
    assert place.engine_pid() == engine


def test_clear_goes_through_the_engine_and_clear_all_is_blocked(place: Place) -> None:
    client = place.ready()
    refused = place.run("clear", "--all", "--yes", "--json")
    assert refused.returncode == 1 and status_of(refused) == "blocked"
    assert place.json("clear")["result"]["removed"]
    assert client.call("file_outline", file="app.py")["status"] == "not_indexed"
    assert place.json("init")["result"]["decision"] == "built"
    assert client.call("file_outline", file="app.py")["status"] == "ok"


def test_set_option_warns_if_an_engine_is_running(place: Place) -> None:
    place.ready()
    done = place.run("--set", "freshness.watcher=false", "call", "health_check")
    assert done.returncode == 0 and "--set has no effect" in done.stderr
    assert "--set has no effect" not in place.run("call", "health_check").stderr


def test_call_without_an_engine_waits_for_the_index(place: Place) -> None:
    created = place.run("call", "manage_index", "action=create")
    assert created.returncode == 0 and json.loads(created.stdout)["result"]["decision"] == "built"
    done = place.run("call", "manage_index", "action=status")
    assert done.returncode == 0 and status_of(done) == "ok"
    assert json.loads(place.run("call", "health_check").stdout)["result"]["status"] == "ready"
    assert place.processes() == []


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("file_outline", "file=app.py"), 0),
        (("file_outline", "file=no.py"), 1),
        (("file_outline",), 2),
        (("file_outline", "fil=app.py"), 2),
        (("no_such_tool",), 2),
        (("file_outline", "app.py"), 2),
        (("file_outline", "--json", "[1]"), 2),
        (("file_outline", "--json", '{"file":"app.py"}'), 0),
        (("manage_index", "action=clear"), 1),
    ],
)
def test_exit_codes_of_a_call(place: Place, arguments: tuple[str, ...], code: int) -> None:
    place.json("init")
    assert place.run("call", *arguments).returncode == code


def test_second_up_names_the_running_server_and_rejects_options(place: Place) -> None:
    first = place.spawn("up", "--json", stdout=subprocess.PIPE)
    assert first.stdout is not None
    where = json.loads(first.stdout.readline())["result"]
    again = place.run("up", "--json")
    assert again.returncode == 0 and json.loads(again.stdout)["result"]["port"] == where["port"]
    other = place.run("up", "--read-only", "--json")
    assert other.returncode == 1 and status_of(other) == "blocked"
    until(lambda: (place.state() or {}).get("ready"))
    assert place.json("status")["result"]["server"]["port"] == where["port"]
    first.send_signal(signal.SIGINT)
    assert first.wait(10) == 0
    assert not (place.root / ".codeplane" / "port").exists()
    first.stdout.close()


def test_user_restrictions_hold_for_client_directories(place: Place, tmp_path: Path) -> None:
    (elsewhere := tmp_path / "elsewhere").mkdir()
    client = McpClient(
        [*CPL, "mcp", "--format", "json", "--read-only", "--toolsets", "admin"], place.environment(), cwd=elsewhere
    )
    place.clients.append(client)
    info = {"name": "t", "version": "1"}
    client.ask("initialize", {"protocolVersion": HANDSHAKE, "capabilities": {"roots": {}}, "clientInfo": info})
    client.notify("notifications/initialized", {})
    until(lambda: client.notifications)
    answer = {"roots": [{"uri": f"file://{place.root}"}]}
    client.send({"jsonrpc": "2.0", "id": client.notifications[0]["id"], "result": answer})
    names = [tool["name"] for tool in client.ask("tools/list")["result"]["tools"]]
    assert "map_repo" not in names and "describe" in names
    refused = client.call("manage_index", action="clear", confirm=True)
    assert refused["error"]["error"] == "READ_ONLY"
