"""Changes that no event of a directory reports: through other hard links, and by mapped memory."""

from __future__ import annotations

import mmap
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from codeplane.query.defs import list_defs_by_name
from codeplane.workspace import watcher as watcher_module
from codeplane.workspace.workspace import Workspace
from support.repositories import make_repository, sync, write
from support.workspaces import arm, door, paths, until

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")

FILES: dict[str, str | bytes] = {
    "a.py": "def alpha_0():\n    return 1\n",
    "b.py": "def beta():\n    return 1\n",
    ".gitignore": "ignored/\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = make_repository(tmp_path / "repo", FILES)
    sync(made)
    return made


def defines(workspace: Workspace, name: str, policy: str = "strict") -> bool:
    result = workspace.read(lambda snapshot: bool(list_defs_by_name(snapshot, name, 1).rows), policy)
    return result.value and result.freshness.status == "fresh"


def text(number: int) -> bytes:
    return b"def alpha_%d():\n    return 1\n" % number


def is_proved(workspace: Workspace) -> bool:
    """True if a read needs no sync."""
    before = workspace.state().last_sync
    workspace.read(paths)
    return workspace.state().last_sync == before


@pytest.mark.parametrize("place", ["outside", "repo/ignored"])
@pytest.mark.parametrize("made", ["before", "after"])
def test_changes_through_other_hard_links_are_seen(root: Path, tmp_path: Path, place: str, made: str) -> None:
    other = tmp_path / place / "link"
    other.parent.mkdir()
    if made == "before":
        os.link(root / "a.py", other)
    with door(root) as workspace:
        for number in (1, 2):
            arm(workspace)
            if not other.exists():
                os.link(root / "a.py", other)
            other.write_bytes(text(number))
            assert defines(workspace, f"alpha_{number}")
        arm(workspace)
        (root / "a.py").unlink()
        other.write_bytes(text(3))
        assert not defines(workspace, "alpha_2"), "the name is gone"


def test_links_within_the_repository_change_together(root: Path) -> None:
    os.link(root / "a.py", root / "c.py")
    with door(root) as workspace:
        arm(workspace)
        (root / "c.py").write_bytes(text(1))
        found = workspace.read(lambda snapshot: [row.path for row in list_defs_by_name(snapshot, "alpha_1", 5).rows])
        assert found.value == ["a.py", "c.py"]
        arm(workspace)
        (root / "c.py").unlink()
        arm(workspace)
        (root / "a.py").write_bytes(text(2))
        assert defines(workspace, "alpha_2")


@pytest.mark.parametrize("closed", [True, False], ids=["descriptor-closed", "descriptor-open"])
@pytest.mark.parametrize("early", [True, False], ids=["before-the-watch", "after-the-watch"])
@pytest.mark.parametrize("flush", [True, False])
def test_changes_by_mapped_memory_are_seen(root: Path, closed: bool, early: bool, flush: bool) -> None:
    handles: list[int] = []

    def map_file() -> mmap.mmap:
        handle = os.open(root / "a.py", os.O_RDWR)
        mapped = mmap.mmap(handle, 0)
        if closed:
            os.close(handle)
        else:
            handles.append(handle)
        return mapped

    memory = map_file() if early else None
    with door(root) as workspace:
        if memory is None:
            arm(workspace)
            memory = map_file()
        else:
            workspace.read(paths)
            until(lambda: workspace.state().watcher == "on")
        for number in range(1, 5):
            memory[:] = text(number)
            if flush:
                memory.flush()
            assert defines(workspace, f"alpha_{number}"), number
            assert not is_proved(workspace), "it may change at any time"
        memory[:] = text(7)
        memory.close()
        for handle in handles:
            os.close(handle)
        assert defines(workspace, "alpha_7")
        arm(workspace)
        assert defines(workspace, "alpha_7")


def test_descriptors_that_are_older_than_the_watcher(root: Path) -> None:
    with open(root / "a.py", "r+b", buffering=0) as file, door(root) as workspace:
        for number in (1, 2):
            workspace.read(paths)
            file.seek(0)
            file.write(text(number))
            assert defines(workspace, f"alpha_{number}")
        (root / "a.py").rename(root / "moved.py")
        file.seek(0)
        file.write(text(3))
        assert defines(workspace, "alpha_3")


def test_readers_do_not_end_the_proof(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        write(root, f"many/m{number}.py", "x = 1\n")
    with door(root) as workspace:
        arm(workspace)
        for path in sorted(root.rglob("*.py")):
            path.read_bytes()
        assert is_proved(workspace)
        monkeypatch.setattr(watcher_module, "_MAX_CHECKED_BY_READS", 5)
        for path in sorted(root.rglob("*.py")):
            path.read_bytes()
        assert not is_proved(workspace), "a sync checks so many"
        arm(workspace)


@pytest.mark.parametrize("change", [os.unlink, lambda path: os.rename(path, f"{path}.new")])
def test_watches_follow_the_files(root: Path, change: Callable[[Path], None]) -> None:
    with door(root) as workspace:
        arm(workspace)
        change(root / "b.py")
        write(root, "new.py", "def gamma():\n    return 1\n")
        assert defines(workspace, "gamma")
        watcher = workspace._requests.watcher
        assert watcher is not None
        arm(workspace)
        assert sorted(watcher._files._watches) == workspace.read(paths).value


def test_too_many_files_are_not_watched(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the watches of a user are left to other programs; without a watch there is no proof."""
    monkeypatch.setattr("codeplane.disk.inotify.watch_limit", lambda: 7)
    with door(root) as workspace:
        workspace.read(paths, "strict")
        until(lambda: workspace.state().watcher == "limit")
        assert not is_proved(workspace)
        write(root, "a.py", text(1))
        assert defines(workspace, "alpha_1")


def test_files_without_leases_are_not_proved(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codeplane.workspace.file_watches.take_lease", lambda handle: False)
    with door(root) as workspace:
        workspace.read(paths, "strict")
        until(lambda: not is_proved(workspace) and workspace.state().watcher == "untrusted")
