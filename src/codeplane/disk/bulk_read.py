"""Many files of the working tree read one after another, with as few calls to the kernel as can be.

A directory is opened beneath the root, as everything is, and held while files of it are read; each file
is opened in it by its name alone and never through a link. So a file is found where its directory was a
moment ago, should that be moved meanwhile. Made for one thread.
"""

from __future__ import annotations

import errno
import os
import stat as modes
from collections.abc import Iterator
from types import TracebackType
from typing import NamedTuple, Self

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.disk.observe import ReadOutcome
from codeplane.disk.safe_open import Root

_FILE_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY | os.O_NOFOLLOW


class ReadFailure(NamedTuple):
    outcome: ReadOutcome


class BulkReader:
    """Reads best when given paths in their order: files of a directory stand together."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._folder: str | None = None
        self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()

    def read(self, path: str, limit: int) -> bytes | ReadFailure:
        """All bytes of a regular file; a file of more than `limit` bytes is not read."""
        try:
            fd, size = self._open(path)
        except _Refused as refused:
            return ReadFailure(refused.outcome)
        try:
            if size > limit:
                return ReadFailure(ReadOutcome.TOO_LARGE)
            # One byte more than there should be: a read that falls short of it has seen the end.
            data = os.read(fd, size + 1)
            return data if len(data) == size else ReadFailure(ReadOutcome.CHANGED)
        except OSError:
            return ReadFailure(ReadOutcome.UNREADABLE)
        finally:
            os.close(fd)

    def read_pieces(self, path: str, piece: int) -> Iterator[bytes | ReadFailure]:
        """A file of any size in pieces, as far as it reached when it was opened, which is now."""
        try:
            return _pieces(*self._open(path), piece)
        except _Refused as refused:
            return iter((ReadFailure(refused.outcome),))

    def _open(self, path: str) -> tuple[int, int]:
        """A descriptor of the file, and its size."""
        folder, _, name = path.rpartition("/")
        try:
            if folder != self._folder:
                self._leave()
                self._fd = self._root.open_directory(folder)
                self._folder = folder
            fd = os.open(name, _FILE_FLAGS, dir_fd=self._fd)
        except CodePlaneError as error:
            raise _Refused(_OUTCOMES.get(error.code, ReadOutcome.UNREADABLE)) from error
        except FileNotFoundError as error:
            raise _Refused(ReadOutcome.VANISHED) from error
        except (OSError, ValueError) as error:
            number = getattr(error, "errno", None)
            raise _Refused(ReadOutcome.NOT_REGULAR if number in _NOT_REGULAR else ReadOutcome.UNREADABLE) from error
        found = os.fstat(fd)
        if not modes.S_ISREG(found.st_mode):
            os.close(fd)
            raise _Refused(ReadOutcome.NOT_REGULAR)
        return fd, found.st_size

    def _leave(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1
        self._folder = None


def _pieces(fd: int, left: int, piece: int) -> Iterator[bytes | ReadFailure]:
    try:
        while left > 0:
            data = os.read(fd, min(piece, left))
            if not data:
                yield ReadFailure(ReadOutcome.CHANGED)
                return
            left -= len(data)
            yield data
    except OSError:
        yield ReadFailure(ReadOutcome.UNREADABLE)
    finally:
        os.close(fd)


class _Refused(Exception):
    def __init__(self, outcome: ReadOutcome) -> None:
        super().__init__(outcome)
        self.outcome = outcome


_NOT_REGULAR = (errno.ELOOP, errno.ENXIO, errno.ENODEV, errno.EISDIR)
_OUTCOMES = {
    ErrorCode.FILE_NOT_FOUND: ReadOutcome.VANISHED,
    ErrorCode.PATH_SYMLINK: ReadOutcome.NOT_REGULAR,
    ErrorCode.NOT_REGULAR: ReadOutcome.NOT_REGULAR,
}
