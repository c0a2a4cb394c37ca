"""Follow a repository's log file. Handles rotation, removal, and a log that does not exist yet."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from codeplane.base.paths import display
from codeplane.telemetry.logfile import FILE_NAME, MAX_LOG_BYTES, is_own_file, open_log_directory

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_PAUSE_SECONDS = 0.1
_CHUNK_BYTES = 64 * 1024


class Follower:
    """Iterator over new lines; it never ends. Lines written before its creation are skipped."""

    def __init__(self, root: Path, pause: float = _PAUSE_SECONDS) -> None:
        self._root = root
        self._pause = pause
        self._rest = b""
        self._descriptor = self._open()
        if self._descriptor is not None:
            os.lseek(self._descriptor, 0, os.SEEK_END)

    def lines(self) -> Iterator[str]:
        try:
            while True:
                # Check for rotation before reading, so lines written up to the rotation are not lost.
                rotated = self._was_rotated()
                yield from self._read_lines()
                if rotated:
                    self._reopen()
                else:
                    time.sleep(self._pause)
        finally:
            self.close()

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _open(self) -> int | None:
        directory = open_log_directory(self._root, create=False)
        if directory is None:
            return None
        try:
            descriptor = os.open(FILE_NAME, _FLAGS, dir_fd=directory)
        except OSError:
            return None
        finally:
            os.close(directory)
        if not is_own_file(descriptor):
            os.close(descriptor)
            return None
        return descriptor

    def _reopen(self) -> None:
        self.close()
        self._rest = b""
        self._descriptor = self._open()

    def _was_rotated(self) -> bool:
        """True if the path now names another file, or the file was truncated."""
        fresh = self._open()
        if fresh is None:
            return False
        try:
            if self._descriptor is None:
                return True
            new, old = os.fstat(fresh), os.fstat(self._descriptor)
            if (new.st_dev, new.st_ino) != (old.st_dev, old.st_ino):
                return True
            return new.st_size < os.lseek(self._descriptor, 0, os.SEEK_CUR)
        finally:
            os.close(fresh)

    def _read_lines(self) -> Iterator[str]:
        if self._descriptor is None:
            return
        while chunk := os.read(self._descriptor, _CHUNK_BYTES):
            *complete, self._rest = (self._rest + chunk).split(b"\n")
            # A line without an end was not written by us.
            self._rest = self._rest[-MAX_LOG_BYTES:]
            yield from (display(line.decode("utf-8", "backslashreplace")) for line in complete if line)
