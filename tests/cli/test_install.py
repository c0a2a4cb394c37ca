"""`cpl install` and `cpl uninstall` end to end, with a home directory and a program of their own."""

from __future__ import annotations

import json
import os
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

import codeplane
from codeplane.cli.clients.catalog import CLIENTS, NAMES
from codeplane.cli.clients.doctor import clients_doctor
from codeplane.cli.clients.model import Launch, is_ours, launched
from codeplane.cli.main import app
from support.sandbox import Sandbox

SOURCE = Path(codeplane.__file__).parents[1]
SCRIPT = f"""#!{sys.executable}
import sys
sys.path.insert(0, {str(SOURCE)!r})
from codeplane.cli.main import main
main()
"""


@dataclass
class Machine(Sandbox):
    """A machine on which nothing but this program is installed."""

    @property
    def program(self) -> Path:
        return self.home.parent / "bin" / "cpl"

    @property
    def command(self) -> tuple[str, ...]:
        return (str(self.program),)

    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name == "CI"}
        # Nothing but the program is on this PATH, whatever clients the machine has.
        return {**kept, "HOME": str(self.home), "TERM": "xterm", "PATH": str(self.program.parent), **self.variables}

    def files(self) -> dict[str, bytes]:
        """Return all files under the home directory, except those of CodePlane."""
        found = (path for path in self.home.rglob("*") if path.is_file() and ".local" not in path.parts)
        return {str(path.relative_to(self.home)): path.read_bytes() for path in found}


@pytest.fixture
def sandbox(tmp_path: Path) -> Machine:
    made = Machine(tmp_path / "repository", tmp_path / "home")
    for directory in (made.root / ".git", made.home, made.program.parent):
        directory.mkdir(parents=True)
    made.program.write_text(SCRIPT)
    made.program.chmod(0o755)
    return made


@pytest.fixture
def two(sandbox: Machine) -> Machine:
    """Claude Code and Codex are there."""
    (sandbox.home / ".claude.json").write_text('{\n  "numStartups": 1\n}\n')
    (sandbox.home / ".codex").mkdir()
    (sandbox.home / ".codex/config.toml").write_text('model = "x" # mine\n')
    return sandbox


def test_installed_clients_are_configured_and_restored(two: Machine) -> None:
    before = two.files()
    answer = two.json("install", "--yes")
    assert [(found["client"], found["action"]) for found in answer["result"]["clients"]] == [
        ("claude-code", "add"),
        ("codex", "add"),
    ]
    assert answer["status"] == "ok" and answer["warnings"] == []
    claude = json.loads((two.home / ".claude.json").read_text())
    assert claude == {
        "numStartups": 1,
        "mcpServers": {"codeplane": {"type": "stdio", "command": "cpl", "args": ["mcp"]}},
    }
    codex = tomllib.loads((two.home / ".codex/config.toml").read_text())
    assert codex == {"model": "x", "mcp_servers": {"codeplane": {"command": "cpl", "args": ["mcp"]}}}
    for found in answer["result"]["clients"]:
        assert Path(found["backup"]).read_bytes() == before[str(Path(found["path"]).relative_to(two.home))]

    installed = two.files()
    again = two.run("install", "--yes")
    assert again.stdout.count("unchanged") == 2 and again.returncode == 0
    assert two.files() == installed

    gone = two.json("uninstall", "--yes")
    assert [found["action"] for found in gone["result"]["clients"]] == ["remove", "remove"]
    # Uninstall removes its backups too.
    assert two.files() == before
    assert "No client has CodePlane" in two.run("uninstall").stdout


def test_install_prints_no_log_lines(two: Machine) -> None:
    done = two.run("install", "--yes")
    assert done.returncode == 0 and done.stderr == ""
    assert two.run("uninstall", "--yes").stderr == ""


def test_uninstall_keeps_backups_of_files_that_it_did_not_change(two: Machine) -> None:
    two.run("install", "--yes")
    two.run("uninstall", "codex", "--yes")
    assert (two.home / ".claude.json.codeplane-backup").exists()
    assert not (two.home / ".codex/config.toml.codeplane-backup").exists()


def test_without_a_terminal_yes_is_required(two: Machine) -> None:
    before = two.files()
    refused = two.run("install")
    assert refused.returncode == 2 and "--yes" in refused.stderr
    assert two.files() == before


def test_declined_confirmation_changes_nothing(two: Machine) -> None:
    before = two.files()
    code, shown = two.terminal("install", typed="n\n")
    assert code == 1 and "Nothing was changed." in shown
    assert "~/.claude.json" in shown and "cpl mcp" in shown and "\x1b[32m" in shown
    assert two.files() == before
    code, shown = two.terminal("install", typed="y\n")
    assert code == 0 and "added" in shown
    assert two.files() != before


