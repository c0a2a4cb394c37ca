"""Linux inotify(7) by system calls.

Events prove that something changed. Their absence proves nothing, unless the caller saw the event of its own cookie
file. Reading a file creates no event, unless the file itself is watched for being opened.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from pathlib import Path
from typing import NamedTuple

MODIFY = 0x02
ATTRIB = 0x04
CLOSE_WRITE = 0x08
OPEN = 0x20
MOVED_FROM = 0x40
MOVED_TO = 0x80
CREATE = 0x100
DELETE = 0x200
DELETE_SELF = 0x400
MOVE_SELF = 0x800
UNMOUNT = 0x2000
OVERFLOW = 0x4000
IGNORED = 0x8000
IS_DIRECTORY = 0x40000000

_ONLY_DIRECTORY = 0x01000000
_NO_FOLLOW = 0x02000000
_NOT_UNLINKED = 0x04000000

DIRECTORY_EVENTS = (
    MODIFY | ATTRIB | CLOSE_WRITE | MOVED_FROM | MOVED_TO | CREATE | DELETE | DELETE_SELF | MOVE_SELF
) | (_ONLY_DIRECTORY | _NO_FOLLOW | _NOT_UNLINKED)
"""All changes to entries of a directory and to their content; not open or read."""

FILE_CHANGES = MODIFY | ATTRIB | CLOSE_WRITE
FILE_EVENTS = FILE_CHANGES | OPEN | _NO_FOLLOW
"""For one file: changes through any of its names, new names, and each time it is opened, also for reading."""

TOUCHED = CLOSE_WRITE | _NO_FOLLOW
"""For one file: closed after it was opened for writing, with or without a change."""

LOCAL_FILESYSTEMS = frozenset(
    {
        0xEF53,  # ext2, ext3, ext4
        0x58465342,  # xfs
        0x9123683E,  # btrfs
        0x01021994,  # tmpfs
        0x858458F6,  # ramfs
        0x794C7630,  # overlayfs
        0xF2F52010,  # f2fs
        0x2FC12FC1,  # zfs
        0xCA451A4E,  # bcachefs
    }
)
"""File systems on which this kernel sees every change; network file systems such as NFS are not among them."""

_HEADER = struct.Struct("iIII")
_READ_BYTES = 256 * 1024
_STATFS_BYTES = 256
_AVAILABLE = sys.platform.startswith("linux")
_libc = ctypes.CDLL(None, use_errno=True) if _AVAILABLE else None


class InotifyEvent(NamedTuple):
    watch: int
    """-1 for an overflow."""
    mask: int
    name: str
    """Name of the entry in the directory; empty for the watched directory or file itself."""


class Inotify:
    """Event queue. Raises OSError if the instance limit is reached or the system has no inotify."""

    def __init__(self) -> None:
        if _libc is None:
            raise OSError(errno.ENOSYS, "inotify is only available on Linux")
        self._fd: int = _libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        if self._fd < 0:
            raise _error()

    def fileno(self) -> int:
        return self._fd

    def add(self, path: Path | str, mask: int = DIRECTORY_EVENTS) -> int:
        """Watch a path and return the watch number; watching it again returns the same number."""
        assert _libc is not None
        watch: int = _libc.inotify_add_watch(self._fd, os.fsencode(path), ctypes.c_uint32(mask))
        if watch < 0:
            raise _error()
        return watch

    def remove(self, watch: int) -> None:
        """Remove a watch; no effect if it was removed before."""
        assert _libc is not None
        _libc.inotify_rm_watch(self._fd, watch)

    def read(self) -> list[InotifyEvent]:
        """Return the queued events; call until the list is empty to get all."""
        try:
            data = os.read(self._fd, _READ_BYTES)
        except BlockingIOError:
            return []
        events: list[InotifyEvent] = []
        start = 0
        while start < len(data):
            watch, mask, _, length = _HEADER.unpack_from(data, start)
            start += _HEADER.size
            name = os.fsdecode(data[start : start + length].rstrip(b"\0")) if length else ""
            start += length
            events.append(InotifyEvent(watch, mask, name))
        return events

    def close(self) -> None:
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            os.close(fd)


def watch_limit() -> int:
    """Return the number of watches that this user may have."""
    try:
        return int(Path("/proc/sys/fs/inotify/max_user_watches").read_text())
    except (OSError, ValueError):
        return 0


def is_local(path: Path | str) -> bool:
    """True if the path is on a file system in LOCAL_FILESYSTEMS."""
    if _libc is None:
        return False
    buffer = ctypes.create_string_buffer(_STATFS_BYTES)
    if _libc.statfs(os.fsencode(path), buffer) != 0:
        return False
    kind = ctypes.c_ulong.from_buffer(buffer).value
    return (kind & 0xFFFFFFFF) in LOCAL_FILESYSTEMS


def _error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))
