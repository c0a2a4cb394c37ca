"""What the kernel says about directories: Linux's inotify, by its system calls.

Only tells that something happened, and is never the reason to believe that nothing did
unless the caller has seen its own touch come by. Reading a file makes no event here.
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
"""Every change of a directory's entries or of their content; no opening and no reading."""

TOUCHED = CLOSE_WRITE | _NO_FOLLOW
"""For one file: that somebody who could write it has closed it, which needs no change of it."""

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
"""Where every change passes this kernel. Others, such as NFS, change behind its back."""

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
    """Of the entry in the directory; empty for the watched thing itself."""


class Inotify:
    """One queue of events. `OSError` where the system has none left, or no inotify at all."""

    def __init__(self) -> None:
        if _libc is None:
            raise OSError(errno.ENOSYS, "inotify is Linux's")
        self._fd: int = _libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        if self._fd < 0:
            raise _error()

    def fileno(self) -> int:
        return self._fd

    def add(self, path: Path | str, mask: int = DIRECTORY_EVENTS) -> int:
        """Watch a path; the number of the watch, the same as before where the thing is watched already."""
        assert _libc is not None
        watch: int = _libc.inotify_add_watch(self._fd, os.fsencode(path), ctypes.c_uint32(mask))
        if watch < 0:
            raise _error()
        return watch

    def remove(self, watch: int) -> None:
        """End a watch; one that has ended already is fine."""
        assert _libc is not None
        _libc.inotify_rm_watch(self._fd, watch)

    def read(self) -> list[InotifyEvent]:
        """Events that are there now; empty when there are none. Call until empty to have seen all."""
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


def is_local(path: Path | str) -> bool:
    """Whether a path lies on a file system whose changes all pass this kernel."""
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
