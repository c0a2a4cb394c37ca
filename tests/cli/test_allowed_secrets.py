"""The setting secrets.allow: a person makes a file workable for agents, a repository cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.sandbox import Sandbox

REFUSED = "may contain secrets"
TEXT = "registry=https://npm.example.org/\nsave-exact=true\n"


def configure(sandbox: Sandbox, directory: Path, *patterns: str) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "config.yaml").write_text(f"secrets:\n  allow: {json.dumps(patterns)}\n")


@pytest.fixture
def user(sandbox: Sandbox) -> Path:
    (sandbox.root / ".npmrc").write_text(TEXT)
    (sandbox.root / ".env").write_text("TOKEN=abc\n")
    return sandbox.home / ".config" / "codeplane"


def test_allowed_file_is_searched_read_and_edited(sandbox: Sandbox, user: Path) -> None:
    assert sandbox.run("init").returncode == 0
    assert sandbox.run("read", ".npmrc").returncode != 0
    configure(sandbox, user, f"{sandbox.root.resolve()}/.npmrc")
    assert "save-exact=true" in sandbox.run("read", ".npmrc").stdout
    assert ".npmrc" in sandbox.run("search", "save-exact", "--mode", "lexical").stdout
    edits = [{"path": ".npmrc", "old_string": "true", "new_string": "false"}]
    sandbox.run("call", "write_source", "--json", json.dumps({"edits": edits, "allow_sensitive": True}))
    assert "save-exact=false" in (sandbox.root / ".npmrc").read_text()
    for path in (".env", ".npmrc.bak"):
        assert REFUSED in sandbox.run("read", path).stderr
    log = "".join(path.read_text() for path in (sandbox.root / ".codeplane" / "logs").iterdir())
    assert "'secrets.allow' allows" in log and ".npmrc" in log
    configure(sandbox, user)
    assert REFUSED in sandbox.run("read", ".npmrc").stderr
    assert ".npmrc" not in sandbox.run("search", "save-exact", "--mode", "lexical").stdout


def test_repository_cannot_allow_its_secrets(sandbox: Sandbox, user: Path) -> None:
    configure(sandbox, sandbox.root / ".codeplane", f"{sandbox.root.resolve()}/.npmrc", "/")
    for trusted in (False, True):
        if trusted:
            assert sandbox.run("trust", "--yes").returncode == 0
        assert REFUSED in sandbox.run("read", ".npmrc").stderr


@pytest.mark.parametrize("pattern", [".npmrc", "!/a", "", "/a/../b", "~/x"])
def test_patterns_must_be_absolute(sandbox: Sandbox, user: Path, pattern: str) -> None:
    configure(sandbox, user, pattern)
    done = sandbox.run("read", "a.py")
    assert done.returncode != 0 and "expected  a list of at most" in done.stderr
