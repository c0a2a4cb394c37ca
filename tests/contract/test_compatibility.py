"""An incompatible, newer or corrupt index: the error names the call that repairs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeplane.base.errors import ErrorCode
from codeplane.store.schema import SCHEMA_VERSION
from codeplane.tools.surface import Surface
from support.fingerprints import tamper
from support.repositories import make_repository, sync
from support.tooling import Server, codes_of, error_of, follow, serving
from support.workspaces import until

FILES: dict[str, str | bytes] = {"a.py": "def alpha():\n    return 1\n"}
QUESTIONS: list[tuple[str, dict[str, object]]] = [
    ("map_repo", {}),
    ("file_outline", {"file": "a.py"}),
    ("file_outline", {"file": "a.py", "freshness_policy": "strict"}),
    ("map_repo", {"freshness_policy": "best_effort"}),
    ("get_file_outline", {"path": "a.py"}),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = make_repository(tmp_path / "repo", FILES)
    sync(made)
    return made


def until_checked(server: Server) -> None:
    until(lambda: "hints" in server.call("health_check") or server.health()["status"] == "error")


@pytest.mark.parametrize(("part", "value"), [("schema", "0"), ("extractor", "0.0"), ("grammars", "none")])
def test_incompatible_index_error_names_the_repair_call(root: Path, part: str, value: str) -> None:
    tamper(root, **{part: value})
    with serving(root, ready=False) as server:
        until_checked(server)
        for tool, arguments in QUESTIONS:
            told = server.call(tool, arguments)
            assert (told["status"], told["reason"]) == ("requires_reindex", "index_incompatible")
            error = error_of(told, ErrorCode.REQUIRES_REINDEX)
            assert part in error["message"]
            details = error["details"]
            assert details["indexed_fingerprint"][part] == value
            assert details["runtime_fingerprint"][part] != value
            assert list(details["differences"]) == [part]
            assert (details["source"], details["reason"]) == ("index", "fingerprint_mismatch")
            assert "status_at_check" in details
            assert told["hints"]["reindex"] == {"tool": "manage_index", "args": {"action": "reindex"}}
            assert error["remedy"] == "Make the call in hints.reindex."
            assert codes_of(told) == (["DEPRECATED_TOOL"] if tool == "get_file_outline" else [])
        done = follow(server, told["hints"]["reindex"], wait=True)
        assert done["result"]["preflight"]["outcome"] == "reindex_required"
        assert all(server.call(tool, arguments)["status"] == "ok" for tool, arguments in QUESTIONS)
        assert server.health()["startup_checks"]["index"]["status"] == "compatible"


def test_status_shows_both_schema_versions(root: Path) -> None:
    tamper(root, schema="0")
    with serving(root, ready=False) as server:
        until_checked(server)
        health = server.call("health_check")
        assert health["status"] == "ok" and health["result"]["status"] == "error"
        checks = health["result"]["startup_checks"]["index"]
        assert checks["status"] == "reindex_required"
        assert (checks["current_schema_version"], checks["required_schema_version"]) == ("0", str(SCHEMA_VERSION))
        assert health["hints"]["reindex"]["args"] == {"action": "reindex"}
        for tool, arguments in (("manage_index", {"action": "status"}), ("index_status", {})):
            status = server.call(tool, arguments)
            assert (status["status"], status["reason"]) == ("requires_reindex", "index_incompatible")
            assert error_of(status, ErrorCode.REQUIRES_REINDEX)["details"]["startup_checks"]["index"] == checks
        described = server.call("describe")
        assert described["result"]["index_status"] == "requires_reindex"
        assert server.call("list_codebases")["result"] == {"requires_reindex": [str(server.root)]}


@pytest.mark.parametrize("surface", [Surface(("files",)), Surface(("core",), read_only=True)])
def test_client_without_the_tool_gets_a_command(root: Path, surface: Surface) -> None:
    tamper(root, extractor="0.0")
    seeing = Surface((*surface.toolsets, "core"), read_only=surface.read_only)
    with serving(root, ready=False) as server:
        until_checked(server)
        reached = Surface(surface.toolsets, surface.read_only, everything=True)
        for chosen in (reached, seeing) if surface.read_only else (reached,):
            told = server.call("map_repo", surface=chosen)
            assert told["hints"]["reindex"] == {"command": "cpl init"}
            assert error_of(told, ErrorCode.REQUIRES_REINDEX)["remedy"] == "Run 'cpl init'."
            health = server.call("health_check", surface=chosen)
            assert health["hints"]["reindex"] == {"command": "cpl init"}


@pytest.mark.parametrize("fields", [{"schema": "99"}, {"product": "99.0", "extractor": "9.9"}])
def test_index_of_a_newer_version_is_not_touched(root: Path, fields: dict[str, str]) -> None:
    tamper(root, **fields)
    with serving(root, ready=False) as server:
        until(lambda: server.health()["status"] == "error")
        actions: list[dict[str, object]] = [{"action": name} for name in ("status", "create", "sync")]
        actions.append({"action": "reindex", "wait": True})
        for tool, arguments in [*QUESTIONS, *(("manage_index", action) for action in actions)]:
            told = server.call(tool, arguments)
            assert (told["status"], told["reason"]) == ("error", "index_incompatible")
            error_of(told, ErrorCode.INDEX_NEWER)
            assert "hints" not in told, "no call of this version repairs it"
        assert "hints" not in server.call("health_check")
        assert server.manage("clear", confirm=True)["status"] == "ok"
        assert server.manage("create", wait=True)["status"] == "ok"
        assert server.call("map_repo")["status"] == "ok"


def test_corrupt_index_is_repaired_automatically(root: Path) -> None:
    (database,) = (root / ".codeplane" / "generations").glob("*/*.db")
    database.write_bytes(b"not a database" * 400)
    with serving(root) as server:
        found = server.call("file_outline", {"file": "a.py"})
        assert found["result"]["symbols"][0]["name"] == "alpha"
        assert codes_of(found) == ["INDEX_REBUILT"]
        assert server.health()["startup_checks"]["index"]["status"] == "compatible"
        assert codes_of(server.call("file_outline", {"file": "a.py"})) == [], "told once"
