"""Changed files: same as git reports, from both indexes, without blocking on FIFOs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.disk.safe_open import Root
from codeplane.git.index_state import index_state
from codeplane.index.indexer import Indexer
from codeplane.operations.search.git_changes import (
    MAX_CHANGED_FILES,
    TTL_SECONDS,
    GitChanges,
    GitChangeTracker,
)
from codeplane.query.snapshot import open_current
from support.repositories import git, make_repository, options_for, write

FILES: dict[str, str | bytes] = {f"src/{name}.py": f"{name} = 1\n" for name in "abcd"}
FILES |= {"é.txt": "one\ntwo\n", "bin": "x\n"}


@dataclass
class Place:
    root: Path
    indexer: Indexer
    cache: GitChangeTracker
    seconds: float = 0.0

    def at(self) -> GitChanges:
        """Return the changes after a sync."""
        self.indexer.sync()
        return self.unsynced()

    def unsynced(self) -> GitChanges:
        with open_current(self.indexer.state, lexical=False) as snapshot:
            return self.cache.at(snapshot)

    def in_new_process(self) -> GitChanges:
        """Return the changes that a new process finds."""
        with Root.open(self.root) as root, open_current(self.indexer.state, lexical=False) as snapshot:
            return GitChangeTracker(root, lambda: 0.0).at(snapshot)

    def said_by_git(self) -> set[str]:
        """Return existing tracked files with a change, according to git."""
        # Without the option, git would rewrite its index, which would force a full comparison.
        words = ("--no-optional-locks", "-c", "core.quotepath=off", "status", "--porcelain", "-uno", "--no-renames")
        rows = git(self.root, *words).splitlines()
        return {row[3:] for row in rows if (self.root / row[3:]).is_file()}


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    root = make_repository(tmp_path / "repo", FILES)
    with Indexer.open(options_for(root)) as indexer, Root.open(root) as opened:
        made = Place(root, indexer, GitChangeTracker(opened, lambda: 0.0))
        made.cache = GitChangeTracker(opened, lambda: made.seconds)
        yield made


Step = Callable[[Path], object]


def put(path: str, text: str) -> Step:
    return lambda root: write(root, path, text)


def run(*words: str) -> Step:
    return lambda root: git(root, *words)


def remove(root: Path) -> None:
    (root / "src/a.py").unlink()


def touch(root: Path) -> None:
    os.utime(root / "src/a.py")


def conflict(root: Path) -> None:
    git(root, "checkout", "-qb", "other")
    write(root, "src/a.py", "a = 3\n")
    git(root, "commit", "-qam", "three")
    git(root, "checkout", "-q", "main")
    write(root, "src/a.py", "a = 4\n")
    git(root, "commit", "-qam", "four")
    with pytest.raises(subprocess.CalledProcessError):
        git(root, "merge", "-q", "other")


EDIT = put("src/a.py", "a = 2\n")
BACK = put("src/a.py", "a = 1\n")
ADD = run("add", "-A")
WAYS: list[tuple[tuple[Step, ...], set[str]]] = [
    ((), set()),
    ((EDIT,), {"src/a.py"}),
    ((EDIT, ADD), {"src/a.py"}),
    ((EDIT, ADD, BACK), {"src/a.py"}),
    ((EDIT, BACK), set()),
    ((touch,), set()),
    ((put("src/untracked.py", ""),), set()),
    ((remove,), set()),
    ((run("rm", "-q", "src/a.py"),), set()),
    ((run("mv", "src/a.py", "src/z.py"),), {"src/z.py"}),
    ((EDIT, ADD, run("commit", "-qm", "two")), set()),
    ((EDIT, run("stash", "-q")), set()),
    ((EDIT, put("é.txt", "")), {"src/a.py", "é.txt"}),
    ((put("src/new.py", ""), ADD), {"src/new.py"}),
    ((put("src/new.py", "new = 1\n"), run("add", "-N", "src/new.py")), {"src/new.py"}),
    ((conflict,), {"src/a.py"}),
]


@pytest.mark.parametrize(("number", "steps", "expected"), [(number, *way) for number, way in enumerate(WAYS)])
def test_changes_match_git_status(place: Place, number: int, steps: tuple[Step, ...], expected: set[str]) -> None:
    # Index paths are stored whole, or prefix-compressed relative to the previous one.
    git(place.root, "update-index", "--index-version", "2" if number % 2 else "4")
    assert place.at() == GitChanges()
    for step in steps:
        step(place.root)
    found = place.at()
    assert found.paths == expected == place.said_by_git()
    assert found == place.in_new_process()
    assert not found.reason and not found.stale


def test_successive_changes_are_tracked(place: Place) -> None:
    """The incrementally updated set equals that of a new process."""
    for number in (1, 2):
        for name in "abc":
            write(place.root, f"src/{name}.py", f"{name} = {number % 2 + 1}\n")
            found = place.at()
            assert found.paths == place.said_by_git()
            assert found == place.in_new_process()


def test_git_index_is_not_read_without_changes(place: Place) -> None:
    EDIT(place.root)
    assert place.at().paths == {"src/a.py"}
    # Reading objects would fail now.
    os.mkfifo(place.root / ".git/objects/info/commit-graph")
    assert place.unsynced() == GitChanges(frozenset({RepoPath("src/a.py")}))


NEW = put("src/new.py", "new = 1\n")
MOVES: list[tuple[tuple[Step, ...], tuple[Step, ...], set[str]]] = [
    ((EDIT,), (run("commit", "-qam", "two"),), set()),
    ((EDIT, run("commit", "-qam", "two")), (run("reset", "-q", "--soft", "HEAD^"),), {"src/a.py"}),
    ((NEW,), (ADD,), {"src/new.py"}),
    ((NEW, ADD), (run("reset", "-q"),), set()),
    ((EDIT, ADD), (run("commit", "-qm", "two"), run("commit", "-q", "--amend", "-m", "other")), set()),
]


@pytest.mark.parametrize(("before", "after", "expected"), MOVES)
def test_git_changes_without_new_epoch_are_found(
    place: Place, before: tuple[Step, ...], after: tuple[Step, ...], expected: set[str]
) -> None:
    """A stale set is discarded, and a new process on the same epoch finds the same set."""
    for step in before:
        step(place.root)
    assert place.at().paths == place.said_by_git() != expected
    for step in after:
        step(place.root)
    assert place.unsynced() == place.in_new_process()
    assert place.unsynced().paths == expected == place.said_by_git()


def test_older_epoch_gets_its_own_answer(place: Place) -> None:
    NEW(place.root)
    ADD(place.root)
    (place.root / "src/new.py").unlink()
    place.indexer.sync()
    with open_current(place.indexer.state, lexical=False) as older:
        NEW(place.root)
        assert place.at().paths == {"src/new.py"}
        assert place.cache.at(older).paths == set(), "that epoch has no such file"
        assert place.unsynced().paths == {"src/new.py"}


def test_unreadable_head_keeps_the_stale_set(place: Place) -> None:
    EDIT(place.root)
    place.at()
    (place.root / ".git/HEAD").rename(place.root / ".git/HEAD.away")
    assert place.unsynced() == GitChanges(frozenset({RepoPath("src/a.py")}), stale=True)


def test_edit_is_found_without_reading_git(place: Place) -> None:
    EDIT(place.root)
    place.at()
    os.mkfifo(place.root / ".git/objects/info/commit-graph")
    write(place.root, "src/b.py", "b = 2\n")
    assert place.at() == GitChanges(frozenset({RepoPath("src/a.py"), RepoPath("src/b.py")}))
    BACK(place.root)
    (place.root / "src/b.py").unlink()
    assert place.at() == GitChanges()


def test_tree_with_unknown_stats_is_not_read(place: Place, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(place.root, copy)
    shutil.rmtree(copy / ".codeplane")
    EDIT(copy)
    with Indexer.open(options_for(copy)) as indexer, Root.open(copy) as root:
        indexer.sync()
        with open_current(indexer.state, lexical=False) as snapshot:
            assert GitChangeTracker(root, lambda: 0.0, max_doubts=5).at(snapshot) == GitChanges(
                reason="too_many_doubts"
            )
            assert GitChangeTracker(root, lambda: 0.0, max_doubts=6).at(snapshot).paths == {"src/a.py"}


def test_stale_set_is_used_if_git_fails(place: Place) -> None:
    EDIT(place.root)
    assert place.at().paths == {"src/a.py"}
    pipe = place.root / ".git/objects/info/commit-graph"
    write(place.root, "src/b.py", "b = 2\n")
    git(place.root, "update-index", "--add", "src/b.py")
    os.mkfifo(pipe)
    found = place.at()
    assert found.stale and found.paths == {"src/a.py"}
    pipe.unlink()
    # Git's index is not read again immediately.
    place.seconds = TTL_SECONDS - 0.1
    assert place.unsynced().stale
    place.seconds = TTL_SECONDS
    assert place.unsynced() == place.in_new_process()
    assert place.unsynced().paths == {"src/a.py", "src/b.py"}


def test_initial_git_failure_is_reported_as_reason(place: Place) -> None:
    place.indexer.sync()
    (place.root / ".git/index").write_bytes(b"DIRC\0\0\0\2\0\0\0\7 no entries")
    assert place.unsynced() == GitChanges(reason="git_failed")


def test_without_git_there_is_no_boost(tmp_path: Path) -> None:
    write(tmp_path / "plain", "a.py", "a = 1\n")
    with Indexer.open(options_for(tmp_path / "plain")) as indexer, Root.open(tmp_path / "plain") as root:
        indexer.sync()
        with open_current(indexer.state, lexical=False) as snapshot:
            assert GitChangeTracker(root, lambda: 0.0).at(snapshot) == GitChanges(reason="no_git")


def test_before_the_first_commit_all_files_are_changed(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    write(root, "a.py", "a = 1\n")
    git(root, "init", "-q")
    git(root, "add", ".")
    with Indexer.open(options_for(root)) as indexer, Root.open(root) as opened:
        indexer.sync()
        with open_current(indexer.state, lexical=False) as snapshot:
            assert GitChangeTracker(opened, lambda: 0.0).at(snapshot).paths == {"a.py"}


@pytest.mark.parametrize("count", [MAX_CHANGED_FILES, MAX_CHANGED_FILES + 1])
def test_too_many_changes_disable_the_boost(place: Place, count: int) -> None:
    for number in range(count):
        write(place.root, f"many/{number}.py", "")
    git(place.root, "add", "-A")
    found = place.at()
    too_many = count > MAX_CHANGED_FILES
    assert found.too_many is too_many and len(found.paths) == count
    told = found.as_dict(boosted=0 if too_many else 3)
    assert "multiplier" not in told and found.as_dict(3, 1.2)["multiplier"] == 1.2
    assert told["changed_count"] == count and told["skipped_for_large_change_set"] is too_many
    assert told["applied"] is not too_many and told["available"] is True


def test_line_ending_changes_are_ignored(place: Place) -> None:
    write(place.root, "é.txt", "one\r\ntwo\r\n")
    assert place.at().paths == place.in_new_process().paths == set()


def test_racy_change_with_same_stat_is_found(place: Place) -> None:
    """Like git, treat an entry that is not older than the index as racy."""
    path = place.root / "src/a.py"
    index = place.root / ".git/index"
    before = path.stat()
    path.write_text("a = 9\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    os.utime(index, ns=(before.st_mtime_ns, before.st_mtime_ns))
    assert place.at().paths == {"src/a.py"}


def test_assume_unchanged_files_are_compared(place: Place) -> None:
    git(place.root, "update-index", "--assume-unchanged", "src/a.py")
    git(place.root, "update-index", "--skip-worktree", "src/b.py")
    for name in "abc":
        write(place.root, f"src/{name}.py", "changed = 1\n")
    assert place.at().paths == place.said_by_git() == {"src/c.py"}


def test_submodules_and_symlinks_are_excluded(place: Place, tmp_path: Path) -> None:
    make_repository(tmp_path / "origin", {"m.py": "m = 1\n"})
    git(place.root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "origin"), "mod")
    (place.root / "link").symlink_to("bin")
    git(place.root, "add", "-A")
    git(place.root, "commit", "-qm", "more")
    write(place.root, "mod/m.py", "m = 2\n")
    (place.root / "link").unlink()
    (place.root / "link").symlink_to("é.txt")
    EDIT(place.root)
    assert place.at().paths == {"src/a.py"}


def test_linked_worktree_has_its_own_changes(place: Place, tmp_path: Path) -> None:
    git(place.root, "worktree", "add", "-q", str(tmp_path / "linked"))
    write(tmp_path / "linked", "src/b.py", "b = 2\n")
    EDIT(place.root)
    with Indexer.open(options_for(tmp_path / "linked")) as indexer, Root.open(tmp_path / "linked") as root:
        indexer.sync()
        with open_current(indexer.state, lexical=False) as snapshot:
            assert GitChangeTracker(root, lambda: 0.0).at(snapshot).paths == {"src/b.py"}


def test_unknown_index_format_is_rejected(place: Place) -> None:
    git(place.root, "update-index", "--split-index")
    with pytest.raises(CodePlaneError) as raised:
        index_state(place.root)
    assert raised.value.code in (ErrorCode.GIT_UNSUPPORTED, ErrorCode.GIT_DAMAGED)


def test_arbitrary_index_bytes_do_not_crash(place: Place) -> None:
    path = place.root / ".git/index"
    whole = path.read_bytes()
    for cut in range(0, len(whole), 7):
        for bad in (whole[:cut], whole[:cut] + b"\xff" + whole[cut + 1 :]):
            path.write_bytes(bad)
            try:
                index_state(place.root)
            except CodePlaneError as error:
                assert error.code in (ErrorCode.GIT_DAMAGED, ErrorCode.GIT_UNSUPPORTED)


def test_fifos_among_objects_do_not_block(tmp_path: Path) -> None:
    """Run in a killable process: libgit2 would block forever."""
    places = []
    for number, name in enumerate(
        ("pack/x.idx", "info/alternates", "info/commit-graph", "ab/cd", "to a pipe", "HEAD^")
    ):
        root = make_repository(tmp_path / str(number), {"a.py": "a\n"})
        objects = root / ".git/objects"
        if name == "HEAD^":
            commit = git(root, "rev-parse", "HEAD").strip()
            name = f"{commit[:2]}/{commit[2:]}"
        if name == "to a pipe":
            os.mkfifo(tmp_path / "pipe")
            (objects / "info/commit-graph").symlink_to(tmp_path / "pipe")
        else:
            target = objects / name
            target.unlink(missing_ok=True)
            target.parent.mkdir(exist_ok=True)
            os.mkfifo(target)
        places.append(root)
    lent = make_repository(tmp_path / "lent", {"a.py": "a\n"})
    (lent / ".git/objects/info").mkdir(exist_ok=True)
    (lent / ".git/objects/info/alternates").write_text(f"# lent\n{places[0]}/.git/objects\n")
    program = (
        "import sys; from pathlib import Path\n"
        "from codeplane.base.errors import CodePlaneError\n"
        "from codeplane.git.index_state import index_state\n"
        "for path in map(Path, sys.argv[1:]):\n"
        "    try:\n"
        "        index_state(path); print('well')\n"
        "    except CodePlaneError as error:\n"
        "        print(error.code.name)\n"
    )
    command = [sys.executable, "-c", program, *map(str, (*places, lent))]
    said = subprocess.run(command, check=True, capture_output=True, text=True, timeout=20).stdout.split()
    assert said == ["GIT_DAMAGED"] * 7
