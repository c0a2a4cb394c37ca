"""The last lines of a repository's log file."""

from __future__ import annotations

import os
from pathlib import Path

from codeplane.base.paths import display
from codeplane.telemetry.logfile import FILE_NAME, MAX_LOG_BYTES, OLDER_FILE_NAME, is_own_file, open_log_directory

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def read_tail(root: Path, lines: int = 50) -> list[str]:
    """Return the newest lines, oldest first, safe to print."""
    directory = open_log_directory(root, create=False)
    if directory is None:
        return []
    try:
        found = _lines(directory, FILE_NAME)
        if len(found) < lines:
            found = _lines(directory, OLDER_FILE_NAME) + found
    finally:
        os.close(directory)
    return found[-lines:]


def _lines(directory: int, name: str) -> list[str]:
    try:
        descriptor = os.open(name, _FLAGS, dir_fd=directory)
    except OSError:
        return []
    with os.fdopen(descriptor, "rb") as file:
        if not is_own_file(descriptor):
            return []
        # Twice the limit, because another program may have written to the file.
        data = file.read(2 * MAX_LOG_BYTES)
    return [display(line) for line in data.decode("utf-8", "backslashreplace").splitlines() if line]
