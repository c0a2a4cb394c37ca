"""Decisions of one sync: which files are read and parsed, and when an epoch is published."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.config.model import Config, IndexConfig
from codeplane.index.indexer import Indexer
from codeplane.operations.context import Context
from codeplane.operations.init import initialize
from codeplane.operations.status import status
from codeplane.query.files import get_file
from codeplane.query.snapshot import open_current
from codeplane.query.text import list_candidate_files, list_passages_named, rank_passages
from codeplane.store.integrity import Verdict
from codeplane.store.records import FileState
from support.repositories import git, logical_dump, make_repository, options_for, scratch_dump, state_files, sync, write
from support.text_search import search_files, search_scores

FILES: dict[str, str | bytes] = {
    "pkg/a.py": "import os\n\ndef a(x):\n    return x\n",
    "pkg/b.py": "class B:\n    def b(self):\n        return 1\n",
    "web/c.ts": "export const c = 1;\n",
    "README.md": "# Read\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo", FILES)


def settle(root: Path) -> None:
    """Make every file old, so that nothing is too fresh to be believed."""
    time.sleep(2.1)
    sync(root)


def context_for(root: Path, *, in_ci: bool = False, **index: object) -> Context:
    config = Config(index=IndexConfig(**{"workers": 1, **index}))  # type: ignore[arg-type]
    return Context(root, config, root.parent / "user-state", in_ci)


def listed(root: Path, **changes: object) -> set[str]:
    with Indexer.open(options_for(root, **changes), rebuild=True) as indexer:
        indexer.sync()
        with open_current(indexer.state) as snapshot:
            return {str(path) for (path,) in snapshot.reader.rows("SELECT path FROM files")}


def test_sync_without_changes_writes_nothing(root: Path) -> None:
    sync(root)
    settle(root)
    before = state_files(root)
    stamps = {path: path.lstat().st_mtime_ns for path in (root / ".codeplane/generations").rglob("*") if path.is_file()}
    report = sync(root)
    assert (report.decision, report.hashed, report.parsed) == ("fresh", 0, 0)
    assert state_files(root) == before
    assert {path: path.lstat().st_mtime_ns for path in stamps} == stamps


def test_line_ending_change_needs_no_parse(root: Path, tmp_path: Path) -> None:
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        for path in ("pkg/a.py", "pkg/b.py", "web/c.ts", "README.md"):
            write(root, path, (root / path).read_bytes().replace(b"\n", b"\r\n"))
        report = indexer.sync()
        assert (report.parsed, report.modified) == (0, 4)
        assert logical_dump(indexer) == scratch_dump(root, tmp_path)
        write(root, "pkg/a.py", FILES["pkg/a.py"])
        assert indexer.sync().parsed == 0
        assert logical_dump(indexer) == scratch_dump(root, tmp_path)


def test_utf16_bytes_are_not_taken_for_line_endings(root: Path, tmp_path: Path) -> None:
    """U+0A0D twice has the bytes of two line ends of which only the second halves are U+0A0A."""
    with Indexer.open(options_for(root)) as indexer:
        write(root, "odd.py", "def f\u0a0d\u0a0d(): pass\n".encode("utf-16"))
        indexer.sync()
        write(root, "odd.py", "def f\u0a0a(): pass\n".encode("utf-16"))
        indexer.sync()
        assert logical_dump(indexer) == scratch_dump(root, tmp_path)


def test_commit_updates_head_without_a_new_epoch(root: Path) -> None:
    with Indexer.open(options_for(root)) as indexer:
        first = indexer.sync()
        git(root, "commit", "-qm", "empty", "--allow-empty")
        second = indexer.sync()
        assert second.epoch == first.epoch
        with open_current(indexer.state) as snapshot:
            assert snapshot.epoch.head == git(root, "rev-parse", "HEAD").strip()
    with Indexer.open(options_for(root)) as indexer:
        assert indexer.sync().epoch == first.epoch


def test_submodule_head_is_part_of_the_version(root: Path, tmp_path: Path) -> None:
    library = make_repository(tmp_path / "library", {"lib.py": "def library():\n    return 1\n"})
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "lib")
    with Indexer.open(options_for(root)) as indexer:
        first = indexer.sync()
        git(root / "lib", "commit", "-qm", "empty", "--allow-empty")
        second = indexer.sync()
        assert second.epoch == first.epoch
        with open_current(indexer.state) as snapshot:
            submodules = snapshot.epoch.repo_version["submodules"]
        assert submodules == [["lib", git(root / "lib", "rev-parse", "HEAD").strip()]]
    assert "lib/lib.py" in listed(root)
    with Indexer.open(options_for(root, overlay=False)) as indexer:
        for name in ("one.py", "two.py"):
            write(root / "lib", name, "x = 1\n")
            indexer.sync()
            git(root / "lib", "add", name)
            indexer.sync()
            with open_current(indexer.state) as snapshot:
                assert get_file(snapshot, f"lib/{name}") is not None


@pytest.mark.parametrize("how", ["option", "config", "ci"])
def test_overlay_off_indexes_what_git_tracks(root: Path, how: str) -> None:
    write(root, "untracked.py", "def untracked():\n    return 1\n")
    if how == "option":
        found = listed(root, overlay=False)
    else:
        context = context_for(root, overlay="off") if how == "config" else context_for(root, in_ci=True)
        initialize(context)
        found = listed(root, overlay=False)
        assert status(context).overlay == "off"
    assert found == {*FILES}
    assert listed(root) == {*FILES, "untracked.py"}
    assert listed(root, overlay=False) == {*FILES}


def test_overlay_off_follows_the_index_of_git(root: Path) -> None:
    """Changes of git's index that leave its size and, on a coarse clock, its time as they were."""
    stamp = time.time_ns() + 3_600_000_000_000
    for name in ("one.py", "two.py"):
        write(root, name, "x = 1\n")
    with Indexer.open(options_for(root, overlay=False)) as indexer:
        for tracked, other in (("one.py", "two.py"), ("two.py", "one.py"), ("one.py", "two.py")):
            git(root, "add", tracked)
            git(root, "rm", "-q", "--cached", "--ignore-unmatch", other)
            os.utime(root / ".git/index", ns=(stamp, stamp))
            indexer.sync()
            with open_current(indexer.state) as snapshot:
                assert get_file(snapshot, tracked) is not None
                assert get_file(snapshot, other) is None


