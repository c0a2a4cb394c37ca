"""Read many files of the working tree one after another, with as few system calls as possible.

A directory is opened under the root and stays open for its files; each file is opened in it by name and never
through a link. If the directory is moved meanwhile, files are still read from the open directory. Not thread-safe.
"""

from __future__ import annotations

import errno
import os
import stat as modes
from collections.abc import Iterator
from types import TracebackType
from typing import NamedTuple, Self

from codeplane.base.errors import CodePlaneError
from codeplane.disk.hashing import ReadOutcome, outcome_of
from codeplane.disk.safe_open import FILE_FLAGS, Root


class ReadFailure(NamedTuple):
    outcome: ReadOutcome


class BulkReader:
    """Reader with one open directory. Fastest if the paths are sorted, so files of a directory are adjacent."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._folder: str | None = None
        self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def read(self, path: str, limit: int) -> bytes | ReadFailure:
        """Return the content of a regular file of at most `limit` bytes."""
        try:
            fd, size = self._open(path)
        except _OpenError as error:
            return ReadFailure(error.outcome)
        try:
            if size > limit:
                return ReadFailure(ReadOutcome.TOO_LARGE)
            # One byte more than expected: a short read proves that the end was reached.
            data = os.read(fd, size + 1)
            return data if len(data) == size else ReadFailure(ReadOutcome.CHANGED)
        except OSError:
            return ReadFailure(ReadOutcome.UNREADABLE)
        finally:
            os.close(fd)

    def read_chunks(self, path: str, chunk_size: int) -> Iterator[bytes | ReadFailure]:
        """Open a file of any size now, and yield the content that it has now in chunks."""
        try:
            return _chunks(*self._open(path), chunk_size)
        except _OpenError as error:
            return iter((ReadFailure(error.outcome),))

    def _open(self, path: str) -> tuple[int, int]:
        """Return a descriptor of the file, and its size."""
        folder, _, name = path.rpartition("/")
        try:
            if folder != self._folder:
                self._close()
                self._fd = self._root.open_directory(folder)
                self._folder = folder
            fd = os.open(name, FILE_FLAGS, dir_fd=self._fd)
        except CodePlaneError as error:
            raise _OpenError(outcome_of(error)) from error
        except FileNotFoundError as error:
            raise _OpenError(ReadOutcome.VANISHED) from error
        except (OSError, ValueError) as error:
            number = getattr(error, "errno", None)
            raise _OpenError(ReadOutcome.NOT_REGULAR if number in _NOT_REGULAR else ReadOutcome.UNREADABLE) from error
        found = os.fstat(fd)
        if not modes.S_ISREG(found.st_mode):
            os.close(fd)
            raise _OpenError(ReadOutcome.NOT_REGULAR)
        return fd, found.st_size

    def _close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1
        self._folder = None


def _chunks(fd: int, left: int, chunk_size: int) -> Iterator[bytes | ReadFailure]:
    try:
        while left > 0:
            data = os.read(fd, min(chunk_size, left))
            if not data:
                yield ReadFailure(ReadOutcome.CHANGED)
                return
            left -= len(data)
            yield data
    except OSError:
        yield ReadFailure(ReadOutcome.UNREADABLE)
    finally:
        os.close(fd)


class _OpenError(Exception):
    def __init__(self, outcome: ReadOutcome) -> None:
        super().__init__(outcome)
        self.outcome = outcome


_NOT_REGULAR = (errno.ELOOP, errno.ENXIO, errno.ENODEV, errno.EISDIR)
