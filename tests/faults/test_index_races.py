"""Files that change during a sync: the sync ends, unseen files stay indexed, and the next sync is right."""

from __future__ import annotations

import itertools
import mmap
import os
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from codeplane.index.indexer import Indexer
from codeplane.index.options import IndexProgress
from codeplane.query.defs import list_defs_by_name
from codeplane.query.files import get_file
from codeplane.query.snapshot import open_current
from support.children import run, start
from support.repositories import logical_dump, make_repository, options_for, scratch_dump, sync, write
from support.snapshots import open_view

FILES: dict[str, str | bytes] = {f"f{number:02}.py": f"def load_{number}():\n    return 1\n" for number in range(40)}
LATE = "f39.py"
"""Read last: when the first file is reported, this one was scanned and not yet read."""


def _vanish(path: Path) -> None:
    path.unlink()


def _grow(path: Path) -> None:
    with path.open("a") as file:
        file.write("def grown():\n    return 1\n")


def _become_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inner.py").write_text("def inner():\n    return 1\n")


def _become_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/passwd")


def _become_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _truncate(path: Path) -> None:
    os.truncate(path, 0)


GONE = (_vanish, _become_directory, _become_link, _become_fifo)
MUTATIONS = (_vanish, _grow, _become_directory, _become_link, _become_fifo, _truncate)


def at_first_progress(action: Callable[[], None]) -> Callable[[IndexProgress], None]:
    """Do something once, after the scan and before the last files are read."""
    done: list[int] = []

    def report(progress: IndexProgress) -> None:
        if progress.phase == "index" and not done:
            done.append(1)
            action()

    return report


@pytest.mark.parametrize("mutate", MUTATIONS)
@pytest.mark.parametrize("known", [False, True])
def test_file_changes_between_scan_and_read(tmp_path: Path, mutate: Callable[[Path], None], known: bool) -> None:
    root = make_repository(tmp_path / "repo", FILES)
    # Read one by one and in order, so that the last file is read after the first report.
    with Indexer.open(options_for(root, hash_concurrency=1)) as indexer:
        if known:
            indexer.sync()
            for number in range(40):
                write(root, f"f{number:02}.py", f"def again_{number}():\n    return 1\n")
        indexer.sync(at_first_progress(lambda: mutate(root / LATE)))
        with open_current(indexer.state) as snapshot:
            for number in range(0, 39, 7):
                assert get_file(snapshot, f"f{number:02}.py") is not None
            # Had it been read before it changed, the race would not have taken place.
            if mutate in GONE:
                assert get_file(snapshot, LATE) is None
            else:
                assert list_defs_by_name(snapshot, "grown", 5).total == (mutate is _grow)
        indexer.sync()
        assert logical_dump(indexer) == scratch_dump(root, tmp_path)


def test_constantly_changing_file_keeps_its_old_facts(tmp_path: Path) -> None:
    """It is called stale, and read once it is still."""
    root = make_repository(tmp_path / "repo", {"quiet.py": "def quiet():\n    return 1\n", "busy.txt": "x" * 4_000_000})
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        stop = threading.Event()

        def scribble() -> None:
            with (root / "busy.txt").open("r+b", buffering=0) as file:
                for number in itertools.takewhile(lambda _: not stop.is_set(), itertools.count()):
                    # It grows, and stays small enough to be known by its content.
                    file.seek(4_000_000 + number * 100 % 16_000_000)
                    file.write(b"%099d\n" % number)

        writer = threading.Thread(target=scribble)
        writer.start()
        try:
            reports = [indexer.sync() for _ in range(5)]
        finally:
            stop.set()
            writer.join()
        assert all(report.files == 2 for report in reports)
        assert any(report.stale == ("busy.txt",) and report.partial for report in reports)
        with open_current(indexer.state) as snapshot:
            assert get_file(snapshot, "busy.txt") is not None
        indexer.sync()
        assert logical_dump(indexer) == scratch_dump(root, tmp_path)