def test_dry_run_and_print_config_change_nothing(two: Machine) -> None:
    before = two.files()
    shown = two.run("install", "--dry-run")
    assert shown.returncode == 0
    assert '+    "codeplane": {' in shown.stdout and "+[mcp_servers.codeplane]" in shown.stdout
    record = two.json("install", "codex", "--dry-run")["result"]
    assert record["dry_run"] and '+args = ["mcp"]' in record["clients"][0]["diff"].splitlines()
    printed = two.json("install", "--print-config")["result"]["clients"]
    assert [found["client"] for found in printed] == ["claude-code", "codex"]
    assert json.loads(printed[0]["snippet"])["mcpServers"]["codeplane"]["command"] == "cpl"
    assert tomllib.loads(printed[1]["snippet"])["mcp_servers"]["codeplane"]["args"] == ["mcp"]
    assert two.files() == before


def test_print_config_knows_every_client(sandbox: Machine) -> None:
    printed = sandbox.json("install", "--print-config")["result"]["clients"]
    assert [found["client"] for found in printed] == list(NAMES)
    assert sandbox.files() == {}


def test_no_client_found_lists_known_clients(sandbox: Machine) -> None:
    answer = sandbox.json("install", "--yes", exit_code=1)
    assert answer["status"] == "not_found" and answer["result"]["known"] == list(NAMES)
    assert sandbox.files() == {}


def test_a_client_is_found_by_its_program(sandbox: Machine) -> None:
    (sandbox.program.parent / "gemini").write_text("#!/bin/sh\n")
    (sandbox.program.parent / "gemini").chmod(0o755)
    answer = sandbox.json("install", "--yes")
    assert [found["client"] for found in answer["result"]["clients"]] == ["gemini"]
    assert list(sandbox.files()) == [".gemini/settings.json"]


def test_every_client_by_name_in_both_scopes(sandbox: Machine) -> None:
    answer = sandbox.json("install", *NAMES, "--yes")
    assert [found["client"] for found in answer["result"]["clients"]] == list(NAMES)
    assert len(sandbox.files()) == len(NAMES)
    assert any("Cursor and Windsurf" in warning for warning in answer["warnings"])
    shared = [client.name for client in CLIENTS if client.project_files(sandbox.root)]
    below = sandbox.root / "src"
    below.mkdir()
    done = sandbox.run("install", *shared, "--scope", "project", "--yes", cwd=below)
    assert done.returncode == 0, done.stderr
    made = {str(path.relative_to(sandbox.root)) for path in sandbox.root.rglob("*") if path.is_file()}
    assert made >= {
        ".mcp.json",
        ".cursor/mcp.json",
        ".vscode/mcp.json",
        ".codex/config.toml",
        ".zed/settings.json",
        ".gemini/settings.json",
        "opencode.json",
    }
    # In the editor's own profile the directory has to be said; in the project it is known.
    assert "cwd" not in (sandbox.root / ".vscode/mcp.json").read_text()
    assert "${workspaceFolder}" in (sandbox.home / ".config/Code/User/mcp.json").read_text()
    states = {finding.client: finding.state for finding in clients_doctor(sandbox.environment(), sandbox.root)}
    assert set(states.values()) == {"ready"} and len(states) == len(NAMES)


def test_project_scope_needs_a_project(sandbox: Machine, tmp_path: Path) -> None:
    assert sandbox.json("install", "windsurf", "--scope", "project", exit_code=2)["error"]["example"]
    outside = sandbox.run("install", "cursor", "--scope", "project", "--yes", cwd=tmp_path)
    assert outside.returncode == 1 and "not in a git repository" in outside.stderr


def test_command_is_a_path_if_the_name_is_not_on_the_path(sandbox: Machine) -> None:
    other = sandbox.program.parent.parent / "other"
    other.mkdir()
    sandbox.variables["PATH"] = str(other)
    sandbox.run("install", "cursor", "--yes")
    path = sandbox.home / ".cursor/mcp.json"
    assert json.loads(path.read_text())["mcpServers"]["codeplane"]["command"] == str(sandbox.program)
    # Another program of the same name comes first on the PATH.
    (other / "cpl").write_text("#!/bin/sh\n")
    (other / "cpl").chmod(0o755)
    assert "unchanged" in sandbox.run("install", "cursor", "--yes").stdout
    # A link to the program, as pipx and uv make it, is the program.
    (other / "cpl").unlink()
    (other / "cpl").symlink_to(sandbox.program)
    assert "updated" in sandbox.run("install", "cursor", "--yes").stdout
    assert json.loads(path.read_text())["mcpServers"]["codeplane"]["command"] == "cpl"


