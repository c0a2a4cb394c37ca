"""The kernel's events, on real directories."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeplane.disk import inotify
from codeplane.disk.inotify import Inotify, InotifyEvent, is_local

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")


@pytest.fixture
def queue() -> Iterator[Inotify]:
    opened = Inotify()
    yield opened
    opened.close()


def drain(queue: Inotify) -> list[InotifyEvent]:
    found: list[InotifyEvent] = []
    while events := queue.read():
        found += events
    return found


def names(events: list[InotifyEvent], mask: int) -> set[str]:
    return {event.name for event in events if event.mask & mask}


def test_every_kind_of_change_is_queued_before_the_call_returns(tmp_path: Path, queue: Inotify) -> None:
    """No waiting: the event of a change is queued before the change returns."""
    queue.add(tmp_path)
    assert drain(queue) == []
    (tmp_path / "a").write_text("1")
    assert names(drain(queue), inotify.CREATE) == {"a"}
    with open(tmp_path / "a", "r+") as file:
        file.write("2")
        file.flush()
        assert names(drain(queue), inotify.MODIFY) == {"a"}
    assert names(drain(queue), inotify.CLOSE_WRITE) == {"a"}
    os.utime(tmp_path / "a", ns=(0, 0))
    assert names(drain(queue), inotify.ATTRIB) == {"a"}
    os.rename(tmp_path / "a", tmp_path / "Ä\udcff")
    moved = drain(queue)
    assert names(moved, inotify.MOVED_FROM) == {"a"} and names(moved, inotify.MOVED_TO) == {"Ä\udcff"}
    os.unlink(tmp_path / "Ä\udcff")
    assert names(drain(queue), inotify.DELETE) == {"Ä\udcff"}
    (tmp_path / "folder").mkdir()
    assert any(event.mask & inotify.IS_DIRECTORY for event in drain(queue))


def test_reading_a_file_queues_no_event(tmp_path: Path, queue: Inotify) -> None:
    (tmp_path / "a").write_text("1")
    (tmp_path / "folder").mkdir()
    queue.add(tmp_path)
    for _ in range(3):
        (tmp_path / "a").read_text()
        os.listdir(tmp_path)
        os.stat(tmp_path / "a")
        os.listdir(tmp_path / "folder")
    assert drain(queue) == []


def test_touch_without_content_change_is_seen(tmp_path: Path, queue: Inotify) -> None:
    cookie = tmp_path / "cookie"
    cookie.write_text("")
    before = cookie.stat()
    watch = queue.add(cookie, inotify.TOUCHED)
    os.close(os.open(cookie, os.O_WRONLY))
    assert [event.watch for event in drain(queue)] == [watch]
    after = cookie.stat()
    assert (before.st_mtime_ns, before.st_ctime_ns) == (after.st_mtime_ns, after.st_ctime_ns)


def test_queue_overflow_is_reported(tmp_path: Path, queue: Inotify) -> None:
    room = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if room > 100_000:
        pytest.skip("the queue of this machine is too long to fill")
    queue.add(tmp_path)
    (tmp_path / "a").write_text("")
    (tmp_path / "b").write_text("")
    # Two equal events in a row become one, so they alternate.
    for _ in range(room // 2 + 10):
        os.utime(tmp_path / "a")
        os.utime(tmp_path / "b")
    assert drain(queue)[-1][:2] == (-1, inotify.OVERFLOW)


def test_only_real_directories_are_watched(tmp_path: Path, queue: Inotify) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    (tmp_path / "file").write_text("")
    for name in ("link", "file", "missing"):
        with pytest.raises(OSError):
            queue.add(tmp_path / name)


def test_a_removed_directory_ends_its_watch(tmp_path: Path, queue: Inotify) -> None:
    (tmp_path / "folder").mkdir()
    watch = queue.add(tmp_path / "folder")
    assert queue.add(tmp_path / "folder") == watch
    (tmp_path / "folder").rmdir()
    assert any(event.watch == watch and event.mask & inotify.IGNORED for event in drain(queue))
    queue.remove(watch)


def test_pseudo_file_systems_are_not_local() -> None:
    assert not is_local("/proc")
    assert not is_local("/missing/path")
