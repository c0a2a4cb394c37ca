"""`cpl doctor`: its checks, and the report for a bug tracker."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.cli.assemble import Invocation
from codeplane.cli.commands.doctor import run_doctor
from codeplane.config.model import Config
from codeplane.languages.versions import grammar_pins, grammar_versions
from codeplane.operations.context import Context
from codeplane.operations.doctor import DoctorCheck, diagnose
from codeplane.store.layout import open_state
from codeplane.telemetry import shut_down
from support.sandbox import Sandbox


def checks_of(sandbox: Sandbox, exit_code: int = 0) -> dict[str, dict[str, Any]]:
    report = sandbox.json("doctor", exit_code=exit_code)["result"]
    return {check["name"]: check for check in report["checks"]}


@pytest.fixture(autouse=True)
def runtime(indexed: Sandbox) -> Iterator[Path]:
    """A runtime directory of the test's own. The path of a socket must be short."""
    with tempfile.TemporaryDirectory(prefix="cpl", dir="/tmp") as directory:
        indexed.variables = {"XDG_RUNTIME_DIR": directory}
        yield Path(directory)


def test_doctor_checks_everything_and_creates_nothing(indexed: Sandbox, runtime: Path) -> None:
    before = sorted(indexed.home.rglob("*"))
    found = checks_of(indexed)
    expected = {"configuration", "trust", "git", "lock", "index", "commit", "ledger", "runtime directory", "clients"}
    assert expected <= found.keys()
    assert [name for name, check in found.items() if not check["ok"]] == ["clients"]
    assert sorted(indexed.home.rglob("*")) == before
    made = [path for path in runtime.rglob("*") if not path.is_dir()]
    assert made == []


def test_missing_client_configuration_is_a_warning(indexed: Sandbox) -> None:
    found = checks_of(indexed)["clients"]
    assert not found["ok"] and found["severity"] == "warning" and "no MCP client was found" in found["message"]
    (indexed.home / ".cursor").mkdir()
    found = checks_of(indexed)["clients"]
    assert "no MCP client is configured" in found["message"] and "cpl install" in found["remedy"]
    shown = indexed.run("doctor").stdout
    assert "no MCP client is configured" in shown and "Run 'cpl install'." in shown
    entry = {"mcpServers": {"codeplane": {"url": "http://127.0.0.1:8741/mcp"}}}
    (indexed.home / ".cursor" / "mcp.json").write_text(json.dumps(entry))
    assert "clients" not in checks_of(indexed)


def test_runtime_directory_of_another_user_is_a_finding(indexed: Sandbox, runtime: Path) -> None:
    (runtime / "codeplane").mkdir()
    (runtime / "codeplane").chmod(0o755)
    found = checks_of(indexed, exit_code=1)["runtime directory"]
    assert not found["ok"] and found["remedy"]
    (runtime / "codeplane").chmod(0o700)
    assert checks_of(indexed)["runtime directory"]["ok"]