def test_non_utf8_names_are_tracked(root: Path) -> None:
    name = os.fsdecode(b"caf\xe9.py")
    write(root, name, "def coffee():\n    return 1\n")
    git(root, "add", "-A")
    with Indexer.open(options_for(root, overlay=False)) as indexer:
        indexer.sync()
        with open_current(indexer.state) as snapshot:
            assert get_file(snapshot, name) is not None


class Killer(threading.Thread):
    """Kills every parse worker as soon as it starts, `count` of them."""

    def __init__(self, indexer: Indexer, count: int) -> None:
        super().__init__(daemon=True)
        self.indexer, self.count, self.killed = indexer, count, set[int]()

    def run(self) -> None:
        deadline = time.monotonic() + 20
        while len(self.killed) < self.count and time.monotonic() < deadline:
            for pid in set(self.indexer.pool.pids) - self.killed:
                self.killed.add(pid)
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.0005)


def test_file_that_kills_its_workers_is_retried_with_backoff(root: Path, tmp_path: Path) -> None:
    sync(root)
    write(root, "pkg/b.py", "class Deadly:\n    pass\n")
    with Indexer.open(options_for(root)) as indexer:
        killer = Killer(indexer, 2)
        killer.start()
        report = indexer.sync()
        killer.join()
        assert report.set_aside == ("pkg/b.py",)
        with open_current(indexer.state) as snapshot:
            file = get_file(snapshot, "pkg/b.py")
            assert file is not None and (file.state, file.reason) == (FileState.FAILED, "worker_died")
            assert search_files(snapshot, "Deadly", 5) == ["pkg/b.py"], "its text is no worse"
            assert [hit.first for hit in rank_passages(snapshot, {"deadli": 1}, 5, per_file=1)] == [1]
            assert list_candidate_files(snapshot, [["eadl"]]) == frozenset({file.file_id})
        killer = Killer(indexer, 2)
        killer.start()
        again = indexer.sync()
        killer.join()
        assert (again.set_aside, again.unparsed) == (("pkg/b.py",), ("pkg/b.py",)), "the next sync retries at once"
        os.utime(root / "pkg/b.py")
        later = indexer.sync()
        assert (later.parsed, later.unparsed) == (0, ("pkg/b.py",)), "a further retry waits"
    context = context_for(root)
    assert status(context).set_aside == (("pkg/b.py", "worker_died"),)
    assert initialize(context).set_aside == (("pkg/b.py", "worker_died"),)
    write(root, "pkg/b.py", "class Fixed:\n    pass\n")
    with Indexer.open(options_for(root)) as indexer:
        assert indexer.sync().parsed == 1
        assert logical_dump(indexer) == scratch_dump(root, tmp_path)
    assert status(context).set_aside == ()


def test_file_whose_workers_were_killed_is_parsed_by_the_next_sync(root: Path, tmp_path: Path) -> None:
    sync(root)
    write(root, "pkg/b.py", "class Unlucky:\n    pass\n")
    with Indexer.open(options_for(root)) as indexer:
        killer = Killer(indexer, 2)
        killer.start()
        assert indexer.sync().set_aside == ("pkg/b.py",)
        killer.join()
    with Indexer.open(options_for(root)) as indexer:
        report = indexer.sync()
        assert (report.parsed, report.unparsed) == (1, ())
        assert logical_dump(indexer) == scratch_dump(root, tmp_path)