def test_tree_replaced_during_a_sync(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", FILES)
    child = start(
        root,
        """
        import random, shutil
        chooser = random.Random(3)
        print("ready", flush=True)
        while not (root.parent / "stop").exists():
            path = root / f"f{chooser.randrange(40):02}.py"
            action = chooser.randrange(4)
            try:
                if action == 0:
                    path.unlink()
                elif action == 1:
                    path.mkdir()
                    (path / "x.py").write_text("x = 1")
                elif action == 2:
                    shutil.rmtree(path)
                else:
                    path.write_text(f"def t{chooser.randrange(9)}(): pass" * chooser.randrange(100))
            except OSError:
                pass
        """,
    )
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    with Indexer.open(options_for(root)) as indexer:
        for _ in range(25):
            indexer.sync()
        (tmp_path / "stop").touch()
        _, errors = child.communicate(timeout=60)
        assert child.returncode == 0, errors
        indexer.sync()
        assert logical_dump(indexer) == scratch_dump(root, tmp_path)


_UNREADABLE = """
import ctypes
from codeplane.config.model import Config
from codeplane.operations.context import Context
from codeplane.operations.init import initialize
from codeplane.query.files import get_file
from support.repositories import write
from support.snapshots import open_view

if os.geteuid() == 0:
    # Nothing is forbidden to root unless it gives up the right to override.
    libc = ctypes.CDLL(None, use_errno=True)
    head, sets = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert libc.capget(head, sets) == 0
    sets[0] &= ~0b110
    assert libc.capset(head, sets) == 0

write(root, "a.py", "def a(): pass")
write(root, "dir/b.py", "def b(): pass")
write(root, "dir/sub/c.py", "def c(): pass")
with Indexer.open(options_for(root)) as indexer:
    assert indexer.sync().files == 3
    write(root, "a.py", "def changed(): pass")
    (root / "a.py").chmod(0)
    (root / "dir").chmod(0)
    report = indexer.sync()
    assert (report.removed, report.partial, report.stale, report.unscanned) == (0, True, ("a.py",), ("dir",)), report
    with open_current(indexer.state) as snapshot:
        for path in ("a.py", "dir/b.py", "dir/sub/c.py"):
            assert get_file(snapshot, path) is not None, path
with open_view(options_for(root)) as view:
    assert (view.freshness.status, view.freshness.stale_paths) == ("stale", ("dir", "a.py")), view.freshness
report = initialize(Context(root, Config(), root.parent / "user-state"))
assert any("a.py" in warning for warning in report.warnings) and any("dir" in warning for warning in report.warnings)
(root / "a.py").chmod(0o644)
(root / "dir").chmod(0o755)
(root / "dir/b.py").unlink()
with Indexer.open(options_for(root)) as indexer:
    report = indexer.sync()
    assert (report.removed, report.partial, report.modified) == (1, False, 1), report
    (root / "dir").chmod(0o444)
    report = indexer.sync()
    assert (report.removed, report.partial) == (0, True), report
    (root / "dir").chmod(0o755)
    assert indexer.sync().removed == 0
"""


def test_unreadable_files_stay_indexed(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    run(root, _UNREADABLE)


def _in_place(path: Path, data: bytes) -> None:
    with path.open("r+b") as file:
        file.write(data)


def _by_map(path: Path, data: bytes) -> None:
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        mapped[:] = data
        mapped.flush()


def _with_restored_mtime(path: Path, data: bytes) -> None:
    stat = path.stat()
    path.write_bytes(data)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def _with_old_mtime(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    os.utime(path, ns=(0, 0))


def _with_future_mtime(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    stamp = time.time_ns() + 10**15
    os.utime(path, ns=(stamp, stamp))


def _by_copy(path: Path, data: bytes) -> None:
    """cp -p of a file with the very same size and mtime."""
    other = path.with_name("other.tmp")
    other.write_bytes(data)
    stat = path.stat()
    os.utime(other, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    shutil.copy2(other, path)
    other.unlink()


def _by_rename(path: Path, data: bytes) -> None:
    other = path.with_name("other.tmp")
    other.write_bytes(data)
    stat = path.stat()
    os.utime(other, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    other.replace(path)


EDITS = (_in_place, _by_map, _with_restored_mtime, _with_old_mtime, _with_future_mtime, _by_copy, _by_rename)


@pytest.mark.parametrize("edit", EDITS)
def test_same_size_edit_is_never_missed(tmp_path: Path, edit: Callable[[Path, bytes], None]) -> None:
    """Right after a sync, in the same clock tick; a query follows each edit at once."""
    root = make_repository(tmp_path / "repo", {"a.py": "def aa00():\n    return 1\n", "b.py": "x = 1\n"})
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        for number in range(1, 16):
            edit(root / "a.py", f"def aa{number:02}():\n    return 1\n".encode())
            indexer.sync()
            with open_current(indexer.state) as snapshot:
                assert len(list_defs_by_name(snapshot, f"aa{number:02}", 5).rows) == 1, number
                assert list_defs_by_name(snapshot, f"aa{number - 1:02}", 5).rows == ()


@pytest.mark.parametrize("edit", EDITS)
def test_edit_of_a_settled_file_is_never_missed(tmp_path: Path, edit: Callable[[Path, bytes], None]) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "def aa00():\n    return 1\n"})
    old = time.time_ns() - 10**13
    os.utime(root / "a.py", ns=(old, old))
    sync(root)
    edit(root / "a.py", b"def aa01():\n    return 1\n")
    with open_view(options_for(root)) as view:
        assert len(list_defs_by_name(view.snapshot, "aa01", 5).rows) == 1


def test_the_full_hash_runs_when_it_is_due(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "def aa00():\n    return 1\n"})
    with Indexer.open(options_for(root, full_hash_every=3)) as indexer:
        indexer.sync()
        runs = [indexer.sync().full_hash_run for _ in range(6)]
    assert runs.count(True) == 2
