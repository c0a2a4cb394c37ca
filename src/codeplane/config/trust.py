"""Trust grants: one small file per repository, in the user's state directory.

A grant contains the digests of the approved files of a repository. A changed file is not approved, and neither is the
same file at another path. Callers pass the digest of the bytes that they are about to use.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display

REPOSITORY_CONFIG = ".codeplane/config.yaml"
"""The only file that can be trusted so far."""

_DIRECTORY = "trust"
_VERSION = 1
_MAX_BYTES = 64 * 1024


@dataclass(frozen=True)
class Grant:
    """Trusted files of the repository at `root`; `granted` is in seconds since the epoch."""

    root: str
    files: Mapping[str, str]
    """SHA-256 of the content by repository path."""
    granted: int

    def covers(self, path: str, digest: str) -> bool:
        return bool(digest) and self.files.get(path) == digest


def grant_path(user_state: Path, root: Path) -> Path:
    return user_state / _DIRECTORY / f"{hashlib.sha256(os.fsencode(root)).hexdigest()}.json"


def read_grant(user_state: Path, root: Path) -> Grant | None:
    """Return the grant for the repository at the canonical path `root`; None if it is missing or not private."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(grant_path(user_state, root), flags)
        with os.fdopen(descriptor, "rb") as file:
            if not _is_private(os.fstat(descriptor)):
                return None
            fields = json.loads(file.read(_MAX_BYTES))
        files, granted = fields["files"], fields["granted"]
        same = fields["version"] == _VERSION and fields["root"] == _root_text(root)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    if not same or not isinstance(files, dict) or not isinstance(granted, int):
        return None
    return Grant(_root_text(root), {str(path): str(digest) for path, digest in files.items()}, granted)


def write_grant(user_state: Path, root: Path, files: Mapping[str, str], now: float) -> Grant:
    """Store the digests of the approved files. Replaces an earlier grant."""
    grant = Grant(_root_text(root), dict(files), int(now))
    fields = {"version": _VERSION, "root": grant.root, "files": grant.files, "granted": grant.granted}
    path = grant_path(user_state, root)
    try:
        os.makedirs(path.parent, mode=0o700, exist_ok=True)
        directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            _replace(directory, path.name, json.dumps(fields, sort_keys=True).encode())
        finally:
            os.close(directory)
    except OSError as error:
        raise _write_error(path, error) from error
    return grant


def remove_grant(user_state: Path, root: Path) -> bool:
    """Remove the grant; False if there was none."""
    path = grant_path(user_state, root)
    try:
        os.unlink(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise _write_error(path, error) from error
    return True


def _is_private(found: os.stat_result) -> bool:
    ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and found.st_nlink == 1
    return ours and not found.st_mode & 0o077


def _replace(directory: int, name: str, data: bytes) -> None:
    temporary = f".{name}-{os.getpid()}"
    with suppress(FileNotFoundError):
        os.unlink(temporary, dir_fd=directory)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(temporary, flags, 0o600, dir_fd=directory)
        with os.fdopen(descriptor, "wb") as file:
            # The umask may have removed bits.
            os.fchmod(descriptor, 0o600)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=directory)
        raise
    os.fsync(directory)


def _write_error(path: Path, error: OSError) -> CodePlaneError:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return CodePlaneError(
        ErrorCode.NO_SPACE if full else ErrorCode.STATE_DIRECTORY_READ_ONLY,
        f"{display(str(path))} cannot be written ({error.strerror or 'not usable'})",
        remedy="Free disk space and retry." if full else "Make its directory writable for you only.",
    )


def _root_text(root: Path) -> str:
    return os.fsencode(root).decode("utf-8", "backslashreplace")
