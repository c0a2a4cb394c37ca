"""New files: their bytes, and what they keep of the file that they replace.

Everything goes by the descriptor of a directory that was opened beneath the root. A file is
written under a name that nobody has, completely and onto the disk, before it gets its own.
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
_KEPT_ATTRIBUTES = ("user.", "system.posix_acl_")
_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_BUSY = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN})


class New(NamedTuple):
    data: bytes
    like: RepoPath | None = None
    """The file whose mode, owner and attributes it keeps; None for one that replaces nothing."""
    executable: bool = False


def write_new(folder: int, name: str, new: New, root: Root) -> bool:
    """Write a file that is not there yet, onto the disk; False when it could not keep all that its model has."""
    handle, kept = begin_new(folder, name, new, root)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    return kept


def begin_new(folder: int, name: str, new: New, root: Root) -> tuple[int, bool]:
    """The same, not yet brought to the disk: the descriptor is the caller's to sync and to close."""
    handle = os.open(name, _CREATE, 0o777 if new.executable else 0o666, dir_fd=folder)
    try:
        left = memoryview(new.data)
        while left:
            left = left[os.write(handle, left) :]
        # Writing takes some bits of the mode away.
        kept = True if new.like is None else _keep(handle, new.like, root)
    except BaseException:
        os.close(handle)
        raise
    return handle, kept


def read_to_replace(root: Root, path: RepoPath, limit: int) -> tuple[bytes, bool]:
    """The bytes of a file, and whether it has other names, which a new file in its place will not have."""
    handle = root.open_file(path)
    try:
        linked = os.fstat(handle).st_nlink > 1
    except OSError as error:
        raise written_error(error, path) from error
    finally:
        os.close(handle)
    return root.read_file(path, limit).data, linked


def make_folder(root: Root, path: RepoPath) -> None:
    """One directory in one that exists; that somebody has just made it is fine."""
    folder = root.open_directory(parent(path))
    try:
        with suppress(FileExistsError):
            os.mkdir(basename(path), dir_fd=folder)
        os.fsync(folder)
    finally:
        os.close(folder)


def remove_folder(root: Root, path: RepoPath) -> None:
    """Remove a directory, unless somebody uses it or it cannot be."""
    try:
        folder = root.open_directory(parent(path))
    except CodePlaneError:
        return
    try:
        os.rmdir(basename(path), dir_fd=folder)
        os.fsync(folder)
    except OSError:
        return
    finally:
        os.close(folder)


def missing_folders(root: Root, path: RepoPath) -> tuple[RepoPath, ...]:
    """The directories that must be made before a file can be; outermost first. PATH_INVALID behind a file."""
    missing: list[RepoPath] = []
    folder = parent(path)
    while folder:
        try:
            os.close(root.open_directory(folder))
            break
        except CodePlaneError as error:
            if error.code is not ErrorCode.FILE_NOT_FOUND:
                raise
        if exists(root, folder):
            raise CodePlaneError(
                ErrorCode.PATH_INVALID,
                f"'{display(folder)}' is no directory, so nothing can lie in it",
                received=display(path),
            )
        missing.append(folder)
        folder = parent(folder)
    return tuple(reversed(missing))


def exists(root: Root, path: RepoPath) -> bool:
    """Whether there is anything of this name, be it a link that leads nowhere."""
    try:
        folder = root.open_directory(parent(path))
    except CodePlaneError as error:
        if error.code is ErrorCode.FILE_NOT_FOUND:
            return False
        raise
    try:
        os.stat(basename(path), dir_fd=folder, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise written_error(error, path) from error
    finally:
        os.close(folder)
    return True


def names_beside(root: Root, path: RepoPath) -> list[str]:
    """Names in the directory of a path; none where there is no such directory."""
    try:
        folder = root.open_directory(parent(path))
    except CodePlaneError:
        return []
    try:
        return os.listdir(folder)
    except OSError as error:
        raise written_error(error, path) from error
    finally:
        os.close(folder)


def written_error(error: OSError, path: RepoPath) -> CodePlaneError:
    """What keeps a file from being written, as whoever asked can act on it."""
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
            f"'{display(path)}' was moved or removed by somebody else in this moment",
            details={"path": path},
        )
    if error.errno == errno.EXDEV:
        return CodePlaneError(
            ErrorCode.FILE_UNWRITABLE,
            f"'{display(path)}' lies on another file system than the repository, and cannot be changed with the rest",
        )
    return CodePlaneError(
        ErrorCode.FILE_UNWRITABLE,
        f"'{display(path)}' could not be written: {reason}",
        remedy="Make it, and the directory that it lies in, writable for you.",
    )


def _keep(handle: int, like: RepoPath, root: Root) -> bool:
    """Mode, owner and attributes of a file, as far as the system lets us."""
    model = root.open_file(like)
    try:
        status, mine = os.fstat(model), os.fstat(handle)
        kept = True
        if (status.st_uid, status.st_gid) != (mine.st_uid, mine.st_gid):
            try:
                os.fchown(handle, status.st_uid, status.st_gid)
            except OSError:
                kept = False
        os.fchmod(handle, modes.S_IMODE(status.st_mode))
        return _keep_attributes(model, handle) and kept
    finally:
        os.close(model)


def _keep_attributes(model: int, handle: int) -> bool:
    if not hasattr(os, "listxattr"):
        return True
    try:
        names = os.listxattr(model)
    except OSError:
        return True
    kept = True
    for name in names:
        if name.startswith(_KEPT_ATTRIBUTES):
            try:
                os.setxattr(handle, name, os.getxattr(model, name))
            except OSError:
                kept = False
    return kept
