"""Files of a ledger in the state directory.

`ledger.db` is the current file. A full file moves to `ledger/ledger-<date>-<n>.db`, a damaged or foreign one to
`ledger/damaged-<date>-<n>.db`. `n` only grows, so the order never depends on a clock.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

LEDGER_NAME = "ledger.db"
ARCHIVE_NAME = "ledger"
LOCK_NAME = "lock"
SIDE_FILES = ("-wal", "-shm", "-journal")
"""Suffixes of the files that SQLite opens together with a database."""
ARCHIVED_FILE = re.compile(r"(ledger|damaged)-\d{4}-\d{2}-\d{2}-([1-9][0-9]{0,8})\.db")
DIRECTORY_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def list_archives(directory: Path, kind: str = "ledger") -> list[Path]:
    """List full files, or with `damaged` the quarantined ones, oldest first. Writes nothing."""
    try:
        handle = os.open(directory / ARCHIVE_NAME, DIRECTORY_FLAGS)
    except OSError:
        return []
    try:
        names = archive_names(handle, kind)
    finally:
        os.close(handle)
    return [directory / ARCHIVE_NAME / name for name in names]


def archive_names(archive: int, kind: str) -> list[str]:
    """List the names of one kind in an open archive directory, oldest first."""
    found = [match for name in os.listdir(archive) if (match := ARCHIVED_FILE.fullmatch(name)) and match[1] == kind]
    return [match[0] for match in sorted(found, key=lambda match: int(match[2]))]


def is_private_file(path: Path) -> bool:
    """True if the path and its existing side files are regular files (not links) of this user."""
    side_files = [Path(f"{path}{suffix}") for suffix in SIDE_FILES]
    return _is_regular(path) and all(_is_regular(other) for other in side_files if os.path.lexists(other))


def inode_of(path: Path) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _is_regular(path: Path) -> bool:
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
