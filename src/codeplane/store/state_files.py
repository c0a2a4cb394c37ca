"""File operations in the state directory: by descriptor, without following symbolic links, durable where it matters."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from codeplane.base.errors import FEW_DESCRIPTORS, CodePlaneError, ErrorCode, system_error
from codeplane.store.errors import SPACE_REMEDY

STATE_NAME = ".codeplane"
TEMPORARY_PREFIX = ".tmp-"

_REMOVE_ATTEMPTS = 5
_REMOVE_PAUSE_SECONDS = 0.02
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def open_directory(path: str | Path, parent: int | None = None, *, check: bool = True) -> Iterator[int]:
    """Open a directory that is not a symbolic link and, with `check`, is owned by this user."""
    try:
        handle = os.open(path, _DIRECTORY if check else _DIRECTORY & ~os.O_NOFOLLOW, dir_fd=parent)
    except OSError as error:
        if error.errno in FEW_DESCRIPTORS:
            raise system_error(error, f"'{path}' cannot be opened") from error
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise unsafe_error(str(path), "it is a symbolic link, or not a directory") from error
        raise unsafe_error(str(path), f"it cannot be opened ({error.strerror})") from error
    try:
        if check and os.fstat(handle).st_uid != os.geteuid():
            raise unsafe_error(str(path), "it belongs to another user")
        yield handle
    finally:
        os.close(handle)


@contextmanager
def open_optional_directory(name: str, parent: int) -> Iterator[int | None]:
    try:
        os.lstat(name, dir_fd=parent)
    except FileNotFoundError:
        yield None
        return
    with open_directory(name, parent) as handle:
        yield handle


def write_atomic(directory: int, name: str, data: bytes, *, sync: bool = True) -> None:
    """Replace a file in an open directory. With `sync`, it has the old or the new content after a power loss, too."""
    # The random part serves concurrent threads; the process id comes last, where `is_owner_alive` expects it.
    temporary = f"{TEMPORARY_PREFIX}{name.strip('.')}-{secrets.token_hex(8)}-{os.getpid()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        handle = os.open(temporary, flags, 0o600, dir_fd=directory)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            if sync:
                os.fsync(file.fileno())
        try:
            os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
        except IsADirectoryError:
            remove_entry(name, directory)
            os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
        if sync:
            os.fsync(directory)
    except OSError as error:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=directory)
        raise _unwritten(name, error) from error


def is_owner_alive(name: str) -> bool:
    """True if the process whose id ends a temporary name is running."""
    pid = name.rpartition("-")[2]
    if not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def sync_tree(path: Path) -> None:
    """Flush every file and directory under `path` to disk."""
    for directory, _, names in os.walk(path):
        for name in (*names, "."):
            handle = os.open(os.path.join(directory, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def remove_entry(name: str, parent: int) -> None:
    """Remove a file, a link or a tree; `rmtree` works on descriptors and does not follow links."""
    for attempt in range(_REMOVE_ATTEMPTS):
        try:
            if stat.S_ISDIR(os.lstat(name, dir_fd=parent).st_mode):
                shutil.rmtree(name, dir_fd=parent)
            else:
                os.unlink(name, dir_fd=parent)
            return
        except FileNotFoundError:
            # The entry itself, or a part of it that another process removed first.
            if not _exists(name, parent):
                return
        except OSError as error:
            # The last merge of a discarded text index may still create a file.
            if error.errno != errno.ENOTEMPTY or attempt == _REMOVE_ATTEMPTS - 1:
                raise unsafe_error(name, f"it cannot be removed ({error.strerror})") from error
            time.sleep(_REMOVE_PAUSE_SECONDS)


def _exists(name: str, parent: int) -> bool:
    try:
        os.lstat(name, dir_fd=parent)
    except FileNotFoundError:
        return False
    return True


def read_head(directory: int, name: str, size: int) -> bytes:
    """Read the first bytes of a small file; does not block on a FIFO."""
    handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=directory)
    try:
        return os.read(handle, size)
    finally:
        os.close(handle)


def tree_bytes(path: Path) -> int:
    total = 0
    try:
        if not path.is_dir() or path.is_symlink():
            return path.lstat().st_size
        with os.scandir(path) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    if entry.is_dir(follow_symlinks=False):
                        total += tree_bytes(Path(entry.path))
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
    except FileNotFoundError:
        return total
    return total


def _unwritten(name: str, error: OSError) -> CodePlaneError:
    message = f"{name} could not be written: {error.strerror}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return CodePlaneError(ErrorCode.NO_SPACE, message, remedy=SPACE_REMEDY)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        remedy = "Make the directory writable for you."
        return CodePlaneError(ErrorCode.STATE_DIRECTORY_READ_ONLY, message, remedy=remedy)
    return CodePlaneError(ErrorCode.STATE_DIRECTORY_UNSAFE, message)


def unsafe_error(path: str, why: str) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.STATE_DIRECTORY_UNSAFE,
        f"'{path}' is not safe to use: {why}",
        remedy=f"inspect '{STATE_NAME}' in the repository and remove what is not CodePlane's",
    )
