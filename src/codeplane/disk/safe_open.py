"""Race-free opening of files under a repository root; the only way to open a file of the working tree.

A Root is an open directory, not a path. The kernel resolves every path under it (openat2 with RESOLVE_BENEATH, see
openat2(2)); on systems without openat2 each component is opened in its parent. Symbolic links are never followed, and
the opened file is checked by fstat of its descriptor, so it cannot be swapped in between.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat as modes
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, NoReturn, Self

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import MAX_PATH_BYTES, display
from codeplane.disk import stats
from codeplane.disk.stats import FileStat

READ_CHUNK = 1024 * 1024

_O_PATH = getattr(os, "O_PATH", 0)
FILE_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY | os.O_NOFOLLOW
_DIRECTORY_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW
_STEP_FLAGS = _O_PATH | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW

_SYS_OPENAT2 = 437
_RESOLVE = 0x08 | 0x04 | 0x02
"""RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS"""
_ATTEMPTS = 16
"""openat2 fails with EAGAIN if a concurrent rename interferes with the resolution."""


class FileContent(NamedTuple):
    data: bytes
    stat: FileStat


class Root:
    """Open repository root. `path` is canonical."""

    def __init__(self, path: Path, fd: int, open_path: Opener) -> None:
        self.path = path
        self.fd = fd
        self._open_path = open_path
        self.identity = _identity(os.fstat(fd))

    @classmethod
    def open(cls, path: Path | str, *, by_component: bool = False) -> Root:
        """Open the root; `by_component` forces the fallback for systems without openat2."""
        try:
            canonical = Path(os.path.realpath(path, strict=True))
            fd = os.open(canonical, _STEP_FLAGS)
        except (OSError, ValueError) as error:
            shown = display(str(path))
            raise CodePlaneError(
                ErrorCode.NOT_A_REPOSITORY, f"'{shown}' cannot be opened as a directory: {error}"
            ) from error
        return cls(canonical, fd, _by_component if by_component or not _has_openat2(fd) else _openat2)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def check(self) -> None:
        """Raise ROOT_CHANGED if the directory at `path` is not the opened one any more."""
        try:
            now = _identity(os.stat(self.path, follow_symlinks=False))
        except OSError:
            now = None
        if now != self.identity:
            raise CodePlaneError(
                ErrorCode.ROOT_CHANGED,
                f"the repository at '{display(str(self.path))}' was moved, deleted or replaced",
                remedy="Open the repository again.",
            )

    def open_file(self, path: str) -> int:
        """Return a descriptor of the regular file at `path`, for reading."""
        fd = self._open(path, FILE_FLAGS)
        if not modes.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise _not_regular(path)
        return fd

    def open_directory(self, path: str) -> int:
        """Return a descriptor of the directory at `path`, for listing."""
        return self._open(path, _DIRECTORY_FLAGS)

    def read_file(self, path: str, limit: int) -> FileContent:
        """Return the content of a file of at most `limit` bytes, with its stat."""
        fd = self.open_file(path)
        try:
            before = stats.file_stat(os.fstat(fd))
            if before.size > limit:
                raise _too_large(path, before.size, limit)
            data = read_up_to(fd, limit + 1, before.size)
            after = stats.file_stat(os.fstat(fd))
        except OSError as error:
            _raise_mapped(error, path)
        finally:
            os.close(fd)
        if len(data) > limit:
            raise _too_large(path, len(data), limit)
        if after != before or len(data) != before.size:
            raise CodePlaneError(ErrorCode.FILE_CHANGED, f"'{display(path)}' changed while it was read")
        return FileContent(data, before)

    def _open(self, path: str, flags: int) -> int:
        if self.fd < 0:
            raise CodePlaneError(ErrorCode.ROOT_CHANGED, "the repository root is closed")
        _refuse_escape(path)
        try:
            return self._open_path(self.fd, path, flags)
        except OSError as error:
            _raise_mapped(error, path)


def read_up_to(fd: int, limit: int, expected: int) -> bytes:
    """Read at most `limit` bytes, so a growing or endless file ends."""
    parts: list[bytes] = []
    size = 0
    # One byte more than expected, so an unchanged file reaches its end at the second read.
    chunk_size = min(expected + 1, READ_CHUNK)
    while size < limit:
        chunk = os.read(fd, min(limit - size, chunk_size))
        if not chunk:
            break
        parts.append(chunk)
        size += len(chunk)
    return parts[0] if len(parts) == 1 else b"".join(parts)


Opener = Callable[[int, str, int], int]


class _OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


_libc = ctypes.CDLL(None, use_errno=True)


def _openat2(root_fd: int, path: str, flags: int) -> int:
    encoded = os.fsencode(path) or b"."
    if len(encoded) >= MAX_PATH_BYTES:
        return _by_component(root_fd, path, flags)
    # O_NOFOLLOW would accept a link in place of a directory as a file; RESOLVE_NO_SYMLINKS rejects it anyway.
    how = _OpenHow(flags & ~os.O_NOFOLLOW, 0, _RESOLVE)
    for _ in range(_ATTEMPTS):
        fd: int = _libc.syscall(
            ctypes.c_long(_SYS_OPENAT2),
            ctypes.c_int(root_fd),
            ctypes.c_char_p(encoded),
            ctypes.byref(how),
            ctypes.c_size_t(ctypes.sizeof(how)),
        )
        if fd >= 0:
            return fd
        number = ctypes.get_errno()
        if number not in (errno.EAGAIN, errno.EINTR):
            raise OSError(number, os.strerror(number), path)
    # Continuous renames can starve openat2, but not the resolution by component.
    return _by_component(root_fd, path, flags)


def _by_component(root_fd: int, path: str, flags: int) -> int:
    """Open each component in its parent, never through a link. Safe under concurrent renames."""
    *folders, name = path.split("/")
    current = root_fd
    try:
        for folder in folders:
            step = _open_step(folder, _STEP_FLAGS, current)
            if current != root_fd:
                os.close(current)
            current = step
        return _open_step(name or ".", flags, current)
    finally:
        if current != root_fd:
            os.close(current)


def _open_step(name: str, flags: int, parent: int) -> int:
    try:
        return os.open(name, flags, dir_fd=parent)
    except NotADirectoryError:
        # O_DIRECTORY rejects a link with ENOTDIR; report ELOOP instead.
        try:
            linked = modes.S_ISLNK(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)
        except OSError:
            linked = False
        if linked:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name) from None
        raise


def _has_openat2(root_fd: int) -> bool:
    """True if openat2 works; old kernels lack it, and sandboxes may forbid it."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        os.close(_openat2(root_fd, "", _O_PATH | os.O_DIRECTORY | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def _identity(result: os.stat_result) -> tuple[int, int] | None:
    return (result.st_dev, result.st_ino) if modes.S_ISDIR(result.st_mode) else None


