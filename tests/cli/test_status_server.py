"""`cpl status`: the server, the last error, and following the log."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from codeplane.cli.assemble import Invocation
from codeplane.cli.commands.status import show_status
from codeplane.telemetry import shut_down
from support.sandbox import CPL, Sandbox

RUNNING: Mapping[str, object] = {
    "pid": 4711,
    "version": "9.9\x1b[2J",
    "transport": ["stdio", "http"],
    "port": 8099,
    "clients": 3,
    "uptime_s": 75.2,
    "token": "hunter2",
    "memory": {"resident_bytes": 120_000_000, "cached_text_bytes": 2_000_000, "open_snapshots": 3},
}


@pytest.fixture
def at_home(indexed: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    """The test process itself in the sandbox's home."""
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(indexed.home))
    yield indexed
    shut_down()


def test_a_running_server_is_shown(at_home: Sandbox, capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[Path] = []

    def ask(root: Path) -> Mapping[str, object]:
        asked.append(root)
        return RUNNING

    assert show_status(Invocation(start=at_home.root), verbose=False, json=False, ask_server=ask) == 0
    shown = capsys.readouterr().out
    assert "running, process 4711, stdio, http, port 8099, 3 clients, for 1 min 15 s" in shown
    assert "9.9\\x1b[2J" in shown and "hunter2" not in shown
    assert show_status(Invocation(start=at_home.root), verbose=False, json=True, ask_server=ask) == 0
    text = capsys.readouterr().out
    server = json.loads(text)["result"]["server"]
    assert server["running"] is True and (server["pid"], server["port"]) == (4711, 8099)
    assert "hunter2" not in text
    assert asked == [at_home.root, at_home.root]
    assert "Memory" not in shown
    assert show_status(Invocation(start=at_home.root), verbose=True, json=False, ask_server=ask) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    for row in (["resident", "120.0", "MB"], ["cached", "text", "2.0", "MB"], ["open", "snapshots", "3"]):
        assert row in rows


def test_missing_server_is_reported(at_home: Sandbox, capsys: pytest.CaptureFixture[str]) -> None:
    show_status(Invocation(start=at_home.root), verbose=False, json=True, ask_server=lambda root: None)
    assert json.loads(capsys.readouterr().out)["result"]["server"] == {"running": False}


def test_status_has_operator_fields(indexed: Sandbox) -> None:
    result = indexed.json("status")["result"]
    head = indexed.git("rev-parse", "HEAD").strip()
    assert (result["head"], result["overlay"], result["trust"]) == (head, "on", "absent")
    assert result["repo_uuid"] and result["merkle_root"] and result["index_version"] and result["last_sync"]
    assert result["index_bytes"] > 0 and result["log_path"].endswith("codeplane.jsonl")
    assert "last_error" not in result
    shown = indexed.run("status").stdout
    for word in (result["repo_uuid"][:12], result["index_version"], head[:12], "last sync", "server"):
        assert word in shown


def test_the_last_error_is_shown(indexed: Sandbox) -> None:
    log = indexed.root / ".codeplane" / "logs" / "codeplane.jsonl"
    with log.open("a") as file:
        for event in ("first", "sec\\u001b[2Jond"):
            file.write(
                f'{{"ts":"2026-01-02T03:04:05.678Z","level":"error","event":"{event}","exception":"ValueError"}}\n'
            )
        file.write('{"ts":"2026-01-02T03:04:06.000Z","level":"info","event":"\\"level\\":\\"error\\" is a text"}\n')
        file.write('not json "level":"error"\n')
    error = indexed.json("status")["result"]["last_error"]
    assert (error["event"], error["exception"]) == ("sec\x1b[2Jond", "ValueError")
    shown = indexed.run("status", "--verbose").stdout
    assert "last error" in shown and "sec\\x1b[2Jond" in shown and "exception=ValueError" in shown
    assert 'not json "level":"error"' in shown
    assert "\x1b" not in shown


def test_verbose_shows_the_last_fifty_lines(indexed: Sandbox) -> None:
    log = indexed.root / ".codeplane" / "logs" / "codeplane.jsonl"
    with log.open("a") as file:
        file.writelines(
            f'{{"ts":"2026-01-02T03:04:05.678Z","level":"info","event":"n{number}"}}\n' for number in range(60)
        )
    assert len(indexed.json("status", "--verbose")["result"]["log"]) == 50
    shown = indexed.run("status", "--verbose").stdout
    assert " n59" in shown and " n11" in shown and " n9\n" not in shown
    assert " n59" not in indexed.run("status").stdout


def follow(sandbox: Sandbox, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*CPL, "status", "--follow", *options],
        cwd=sandbox.root,
        env=sandbox.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A runner may have told its children to ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    )


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_log_follow_survives_rotation(indexed: Sandbox, options: tuple[str, ...]) -> None:
    log = indexed.root / ".codeplane" / "logs" / "codeplane.jsonl"
    child = follow(indexed, *options)
    assert child.stdout is not None
    first = child.stdout.readline()
    while not options and "index ready" not in child.stdout.readline():
        pass
    events = []
    for event in ("one", "two"):
        line = json.dumps({"ts": "2026-01-02T03:04:05.678Z", "level": "warn", "event": event})
        with log.open("a") as file:
            file.write(line + "\n")
        while event not in (seen := child.stdout.readline()):
            assert seen
        events.append(seen)
        os.rename(log, log.with_name("codeplane.jsonl.1"))
    child.send_signal(signal.SIGINT)
    rest, errors = child.communicate(timeout=20)
    assert (child.returncode, rest, errors) == (130, "", "")
    if options:
        assert json.loads(first)["result"]["state"] == "ready"
        assert [json.loads(line)["event"] for line in events] == ["one", "two"]
    else:
        assert [line.split()[2:] for line in events] == [["warn", "one"], ["warn", "two"]]


def test_closed_pipe_ends_following(indexed: Sandbox) -> None:
    child = follow(indexed)
    assert child.stdout is not None and child.stderr is not None
    child.stdout.readline()
    child.stdout.close()
    log = indexed.root / ".codeplane" / "logs" / "codeplane.jsonl"
    for _ in range(100):
        with log.open("a") as file:
            file.write('{"ts":"2026-01-02T03:04:05.678Z","level":"info","event":"more"}\n')
        try:
            child.wait(timeout=0.1)
            break
        except subprocess.TimeoutExpired:
            continue
    assert child.wait(timeout=5) == 0
    assert child.stderr.read() == ""
    child.stderr.close()


def test_following_without_a_repository_fails(sandbox: Sandbox, tmp_path: Path) -> None:
    done = sandbox.run("status", "--follow", cwd=tmp_path)
    assert done.returncode == 1 and "not in a git repository" in done.stderr
