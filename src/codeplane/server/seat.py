"""The seat of the engine: one process of a user at a time may answer for a repository.

The kernel frees it when its owner dies, however it dies. Quick to import: it is taken before
anything else is loaded, so that nobody loads in vain.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.disk.locks import FileLock
from codeplane.server.runtime import RuntimeDirectory

ALREADY_SERVED = 3
"""Exit code of an engine that found the seat taken."""

LOCK_NAME = "engine.lock"
_HTTP_LOCK_NAME = "http.lock"


def take_seat(runtime: RuntimeDirectory, seconds: float = 0.0) -> FileLock | None:
    """The lock, to be released at the end; None when another process has it."""
    try:
        return FileLock(runtime.path / LOCK_NAME).acquire(seconds)
    except CodePlaneError as error:
        if error.code is not ErrorCode.INDEX_LOCKED:
            raise
        return None


@contextmanager
def take_http(runtime: RuntimeDirectory) -> Iterator[bool]:
    """Whether we are the one process of the user that serves this repository over HTTP, for as long as it lasts."""
    try:
        lock = FileLock(runtime.path / _HTTP_LOCK_NAME).acquire()
    except CodePlaneError as error:
        if error.code is not ErrorCode.INDEX_LOCKED:
            raise
        yield False
        return
    with lock:
        yield True
