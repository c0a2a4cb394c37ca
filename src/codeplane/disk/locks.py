"""Lock files with one owner across processes.

flock(2) releases the lock when its owner dies, so locks never expire by age. The content of the file is used only in
messages.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import time
import weakref
from pathlib import Path
from types import TracebackType
from typing import Self

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display

_POLL_SECONDS = 0.02
_OWNER_BYTES = 128


class FileLock:
    """Exclusive lock: `with FileLock(path).acquire(timeout):`. `with FileLock(path):` does not wait."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd = -1

    @property
    def is_held(self) -> bool:
        return self._fd >= 0

    def acquire(self, timeout: float = 0.0) -> Self:
        """Acquire the lock within `timeout` seconds, or raise INDEX_LOCKED."""
        if self.is_held:
            raise CodePlaneError(ErrorCode.INTERNAL, f"lock '{display(str(self.path))}' is already held here")
        deadline = time.monotonic() + timeout
        while not self._try():
            if time.monotonic() >= deadline:
                raise self._locked()
            time.sleep(min(_POLL_SECONDS, max(0.0, deadline - time.monotonic())))
        return self

    def release(self) -> None:
        if self.is_held:
            fd, self._fd = self._fd, -1
            _held.discard(self)
            with contextlib.suppress(OSError):
                os.ftruncate(fd, 0)
            os.close(fd)

    def __enter__(self) -> Self:
        return self if self.is_held else self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _try(self) -> bool:
        fd = self._open()
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # If the file was unlinked meanwhile, its lock excludes no one.
            current = os.stat(self.path, follow_symlinks=False)
            mine = os.fstat(fd)
            acquired = (current.st_dev, current.st_ino) == (mine.st_dev, mine.st_ino)
        except (BlockingIOError, FileNotFoundError):
            acquired = False
        except OSError as error:
            os.close(fd)
            raise self._unusable(error) from error
        if not acquired:
            os.close(fd)
            return False
        self._fd = fd
        _held.add(self)
        with contextlib.suppress(OSError):
            os.ftruncate(fd, 0)
            os.pwrite(fd, f"{os.getpid()} {_start_time()}\n".encode("ascii"), 0)
        return True

    def _open(self) -> int:
        try:
            return os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: OSError) -> CodePlaneError:
        shown = display(str(self.path))
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return CodePlaneError(ErrorCode.NO_SPACE, f"no space left for lock '{shown}'")
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            return CodePlaneError(
                ErrorCode.STATE_DIRECTORY_READ_ONLY,
                f"'{display(str(self.path.parent))}' cannot be written ({error.strerror})",
                remedy="Make it writable for you. Until then the index can only be read.",
            )
        return CodePlaneError(ErrorCode.STATE_DIRECTORY_UNSAFE, f"cannot use lock '{shown}': {error.strerror}")

    def _locked(self) -> CodePlaneError:
        pid = find_owner(self.path)
        who = f"process {pid}" if pid is not None else "another process"
        details: dict[str, object] = {"lock": str(self.path)}
        if pid is not None:
            details["pid"] = pid
        return CodePlaneError(
            ErrorCode.INDEX_LOCKED,
            f"{who} is using the index",
            details=details,
            remedy="Wait until it is finished, or stop it.",
        )


def find_owner(path: Path) -> int | None:
    """Return the pid in the lock file if that process still runs, else None."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        words = os.read(fd, _OWNER_BYTES).split()
    except OSError:
        # A directory or a FIFO in its place.
        return None
    finally:
        os.close(fd)
    if len(words) != 2 or not words[0].isdigit():
        return None
    pid = int(words[0])
    return pid if _start_time(str(pid)) == words[1].decode("ascii", "replace") else None


_held: weakref.WeakSet[FileLock] = weakref.WeakSet()


def _drop_in_child() -> None:
    # A forked child shares the lock with its parent, and would keep it after the parent is killed.
    for lock in list(_held):
        os.close(lock._fd)
        lock._fd = -1
    _held.clear()


os.register_at_fork(after_in_child=_drop_in_child)


def _start_time(pid: str = "self") -> str | None:
    """Return the start time of a process in ticks since boot, because pids are reused.

    None if the process does not exist, "0" on systems without /proc.
    """
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[19].decode("ascii")
    except (OSError, IndexError):
        return None if Path("/proc/self/stat").exists() else "0"
