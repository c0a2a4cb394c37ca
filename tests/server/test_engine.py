"""One engine for all fronts of a repository: shared, guarded, bounded, and one row in the ledger for each call."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import socket
import stat
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from codeplane import __version__
from codeplane.ledger.chain import verify_chain
from codeplane.ledger.queries import OperationRow, list_tasks
from codeplane.server.frames import PROTOCOL, Frame
from codeplane.server.sync_client import _receive
from support.ledgers import list_operations
from support.mcp_client import McpClient, Place, index_held, server_place, until
from support.repositories import write


def test_fronts_share_one_engine_and_keep_their_own_surface(place: Place) -> None:
    plain, careful, admin = place.ready(), place.mcp("--read-only"), place.mcp("--toolsets", "admin")
    for client in (plain, careful, admin):
        assert client.call("health_check")["status"] == "ok"
    state = place.state()
    assert state is not None and state["clients"] == 3 and len(place.engines()) == 1
    assert state["pid"] == place.engines()[0].pid

    refused = careful.call("manage_index", action="sync")
    assert refused["error"]["error"] == "READ_ONLY"
    assert careful.call("manage_index", action="status")["status"] == "ok"
    assert plain.call("manage_index", action="sync")["status"] == "ok"

    assert admin.call("list_codebases")["status"] == "ok"
    assert plain.call("list_codebases")["error"]["error"] == "UNKNOWN_TOOL"
    assert admin.call("file_outline", file="app.py")["error"]["error"] == "UNKNOWN_TOOL"
    listed = [[tool["name"] for tool in front.ask("tools/list")["result"]["tools"]] for front in (plain, admin)]
    assert "list_codebases" in listed[1] and "list_codebases" not in listed[0]


def test_command_uses_the_running_engine(place: Place) -> None:
    client = place.ready()
    engine = place.engine_pid()
    done = place.run("call", "file_outline", "file=app.py")
    assert done.returncode == 0 and '"name":"App"' in done.stdout
    # A command may page through what an earlier one began, so its session stays.
    until(lambda: place.state()["clients"] == 1)  # type: ignore[index]
    assert (place.engine_pid(), place.state()["sessions"]) == (engine, 2)  # type: ignore[index]
    assert client.call("health_check")["status"] == "ok"


OTHER_VERSION = """
import sys
import codeplane
codeplane.__version__ = "9.9.9"
from codeplane.cli.main import main
sys.argv[0] = "cpl"
main()
"""


def test_other_engine_version_is_refused_with_a_message(place: Place, tmp_path: Path) -> None:
    script = tmp_path / "other_version.py"
    script.write_text(OTHER_VERSION)
    client = place.ready()
    newer = place.mcp(command=[sys.executable, "-P", str(script)])
    assert newer.ask("tools/list")["result"]["tools"]
    for _ in range(2):
        envelope = newer.call("health_check")
        error = envelope["error"]
        assert error["error"] == "VERSION_MISMATCH"
        assert (error["expected"], error["received"]) == ("9.9.9", __version__)
        assert str(place.engine_pid()) in error["message"]
    assert client.call("health_check")["status"] == "ok"
    assert len(place.engines()) == 1
    client.end()
    # The other version is gone; the engine it starts now has this version.
    until(lambda: place.state() is not None)
    assert newer.call("health_check")["error"]["error"] == "VERSION_MISMATCH"


def test_socket_is_private_to_its_user(place: Place) -> None:
    client = place.ready()
    assert stat.S_IMODE(place.socket.stat().st_mode) == 0o600
    assert stat.S_ISSOCK(place.socket.stat().st_mode)
    for directory in (place.socket.parent, place.socket.parent.parent):
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    if os.geteuid() == 0:
        script = f"import os, socket; os.setuid(65534); socket.socket(socket.AF_UNIX).connect({str(place.socket)!r})"
        place.runtime.chmod(0o755)
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        assert "PermissionError" in done.stderr
    assert client.call("health_check")["status"] == "ok"


@pytest.mark.parametrize("kind", ["link", "open to others", "file", "link below"])
def test_runtime_directories_of_other_users_are_rejected(place: Place, kind: str) -> None:
    base = place.runtime / "codeplane"
    elsewhere = place.home / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    if kind == "link":
        base.symlink_to(elsewhere)
    elif kind == "open to others":
        base.mkdir()
        base.chmod(0o777)
    elif kind == "file":
        base.write_text("")
    else:
        base.mkdir(mode=0o700)
        place.socket.parent.symlink_to(elsewhere)
    client = place.mcp()
    assert client.call("map_repo")["error"]["error"] == "RUNTIME_DIRECTORY_UNSAFE"
    assert not list(elsewhere.iterdir()) and not place.engines()
    assert client.end(5) == 0


def test_calls_per_client_are_limited(place: Place) -> None:
    with index_held(place):
        greedy, other = place.mcp(), place.mcp()
        for client in (greedy, other):
            client.call("health_check")
        waiting = [greedy.begin("map_repo", freshness_policy="strict") for _ in range(80)]
        until(lambda: sum(map(greedy.has_answer, waiting)) == 16)
        refused = [number for number in waiting if greedy.has_answer(number)]
        for number in refused:
            error = greedy.finish(number)["error"]
            assert (error["error"], error["retryable"]) == ("TOO_BUSY", True)
        assert other.call("health_check")["status"] == "ok", "waiting calls delay no other client"
        for number in set(waiting) - set(refused):
            greedy.notify("notifications/cancelled", {"requestId": number})
        until(lambda: place.state()["calls"] == 0)  # type: ignore[index]
        assert greedy.call("health_check")["status"] == "ok"


@contextmanager
def connected(place: Place, *, greet: bool = True) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(10)
        connection.connect(str(place.socket))
        if greet:
            hello = {"protocol": PROTOCOL, "version": __version__, "kind": "mcp", "pid": os.getpid()}
            connection.sendall(Frame({"hello": hello}).encode())
            assert "welcome" in _receive(connection)[0]
        yield connection


def ended(connection: socket.socket) -> bool:
    """True if the engine has closed the connection; earlier answers are skipped."""
    with contextlib.suppress(ConnectionError):
        while connection.recv(65536):
            pass
    return True


def test_malformed_frames_do_not_affect_other_clients(shared: Place, client: McpClient) -> None:
    random_bytes = random.Random(7)
    odd = [
        b"\xff" * 8,
        b"\x00\x00\x00\x02\x00\x00\x00\x00[]",
        b"\x00\x00\x00\x05\x00\x00\x00\x00nope!",
        b"\x00\x00\xff\xff\x00\x00\x00\x00" + b"[" * 0xFFFF,
        b"\x00\x00\x00\x02\x7f\xff\xff\xff{}",
        *(random_bytes.randbytes(200) for _ in range(20)),
    ]
    before = shared.engine_pid()
    for data in odd:
        for greet in (False, True):
            with connected(shared, greet=greet) as connection:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                assert ended(connection)
    headers: list[dict[str, Any]] = [
        {"id": "one"},
        {"id": None, "call": "map_repo"},
        {"cancel": []},
        {"cancel": {}},
        {"id": [], "ask": "state"},
    ]
    for header in headers:
        with connected(shared) as connection:
            connection.sendall(Frame(header).encode())
            assert ended(connection)
    hellos: list[dict[str, Any]] = [
        {"hello": []},
        {"hello": {"version": __version__, "protocol": PROTOCOL, "toolsets": 7}},
        {},
    ]
    for hello in hellos:
        with connected(shared, greet=False) as connection:
            connection.sendall(Frame(hello).encode())
            assert ended(connection)
    for body in (b"[]", b"{", b"\xff", b'{"a":' * 2000 + b"1" + b"}" * 2000):
        with connected(shared) as connection:
            connection.sendall(Frame({"id": 1, "call": "map_repo", "principal": "p"}, body).encode())
            header, _ = _receive(connection)
            assert header == {"id": 1, "error": True, "text": True}
    with connected(shared) as idle, connected(shared, greet=False):
        assert client.call("health_check")["status"] == "ok"
        idle.sendall(Frame({"cancel": 77}).encode())
    assert shared.engine_pid() == before
    until(lambda: shared.state()["clients"] == 1)  # type: ignore[index]


def test_call_and_cancellation_in_one_read(place: Place) -> None:
    with index_held(place):
        place.mcp().call("health_check")
        body = b'{"freshness_policy":"strict"}'
        with connected(place) as connection:
            pairs = (
                Frame({"id": number, "call": "map_repo", "principal": "p"}, body).encode()
                + Frame({"cancel": number}).encode()
                for number in range(1, 41)
            )
            connection.sendall(b"".join(pairs) + Frame({"id": 99, "ask": "state"}).encode())
            assert _receive(connection)[0] == {"id": 99}, "what was cancelled is not answered"
            until(lambda: place.state()["calls"] == 0)  # type: ignore[index]


def test_connection_that_does_not_read_is_closed(shared: Place, client: McpClient) -> None:
    """Pending output is bounded, and other clients are answered."""
    frames = b"".join(Frame({"id": number, "ask": "state"}).encode() for number in range(2000))
    with connected(shared) as greedy, pytest.raises(ConnectionError):
        for _ in range(100):
            greedy.sendall(frames)
            assert client.call("health_check")["status"] == "ok"
    assert client.call("file_outline", file="app.py")["status"] == "ok"


def test_sessions_end_with_their_front_and_handles_stay_with_their_session(tmp_path: Path) -> None:
    with server_place(tmp_path, {f"d{number:03}/f.py": "x = 1\n" for number in range(60)}) as place:
        one, two = place.ready(), place.mcp()
        first = one.call("map_repo", include=["structure"], limit=10)
        cursor = first["result"]["pagination"]["next_cursor"]
        theirs = two.call("health_check")["meta"]["session_id"]
        assert place.state()["sessions"] == 2  # type: ignore[index]

        for arguments in (
            {"cursor": cursor},
            {"session_id": "s_" + "x" * 24},
            {"session_id": theirs, "cursor": cursor},
        ):
            assert two.call("map_repo", **arguments)["status"] == "error"
        assert two.call("map_repo", cursor=cursor)["error"]["error"] == "HANDLE_NOT_YOURS"
        assert one.call("map_repo", session_id=theirs)["error"]["error"] == "HANDLE_NOT_YOURS"
        assert one.call("map_repo", cursor=cursor)["status"] == "ok"

        two.end()
        until(lambda: place.state()["sessions"] == 1)  # type: ignore[index]
        assert one.call("map_repo", session_id=theirs)["error"]["error"] == "HANDLE_EXPIRED"
        until(lambda: _task_state(place, theirs) == "CLOSED_SUCCESS")


def _task_state(place: Place, session_id: str) -> str:
    found = [task.state for task in list_tasks(place.root / ".codeplane", 10) if task.session_id == session_id]
    return found[0] if found else ""


def test_pages_neither_lose_nor_repeat_while_files_change(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {f"d{number:03}/f.py": "x = 1\n" for number in range(120)}
    with server_place(tmp_path, files) as place:
        client = place.ready()
        whole = client.call("map_repo", include=["structure"], limit=100)["result"]
        assert whole["pagination"]["total_estimate"] >= 120
        seen: list[str] = []
        answer = client.call("map_repo", include=["structure"], limit=17)["result"]
        total = answer["pagination"]["total_estimate"]
        number = 0
        while True:
            seen += answer["structure"]["tree"]
            if "pagination" not in answer:
                break
            number += 1
            write(place.root, f"d{number:03}a/new.py", "y = 1\n")
            shutil.rmtree(place.root / f"d{119 - number:03}")
            client.call("manage_index", action="sync")
            cursor = answer["pagination"]["next_cursor"]
            answer = client.call("map_repo", cursor=cursor, limit=17)["result"]
            # An answer that was lost on its way can be asked for again.
            again = client.call("map_repo", cursor=cursor, limit=17)["result"]
            assert again["structure"] == answer["structure"]
        assert len(seen) == len(set(seen)) == total
        assert {name for name in seen if name.endswith("/")} == {f"d{number:03}/" for number in range(120)}


def operations(place: Place) -> list[OperationRow]:
    return list_operations(place.root / ".codeplane", 100)


def test_every_call_leaves_one_outcome(place: Place) -> None:
    secret = "Name-That-Stays-Out-Of-The-Ledger"
    client = place.ready()
    until(lambda: len(operations(place)) == client._next)
    before = {row.request_id for row in operations(place)}
    asked = [
        ("health_check", {}),
        ("file_outline", {"file": "app.py"}),
        ("file_outline", {"file": f"{secret}.py"}),
        ("file_outline", {}),
        ("file_outline", {"file": "../x"}),
        (secret, {"a": secret}),
        ("map_repo", {"cursor": "c_" + "A" * 12}),
        ("manage_index", {"action": "sync"}),
        ("manage_index", {"action": "create"}),
        ("manage_index", {"action": "clear"}),
    ]
    numbers = [client.request("tools/call", {"name": name, "arguments": given}) for name, given in asked]
    envelopes = [client.finish(number) for number in numbers]
    until(lambda: len(operations(place)) >= len(before) + len(asked))
    rows = {row.request_id: row for row in operations(place) if row.request_id not in before}
    assert len(rows) == len(asked)
    for (name, _), envelope in zip(asked, envelopes, strict=True):
        row = rows[envelope["meta"]["request_id"]]
        assert row.tool == (name if name != secret else "unknown")
        assert row.status == envelope["status"]
        assert row.error_code == envelope.get("error", {}).get("code")
        # Only what may have an effect is announced before it is done.
        assert (row.intent_seq is not None) == (name == "manage_index"), row
    assert len({row.session_id for row in rows.values() if row.session_id}) == 1
    client.end()
    assert verify_chain(place.root / ".codeplane").is_intact
    for path in (place.root / ".codeplane").glob("ledger*"):
        assert path.is_dir() or secret.encode() not in path.read_bytes()


def test_cancelled_calls_leave_one_outcome_too(place: Place) -> None:
    with index_held(place):
        client = place.mcp()
        client.call("health_check")
        waiting = [client.begin("map_repo", freshness_policy="strict") for _ in range(10)]
        until(lambda: place.state()["calls"] == 10)  # type: ignore[index]
        for number in waiting:
            client.notify("notifications/cancelled", {"requestId": number})
        until(lambda: len(operations(place)) == 11)
        client.end()
    counted = Counter((row.tool, row.error_code) for row in operations(place))
    assert counted[("map_repo", 5003)] == 10
    assert verify_chain(place.root / ".codeplane").is_intact
