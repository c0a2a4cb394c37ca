"""rollback: undo a change, refuse if files have changed since, report what can no longer be undone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codeplane.base.errors import ErrorCode
from codeplane.config.model import Config, EditsConfig, FreshnessConfig, IndexConfig, ServerConfig
from support.edits import stored_in, tree_of
from support.repositories import make_repository, write
from support.tooling import Envelope, Server, call_tool, error_of, serving

FILES: dict[str, str | bytes] = {
    "app/cart.py": "import os\n\n\nclass Cart:\n    def total(self):\n        return 1\n",
    "app/__init__.py": "",
    "dos.txt": b"one\r\ntwo\r\nthree",
    "run.sh": "#!/bin/sh\necho one\n",
}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(make_repository(tmp_path / "repo", FILES)) as opened:
        yield opened


def edit(server: Server, *edits: dict[str, Any]) -> Envelope:
    return server.call("write_source", {"edits": list(edits)})


def result(envelope: Envelope) -> dict[str, Any]:
    assert envelope["status"] == "ok", envelope
    found: dict[str, Any] = envelope["result"]
    return found


def test_rollback_restores_the_tree_and_can_be_rolled_back(server: Server) -> None:
    (server.root / "run.sh").chmod(0o755)
    before = tree_of(server.root)
    done = result(
        edit(
            server,
            {"path": "run.sh", "action": "delete"},
            {"path": "dos.txt", "action": "move", "new_path": "deep/er/dos.txt"},
            {"path": "app/cart.py", "expected_content": "return 1", "new_content": "return 7"},
        )
    )
    after = tree_of(server.root)
    back = result(server.call("rollback", {"id": done["mutation_id"]}))
    assert tree_of(server.root) == before
    assert (server.root / "run.sh").stat().st_mode & 0o777 == 0o755
    assert back["delta"]["symbols_changed"] == {"modified": ["app/cart.py#Cart.total@5"]}
    again = error_of(server.call("rollback", {"mutation_id": done["mutation_id"]}), ErrorCode.UNDO_REFUSED)
    assert again["message"] == "the mutation is rolled back already"
    result(server.call("rollback", {"mutation_id": back["mutation_id"]}))
    assert tree_of(server.root) == after


def test_rollback_is_refused_if_a_file_changed_since(server: Server) -> None:
    done = result(
        edit(
            server,
            {"path": "run.sh", "expected_content": "one", "new_content": "two"},
            {"path": "dos.txt", "action": "delete"},
        )
    )
    write(server.root, "dos.txt", "external change\n")
    before = tree_of(server.root)
    error = error_of(server.call("rollback", {"mutation_id": done["mutation_id"]}), ErrorCode.UNDO_REFUSED)
    assert error["details"]["files"] == [{"path": "dos.txt", "reason": "its path is in use"}]
    assert tree_of(server.root) == before


def test_rollback_beyond_the_undo_limit_is_refused(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", FILES)
    config = Config(
        index=IndexConfig(workers=1),
        freshness=FreshnessConfig(inline_ms=20_000, watcher=False),
        server=ServerConfig(prewarm=False),
        edits=EditsConfig(undo_bytes=30),
    )
    with serving(root, config=config) as server:
        change = {"path": "run.sh", "expected_content": "one", "new_content": "two"}
        first = result(edit(server, change))
        result(edit(server, {"path": "dos.txt", "action": "delete"}))
        assert len(stored_in(root)) == 1
        error = error_of(server.call("rollback", {"mutation_id": first["mutation_id"]}), ErrorCode.UNDO_GONE)
        assert "edits.undo_bytes" in error["remedy"]
    unknown = call_tool(root, "rollback", {"mutation_id": "m_nothing"})
    error_of(unknown, ErrorCode.MUTATION_UNKNOWN)
