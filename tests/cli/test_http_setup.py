"""HTTP set-up as in docs/http.md: its commands and configuration, run as written."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

import codeplane
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.cli.clients.catalog import NAMES
from codeplane.cli.clients.doctor import clients_doctor
from codeplane.server.http.token_file import find_token, load_or_create_token
from support.sandbox import Sandbox, make_sandbox

PAGE = Path(__file__).resolve().parents[2] / "docs" / "http.md"
SOURCE = Path(codeplane.__file__).parents[1]


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    made = make_sandbox(tmp_path_factory.mktemp("http"))
    programs = made.home / "bin"
    programs.mkdir()
    program = programs / "cpl"
    program.write_text(f'#!/bin/sh\nPYTHONPATH={SOURCE} exec {sys.executable} -P -m codeplane.cli "$@"\n')
    program.chmod(0o755)
    made.variables["PATH"] = f"{programs}{os.pathsep}{os.environ['PATH']}"
    assert made.run("init").returncode == 0
    return made


@pytest.fixture(scope="module")
def port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def shell(shop: Sandbox, script: str) -> str:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=shop.root,
        env=shop.environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@contextmanager
def serving(shop: Sandbox, script: str) -> Iterator[list[str]]:
    """Run the command of the page; yields what it printed when it was ready, and later everything."""
    process = subprocess.Popen(
        ["bash", "-c", f"exec {script}"],
        cwd=shop.root,
        env=shop.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    shown: list[str] = []
    try:
        for line in process.stdout:
            shown.append(line)
            if "Ctrl-C" in line:
                break
        assert shown and "Ctrl-C" in shown[-1], shown
        yield shown
    finally:
        process.send_signal(signal.SIGTERM)
        shown.append(process.communicate(timeout=30)[0])


def ask(entry: dict[str, Any], token: str) -> Any:
    """Answer that the client of this entry gets, with the token in CODEPLANE_TOKEN."""
    headers = {name: value.replace("${CODEPLANE_TOKEN}", token) for name, value in entry["headers"].items()}
    accept = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    with urlopen(Request(entry["url"], json.dumps(message).encode(), {**headers, **accept}), timeout=20) as reply:
        assert reply.status == 200
        return json.loads(reply.read().decode().partition("data: ")[2])


@pytest.mark.skipif(shutil.which("curl") is None, reason="the page uses curl")
def test_the_commands_and_the_configuration_of_the_page_work(shop: Sandbox, port: int) -> None:
    start, status, call, print_config, export = (text.replace("8741", str(port)) for text in blocks("sh"))
    configuration = json.loads(blocks("json")[0].replace("8741", str(port)))
    entry = configuration["mcpServers"]["codeplane"]
    with serving(shop, start) as shown:
        assert f"http://127.0.0.1:{port}/mcp" in "".join(shown)
        assert json.loads(shell(shop, status))["port"] == port
        answer = json.loads(shell(shop, call))["result"]
        assert not answer["isError"] and "orders.py" in answer["content"][0]["text"]
        assert blocks("json")[0].replace("8741", str(port)).strip() in shell(shop, print_config)
        token = shell(shop, export + 'printf %s "$CODEPLANE_TOKEN"')
        assert ask(entry, token)["result"]["serverInfo"]["name"] == "codeplane"
    # The same configuration works after a restart, and the token is in no output.
    with serving(shop, start) as again:
        assert ask(entry, token)["result"]["serverInfo"]["name"] == "codeplane"
    log = (shop.root / ".codeplane" / "logs").rglob("*")
    logged = "".join(path.read_text() for path in log if path.is_file())
    assert token not in "".join((*shown, *again)) + logged


def test_token_is_new_at_each_start_by_default(shop: Sandbox) -> None:
    tokens = []
    for _ in range(2):
        with serving(shop, "cpl up"):
            answer = shop.json("token")["result"]
            assert answer["kept"] is False
            tokens.append(answer["token"])
    assert tokens[0] != tokens[1]


def test_setting_keeps_the_token(shop: Sandbox) -> None:
    with serving(shop, "cpl --set server.keep_token=true up"):
        answer = shop.json("token")["result"]
    assert answer["kept"] is True and Path(answer["file"]).read_text().strip() == answer["token"]
    # Without a server the kept token can still be printed, to configure a client.
    assert shop.run("token").stdout.strip() == answer["token"]


def test_token_without_a_server_suggests_cpl_up(sandbox: Sandbox) -> None:
    done = sandbox.run("token")
    assert done.returncode == 2 and done.stdout == "" and "cpl up --keep-token" in done.stderr


def test_token_file_is_private(tmp_path: Path) -> None:
    state, root = tmp_path / "state", tmp_path / "repository"
    root.mkdir()
    assert find_token(state, root) is None
    kept = load_or_create_token(state, root)
    assert load_or_create_token(state, root) == find_token(state, root) == kept
    assert kept.path.stat().st_mode & 0o777 == 0o600 and kept.path.parent.stat().st_mode & 0o777 == 0o700
    assert load_or_create_token(state, tmp_path).token != kept.token
    kept.path.chmod(0o644)
    with pytest.raises(CodePlaneError) as caught:
        load_or_create_token(state, root)
    assert caught.value.code is ErrorCode.RUNTIME_DIRECTORY_UNSAFE
    kept.path.chmod(0o600)
    kept.path.write_text("short\n")
    with pytest.raises(CodePlaneError) as caught:
        load_or_create_token(state, root)
    assert "does not contain a token" in caught.value.message


def test_a_linked_token_file_is_rejected(tmp_path: Path) -> None:
    state = tmp_path / "state"
    kept = load_or_create_token(state, tmp_path)
    kept.path.rename(tmp_path / "elsewhere")
    kept.path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CodePlaneError):
        load_or_create_token(state, tmp_path)


def test_every_client_has_an_http_entry_without_the_token(sandbox: Sandbox) -> None:
    kept = load_or_create_token(sandbox.home / ".local/state/codeplane", sandbox.root)
    found = sandbox.json("--set", "server.port=9876", "install", "--print-config", "--http")["result"]
    assert found["url"] == "http://127.0.0.1:9876/mcp"
    assert [row["client"] for row in found["clients"]] == list(NAMES)
    for row in found["clients"]:
        read = tomllib.loads if row["client"] == "codex" else json.loads
        text = json.dumps(read(row["snippet"]))
        assert "http://127.0.0.1:9876/mcp" in text and kept.token not in text
        assert "CODEPLANE_TOKEN" in text or "cpl token" in row["note"]
    shown = sandbox.run("install", "vscode", "--print-config", "--http").stdout
    assert "cpl up --port 8741 --keep-token" in shown and '"inputs"' in shown
    refused = sandbox.run("install", "cursor", "--http", "--yes")
    assert refused.returncode == 2 and "cpl install --print-config --http" in refused.stderr


@pytest.mark.parametrize("client", NAMES)
def test_doctor_and_uninstall_know_http_entries(sandbox: Sandbox, client: str) -> None:
    row = sandbox.json("install", client, "--print-config", "--http")["result"]["clients"][0]
    path = Path(row["paths"][0])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(row["snippet"] + "\n")
    states = {finding.state for finding in clients_doctor(sandbox.environment(), sandbox.root)}
    assert "ready" in states and "broken" not in states
    assert sandbox.json("uninstall", client, "--yes")["result"]["clients"][0]["action"] == "remove"
    assert "127.0.0.1" not in path.read_text()
