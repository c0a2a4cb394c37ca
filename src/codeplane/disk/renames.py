"""Renames that never replace a file by accident: exchange two names, or rename to a free name.

Uses renameat2(2) where available. Elsewhere a free name is taken by a hard link, and names cannot be exchanged
atomically. No system call compares a file and renames it in one step, so this module keeps the time between a check
and a rename short: its calls keep the GIL, and a lease makes a process that opens the file for writing wait.
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import struct
import sys
from contextlib import suppress

_NOREPLACE = 1
_EXCHANGE = 2
_UNSUPPORTED = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP})
_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES})

# PyDLL keeps the GIL: another thread would hold it for milliseconds between a check and the rename.
_libc = ctypes.PyDLL(None, use_errno=True)
_is_linux = sys.platform.startswith("linux")
_renameat2 = getattr(_libc, "renameat2", None) if _is_linux else None
_statx = getattr(_libc, "statx", None) if _is_linux else None

_AT_SYMLINK_NOFOLLOW = 0x100
_STATX_BASIC = 0x7FF
_STATX_BYTES = 256
_STATX_STAMP = struct.Struct("=32xQQ64xqI")
"""Inode, size and time of change of the content, in struct statx."""
_F_SETSIG, _F_SETLEASE, _F_GETLEASE = 10, 1024, 1025
_F_RDLCK = 0

Stamp = tuple[int, int, int]
"""Inode, size and time of the last write, which renaming a file does not change."""


class CannotExchange(Exception):
    """The system or file system cannot exchange two names atomically."""


def exchange(from_fd: int, from_name: str, to_fd: int, to_name: str) -> None:
    """Exchange two existing entries of any type atomically. CannotExchange if that is not supported."""
    number = _call(from_fd, from_name, to_fd, to_name, _EXCHANGE)
    if number in _UNSUPPORTED:
        raise CannotExchange
    if number:
        raise OSError(number, os.strerror(number), to_name)


def rename_new(from_fd: int, from_name: str, to_fd: int, to_name: str, *, no_exchange: bool = False) -> None:
    """Rename to a free name; FileExistsError if it is taken. `no_exchange` forces the fallback without renameat2."""
    number = errno.ENOSYS if no_exchange else _call(from_fd, from_name, to_fd, to_name, _NOREPLACE)
    if number in _UNSUPPORTED:
        _link_new(from_fd, from_name, to_fd, to_name)
    elif number:
        raise OSError(number, os.strerror(number), to_name)


def can_exchange(directory: int) -> bool:
    """True if the file system of a directory can exchange names; probed with two names that do not exist."""
    return _call(directory, ".none-1", directory, ".none-2", _EXCHANGE) == errno.ENOENT


def read_stamp(directory: int, name: str) -> Stamp | None:
    """Return the stamp of an entry; None if it does not exist."""
    if _statx is not None:
        buffer = ctypes.create_string_buffer(_STATX_BYTES)
        if _statx(directory, os.fsencode(name), _AT_SYMLINK_NOFOLLOW, _STATX_BASIC, buffer) == 0:
            inode, size, seconds, nanoseconds = _STATX_STAMP.unpack_from(buffer)
            return inode, size, seconds * 1_000_000_000 + nanoseconds
    with suppress(FileNotFoundError):
        return stamp_of(os.stat(name, dir_fd=directory, follow_symlinks=False))
    return None


def stamp_of(status: os.stat_result) -> Stamp:
    return status.st_ino, status.st_size, status.st_mtime_ns


def take_lease(handle: int) -> bool:
    """Make every process that opens this file for writing wait until the descriptor is closed; see fcntl(2).

    Returns False if the system, the file system or the owner of the file does not allow it. BlockingIOError if a
    process has the file open for writing.
    """
    if not _is_linux:
        return False
    # The kernel signals the holder when another process waits; SIGURG is ignored by default, SIGIO would kill.
    _libc.fcntl(handle, _F_SETSIG, int(signal.SIGURG))
    if _libc.fcntl(handle, _F_SETLEASE, _F_RDLCK) == 0:
        return True
    if ctypes.get_errno() == errno.EAGAIN:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    return False


def is_lease_broken(handle: int) -> bool:
    """True if a process waits to open the leased file for writing."""
    return bool(_libc.fcntl(handle, _F_GETLEASE, 0) != _F_RDLCK)


def _call(from_fd: int, from_name: str, to_fd: int, to_name: str, flags: int) -> int:
    if _renameat2 is None:
        return errno.ENOSYS
    names = os.fsencode(from_name), os.fsencode(to_name)
    while True:
        if _renameat2(from_fd, names[0], to_fd, names[1], ctypes.c_uint(flags)) == 0:
            return 0
        number = ctypes.get_errno()
        if number != errno.EINTR:
            return number


def _link_new(from_fd: int, from_name: str, to_fd: int, to_name: str) -> None:
    try:
        os.link(from_name, to_name, src_dir_fd=from_fd, dst_dir_fd=to_fd, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # Neither renameat2 nor links: a file created between the check and the rename is replaced.
        if _exists(to_fd, to_name):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), to_name) from None
        os.rename(from_name, to_name, src_dir_fd=from_fd, dst_dir_fd=to_fd)
        return
    os.unlink(from_name, dir_fd=from_fd)


def _exists(directory: int, name: str) -> bool:
    try:
        os.lstat(name, dir_fd=directory)
    except FileNotFoundError:
        return False
    return True
