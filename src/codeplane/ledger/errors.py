"""Errors of the ledger: SQLite and OS errors mapped to the codes that callers handle."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

import apsw

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.store.errors import SPACE_REMEDY

_MIN_FREE_BYTES = 128 * 1024
_OWN_CODES = (
    ErrorCode.LEDGER_DAMAGED,
    ErrorCode.VERSION_MISMATCH,
    ErrorCode.INDEX_LOCKED,
    ErrorCode.NO_SPACE,
    ErrorCode.STATE_DIRECTORY_READ_ONLY,
    ErrorCode.INTERNAL,
)


def damaged_error(message: str) -> CodePlaneError:
    return CodePlaneError(ErrorCode.LEDGER_DAMAGED, message, remedy="run 'cpl doctor' to see where")


def closed_error() -> CodePlaneError:
    return CodePlaneError(ErrorCode.SHUTTING_DOWN, "the ledger is closed, so files cannot be changed")


def ledger_error(error: Exception) -> CodePlaneError:
    """Return the ledger's own error for any exception: damage, no space, locked, or not writable."""
    if isinstance(error, CodePlaneError) and error.code in _OWN_CODES:
        return error
    cause = error if isinstance(error, apsw.Error | OSError) else error.__cause__
    if isinstance(cause, apsw.CorruptError | apsw.NotADBError | apsw.FormatError | apsw.SQLError):
        return damaged_error("the ledger is damaged")
    if isinstance(cause, apsw.IOError) and getattr(cause, "extendedresult", 0) == apsw.SQLITE_IOERR_DATA:
        return damaged_error("a page of the ledger is damaged")
    if isinstance(cause, apsw.FullError | apsw.NoMemError):
        return CodePlaneError(ErrorCode.NO_SPACE, "the ledger cannot grow: the disk is full", remedy=SPACE_REMEDY)
    if isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT):
        return CodePlaneError(ErrorCode.NO_SPACE, "cannot create the ledger: the disk is full", remedy=SPACE_REMEDY)
    if isinstance(cause, apsw.BusyError | apsw.LockedError | apsw.ConstraintError):
        return CodePlaneError(ErrorCode.INDEX_LOCKED, "another process is writing the ledger")
    if isinstance(cause, apsw.Error | OSError):
        return CodePlaneError(
            ErrorCode.STATE_DIRECTORY_READ_ONLY,
            "the ledger cannot be written",
            remedy="make '.codeplane' in the repository writable for you",
        )
    # An error without a cause comes from opening the database: it has no page checksums, or no WAL mode.
    return damaged_error("the ledger was not created by CodePlane")


def unwritable_error(directory: Path) -> CodePlaneError:
    """Return the cause: SQLite cannot even open a file when there is no space for the files beside it."""
    with suppress(OSError):
        found = os.statvfs(directory)
        if found.f_bavail * found.f_frsize < _MIN_FREE_BYTES:
            message = "the disk is full, so writes cannot be recorded"
            return CodePlaneError(ErrorCode.NO_SPACE, message, remedy=SPACE_REMEDY)
    return CodePlaneError(
        ErrorCode.STATE_DIRECTORY_READ_ONLY,
        "writes cannot be recorded in '.codeplane', so files cannot be changed",
        remedy="Make '.codeplane' in the repository writable for you.",
    )
