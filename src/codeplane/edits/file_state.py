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
from codeplane.disk.renames import CannotExchange, Stamp, stamp_of, take_lease
from codeplane.disk.safe_open import READ_CHUNK, read_up_to
from codeplane.disk.write import write_error

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY | os.O_NOFOLLOW


class EntryState(NamedTuple):
    digest: Digest | None
    """None if it is not a regular file."""
    stamp: Stamp
    inode: tuple[int, int]


def read_state(directory: int, name: str) -> EntryState | None:
    """Return the state of an entry; None if it does not exist."""
    with _opened(directory, name) as (state, handle):
        return state if handle is None else _read(handle)


@contextmanager
def leased_state(directory: int, name: str) -> Iterator[tuple[EntryState | None, int | None]]:
    """Yield the state of an entry, and the descriptor of its lease; None where a lease is not possible.

    A process that opens the file for writing waits until the block ends. BlockingIOError if one has it open already.
    """
    with _opened(directory, name) as (state, handle):
        if handle is None:
            yield state, None
        else:
            is_leased = take_lease(handle)
            yield _read(handle), handle if is_leased else None


@contextmanager
def _opened(directory: int, name: str) -> Iterator[tuple[EntryState | None, int | None]]:
    """Yield the descriptor of a regular file, or the state of anything else."""
    try:
        status = os.stat(name, dir_fd=directory, follow_symlinks=False)
        handle = os.open(name, _FLAGS, dir_fd=directory) if modes.S_ISREG(status.st_mode) else None
    except FileNotFoundError:
        yield None, None
        return
    if handle is None:
        yield EntryState(None, stamp_of(status), (status.st_dev, status.st_ino)), None
        return
    try:
        yield None, handle
    finally:
        os.close(handle)


def _read(handle: int) -> EntryState:
    status = os.fstat(handle)
    inode = status.st_dev, status.st_ino
    if not modes.S_ISREG(status.st_mode):
        return EntryState(None, stamp_of(status), inode)
    data = read_up_to(handle, max(status.st_size + READ_CHUNK, READ_CHUNK), status.st_size)
    return EntryState(digest_bytes(data), stamp_of(status), inode)


@contextmanager
def os_errors(path: RepoPath) -> Iterator[None]:
    """Map OS errors to errors that name the path."""
    try:
        yield
    except OSError as error:
        raise write_error(error, path) from error
    except CannotExchange as error:
        raise write_error(OSError(errno.EXDEV, ""), path) from error


def conflict_error(
    path: RepoPath, current: Digest | None = None, *, reason: str = "was changed by another process during the write"
) -> CodePlaneError:
    details: dict[str, object] = {"path": path}
    if current is not None:
        details["current_sha256"] = current
    return CodePlaneError(
        ErrorCode.EDIT_CONFLICT,
        f"'{display(path)}' {reason}; nothing was changed",
        details=details,
        remedy="Read it again, and repeat the edit on the current content.",
    )
