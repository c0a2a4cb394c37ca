"""The seat of the engine: one process of a user at a time may answer for a repository.

The kernel frees it when its owner dies, however it dies. Quick to import: it is taken before
anything else is loaded, so that nobody loads in vain.
"""

from __future__ import annotations

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.disk.locks import FileLock
from codeplane.server.runtime_directory import RuntimeDirectory

ALREADY_SERVED = 3
"""Exit code of an engine that found the seat taken."""

LOCK_NAME = "engine.lock"
_HTTP_LOCK_NAME = "http.lock"


def acquire_engine_lock(runtime: RuntimeDirectory, seconds: float = 0.0) -> FileLock | None:
    """The lock, to be released at the end; None when another process has it."""
    return _take(runtime, LOCK_NAME, seconds)


def acquire_http_lock(runtime: RuntimeDirectory) -> FileLock | None:
    """The same for the one process of the user that serves this repository over HTTP."""
    return _take(runtime, _HTTP_LOCK_NAME, 0.0)


def _take(runtime: RuntimeDirectory, name: str, seconds: float) -> FileLock | None:
    try:
        return FileLock(runtime.path / name).acquire(seconds)
    except CodePlaneError as error:
        if error.code is not ErrorCode.INDEX_LOCKED:
            raise
        return None
