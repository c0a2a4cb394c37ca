"""Locks that allow one engine and one HTTP server per user and repository.

The kernel releases a lock when its owner dies. Quick to import: the lock is acquired before anything else is loaded, so
a process that does not get it exits early.
"""

from __future__ import annotations

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.disk.locks import FileLock
from codeplane.server.runtime_directory import RuntimeDirectory

ALREADY_SERVED = 3
"""Exit code of an engine process that did not get the lock."""

LOCK_NAME = "engine.lock"
_HTTP_LOCK_NAME = "http.lock"


def acquire_engine_lock(runtime: RuntimeDirectory, seconds: float = 0.0) -> FileLock | None:
    """Return the acquired lock, or None if another process holds it."""
    return _acquire(runtime, LOCK_NAME, seconds)


def acquire_http_lock(runtime: RuntimeDirectory) -> FileLock | None:
    """Return the acquired lock of the HTTP server, or None if another process holds it."""
    return _acquire(runtime, _HTTP_LOCK_NAME, 0.0)


def _acquire(runtime: RuntimeDirectory, name: str, seconds: float) -> FileLock | None:
    try:
        return FileLock(runtime.path / name).acquire(seconds)
    except CodePlaneError as error:
        if error.code is not ErrorCode.INDEX_LOCKED:
            raise
        return None