def _refuse_escape(path: str) -> None:
    # Not paths.normalize: a name on disk may contain a backslash or start with '~', and must stay unchanged.
    if path == "":
        return
    if "\0" in path:
        raise CodePlaneError(ErrorCode.PATH_INVALID, f"'{display(path)}' contains a NUL character")
    parts = path.split("/")
    if parts[0] == "" or ".." in parts:
        raise CodePlaneError(
            ErrorCode.PATH_ESCAPE,
            f"'{display(path)}' leads out of the repository",
            expected="a path relative to the repository root",
            received=display(path),
        )
    if "" in parts or "." in parts:
        raise CodePlaneError(ErrorCode.PATH_INVALID, f"'{display(path)}' is not a normalized path")


def _raise_mapped(error: OSError, path: str) -> NoReturn:
    shown = display(path)
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            code, message = ErrorCode.FILE_NOT_FOUND, f"'{shown}' does not exist"
        case errno.ELOOP:
            code, message = ErrorCode.PATH_SYMLINK, f"'{shown}' is, or goes through, a symbolic link"
        case errno.EXDEV:
            code, message = ErrorCode.PATH_ESCAPE, f"'{shown}' leads out of the repository"
        case errno.ENAMETOOLONG | errno.EINVAL:
            code, message = ErrorCode.PATH_INVALID, f"'{shown[:80]}' is not a valid path"
        case errno.ENXIO | errno.ENODEV | errno.EISDIR | errno.EOPNOTSUPP:
            raise _not_regular(path) from error
        case _:
            code, message = ErrorCode.FILE_UNREADABLE, f"'{shown}' cannot be read: {os.strerror(error.errno or 0)}"
    raise CodePlaneError(code, message) from error


def _not_regular(path: str) -> CodePlaneError:
    return CodePlaneError(ErrorCode.NOT_REGULAR, f"'{display(path)}' is not a regular file")


def _too_large(path: str, size: int, limit: int) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.FILE_TOO_LARGE,
        f"'{display(path)}' has {size} bytes, more than {limit}",
        details={"size": size, "limit": limit},
    )
