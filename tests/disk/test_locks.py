"""One owner across processes, freed by any death of it, never by age."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.disk.locks import FileLock

HOLD = """
import sys, time
from pathlib import Path
from codeplane.disk.locks import FileLock
FileLock(Path(sys.argv[1])).acquire()
print("held", flush=True)
time.sleep(60)
"""


def start_holder(path: Path) -> subprocess.Popen[str]:
    source = str(Path(sys.modules[FileLock.__module__].__file__ or "").parents[2])
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": source},
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    return child


def test_kill_releases_the_lock_of_a_process(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    child = start_holder(path)
    try:
        os.utime(path, (0, 0))  # an old lock is a lock
        with pytest.raises(CodePlaneError) as caught:
            FileLock(path).acquire(timeout=0.05)
        assert caught.value.code is ErrorCode.INDEX_LOCKED
        assert caught.value.details["pid"] == child.pid
        child.send_signal(signal.SIGKILL)
        child.wait()
        with FileLock(path).acquire(timeout=5) as lock:
            assert lock.is_held
    finally:
        child.kill()
        child.wait()
        assert child.stdout is not None
        child.stdout.close()


def test_waits_for_release(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    child = start_holder(path)
    killer = subprocess.Popen([sys.executable, "-c", f"import os, time; time.sleep(0.3); os.kill({child.pid}, 9)"])
    try:
        with FileLock(path).acquire(timeout=20) as lock:
            assert lock.is_held
    finally:
        killer.wait()
        child.wait()
        assert child.stdout is not None
        child.stdout.close()


def test_lock_is_exclusive_within_a_process(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    first, second = FileLock(path), FileLock(path)
    with first:
        with pytest.raises(CodePlaneError) as caught:
            second.acquire()
        assert caught.value.details["pid"] == os.getpid()
        assert oct(path.stat().st_mode & 0o777) == "0o600"
    with second:
        assert second.is_held
        assert not first.is_held


def test_unlinked_lock_file_is_not_a_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with FileLock(path):
        path.unlink()
        with FileLock(path) as other:
            assert other.is_held


def test_forked_child_does_not_inherit_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    lock = FileLock(path).acquire()
    child = os.fork()
    if child == 0:
        time.sleep(30)
        os._exit(0)
    try:
        lock.release()
        with FileLock(path).acquire(timeout=5) as again:
            assert again.is_held
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_lock_file_behind_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CodePlaneError) as caught:
        FileLock(tmp_path / "lock").acquire()
    assert caught.value.code is ErrorCode.STATE_DIRECTORY_UNSAFE
    assert not (tmp_path / "elsewhere").exists()
