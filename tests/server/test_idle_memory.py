"""Memory that an idle engine gives back: freed memory, caches, and the waiting parse worker."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeplane.config.model import Config
from codeplane.operations.context import Context
from codeplane.operations.roots import open_root
from codeplane.operations.search.model import SearchRequest
from codeplane.server.idle_memory import IdleMemory, IdleStep
from codeplane.workspace import sync_runner
from support.repositories import make_repository
from support.workspaces import until


def test_caches_are_dropped_once_after_four_idle_intervals() -> None:
    memory = IdleMemory(lambda: None)
    shares = [0.01, 0.9, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.3, 0.0]
    assert [memory.decide(share).name for share in shares] == [
        *("NOTHING", "NOTHING", "TRIM", "NOTHING", "NOTHING", "DROP_CACHES", "NOTHING", "NOTHING", "NOTHING", "TRIM")
    ]
    assert memory.decide(0.9) is IdleStep.NOTHING


def test_dropped_caches_are_empty_and_searches_find_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync_runner, "CLOSE_POOL_SECONDS", 0.2)
    root = make_repository(tmp_path / "repo", {"a.py": "def alpha():\n    return 'needle'\n"})
    opened = open_root(Context(root=root, config=Config(), user_state=tmp_path / "state"))
    try:
        # Resolved references are a new epoch, for which old snapshots are closed.
        opened.workspace.wait_until_open()
        until(lambda: opened.workspace.state().phase == "ready")
        opened.workspace.sync()
        request = SearchRequest("needle", mode="lexical")
        first = opened.workspace.read(lambda snapshot: opened.finder.find(snapshot, request), "strict", lexical=True)
        assert first.value.total == 1
        sizes = opened.cache_sizes()
        assert sizes["cached_text_bytes"] > 0 and sizes["open_snapshots"] > 0
        opened.drop_caches()
        assert not any(opened.cache_sizes().values())
        again = opened.workspace.read(lambda snapshot: opened.finder.find(snapshot, request), lexical=True)
        assert again.value.hits == first.value.hits
        indexer = opened.workspace._thread._indexer
        assert indexer is not None
        until(lambda: not indexer.pool.pids)
    finally:
        opened.close()
