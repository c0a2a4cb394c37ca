"""Waiting for an index that is being opened: bounded, cancellable, and never for a build."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from support.held_index import build_held, opening_held
from support.repositories import make_repository, sync
from support.tooling import serving
from support.workspaces import QUIET, door

FILES: dict[str, str | bytes] = {
    "shop/cart.py": "def total(items):\n    return sum(items)\n",
    "tests/test_cart.py": "from shop.cart import total\n\n\ndef test_total():\n    assert total([1]) == 1\n",
}
EDIT = {"path": "shop/cart.py", "expected_content": "sum(items)", "new_content": "sum(items) + 1"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = make_repository(tmp_path / "repo", FILES)
    sync(root)
    return root


def test_wait_for_an_opening_index(root: Path) -> None:
    with opening_held() as released, door(root, QUIET) as workspace:
        threading.Timer(0.2, released.set).start()
        assert workspace.wait_until_open()
        assert workspace.state().phase == "ready"
        assert workspace.wait_until_open(0.0)


def test_wait_is_bounded_and_cancellable(root: Path) -> None:
    with opening_held(), door(root, QUIET) as workspace:
        assert not workspace.wait_until_open(0.1)
        with pytest.raises(CodePlaneError) as caught:
            workspace.wait_until_open(30, cancelled=lambda: True)
        assert caught.value.code is ErrorCode.CANCELLED


def test_no_wait_for_a_build(tmp_path: Path) -> None:
    with build_held(make_repository(tmp_path / "new", FILES)) as (server, _):
        workspace = server.pipeline._roots.home.workspace
        assert not workspace.wait_until_open(60)
        assert workspace.state().phase == "building", "the held build has not ended meanwhile"


def test_first_write_waits_for_the_index_to_open(root: Path) -> None:
    with opening_held() as released, serving(root, ready=False) as server:
        threading.Timer(0.3, released.set).start()
        found = server.call("write_source", {"edits": [EDIT]})
    assert found["status"] == "ok" and "warnings" not in found
    assert found["result"]["delta"]["tests_affected"] == ["tests/test_cart.py"]
    assert found["meta"]["freshness"]["status"] == "fresh"


def test_cancelled_waiting_write_changes_nothing(root: Path) -> None:
    with opening_held() as released, serving(root, ready=False) as server:
        polls = iter([False] * 4)
        found = server.call("write_source", {"edits": [EDIT]}, cancelled=lambda: next(polls, True))
        released.set()
    assert found["error"]["error"] == "CANCELLED"
    assert "sum(items) + 1" not in (root / "shop/cart.py").read_text()


def test_files_are_written_during_the_first_build(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "new", FILES)
    with build_held(root) as (server, held):
        found = server.call("write_source", {"edits": [EDIT, {"path": "new.py", "content": "added = 1\n"}]})
        assert found["status"] == "ok" and found["result"]["applied"]
        assert [warning["code"] for warning in found["warnings"]] == ["INDEX_NOT_FRESH"]
        held.release()
        server.wait_ready()
        for query in ("added", "sum(items) + 1"):
            answer = server.call("search", {"query": query, "mode": "lexical"})
            assert answer["result"]["matches"] == 1, "the index has what was written during its build"
