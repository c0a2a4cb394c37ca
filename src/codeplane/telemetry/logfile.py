"""Bounded log file of a repository: `.codeplane/logs/codeplane.jsonl` and one rotated file.

The state directory may have come with a clone, so links are rejected, and a file of another user is not written. The
state directory is never created here: lines logged before it exists are buffered, and dropped if it is never created.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import stat
from collections import deque
from pathlib import Path

STATE_DIRECTORY = ".codeplane"
LOG_DIRECTORY = "logs"
FILE_NAME = "codeplane.jsonl"
OLDER_FILE_NAME = "codeplane.jsonl.1"
LOG_NAME = f"{STATE_DIRECTORY}/{LOG_DIRECTORY}/{FILE_NAME}"
"""Path of the log file, relative to the repository."""

MAX_LOG_BYTES = 1024 * 1024
MAX_PENDING_LINES = 100

_DIRECTORY_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class LogFileHandler(logging.Handler):
    """Append complete lines, also from several processes at once; each write checks for rotation."""

    def __init__(self, root: Path, max_bytes: int = MAX_LOG_BYTES) -> None:
        super().__init__()
        self._root = root
        self._max_bytes = max_bytes
        self._pending: deque[bytes] = deque(maxlen=MAX_PENDING_LINES)

    def emit(self, record: logging.LogRecord) -> None:
        self._pending.append(self.format(record).encode("utf-8", "backslashreplace") + b"\n")
        # A full disk or a removed directory costs only log lines.
        with contextlib.suppress(OSError):
            self._write_pending()

    def _write_pending(self) -> None:
        directory = open_log_directory(self._root, create=True)
        if directory is None:
            return
        try:
            lines = b"".join(self._pending)
            self._rotate_if_full(directory, len(lines))
            descriptor = os.open(FILE_NAME, _FILE_FLAGS, 0o600, dir_fd=directory)
            try:
                if is_own_file(descriptor):
                    os.fchmod(descriptor, 0o600)
                    os.write(descriptor, lines)
            finally:
                os.close(descriptor)
            self._pending.clear()
        finally:
            os.close(directory)

    def _rotate_if_full(self, directory: int, size: int) -> None:
        try:
            found = os.stat(FILE_NAME, dir_fd=directory, follow_symlinks=False)
        except FileNotFoundError:
            return
        if found.st_size + size <= self._max_bytes:
            return
        # Two processes must not rotate for the same overflow: the second would drop the lines of the first.
        fcntl.flock(directory, fcntl.LOCK_EX)
        again = os.stat(FILE_NAME, dir_fd=directory, follow_symlinks=False)
        if again.st_size + size > self._max_bytes:
            os.rename(FILE_NAME, OLDER_FILE_NAME, src_dir_fd=directory, dst_dir_fd=directory)


def open_log_directory(root: Path, *, create: bool) -> int | None:
    """Open the log directory; None if it does not exist or is not safe to use."""
    try:
        state = os.open(root / STATE_DIRECTORY, _DIRECTORY_FLAGS)
    except OSError:
        return None
    try:
        if os.fstat(state).st_uid != os.geteuid():
            return None
        if create:
            with contextlib.suppress(FileExistsError):
                os.mkdir(LOG_DIRECTORY, 0o700, dir_fd=state)
        return os.open(LOG_DIRECTORY, _DIRECTORY_FLAGS, dir_fd=state)
    except OSError:
        return None
    finally:
        os.close(state)


def is_own_file(descriptor: int) -> bool:
    """True for a regular file of this user with one link; a second link could be a file elsewhere."""
    found = os.fstat(descriptor)
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and found.st_nlink == 1
