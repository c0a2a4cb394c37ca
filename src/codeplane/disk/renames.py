"""Renames that never replace anything by accident: two names exchanged, or a name that must be free.

By the kernel (renameat2) where it can. Elsewhere a free name is taken by a hard link, and
names cannot be exchanged; whoever needs that replaces, and says so.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys

_NOREPLACE = 1
_EXCHANGE = 2
_UNABLE = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP})
_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES})

_libc = ctypes.CDLL(None, use_errno=True)
_renameat2 = getattr(_libc, "renameat2", None) if sys.platform.startswith("linux") else None


class CannotExchange(Exception):
    """The system, or this file system, has no way to exchange two names in one step."""


def exchange(from_fd: int, from_name: str, to_fd: int, to_name: str) -> None:
    """Swap two existing entries, whatever they are, in one step. CannotExchange where that is not possible."""
    number = _call(from_fd, from_name, to_fd, to_name, _EXCHANGE)
    if number in _UNABLE:
        raise CannotExchange
    if number:
        raise OSError(number, os.strerror(number), to_name)


def rename_new(from_fd: int, from_name: str, to_fd: int, to_name: str, *, plain: bool = False) -> None:
    """Rename to a name that nobody has; FileExistsError when somebody does. `plain` forces the way without the call."""
    number = errno.ENOSYS if plain else _call(from_fd, from_name, to_fd, to_name, _NOREPLACE)
    if number in _UNABLE:
        _link_new(from_fd, from_name, to_fd, to_name)
    elif number:
        raise OSError(number, os.strerror(number), to_name)


def can_exchange(directory: int) -> bool:
    """Whether the file system of a directory can; two names that are not there tell without doing anything."""
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
        # Neither the call nor links: what appears in this very moment is replaced.
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
