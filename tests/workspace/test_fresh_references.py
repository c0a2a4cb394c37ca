"""References are resolved some time after a sync: only reads of references wait for it."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.index.indexer import Indexer
from codeplane.index.resolve.session import resolve_files
from codeplane.operations.refs import find_uses
from codeplane.operations.symbols.model import SymbolNotFound
from codeplane.query.defs import list_defs_by_name
from codeplane.query.rows import require_links
from codeplane.query.snapshot import Snapshot
from codeplane.workspace.freshness import ONE_SHOT, WorkspaceSettings
from codeplane.workspace.workspace import Workspace
from support.repositories import make_repository, options_for, write
from support.snapshots import open_view
from support.workspaces import QUIET, door, is_ready, until

FILES: dict[str, str | bytes] = {
    "a.py": "def alpha():\n    return 1\n",
    "b.py": "from a import alpha\nalpha()\n",
    "c.py": "from a import alpha\nalpha()\n",
}
BOTH = pytest.mark.parametrize(
    "settings", [pytest.param(QUIET, id="watcher"), pytest.param(replace(QUIET, watcher=False), id="no-watcher")]
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo", FILES)


def uses(workspace: Workspace, name: str) -> list[str]:
    read = find_uses(workspace.read, name, 50)
    assert not isinstance(read.value, SymbolNotFound)
    (found,) = read.value
    return [f"{row.path}:{row.start_line}" for row in found.rows]


def count_defs(snapshot: Snapshot) -> int:
    return len(list_defs_by_name(snapshot, "omega", 20).rows)


class Held:
    """Resolving that waits to be let go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.go = threading.Event(), threading.Event()

        def held(*of):  # type: ignore[no-untyped-def]
            self.begun.set()
            assert self.go.wait(30)
            yield from resolve_files(*of)

        monkeypatch.setattr("codeplane.index.invalidation.resolve_files", held)


@BOTH
def test_references_after_an_edit(root: Path, settings: WorkspaceSettings) -> None:
    with door(root, settings) as workspace:
        until(lambda: is_ready(workspace))
        for number in range(6):
            write(root, "a.py", f"def alpha():\n    return 1\n\n\ndef omega_{number}():\n    return alpha()\n")
            write(root, "b.py", f"from a import alpha, omega_{number}\nalpha()\nomega_{number}()\n")
            assert uses(workspace, f"omega_{number}") == ["b.py:1", "b.py:3"]
            assert uses(workspace, "alpha") == ["a.py:6", "b.py:1", "b.py:2", "c.py:1", "c.py:2"]
            (root / "b.py").unlink()
            assert uses(workspace, "alpha") == ["a.py:6", "c.py:1", "c.py:2"]


def test_other_reads_do_not_wait(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with door(root, QUIET) as workspace:
        until(lambda: is_ready(workspace))
        held = Held(monkeypatch)
        write(root, "a.py", "def alpha():\n    return 2\n\n\ndef omega():\n    return 1\n")
        read = workspace.read(count_defs)
        assert (read.value, read.freshness.status) == (1, "fresh")
        assert held.begun.wait(10), "without a question references are resolved, too"
        assert workspace.read(count_defs, "best_effort").value == 1
        found: list[list[str]] = []
        asking = threading.Thread(target=lambda: found.append(uses(workspace, "alpha")))
        asking.start()
        asking.join(0.3)
        assert not found
        held.go.set()
        asking.join(20)
        assert found == [["b.py:1", "b.py:2", "c.py:1", "c.py:2"]]


def test_next_process_resolves_pending_references(root: Path) -> None:
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        write(root, "a.py", "def alpha():\n    return 2\n\n\ndef omega():\n    return 1\n")
        report = indexer.sync_files()
        assert report.resolved == 3 and indexer.has_unresolved
        assert not indexer.resolve(lambda: True)
    with open_view(options_for(root)) as view, pytest.raises(CodePlaneError) as raised:
        require_links(view.snapshot)
    assert raised.value.code is ErrorCode.NOT_READY
    assert raised.value.details["files_left"] == 2
    with door(root, ONE_SHOT) as workspace:
        assert uses(workspace, "alpha") == ["b.py:1", "b.py:2", "c.py:1", "c.py:2"]
    with open_view(options_for(root)) as view:
        require_links(view.snapshot)


def test_close_does_not_wait_for_resolution(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codeplane.workspace.sync_runner.RESOLVE_SECONDS", 0.0)
    with door(root, QUIET) as workspace:
        until(lambda: is_ready(workspace))
        write(root, "a.py", "def alpha():\n    return 2\n\n\ndef omega():\n    return 1\n")
        assert workspace.read(count_defs).value == 1
    with door(root, QUIET) as workspace:
        until(lambda: is_ready(workspace))
        assert uses(workspace, "alpha") == ["b.py:1", "b.py:2", "c.py:1", "c.py:2"]


def test_new_index_answers_before_its_references_are_resolved(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held(monkeypatch)
    write(root, "a.py", "def alpha():\n    return 2\n\n\ndef omega():\n    return 1\n")
    with door(root, QUIET) as workspace:
        until(lambda: is_ready(workspace))
        assert workspace.read(count_defs).value == 1
        assert held.begun.wait(10)
        held.go.set()
        assert uses(workspace, "alpha") == ["b.py:1", "b.py:2", "c.py:1", "c.py:2"]


def test_references_are_refused_at_once_while_many_files_are_left(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go = threading.Event()

    def held(*of):  # type: ignore[no-untyped-def]
        for number, links in enumerate(resolve_files(*of)):
            yield links
            assert number or go.wait(30)

    monkeypatch.setattr("codeplane.index.invalidation.resolve_files", held)
    monkeypatch.setattr("codeplane.index.invalidation.PROGRESS_SECONDS", 0.0)
    monkeypatch.setattr("codeplane.workspace.fresh_read.MAX_AWAITED_FILES", 1)
    with door(root, replace(QUIET, strict_seconds=3600.0)) as workspace:
        until(lambda: is_ready(workspace))
        try:
            with pytest.raises(CodePlaneError) as raised:
                uses(workspace, "alpha")
        finally:
            go.set()
        assert raised.value.code is ErrorCode.NOT_READY
        assert raised.value.details["files_left"] == 2
        assert isinstance(raised.value.details["seconds_left"], int)
