"""Change detection: nothing is missed, nothing unseen is called removed, everything is bounded."""

from __future__ import annotations

import hashlib
import mmap
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from codeplane.base.digests import Digest, digest_bytes, digest_text_lines
from codeplane.base.paths import RepoPath
from codeplane.disk import hashing, stats
from codeplane.disk.changes import FileRecord, compare, find_renames, next_full_hash
from codeplane.disk.hashing import ReadOutcome, read_many
from codeplane.disk.ignore import IgnoreRules
from codeplane.disk.safe_open import Root
from codeplane.disk.stats import FileStat
from codeplane.disk.walk import walk

MIB = 1024 * 1024
LATER_NS = 10_000_000_000
A = RepoPath("a.py")


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Root]:
    (tmp_path / "repo").mkdir()
    with Root.open(tmp_path / "repo") as opened:
        yield opened


def known_of(root: Root, observed_after_ns: int = LATER_NS) -> dict[RepoPath, FileRecord]:
    """All files as if observed so long after their last change that the clock raises no doubt."""
    known = {}
    for path, stat in walk(root, IgnoreRules()).files.items():
        digest = digest_bytes((root.path / path).read_bytes())
        known[path] = FileRecord(stat, digest, max(stat.mtime_ns, stat.ctime_ns) + observed_after_ns)
    return known


def rewrite(path: Path) -> None:
    path.write_bytes(b"edit")


def restore_mtime(path: Path) -> None:
    before = path.stat()
    path.write_bytes(b"edit")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def set_future(path: Path) -> None:
    path.write_bytes(b"edit")
    os.utime(path, (4e9, 4e9))


def set_1970(path: Path) -> None:
    path.write_bytes(b"edit")
    os.utime(path, (0, 0))


