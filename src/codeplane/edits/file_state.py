"""State of one directory entry, read through its descriptor, and the errors of changing it."""

from __future__ import annotations

import errno
import os
import stat as modes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from codeplane.base.digests import Digest, digest_bytes
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.disk.renames import CannotExchange
from codeplane.disk.safe_open import READ_CHUNK, read_up_to
from codeplane.disk.write import write_error

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY | os.O_NOFOLLOW

Stamp = tuple[int, int, int]


class EntryState(NamedTuple):
    digest: Digest | None
    """None if it is not a regular file."""
    stamp: Stamp
    inode: tuple[int, int]


def read_state(directory: int, name: str) -> EntryState | None:
    """Return the state of an entry; None if it does not exist."""
    try:
        status = os.stat(name, dir_fd=directory, follow_symlinks=False)
        if not modes.S_ISREG(status.st_mode):
            return EntryState(None, stamp_of(status), (status.st_dev, status.st_ino))
        handle = os.open(name, _FLAGS, dir_fd=directory)
    except FileNotFoundError:
        return None
    try:
        status = os.fstat(handle)
        if not modes.S_ISREG(status.st_mode):
            return EntryState(None, stamp_of(status), (status.st_dev, status.st_ino))
        data = read_up_to(handle, max(status.st_size + READ_CHUNK, READ_CHUNK), status.st_size)
    finally:
        os.close(handle)
    return EntryState(digest_bytes(data), stamp_of(status), (status.st_dev, status.st_ino))


def stamp_of(status: os.stat_result) -> Stamp:
    """Return values that change with the content, but not with the names of the file, which a mutation changes."""
    return status.st_ino, status.st_size, status.st_mtime_ns


@contextmanager
def os_errors(path: RepoPath) -> Iterator[None]:
    """Map OS errors to errors that name the path."""
    try:
        yield
    except OSError as error:
        raise write_error(error, path) from error
    except CannotExchange as error:
        raise write_error(OSError(errno.EXDEV, ""), path) from error


def conflict_error(path: RepoPath, current: Digest | None) -> CodePlaneError:
    details: dict[str, object] = {"path": path}
    if current is not None:
        details["current_sha256"] = current
    return CodePlaneError(
        ErrorCode.EDIT_CONFLICT,
        f"'{display(path)}' was changed by another process during the write; nothing was changed",
        details=details,
        remedy="Read it again, and repeat the edit on the current content.",
    )
