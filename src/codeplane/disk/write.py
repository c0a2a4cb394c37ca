"""New files and directories under a root: content, mode, owner and extended attributes.

Works on descriptors of directories opened under the root. A file is written completely under a temporary name and
synced before it gets its own name.
"""

from __future__ import annotations

import errno
import os
import stat as modes
from contextlib import suppress
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, basename, display, parent
from codeplane.disk.safe_open import Root

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_COPIED_ATTRIBUTES = ("user.", "system.posix_acl_")
_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_BUSY = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN})


class NewFile(NamedTuple):
    data: bytes
    like: RepoPath | None = None
    """File whose mode, owner and attributes are copied; None for a new path."""
    executable: bool = False


def write_file(directory: int, name: str, new: NewFile, root: Root) -> bool:
    """Create and sync a file; False if some attributes of `like` could not be copied."""
    handle, is_complete = start_file(directory, name, new, root)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    return is_complete


def start_file(directory: int, name: str, new: NewFile, root: Root) -> tuple[int, bool]:
    """Create a file without syncing it; the caller syncs and closes the returned descriptor."""
    handle = os.open(name, _CREATE, 0o777 if new.executable else 0o666, dir_fd=directory)
    try:
        remaining = memoryview(new.data)
        while remaining:
            remaining = remaining[os.write(handle, remaining) :]
        # After the content: writing clears the setuid and setgid bits.
        is_complete = True if new.like is None else _copy_metadata(handle, new.like, root)
    except BaseException:
        os.close(handle)
        raise
    return handle, is_complete


def read_with_links(root: Root, path: RepoPath, limit: int) -> tuple[bytes, bool]:
    """Return the bytes of a file, and True if it has other hard links, which a replacement would break."""
    handle = root.open_file(path)
    try:
        linked = os.fstat(handle).st_nlink > 1
    except OSError as error:
        raise write_error(error, path) from error
    finally:
        os.close(handle)
    return root.read_file(path, limit).data, linked


def create_directory(root: Root, path: RepoPath) -> None:
    """Create a directory in an existing one, unless it exists already."""
    directory = root.open_directory(parent(path))
    try:
        with suppress(FileExistsError):
            os.mkdir(basename(path), dir_fd=directory)
        os.fsync(directory)
    finally:
        os.close(directory)


def remove_directory(root: Root, path: RepoPath) -> None:
    """Remove a directory if it is empty and removable."""
    try:
        directory = root.open_directory(parent(path))
    except CodePlaneError:
        return
    try:
        os.rmdir(basename(path), dir_fd=directory)
        os.fsync(directory)
    except OSError:
        return
    finally:
        os.close(directory)


def missing_directories(root: Root, path: RepoPath) -> tuple[RepoPath, ...]:
    """Return the missing parent directories of a path, outermost first. PATH_INVALID if a parent is a file."""
    missing: list[RepoPath] = []
    directory = parent(path)
    while directory:
        try:
            os.close(root.open_directory(directory))
            break
        except CodePlaneError as error:
            if error.code is not ErrorCode.FILE_NOT_FOUND:
                raise
        if exists(root, directory):
            raise CodePlaneError(
                ErrorCode.PATH_INVALID,
                f"'{display(directory)}' is not a directory",
                received=display(path),
            )
        missing.append(directory)
        directory = parent(directory)
    return tuple(reversed(missing))


def exists(root: Root, path: RepoPath) -> bool:
    """True if the path exists, also as a dangling link."""
    try:
        directory = root.open_directory(parent(path))
    except CodePlaneError as error:
        if error.code is ErrorCode.FILE_NOT_FOUND:
            return False
        raise
    try:
        os.stat(basename(path), dir_fd=directory, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise write_error(error, path) from error
    finally:
        os.close(directory)
    return True


def sibling_names(root: Root, path: RepoPath) -> list[str]:
    """Return the names in the directory of a path; none if it does not exist."""
    try:
        directory = root.open_directory(parent(path))
    except CodePlaneError:
        return []
    try:
        return os.listdir(directory)
    except OSError as error:
        raise write_error(error, path) from error
    finally:
        os.close(directory)


def write_error(error: OSError, path: RepoPath) -> CodePlaneError:
    """Return the error for a failed write, with a remedy."""
    reason = os.strerror(error.errno) if error.errno else type(error).__name__
    if error.errno in _SPACE:
        return CodePlaneError(
            ErrorCode.NO_SPACE,
            f"'{display(path)}' could not be written: {reason}",
            remedy="Free some disk space and try again.",
        )
    if error.errno in _BUSY:
        return CodePlaneError(ErrorCode.TOO_BUSY, f"'{display(path)}' could not be written: {reason}")
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
        return CodePlaneError(
            ErrorCode.EDIT_CONFLICT,
            f"'{display(path)}' was moved or removed by another process during the write",
            details={"path": path},
        )
    if error.errno == errno.EXDEV:
        return CodePlaneError(
            ErrorCode.FILE_UNWRITABLE,
            f"'{display(path)}' is on another file system than the repository, and cannot be changed atomically",
        )
    return CodePlaneError(
        ErrorCode.FILE_UNWRITABLE,
        f"'{display(path)}' could not be written: {reason}",
        remedy="Make the file and its directory writable for you.",
    )


def _copy_metadata(handle: int, like: RepoPath, root: Root) -> bool:
    """Copy mode, owner and attributes as far as permitted; True if all were copied."""
    model = root.open_file(like)
    try:
        status, mine = os.fstat(model), os.fstat(handle)
        is_complete = True
        if (status.st_uid, status.st_gid) != (mine.st_uid, mine.st_gid):
            try:
                os.fchown(handle, status.st_uid, status.st_gid)
            except OSError:
                is_complete = False
        os.fchmod(handle, modes.S_IMODE(status.st_mode))
        return _copy_attributes(model, handle) and is_complete
    finally:
        os.close(model)


def _copy_attributes(model: int, handle: int) -> bool:
    if not hasattr(os, "listxattr"):
        return True
    try:
        names = os.listxattr(model)
    except OSError:
        return True
    is_complete = True
    for name in names:
        if name.startswith(_COPIED_ATTRIBUTES):
            try:
                os.setxattr(handle, name, os.getxattr(model, name))
            except OSError:
                is_complete = False
    return is_complete
