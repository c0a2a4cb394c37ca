"""The bounded log file of a repository: `.codeplane/logs/codeplane.jsonl` and one older part.

The state directory may have come with a clone, so every step refuses links, and a file
that is not ours to write is left alone. The state directory is never created here:
lines logged before it exists wait, and are dropped when it never comes.
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
"""Where the log file is, relative to the repository."""

MAX_LOG_BYTES = 1024 * 1024
MAX_WAITING_LINES = 100

_DIRECTORY_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class LogFileHandler(logging.Handler):
    """Appends whole lines, from any number of processes at once; each write looks whether it is time to rotate."""

    def __init__(self, root: Path, max_bytes: int = MAX_LOG_BYTES) -> None:
        super().__init__()
        self._root = root
        self._max_bytes = max_bytes
        self._waiting: deque[bytes] = deque(maxlen=MAX_WAITING_LINES)

    def emit(self, record: logging.LogRecord) -> None:
        self._waiting.append(self.format(record).encode("utf-8", "backslashreplace") + b"\n")
        # A full disk or a directory removed under us costs log lines, nothing else.
        with contextlib.suppress(OSError):
            self._write_waiting()

    def _write_waiting(self) -> None:
        directory = open_log_directory(self._root, create=True)
        if directory is None:
            return
        try:
            lines = b"".join(self._waiting)
            self._make_room(directory, len(lines))
            descriptor = os.open(FILE_NAME, _FILE_FLAGS, 0o600, dir_fd=directory)
            try:
                if is_own_file(descriptor):
                    os.fchmod(descriptor, 0o600)
                    os.write(descriptor, lines)
            finally:
                os.close(descriptor)
            self._waiting.clear()
        finally:
            os.close(directory)

    def _make_room(self, directory: int, size: int) -> None:
        try:
            found = os.stat(FILE_NAME, dir_fd=directory, follow_symlinks=False)
        except FileNotFoundError:
            return
        if found.st_size + size <= self._max_bytes:
            return
        # Two processes must not rotate for the same overflow: the second would drop the first one's lines.
        fcntl.flock(directory, fcntl.LOCK_EX)
        again = os.stat(FILE_NAME, dir_fd=directory, follow_symlinks=False)
        if again.st_size + size > self._max_bytes:
            os.rename(FILE_NAME, OLDER_FILE_NAME, src_dir_fd=directory, dst_dir_fd=directory)


def open_log_directory(root: Path, *, create: bool) -> int | None:
    """A descriptor of the log directory, or None where there is none that is safe to use."""
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
    """A regular file of ours with one name: a second name could be a file elsewhere."""
    found = os.fstat(descriptor)
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and found.st_nlink == 1