def test_files_without_a_grammar_are_read_by_workers(root: Path) -> None:
    write(root, "lib/cart.cr", "class Cart\n  def total_price\n    1\n  end\nend\n")
    write(root, "notes.txt", "class Cart is explained here\n")
    write(root, "empty.cr", "")
    write(root, "plain.pl", "print cart\n")
    with Indexer.open(options_for(root)) as indexer:
        report = indexer.sync()
        assert (report.files, report.set_aside) == (len(FILES) + 4, ())
        with open_current(indexer.state) as snapshot:
            for path in ("lib/cart.cr", "notes.txt", "empty.cr", "plain.pl"):
                file = get_file(snapshot, path)
                assert file is not None and file.state is FileState.TEXT
            found = list_passages_named(snapshot, {"totalprice": 1, "cart": 1}, 5)
            assert [(hit.file.path, hit.first, hit.name) for hit in found] == [
                ("lib/cart.cr", 1, "Cart"),
                ("lib/cart.cr", 2, "total_price"),
            ]
            assert set(search_files(snapshot, "cart", 5)) == {"lib/cart.cr", "notes.txt", "plain.pl"}


def test_line_ending_change_keeps_the_text_index(root: Path) -> None:
    write(root, "lib/cart.rb", "class Cart\n  def total_price\n    1\n  end\nend\n")
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        before = text_index(indexer)
        for path in ("lib/cart.rb", "pkg/b.py"):
            write(root, path, (root / path).read_bytes().replace(b"\n", b"\r\n"))
        report = indexer.sync()
        assert (report.modified, report.parsed) == (2, 0)
        assert text_index(indexer) == before
        assert indexer.verify("full").verdict is Verdict.OK


def text_index(indexer: Indexer) -> list[object]:
    with open_current(indexer.state) as snapshot:
        return [
            snapshot.reader.lexical.document_count,
            list_passages_named(snapshot, {"cart": 1, "totalprice": 1, "b": 1}, 9),
            search_scores(snapshot, "cart total price return", 9),
        ]


def test_failed_file_is_retried_when_only_line_endings_change(root: Path, tmp_path: Path) -> None:
    sync(root)
    write(root, "pkg/b.py", "class Deadly:\n    pass\n")
    with Indexer.open(options_for(root)) as indexer:
        killer = Killer(indexer, 2)
        killer.start()
        indexer.sync()
        killer.join()
        write(root, "pkg/b.py", "class Deadly:\r\n    pass\r\n")
        indexer.sync()
        assert logical_dump(indexer) == scratch_dump(root, tmp_path)


def test_not_a_git_repository(tmp_path: Path) -> None:
    root = tmp_path / "plain"
    write(root, "a.py", "def a():\n    return 1\n")
    with Indexer.open(options_for(root)) as indexer:
        assert indexer.sync().files == 1
        with open_current(indexer.state) as snapshot:
            assert snapshot.epoch.head is None
    assert sync(root, overlay=False).files == 1


def test_an_empty_directory_and_an_unborn_head(tmp_path: Path) -> None:
    root = tmp_path / "empty"
    root.mkdir()
    assert sync(root).files == 0
    git(root, "init", "-q", "-b", "main")
    assert sync(root).files == 0
    write(root, "a.py", "def a():\n    return 1\n")
    assert sync(root).added == 1
    assert sync(root, overlay=False).files == 0
    git(root, "add", "-A")
    assert sync(root, overlay=False).files == 1
    git(root, "commit", "-qm", "first")
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        with open_current(indexer.state) as snapshot:
            assert snapshot.epoch.head == git(root, "rev-parse", "HEAD").strip()


@pytest.mark.parametrize("damage", ["HEAD", "index"])
def test_damaged_git_metadata_is_reported_and_the_index_stays(root: Path, damage: str) -> None:
    sync(root)
    settle(root)
    whole = (root / ".git" / damage).read_bytes()
    write(root, f".git/{damage}", b"\0broken\xff" * 8)
    before = state_files(root)
    write(root, "pkg/a.py", "def changed():\n    return 1\n")
    for changes in ({}, {"overlay": False}):
        with pytest.raises(CodePlaneError) as raised:
            sync(root, **changes)
        assert raised.value.code is ErrorCode.GIT_DAMAGED
    assert state_files(root) == before
    write(root, f".git/{damage}", whole)
    assert sync(root).modified == 1


def test_damaged_git_metadata_leaves_no_partial_index(root: Path) -> None:
    write(root, ".git/HEAD", b"\0broken\xff")
    with pytest.raises(CodePlaneError) as raised:
        sync(root)
    assert raised.value.code is ErrorCode.GIT_DAMAGED
    assert not list((root / ".codeplane").glob("generations/*"))


def test_failed_write_is_rolled_back_and_retried(root: Path, tmp_path: Path) -> None:
    """A publish that an exception cuts off, in the same process, at each of its points."""
    armed = [""]

    def barrier(point: str) -> None:
        if point == armed[0]:
            armed[0] = ""
            raise KeyboardInterrupt

    with Indexer.open(options_for(root), barrier=barrier) as indexer:
        indexer.sync()
        for number, point in enumerate(("lexical-committed", "published", "lexical-committed")):
            write(root, "pkg/a.py", f"def version_{number}():\n    return 1\n")
            write(root, f"new_{number}.py", "x = 1\n")
            shutil.rmtree(root / "web", ignore_errors=True)
            armed[0] = point
            with pytest.raises(KeyboardInterrupt):
                indexer.sync()
            indexer.sync()
            assert logical_dump(indexer) == scratch_dump(root, tmp_path)
