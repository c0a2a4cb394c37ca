"""Names of secrets and of their backups, committed and not, on every surface: none gives one away."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.repositories import git, make_repository, sync, write
from support.tooling import Server, serving

_NAMES = """
.env .env.local .ENV config/.env.production prod.env .envrc server.pem tls/server.KEY app.key id_rsa keys/id_ed25519
id_rsa.bak cert.p12 cert.pfx store.jks vault.kdbx .netrc web/.npmrc .pypirc .git-credentials .pgpass .htpasswd
.aws/credentials home/.ssh/config .kube/config terraform.tfstate prod.tfvars service-account.json credentials.json
client_secret_1.json .env~ web/.npmrc.bak key.pem.bak kubeconfig ssh_host_rsa_key .dev.vars credentials.tfrc.json
secring.gpg rclone.conf
"""
NAMES = _NAMES.split()
TOKEN = "zqpolicytoken"

READS: list[tuple[str, dict[str, object]]] = [
    ("read", {"target": "{}"}),
    ("read", {"target": "{}", "mode": "file", "preview_mode": "none"}),
    ("read", {"target": "./{}:1-1"}),
    ("read", {"target": "{}:1"}),
    ("read", {"target": "{}#" + TOKEN}),
    ("read", {"target": "{}", "mode": "diff_preview"}),
    ("read", {"target": "{}", "mode": "diff_preview", "against": "INDEX"}),
    ("read", {"target": "{}", "mode": "diff_preview", "against": "WORKTREE"}),
    ("read", {"target": "{}", "mode": "diff_preview", "content": ""}),
    ("read", {"target": "{}", "annotated": True}),
    ("read", {"targets": ["{}", "a.py"]}),
    ("read_file_full", {"file": "{}"}),
    ("read_file_full", {"file": "{}", "confirm": True}),
    ("read_file", {"path": "{}"}),
    ("read_source", {"targets": [{"path": "{}"}]}),
    ("get_snippet", {"path": "{}", "start_line": 1}),
    ("dry_run_diff", {"path": "{}"}),
    ("file_outline", {"file": "{}"}),
]
FINDS: list[tuple[str, dict[str, object]]] = [
    ("read", {"target": TOKEN}),
    ("read_symbol", {"symbol": TOKEN}),
    ("search", {"query": TOKEN}),
    ("search", {"query": TOKEN, "mode": "lexical"}),
    ("search", {"query": TOKEN, "mode": "regex"}),
    ("search", {"query": TOKEN, "mode": "symbol"}),
    ("search", {"query": TOKEN, "mode": "references"}),
    ("call_graph", {"symbol": TOKEN}),
    ("map_repo", {"depth": 20, "limit": 100}),
]


@pytest.fixture(scope="module")
def leaky(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Every secret is in HEAD, another version of it in the index, a third on disk."""
    root = make_repository(tmp_path_factory.mktemp("policy") / "repo", {"a.py": "x = 1\n"})
    for version in ("committed", "staged", "disk"):
        for name in NAMES:
            write(root, name, f"def {TOKEN}():\n    return '{version}'\n")
        if version != "disk":
            git(root, "add", "-f", *NAMES)
        if version == "committed":
            git(root, "commit", "-qm", "oops")
    os.symlink(".env", root / "link.txt")
    sync(root)
    with serving(root) as server:
        yield server


def filled(value: object, name: str) -> object:
    if isinstance(value, str):
        return value.replace("{}", name)
    if isinstance(value, list):
        return [filled(item, name) for item in value]
    return {key: filled(item, name) for key, item in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("name", [*NAMES, "link.txt"])
def test_no_tool_shows_a_secret(leaky: Server, name: str) -> None:
    for tool, arguments in READS:
        asked = filled(arguments, name)
        assert isinstance(asked, dict)
        found = json.dumps(leaky.call(tool, asked))
        assert TOKEN not in found.replace(json.dumps(f"{name}#{TOKEN}"), ""), (tool, asked)
        assert "committed" not in found and "staged" not in found, (tool, asked)
        if name != "link.txt" and "targets" not in asked:
            assert "SECRET_PATH" in found, (tool, asked, found)


@pytest.mark.parametrize(("tool", "arguments"), FINDS, ids=lambda value: json.dumps(value))
def test_no_tool_finds_a_secret(leaky: Server, tool: str, arguments: dict[str, object]) -> None:
    found = leaky.call(tool, arguments)
    for part in ("result", "warnings"):
        told = json.dumps(found.get(part, {}))
        assert not any(name in told for name in NAMES), (tool, told)


SPELLINGS = [".git/config", ".GIT/config", ".git/HEAD", "sub/.git/x", "git~1/config", ".git./config", ".git /config"]
SPELLINGS += [".g\u200cit/config", ".git::$INDEX_ALLOCATION/config", ".codeplane/ledger.db", ".CodePlane/x", ".git"]


@pytest.mark.parametrize("path", SPELLINGS)
def test_protected_paths_are_rejected_in_every_spelling(leaky: Server, path: str) -> None:
    for tool, arguments in READS:
        asked = filled(arguments, path)
        assert isinstance(asked, dict)
        found = json.dumps(leaky.call(tool, asked))
        assert "PROTECTED_PATH" in found, (tool, asked, found)


def test_check_detects_a_planted_secret(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"plain.py": f"def {TOKEN}():\n    return 'committed'\n"})
    with serving(root) as server:
        for tool, arguments in [*READS, *FINDS]:
            asked = filled(arguments, "plain.py")
            assert isinstance(asked, dict)
            if tool != "map_repo" and not {"WORKTREE", "INDEX"} & {str(value) for value in asked.values()}:
                assert "error" not in server.call(tool, asked), (tool, asked)
