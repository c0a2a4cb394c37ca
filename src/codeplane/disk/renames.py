"""Renames that never replace a file by accident: exchange two names, or rename to a free name.

Uses renameat2(2) where available. Elsewhere a free name is taken by a hard link, and names cannot be exchanged
atomically.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys

_NOREPLACE = 1
_EXCHANGE = 2
_UNSUPPORTED = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP})
_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES})

_libc = ctypes.CDLL(None, use_errno=True)
_renameat2 = getattr(_libc, "renameat2", None) if sys.platform.startswith("linux") else None


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
