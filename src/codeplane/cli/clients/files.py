"""Configuration files of other programs: read whole, replaced atomically, with a backup of the previous file.

A symbolic link is followed, so that files kept elsewhere (a repository of dotfiles) stay where they are; for a
file of a project it may not lead out of the project.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display

BACKUP = ".codeplane-backup"
MAX_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class ConfigFile:
    """A file as it was read."""

    path: Path
    """Path as the client names it."""
    target: Path
    """Path with symbolic links resolved."""
    data: bytes | None
    """None if the file does not exist."""
    identity: tuple[int, ...] = ()
    mode: int = 0

    @property
    def linked(self) -> bool:
        return self.path.is_symlink()

    @property
    def backup(self) -> Path:
        return self.target.with_name(self.target.name + BACKUP)


def read_source(path: Path, within: Path | None = None) -> ConfigFile:
    target = Path(os.path.realpath(path))
    if within is not None and not target.is_relative_to(os.path.realpath(within)):
        raise CodePlaneError(
            ErrorCode.PATH_SYMLINK,
            f"{display(str(path))} is a link that leads out of the project",
            received=display(str(target)),
            remedy="Replace the link by a file, or install for the user: --scope user.",
        )
    try:
        descriptor = os.open(target, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except FileNotFoundError:
        return ConfigFile(path, target, None)
    except OSError as error:
        raise _unusable(path, "read", error) from None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise CodePlaneError(ErrorCode.NOT_REGULAR, f"{display(str(path))} is not a file")
        if found.st_size > MAX_BYTES:
            limit = f"{MAX_BYTES // 1024 // 1024} MB"
            raise CodePlaneError(ErrorCode.FILE_TOO_LARGE, f"{display(str(path))} is larger than {limit}")
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read()
    except OSError as error:
        raise _unusable(path, "read", error) from None
    finally:
        os.close(descriptor)
    return ConfigFile(path, target, data, _identity(found), stat.S_IMODE(found.st_mode))


def write_source(source: ConfigFile, data: bytes, *, mode: int, backup: bool = True) -> Path | None:
    """Replace the file, and return the path of the backup. `mode` is for a file that did not exist."""
    try:
        if source.data is None:
            source.target.parent.mkdir(parents=True, exist_ok=True)
        elif backup:
            _put(source.backup, source.data, source)
        _put(source.target, data, source, mode=mode, unless_changed=True)
    except OSError as error:
        raise _unusable(source.path, "written", error) from None
    return source.backup if backup and source.data is not None else None


def _put(path: Path, data: bytes, source: ConfigFile, *, mode: int = 0o600, unless_changed: bool = False) -> None:
    temporary = path.with_name(f".{path.name}.{os.urandom(6).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(temporary, flags, mode if source.data is None else 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if source.data is not None:
                os.fchmod(descriptor, source.mode)
                _keep_owner(descriptor, source.target)
            os.fsync(descriptor)
        if unless_changed:
            _check_unchanged(source)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_directory(path.parent)


def _check_unchanged(source: ConfigFile) -> None:
    """Fail if the file has changed since it was read: clients rewrite their files while they run."""
    try:
        now = _identity(os.stat(source.target))
    except FileNotFoundError:
        now = ()
    if now != source.identity:
        raise CodePlaneError(
            ErrorCode.FILE_CHANGED,
            f"{display(str(source.path))} was changed by another program at the same moment; it was left alone",
            remedy="Run the command again.",
        )


def _keep_owner(descriptor: int, target: Path) -> None:
    """Keep the owner of the file, also under sudo."""
    wanted, now = os.stat(target), os.fstat(descriptor)
    if (wanted.st_uid, wanted.st_gid) != (now.st_uid, now.st_gid):
        with suppress(PermissionError):
            os.fchown(descriptor, wanted.st_uid, wanted.st_gid)


def _sync_directory(directory: Path) -> None:
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _identity(found: os.stat_result) -> tuple[int, ...]:
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def _unusable(path: Path, action: str, error: OSError) -> CodePlaneError:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return CodePlaneError(
        ErrorCode.NO_SPACE if full else ErrorCode.FILE_UNREADABLE if action == "read" else ErrorCode.FILE_UNWRITABLE,
        f"{display(str(path))} cannot be {action}: {error.strerror}",
        remedy="Nothing was changed. --print-config shows what to add by hand.",
    )
