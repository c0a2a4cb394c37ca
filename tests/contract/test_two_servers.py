"""Two independent engines on one repository: what the second one can do."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from codeplane.base.errors import ErrorCode
from codeplane.ledger.chain import verify_chain
from support.ledgers import list_operations
from support.repositories import make_repository
from support.tooling import error_of, serving
from support.workspaces import until


def test_ledger_has_one_writer_at_a_time(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "x = 1\n"})
    with ExitStack() as later:
        with serving(root) as first:
            second = later.enter_context(serving(root, ready=False))
            until(lambda: second.health().get("lock_owner") is not None)
            assert [server.pipeline.state()["ledger"] for server in (first, second)] == ["kept", "elsewhere"]
            assert second.call("map_repo", {"freshness_policy": "best_effort"})["status"] == "ok"
            blocked = second.manage("clear", confirm=True)
            assert blocked["status"] == "blocked"
            error_of(blocked, ErrorCode.INDEX_LOCKED)
            assert first.manage("sync")["status"] == "ok"
        until(lambda: second.manage("sync")["status"] == "ok")
        state = second.pipeline.state()
        assert (state["ledger"], state["ledger_lost"]) == ("kept", 0)
    assert verify_chain(root / ".codeplane").is_intact
    rows = list_operations(root / ".codeplane", 1000, None, None)
    assert len({row.request_id for row in rows}) == len(rows)
    assert [row.tool for row in rows].count("map_repo") == 1, "told when it could be written"
    assert {row.status for row in rows} <= {"ok", "blocked", "not_ready"}, "nothing of the other was taken for dead"


def test_state_counts_open_cursors(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {f"p{n}/a.py": "x = 1\n" for n in range(9)})
    with serving(root) as server:
        assert server.pipeline.state()["handles"] == 0
        server.call("map_repo", {"limit": 3})
        assert server.pipeline.state()["handles"] == 1
        assert "ledger_put_aside" not in server.pipeline.state()
    (root / ".codeplane" / "ledger.db").write_bytes(b"garbage" * 1000)
    with serving(root) as server:
        (name,) = (path.name for path in (root / ".codeplane" / "ledger").glob("damaged-*.db"))
        assert server.pipeline.state()["ledger_put_aside"] == [{"kind": "damaged", "kept_as": f"ledger/{name}"}]