def test_options_become_server_arguments(sandbox: Machine) -> None:
    sandbox.run("-C", str(sandbox.root), "install", "windsurf", "--toolsets", "core, files", "--read-only", "--yes")
    entry = json.loads((sandbox.home / ".codeium/windsurf/mcp_config.json").read_text())["mcpServers"]["codeplane"]
    assert entry["args"] == ["-C", str(sandbox.root), "mcp", "--toolsets", "core,files", "--read-only"]
    assert is_ours(entry)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [(("cluade",), "claude-code"), (("cursor", "--toolsets", "cor"), "core"), (("cursor", "--toolsets", ","), "core")],
)
def test_unknown_client_lists_valid_names(sandbox: Machine, arguments: tuple[str, ...], word: str) -> None:
    error = sandbox.json("install", *arguments, "--yes", exit_code=2)["error"]
    assert error["error"] == "ARGUMENT_INVALID" and word in error["expected"]
    assert sandbox.files() == {}


def test_one_damaged_file_does_not_stop_the_others(two: Machine) -> None:
    (two.home / ".claude.json").write_text('{\n  "a": 1\n  "b": 2\n}')
    answer = two.json("install", "--yes", exit_code=1)
    assert [found["action"] for found in answer["result"]["clients"]] == ["refused", "add"]
    assert answer["result"]["clients"][0]["error"]["details"] == {"line": 3, "column": 3}
    alone = two.run("install", "claude-code", "--yes")
    assert alone.returncode == 1 and "line 3, column 3" in alone.stderr
    assert (two.home / ".claude.json").read_text() == '{\n  "a": 1\n  "b": 2\n}'


def test_a_foreign_entry_is_shown_without_its_secrets(two: Machine) -> None:
    entry = {"command": "node", "args": ["theirs.js"], "env": {"TOKEN": "s3cret"}}
    (two.home / ".claude.json").write_text(json.dumps({"mcpServers": {"codeplane": entry}}))
    answer = two.json("install", "claude-code", "--yes")
    assert answer["result"]["clients"][0]["existing"] == "node theirs.js"
    assert "s3cret" not in json.dumps(answer)
    kept = json.loads((two.home / ".claude.json.codeplane-backup").read_text())
    assert kept["mcpServers"]["codeplane"] == entry


def test_symlink_is_reported(two: Machine, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    (two.home / ".claude.json").rename(real)
    (two.home / ".claude.json").symlink_to(real)
    answer = two.json("install", "claude-code", "--yes")
    assert answer["result"]["clients"][0]["target"] == str(real)
    assert any(str(real) in warning for warning in answer["warnings"])
    assert "codeplane" in real.read_text()


def test_help_names_every_client() -> None:
    shown = " ".join(CliRunner().invoke(app, ["install", "--help"]).output.split())
    assert f"CLIENT is {', '.join(NAMES[:-1])} or {NAMES[-1]}." in shown


def test_doctor_reports_each_client(two: Machine) -> None:
    def state(client: str) -> tuple[str, bool, str]:
        found = next(item for item in clients_doctor(two.environment(), two.root) if item.client == client)
        return found.state, found.ok, found.message

    assert state("Zed") == ("not_installed", True, "not installed")
    assert state("Codex")[:2] == ("not_configured", True)
    two.run("install", "codex", "--yes")
    assert state("Codex")[:2] == ("ready", True)
    two.program.chmod(0o644)
    assert state("Codex")[:2] == ("broken", False) and "does not exist" in state("Codex")[2]
    two.program.chmod(0o755)
    two.program.write_text("#!/nowhere/python\n")
    assert "whose Python interpreter does not exist" in state("Codex")[2]
    config = two.home / ".codex/config.toml"
    config.write_text(f'[mcp_servers.codeplane]\ncommand = "{two.root}/cpl"\nargs = ["mcp"]\n')
    assert "does not exist" in state("Codex")[2]
    (two.root / "cpl").write_text("")
    assert "is not executable" in state("Codex")[2]
    config.write_text('[mcp_servers.codeplane]\ncommand = "node"\n')
    assert "starts another program" in state("Codex")[2]
    config.write_text("[")
    assert state("Codex")[:2] == ("broken", False) and "line 1" in state("Codex")[2]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"command": "cpl", "args": ["mcp"]}, Launch("cpl", ("mcp",))),
        ({"command": ["/x/cpl", "mcp"], "type": "local"}, Launch("/x/cpl", ("mcp",))),
        ({"command": {"path": "cpl", "args": ["mcp"]}}, Launch("cpl", ("mcp",))),
        ({"url": "https://example.org"}, None),
        ({"command": 1}, None),
        ({"command": "cpl", "args": [1]}, None),
        ({"command": []}, None),
        ("cpl mcp", None),
    ],
)
def test_command_of_an_entry(entry: object, expected: Launch | None) -> None:
    assert launched(entry) == expected
    assert is_ours(entry) == (expected is not None)
