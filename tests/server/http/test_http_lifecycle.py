"""The life of a server process: where it says that it is, how it ends, and what it leaves behind."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.server.http.lifecycle import EXIT_INTERRUPTED, EXIT_STOPPED, GRACE_SECONDS, listen, serve
from codeplane.server.http.mcp_server import ServerInfo
from codeplane.server.runtime_directory import HTTP_NAME, HttpRecord, RuntimeDirectory, read_http
from codeplane.tools.surface import Format
from support.http_front import TOOLS, Local, modern_headers, modern_message

HANG_SECONDS = 60.0
"""Guard against a process that never ends."""
HERE = Path(__file__).resolve()


@dataclass
class Place:
    base: Path
    root: Path

    @property
    def runtime(self) -> RuntimeDirectory:
        return RuntimeDirectory.open(self.base, self.root)

    @property
    def port_file(self) -> Path:
        return self.root / ".codeplane" / "port"

    def record(self) -> HttpRecord | None:
        with self.runtime as runtime:
            return read_http(runtime)


@pytest.fixture
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    root = tmp_path_factory.mktemp("root")
    (root / ".codeplane").mkdir()
    return Place(tmp_path_factory.mktemp("r") / "codeplane", root)


@contextmanager
def serving(place: Place, grace: float = GRACE_SECONDS) -> Iterator[tuple[subprocess.Popen[str], HttpRecord]]:
    source = str(HERE.parents[3] / "src") + os.pathsep + str(HERE.parents[2])
    process = subprocess.Popen(
        [sys.executable, str(HERE.with_name("serving.py")), str(place.base), str(place.root), str(grace)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": source},
    )
    try:
        assert process.stdout is not None
        port = process.stdout.readline()
        record = place.record()
        assert record is not None and str(record.port) == port.strip()
        yield process, record
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def steady(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[subprocess.Popen[str], HttpRecord]]:
    root = tmp_path_factory.mktemp("steady")
    with serving(Place(tmp_path_factory.mktemp("s") / "codeplane", root)) as running:
        yield running


def get(record: HttpRecord, path: str, token: str | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", record.port, timeout=20)
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {token or record.token}"})
        reply = connection.getresponse()
        return reply.status, reply.read()
    finally:
        connection.close()


def start_sleeping(record: HttpRecord, seconds: float) -> http.client.HTTPConnection:
    """A call that is under way when this returns."""
    params = {"name": "sleep", "arguments": {"seconds": seconds}, "_meta": {"progressToken": 1}}
    connection = http.client.HTTPConnection("127.0.0.1", record.port, timeout=20)
    connection.request(
        "POST",
        "/mcp",
        json.dumps(modern_message("tools/call", params)),
        {
            **modern_headers("tools/call", params),
            "Authorization": f"Bearer {record.token}",
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
        },
    )
    return connection


def assert_nothing_left(place: Place) -> None:
    assert place.record() is None
    assert not place.port_file.exists()
    assert os.listdir(place.root / ".codeplane") == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signal_stops_an_idle_server_and_removes_its_files(place: Place, number: signal.Signals) -> None:
    with serving(place) as (process, record):
        with place.runtime as runtime:
            assert stat.S_IMODE((runtime.path / HTTP_NAME).stat().st_mode) == 0o600
        assert place.port_file.read_text().strip() == str(record.port)
        assert (record.pid, record.api_version) == (process.pid, "0.1.0")
        assert get(record, "/status")[0] == 200
        process.send_signal(number)
        _, errors = process.communicate(timeout=HANG_SECONDS)
        assert process.returncode == EXIT_STOPPED
        assert errors == ""
        assert_nothing_left(place)


def test_running_call_finishes_before_shutdown(place: Place) -> None:
    with serving(place) as (process, record):
        connection = start_sleeping(record, 1.0)
        reply = connection.getresponse()
        process.send_signal(signal.SIGTERM)
        assert b'"structuredContent"' in reply.read()
        connection.close()
        process.communicate(timeout=10)
        assert process.returncode == EXIT_STOPPED


def test_slow_call_is_cancelled_at_shutdown(place: Place) -> None:
    with serving(place) as (process, record):
        connection = start_sleeping(record, 600.0)
        reply = connection.getresponse()
        process.send_signal(signal.SIGTERM)
        # A supervisor that repeats itself changes nothing.
        process.send_signal(signal.SIGTERM)
        assert b'"structuredContent"' not in reply.read()
        connection.close()
        process.communicate(timeout=HANG_SECONDS)
        assert process.returncode == EXIT_STOPPED
        assert_nothing_left(place)


def test_second_interrupt_stops_at_once(place: Place) -> None:
    with serving(place, grace=600.0) as (process, record):
        connection = start_sleeping(record, 600.0)
        connection.getresponse()
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=HANG_SECONDS)
        connection.close()
        assert process.returncode == EXIT_INTERRUPTED
        assert_nothing_left(place)


def test_only_loopback_listens(steady: tuple[subprocess.Popen[str], HttpRecord]) -> None:
    wanted = f":{steady[1].port:04X}"
    tables = [Path("/proc/net/tcp"), Path("/proc/net/tcp6")]
    if not tables[0].exists():
        pytest.skip("the system has no table of its sockets")
    lines = [line.split() for table in tables if table.exists() for line in table.read_text().splitlines()]
    local = {fields[1] for fields in lines if len(fields) > 3 and fields[1].endswith(wanted) and fields[3] == "0A"}
    assert local == {f"0100007F{wanted}"}


def test_status_reports_event_loop_lag(steady: tuple[subprocess.Popen[str], HttpRecord]) -> None:
    process, record = steady
    time.sleep(0.2)
    status = json.loads(get(record, "/status")[1])
    assert set(status["event_loop_lag_ms"]) == {"p50", "p99_9", "max"}
    assert status["pid"] == process.pid
    assert status["port"] == record.port
    assert status["connections"] >= 1
    assert status["uptime_seconds"] > 0


def test_port_in_use_is_an_error_with_a_remedy() -> None:
    with listen(0) as taken:
        taken.listen()
        with pytest.raises(CodePlaneError) as caught:
            listen(taken.getsockname()[1])
    assert caught.value.code is ErrorCode.CONFIG_INVALID
    assert caught.value.remedy
    with pytest.raises(CodePlaneError):
        listen(70_000)


def test_planted_token_file_prevents_the_start(place: Place, tmp_path: Path) -> None:
    with place.runtime as runtime:
        (runtime.path / HTTP_NAME).symlink_to(tmp_path / "elsewhere")
        serving_here = serve(
            Local(),
            ServerInfo("codeplane", "9.9.9", "Instructions.", TOOLS, Format.JSON),
            repository=place.root,
            runtime=runtime,
            api_version="0.1.0",
            port_directory=place.root / ".codeplane",
        )
        with pytest.raises(CodePlaneError) as caught:
            asyncio.run(serving_here)
    assert caught.value.code is ErrorCode.RUNTIME_DIRECTORY_UNSAFE
    assert not (tmp_path / "elsewhere").exists()
    assert not place.port_file.exists()


def test_planted_port_file_is_replaced_and_never_followed(place: Place, tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("untouched")
    place.port_file.symlink_to(tmp_path / "victim")
    with serving(place) as (process, record):
        assert not place.port_file.is_symlink()
        assert place.port_file.read_text().strip() == str(record.port)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=10)
    assert (tmp_path / "victim").read_text() == "untouched"


def test_next_server_has_its_own_token_and_files(place: Place) -> None:
    with serving(place) as (first, before), serving(place) as (second, successor):
        assert before.token != successor.token
        assert get(successor, "/status", before.token)[0] == 401
        assert get(successor, "/status")[0] == 200
        first.send_signal(signal.SIGTERM)
        first.communicate(timeout=10)
        assert place.record() == successor
        assert place.port_file.read_text().strip() == str(successor.port)
        # The files of a killed server stay, but nothing answers.
        second.kill()
        second.communicate()
        assert place.record() == successor
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", successor.port), timeout=5)