def test_live_lock_owner_is_named(indexed: Sandbox) -> None:
    script = (
        "import sys\nfrom pathlib import Path\nfrom codeplane.disk.locks import FileLock\n"
        "with FileLock(Path(sys.argv[1])).acquire(5):\n    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script, str(indexed.root / ".codeplane" / "lock")],
        env=indexed.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None and child.stdout.readline() == "held\n"
    try:
        assert checks_of(indexed)["lock"]["message"] == f"held by process {child.pid}"
    finally:
        child.kill()
        child.communicate()
    assert checks_of(indexed)["lock"]["message"] == "free"


def test_invalid_ledger_file_is_a_finding(indexed: Sandbox) -> None:
    state = open_state(indexed.root)
    assert state is not None
    (state.path / "ledger.db").write_bytes(b"no ledger at all" * 512)
    (state.path / "ledger.db").chmod(0o600)
    found = checks_of(indexed, exit_code=1)["ledger"]
    assert not found["ok"] and "ledger.db" in found["message"] and found["remedy"]


def test_the_first_changed_row_of_the_ledger_is_named(indexed: Sandbox) -> None:
    for _ in range(2):
        indexed.run("call", "health_check")
    state = open_state(indexed.root)
    assert state is not None
    assert checks_of(indexed)["ledger"]["ok"]
    connection = sqlite3.connect(state.path / "ledger.db")
    (trigger,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'events_keep'").fetchone()
    connection.execute("DROP TRIGGER events_keep")
    connection.execute("UPDATE events SET tool = 'search' WHERE seq = 3")
    connection.execute(trigger)
    connection.commit()
    connection.close()
    found = checks_of(indexed, exit_code=1)["ledger"]
    assert not found["ok"] and "row 3 of ledger.db: the row was altered" in found["message"]


def test_client_with_a_broken_command_is_a_finding(indexed: Sandbox) -> None:
    missing = indexed.home / "gone" / "cpl"
    (indexed.home / ".cursor").mkdir()
    entry = {"mcpServers": {"codeplane": {"command": str(missing), "args": ["mcp"]}}}
    (indexed.home / ".cursor" / "mcp.json").write_text(json.dumps(entry))
    found = checks_of(indexed, exit_code=1)["client Cursor"]
    assert not found["ok"] and str(missing) in found["message"] and "cpl install" in found["remedy"]


def test_additional_checks_run_and_may_fail(
    indexed: Sandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def handshake(context: Context) -> Iterable[DoctorCheck]:
        yield DoctorCheck("handshake", True, "info", f"with {context.root.name}")

    def unreachable_server(context: Context) -> Iterable[DoctorCheck]:
        raise CodePlaneError(ErrorCode.ENGINE_UNREACHABLE, "no answer", remedy="Wait.")

    def unreadable_thing(context: Context) -> Iterable[DoctorCheck]:
        os.stat(context.root / "not there")
        return ()

    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(indexed.home))
    further = (handshake, unreachable_server, unreadable_thing)
    try:
        code = run_doctor(Invocation(start=indexed.root), logs=False, json=True, further=further)
    finally:
        shut_down()
    found = {check["name"]: check for check in json.loads(capsys.readouterr().out)["result"]["checks"]}
    assert code == 1
    assert found["handshake"]["message"] == "with repository"
    assert (found["unreachable server"]["message"], found["unreachable server"]["remedy"]) == (
        "no answer",
        "Wait.",
    )
    assert not found["unreadable thing"]["ok"]


def test_a_grammar_of_another_version_is_a_finding(indexed: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    context = Context(indexed.root, Config(), indexed.home / "state")
    found = {check.name: check for check in diagnose(context)}
    assert found["grammars"].ok
    monkeypatch.setattr("codeplane.operations.doctor.grammar_pins", lambda: {**grammar_pins(), "tree-sitter-go": "9"})
    found = {check.name: check for check in diagnose(context)}
    installed = grammar_versions()["tree-sitter-go"]
    assert found["grammars"].message == f"not usable: go (tree-sitter-go {installed} in place of 9)"


def test_report_contains_everything_except_secrets(indexed: Sandbox) -> None:
    """Both parts of the log, and nothing of what a file or a variable holds."""
    logs = indexed.root / ".codeplane" / "logs"
    place = f'"path":"{indexed.home}/project/x.py"'
    older = logs / "codeplane.jsonl.1"
    older.write_text('{"ts":"2026-01-01T00:00:00.000Z","level":"info","event":"long ago",' + place + "}\n")
    indexed.variables |= {"API_TOKEN": "hunter2", "CODEPLANE__LOGGING__LEVEL": "debug"}
    (indexed.root / ".codeplane" / "config.yaml").write_text("secret: {token: hunter3}\nserver: {port: 81}\n")
    shown = indexed.run("doctor", "--logs").stdout
    for heading in ("Versions", "Settings", "Warnings", "Log"):
        assert f"\n{heading}\n" in shown
    assert "codeplane  " in shown and f"{sys.version_info[0]}.{sys.version_info[1]}." in shown
    assert "environment CODEPLANE__LOGGING__LEVEL" in shown
    assert "CONFIG_UNTRUSTED: server.port" in shown
    assert '"long ago"' in shown and '"index ready"' in shown
    assert shown.index('"long ago"') < shown.index('"index ready"')
    assert "~/project/x.py" in shown
    result = indexed.run("doctor", "--logs", "--json").stdout
    for text in (shown, result):
        assert str(indexed.home) not in text and "hunter" not in text
    assert {"healthy", "checks", "versions", "config", "log"} <= json.loads(result)["result"].keys()
