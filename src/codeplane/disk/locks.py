"""One lock file, one owner, across processes.

The kernel holds the lock and frees it when its owner dies, however it dies; nothing is
ever stolen by age. What is written inside is for messages only.
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
_NOTE_BYTES = 128


class FileLock:
    """`with FileLock(path).acquire(timeout):` — or as a plain context manager, which does not wait."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd = -1

    @property
    def held(self) -> bool:
        return self._fd >= 0

    def acquire(self, timeout: float = 0.0) -> Self:
        """Take the lock, waiting up to `timeout` seconds, or raise INDEX_LOCKED."""
        if self.held:
            raise CodePlaneError(ErrorCode.INTERNAL, f"lock '{display(str(self.path))}' is already held here")
        deadline = time.monotonic() + timeout
        while not self._try():
            if time.monotonic() >= deadline:
                raise self._locked()
            time.sleep(min(_POLL_SECONDS, max(0.0, deadline - time.monotonic())))
        return self

    def release(self) -> None:
        if self.held:
            fd, self._fd = self._fd, -1
            _held.discard(self)
            with contextlib.suppress(OSError):
                os.ftruncate(fd, 0)
            os.close(fd)

    def __enter__(self) -> Self:
        return self if self.held else self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _try(self) -> bool:
        fd = self._open()
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # The file may have been unlinked while we waited for it; its lock then excludes nobody.
            current = os.stat(self.path, follow_symlinks=False)
            mine = os.fstat(fd)
            taken = (current.st_dev, current.st_ino) == (mine.st_dev, mine.st_ino)
        except (BlockingIOError, FileNotFoundError):
            taken = False
        except OSError as error:
            os.close(fd)
            raise self._unusable(error) from error
        if not taken:
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
                remedy="Make it writable for you; until then the index can only be read as it is.",
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
            remedy="Wait until it is done, or end it.",
        )


def find_owner(path: Path) -> int | None:
    """The process that holds the lock, by the note that it left; None when it is gone, or nobody does."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        words = os.read(fd, _NOTE_BYTES).split()
    except OSError:
        # A directory or a FIFO in its place holds no note.
        return None
    finally:
        os.close(fd)
    if len(words) != 2 or not words[0].isdigit():
        return None
    pid = int(words[0])
    return pid if _start_time(str(pid)) == words[1].decode("ascii", "replace") else None


_held: weakref.WeakSet[FileLock] = weakref.WeakSet()


def _drop_in_child() -> None:
    # A forked child shares the lock with its parent; kept open there, it would outlive a killed parent.
    for lock in list(_held):
        os.close(lock._fd)
        lock._fd = -1
    _held.clear()


os.register_at_fork(after_in_child=_drop_in_child)


def _start_time(pid: str = "self") -> str | None:
    """When a process began, in ticks since boot: pids are used again. None when it is gone, `0` where nothing tells."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[19].decode("ascii")
    except (OSError, IndexError):
        return None if Path("/proc/self/stat").exists() else "0"