def copy_with_times(path: Path) -> None:
    source = path.parent.parent / "source"
    source.write_bytes(b"edit")
    os.utime(source, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    shutil.copy2(source, path)


def replace_with_times(path: Path) -> None:
    source = path.parent.parent / "source"
    source.write_bytes(b"edit")
    os.utime(source, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    source.replace(path)


def write_mapped(path: Path) -> None:
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        mapped[:] = b"edit"
        mapped.flush()


EDITS = (rewrite, restore_mtime, set_future, set_1970, copy_with_times, replace_with_times, write_mapped)


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_same_size_edit_is_a_candidate(root: Root, edit: Callable[[Path], None]) -> None:
    path = root.path / A
    path.write_bytes(b"orig")
    known = known_of(root)
    assert compare(walk(root, IgnoreRules()), known).candidates == ()
    time.sleep(0.02)  # beyond the tick of coarse clocks; within it the racy rule decides
    edit(path)
    assert path.read_bytes() == b"edit"
    assert compare(walk(root, IgnoreRules()), known).candidates == (A,)


@pytest.mark.parametrize("field", FileStat._fields)
def test_every_stat_field_is_compared(root: Root, field: str) -> None:
    (root.path / A).write_bytes(b"orig")
    known = known_of(root)
    other = known[A].stat._replace(**{field: getattr(known[A].stat, field) - 1})
    assert compare(walk(root, IgnoreRules()), {A: known[A]._replace(stat=other)}).candidates == (A,)


@pytest.mark.parametrize(
    ("observed_after_ns", "candidates"),
    [(0, (A,)), (1_000_000_000, (A,)), (2_000_000_000, (A,)), (2_000_000_001, ()), (-LATER_NS, (A,))],
)
def test_recent_mtime_is_not_trusted(root: Root, observed_after_ns: int, candidates: tuple[RepoPath, ...]) -> None:
    """Equal stats are believed only if the file had rested when it was observed."""
    (root.path / A).write_bytes(b"orig")
    known = known_of(root, observed_after_ns)
    assert compare(walk(root, IgnoreRules()), known).candidates == candidates
    assert stats.is_racy(known[A].stat, known[A].observed_at_ns) == bool(candidates)


def test_recently_written_file_is_hashed_once_more(root: Root) -> None:
    (root.path / A).write_bytes(b"orig")
    (read,) = read_many(root, [A], MIB)
    assert read.stat is not None
    assert read.digest is not None
    scan = walk(root, IgnoreRules())
    assert compare(scan, {A: FileRecord(read.stat, read.digest, read.observed_at_ns)}).candidates == (A,)
    rested = max(read.stat.mtime_ns, read.stat.ctime_ns) + LATER_NS
    assert compare(scan, {A: FileRecord(read.stat, read.digest, rested)}).candidates == ()


def test_new_removed_unchanged_and_full_hash(root: Root) -> None:
    for name in ("b.py", "c.py", "d.py"):
        (root.path / name).write_text(name)
    known = known_of(root)
    (root.path / "d.py").unlink()
    (root.path / A).write_text("new")
    scan = walk(root, IgnoreRules())
    changes = compare(scan, known)
    assert (changes.candidates, changes.removed, changes.unchanged, changes.partial) == ((A,), ("d.py",), 2, False)
    full = compare(scan, known, full_hash=True)
    assert (full.candidates, full.removed, full.unchanged) == ((A, "b.py", "c.py"), ("d.py",), 0)


def test_newly_ignored_file_is_removed(root: Root) -> None:
    (root.path / A).write_text("x")
    known = known_of(root)
    (root.path / ".gitignore").write_text("a.py\n")
    assert compare(walk(root, IgnoreRules()), known).removed == (A,)


def test_partial_scan_removes_nothing_unseen(root: Root) -> None:
    for path in ("a/b.py", "a/c/d.py", "ab/e.py", "f.py"):
        (root.path / path).parent.mkdir(parents=True, exist_ok=True)
        (root.path / path).write_text("x")
    known = known_of(root)
    shutil.rmtree(root.path / "a")
    shutil.rmtree(root.path / "ab")
    (root.path / "f.py").unlink()
    scan = walk(root, IgnoreRules())._replace(unscanned=(RepoPath("a"),), unreadable=(RepoPath("f.py"),))
    changes = compare(scan, known)
    assert changes.partial
    assert changes.removed == ("ab/e.py",)
    assert compare(scan._replace(unscanned=(RepoPath(""),)), known).removed == ()


@pytest.mark.parametrize("concurrency", [-1, 1, 3, 16, 1000])
def test_read_many_keeps_order_and_content(root: Root, concurrency: int) -> None:
    paths = []
    for number in range(150):
        path = RepoPath(f"f{number * 7919 % 150}.py")
        (root.path / path).write_bytes(b"%d\r\n" % number * (number + 1))
        paths.append(path)
    reads = list(read_many(root, paths, MIB, concurrency))
    assert [read.path for read in reads] == paths
    for read in reads:
        data = (root.path / read.path).read_bytes()
        assert (read.outcome, read.data, read.digest) == (ReadOutcome.OK, data, digest_bytes(data))
        assert read.text_digest == digest_text_lines(data) == digest_bytes(data.replace(b"\r", b""))
        assert read.stat == stats.file_stat(os.stat(root.path / read.path))


def test_read_outcomes(root: Root) -> None:
    """Changes to a file between the scan and the read."""
    (root.path / "directory.py").mkdir()
    os.mkfifo(root.path / "fifo.py")
    (root.path / "link.py").symlink_to("ok.py")
    (root.path / "ok.py").write_text("ok")
    (root.path / "empty.py").touch()
    expected = {
        "gone.py": ReadOutcome.VANISHED,
        "directory.py": ReadOutcome.NOT_REGULAR,
        "fifo.py": ReadOutcome.NOT_REGULAR,
        "link.py": ReadOutcome.NOT_REGULAR,
        "ok.py": ReadOutcome.OK,
        "ok.py/below": ReadOutcome.VANISHED,
        "empty.py": ReadOutcome.OK,
    }
    reads = {read.path: read.outcome for read in read_many(root, [RepoPath(path) for path in expected], MIB)}
    assert reads == expected


def test_unreadable_files_are_reported(root: Root) -> None:
    (root.path / A).touch(0o000)
    was_root = os.geteuid() == 0
    if was_root:
        os.seteuid(65534)  # permissions do not bind root
    try:
        (read,) = read_many(root, [A], MIB)
    finally:
        if was_root:
            os.seteuid(0)
    assert read.outcome is ReadOutcome.UNREADABLE


def test_large_files(root: Root) -> None:
    (root.path / "limit.txt").write_bytes(b"y" * MIB)
    (root.path / "above.txt").write_bytes(b"y" * (MIB + 1))
    with open(root.path / "sparse.bin", "wb") as file:
        file.truncate(5 * 1024**3)
    at_limit, above, sparse = read_many(root, [RepoPath(f"{n}") for n in ("limit.txt", "above.txt", "sparse.bin")], MIB)
    assert at_limit.data is not None
    assert (above.outcome, above.data) == (ReadOutcome.OK, None)
    assert above.digest == above.text_digest == hashlib.sha256(b"y" * (MIB + 1)).hexdigest()
    assert (sparse.outcome, sparse.data) == (ReadOutcome.TOO_LARGE, None)
    os.utime(root.path / "sparse.bin")
    (touched,) = read_many(root, [RepoPath("sparse.bin")], MIB)
    assert touched.digest != sparse.digest


@pytest.mark.parametrize("limit", [10, 100 * MIB])
def test_growing_file_is_read_up_to_its_size(root: Root, limit: int) -> None:
    path = root.path / A
    path.write_bytes(b"z" * 1000)
    stop = threading.Event()

    def grow() -> None:
        with open(path, "ab", buffering=0) as file:
            while not stop.is_set() and file.tell() < 32 * MIB:
                file.write(b"z" * 1000)

    thread = threading.Thread(target=grow)
    thread.start()
    try:
        for _ in range(20):
            (read,) = read_many(root, [A], limit)
            if read.outcome is ReadOutcome.OK:
                assert read.stat is not None
                assert read.digest == digest_bytes(b"z" * read.stat.size)
            else:
                assert (read.outcome, read.data, read.digest) == (ReadOutcome.CHANGED, None, None)
    finally:
        stop.set()
        thread.join()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs procfs")
def test_files_with_a_wrong_size_terminate() -> None:
    with Root.open("/proc/self") as root:
        (read,) = read_many(root, [RepoPath("status")], MIB)
    assert read.outcome is ReadOutcome.CHANGED
    with Root.open("/dev") as root:
        (read,) = read_many(root, [RepoPath("zero")], MIB)
    assert read.outcome is ReadOutcome.NOT_REGULAR


def test_bytes_in_flight_are_bounded_without_deadlock(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashing, "MAX_BUFFERED_BYTES", 50_000)
    held: list[int] = []
    original = hashing._Buffer.reserve

    def reserve(gate: hashing._Buffer, batch: int, size: int) -> None:
        original(gate, batch, size)
        held.append(gate._total)

    monkeypatch.setattr(hashing._Buffer, "reserve", reserve)
    paths = [RepoPath(f"f{number}") for number in range(300)]
    for path in paths:
        (root.path / path).write_bytes(b"q" * 10_000)
    for number, read in enumerate(read_many(root, paths, MIB)):
        assert read.data == b"q" * 10_000
        if number % 40 == 0:
            time.sleep(0.01)  # a slow consumer lets the readers run ahead as far as they may
    assert len(held) == 300
    assert max(held) <= 50_000 + 16 * 10_000


def test_abandoned_read_releases_its_threads(root: Root) -> None:
    paths = [RepoPath(f"f{number}") for number in range(400)]
    for path in paths:
        (root.path / path).write_bytes(b"x")
    reads = read_many(root, paths, MIB)
    assert next(reads).path == "f0"
    assert isinstance(reads, Iterator)
    reads.close()  # type: ignore[attr-defined]
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("read")]


def named(**digests: str) -> dict[RepoPath, Digest]:
    return {RepoPath(name.replace("__", "/")): digest_bytes(text.encode()) for name, text in digests.items()}


@pytest.mark.parametrize(
    ("removed", "added", "pairs"),
    [
        (named(a="1"), named(b="1"), [("a", "b")]),
        (named(a="1"), named(b="2"), []),
        (named(a=""), named(b=""), []),
        (named(a="1"), named(b="1", c="1"), [("a", "b")]),
        (named(a="1", b="1"), named(c="1"), [("a", "c")]),
        (named(a="1", b="1"), named(d="1", c="1"), [("a", "c"), ("b", "d")]),
        (named(p__x="1", p__y="1"), named(q__y="1", q__x="1"), [("p/x", "q/x"), ("p/y", "q/y")]),
        (named(p__x="1", p__y="1"), named(a="1", q__x="1"), [("p/x", "q/x"), ("p/y", "a")]),
    ],
)
def test_renames_are_detected_by_digest(
    removed: dict[RepoPath, Digest], added: dict[RepoPath, Digest], pairs: list[tuple[str, str]]
) -> None:
    assert find_renames(removed, added) == pairs
    backwards = dict(reversed(removed.items())), dict(reversed(added.items()))
    assert find_renames(*backwards) == pairs


@pytest.mark.parametrize(
    ("every", "runs"),
    [
        (0, [False] * 6),
        (-5, [False] * 6),
        (1, [True] * 6),
        (3, [False, False, True] * 2),
        (10**9, [False] * 6),
    ],
)
def test_full_hash_counter(every: int, runs: list[bool]) -> None:
    counter, seen = 0, []
    for _ in runs:
        run, counter, advanced = next_full_hash(counter, every)
        seen.append(run)
        assert advanced == (every > 0)
    assert seen == runs
    assert next_full_hash(999_999, 10**9).run
