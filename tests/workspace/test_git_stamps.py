"""Git files outside the watched directories are checked, wherever git keeps them."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from codeplane.workspace.git_stamps import GitStamps
from support.repositories import git, make_repository, write
from support.workspaces import arm, door, is_ready, paths, until

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there is no watcher elsewhere")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo", {"a.py": "def alpha():\n    return 1\n"})


def linked(root: Path) -> Path:
    """A second working tree of the repository, whose `.git` is a file."""
    tree = root.with_name("linked")
    git(root, "worktree", "add", "-q", str(tree), "-b", "other")
    return tree


def submodule(root: Path) -> Path:
    """A repository whose `.git` is a file with a relative path."""
    tree = root.with_name("parted")
    git(root.parent, "clone", "-q", "--separate-git-dir", str(root.with_name("apart")), str(root), str(tree))
    (tree / ".git").write_text("gitdir: ../apart\n")
    return tree


def plain(root: Path) -> Path:
    return root


@pytest.mark.parametrize("make", [plain, linked, submodule])
def test_newly_tracked_file_is_seen(root: Path, make: object) -> None:
    assert callable(make)
    tree = make(root)
    write(tree, "new.py", "def new():\n    return 1\n")
    with door(tree, overlay=False) as workspace:
        until(lambda: is_ready(workspace))
        arm(workspace)
        assert workspace.state().watcher == "on"
        assert workspace.read(paths, "strict").value == ["a.py"]
        git(tree, "add", "new.py")
        read = workspace.read(paths, "strict")
        assert (read.value, read.freshness.status) == (["a.py", "new.py"], "fresh")


@pytest.mark.parametrize("make", [plain, linked, submodule])
def test_each_git_file_shows_a_change(root: Path, make: object) -> None:
    assert callable(make)
    tree = make(root)
    own = Path(git(tree, "rev-parse", "--absolute-git-dir").strip())
    shared = (tree / git(tree, "rev-parse", "--git-common-dir").strip()).resolve()
    stamps = GitStamps(tree, overlay=True)
    before = stamps.read().stats
    for path in (own / "HEAD", own / "logs/HEAD", own / "index", shared / "info/exclude"):
        with path.open("ab") as file:
            file.write(b"\n")
        after = stamps.read().stats
        assert after != before, path.name
        before = after
    write(tree, "b.py", "x = 1\n")
    assert stamps.read().stats == before
    if make is not plain:
        shutil.copytree(own, root.with_name("copy"))
        (tree / ".git").write_text("gitdir: ../copy\n")
        assert stamps.read().stats != before


def test_unreadable_git_files_are_not_trusted(root: Path) -> None:
    def is_settled(tree: Path) -> bool:
        return GitStamps(tree, overlay=True).read().settled

    own = root / ".git"
    assert not is_settled(root), "rules that were written a moment ago"
    until(lambda: is_settled(root), 5)
    shutil.rmtree(own / "logs")
    assert is_settled(root), "what is not there is seen when it comes"
    (own / "logs").write_text("in the way")
    assert not is_settled(root)
    (own / "logs").unlink()
    (own / "index").rename(own / "real")
    (own / "index").symlink_to("real")
    assert not is_settled(root), "a change behind a link"
    tree = root.with_name("bare")
    tree.mkdir()
    assert is_settled(tree), "no git at all"
    for text in ("gitdir: ../nowhere\n", "nothing of the kind\n", "gitdir: " + "x" * 9000, "gitdir: a\0b"):
        write(tree, ".git", text)
        assert not is_settled(tree), text[:20]
    write(tree, ".git", "gitdir: ../repo/.git\n")
    (own / "index").unlink()
    assert is_settled(tree)
