"""Errors of SQLite and Tantivy, mapped onto error codes.

Panics of Tantivy are not `Exception`s, so its boundary catches everything and re-raises interrupts and exits.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from codeplane.base.errors import CodePlaneError, ErrorCode, system_error

REBUILD_REMEDY = "run 'cpl init' to rebuild the index"
SPACE_REMEDY = "free disk space, then try again"

SQLITE_CODES: dict[type[Exception], ErrorCode] = {
    apsw.CorruptError: ErrorCode.INDEX_CORRUPT,
    apsw.NotADBError: ErrorCode.INDEX_CORRUPT,
    apsw.FormatError: ErrorCode.INDEX_CORRUPT,
    apsw.IOError: ErrorCode.INDEX_CORRUPT,
    apsw.CantOpenError: ErrorCode.INDEX_CORRUPT,
    apsw.NotFoundError: ErrorCode.INDEX_CORRUPT,
    apsw.EmptyError: ErrorCode.INDEX_CORRUPT,
    apsw.SchemaChangeError: ErrorCode.INDEX_CORRUPT,
    apsw.TooBigError: ErrorCode.INDEX_CORRUPT,
    # Statements are constants, so a missing table or column means a foreign database.
    apsw.SQLError: ErrorCode.INDEX_CORRUPT,
    apsw.MismatchError: ErrorCode.INDEX_CORRUPT,
    apsw.FullError: ErrorCode.NO_SPACE,
    apsw.BusyError: ErrorCode.INDEX_LOCKED,
    apsw.LockedError: ErrorCode.INDEX_LOCKED,
    apsw.ProtocolError: ErrorCode.INDEX_LOCKED,
    apsw.PermissionsError: ErrorCode.STATE_DIRECTORY_UNSAFE,
    apsw.ReadOnlyError: ErrorCode.STATE_DIRECTORY_UNSAFE,
    apsw.NoLFSError: ErrorCode.INDEX_TOO_LARGE,
    apsw.NoMemError: ErrorCode.NO_SPACE,
    apsw.InterruptError: ErrorCode.NOT_READY,
    apsw.AbortError: ErrorCode.INTERNAL,
    apsw.AuthError: ErrorCode.INTERNAL,
    apsw.BindingsError: ErrorCode.INTERNAL,
    apsw.ConnectionClosedError: ErrorCode.INTERNAL,
    apsw.ConnectionNotClosedError: ErrorCode.INTERNAL,
    apsw.ConstraintError: ErrorCode.INTERNAL,
    apsw.CursorClosedError: ErrorCode.INTERNAL,
    apsw.ExecTraceAbort: ErrorCode.INTERNAL,
    apsw.ExecutionCompleteError: ErrorCode.INTERNAL,
    apsw.ExtensionLoadingError: ErrorCode.INTERNAL,
    apsw.ForkingViolationError: ErrorCode.INTERNAL,
    apsw.IncompleteExecutionError: ErrorCode.INTERNAL,
    apsw.InternalError: ErrorCode.INTERNAL,
    apsw.InvalidContextError: ErrorCode.INTERNAL,
    apsw.MisuseError: ErrorCode.INTERNAL,
    apsw.NoFTS5Error: ErrorCode.INTERNAL,
    apsw.RangeError: ErrorCode.INTERNAL,
    apsw.ThreadingViolationError: ErrorCode.INTERNAL,
    apsw.VFSFileClosedError: ErrorCode.INTERNAL,
    apsw.VFSNotImplementedError: ErrorCode.INTERNAL,
    apsw.Error: ErrorCode.INTERNAL,
}

_SPACE_RESULTS = frozenset({apsw.SQLITE_IOERR_NOMEM, apsw.SQLITE_IOERR_SHMSIZE})
_REMEDIES = {
    ErrorCode.INDEX_CORRUPT: REBUILD_REMEDY,
    ErrorCode.NO_SPACE: SPACE_REMEDY,
    ErrorCode.INDEX_LOCKED: "wait for the process that is indexing this repository, then try again",
    ErrorCode.STATE_DIRECTORY_UNSAFE: "make '.codeplane' in the repository writable for you",
}


def from_sqlite(error: apsw.Error) -> CodePlaneError:
    code = SQLITE_CODES.get(type(error), ErrorCode.INTERNAL)
    if isinstance(error, apsw.CantOpenError | apsw.IOError):
        # The reason may be that of any file, not of this one.
        require_descriptors()
        if is_out_of_space(error):
            code = ErrorCode.NO_SPACE
    return CodePlaneError(code, f"the index database failed: {error}", remedy=_REMEDIES.get(code))


def is_out_of_space(error: apsw.Error) -> bool:
    """True if memory, or space for the memory that connections share, ran out."""
    return getattr(error, "extendedresult", 0) in _SPACE_RESULTS


def require_descriptors() -> None:
    """Raise SYSTEM_FAILED if this process cannot open another file."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:
        raise system_error(error, "the index cannot be opened") from error


def from_lexical(error: BaseException) -> CodePlaneError:
    require_descriptors()
    if "No space left" in str(error):
        return CodePlaneError(ErrorCode.NO_SPACE, f"the text index failed: {error}", remedy=SPACE_REMEDY)
    if "LockBusy" in str(error):
        code = ErrorCode.INDEX_LOCKED
        return CodePlaneError(code, "another process is writing the text index", remedy=_REMEDIES[code])
    return corrupt(f"the text index failed: {error}")


def corrupt(message: str) -> CodePlaneError:
    return CodePlaneError(ErrorCode.INDEX_CORRUPT, message, remedy=REBUILD_REMEDY)


@contextmanager
def sqlite_errors() -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        raise from_sqlite(error) from error


@contextmanager
def lexical_errors() -> Iterator[None]:
    try:
        yield
    except CodePlaneError:
        raise
    except Exception as error:
        raise from_lexical(error) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise from_lexical(error) from error
