"""All error codes, in one table.

The kind says who must act: the caller (change the call), the state (wait, index, reindex), a limit (request less), the
operator (configuration, permissions), or the developers (internal).
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from enum import Enum


class ErrorKind(Enum):
    CALLER = "caller"
    STATE = "state"
    LIMIT = "limit"
    OPERATOR = "operator"
    INTERNAL = "internal"


class ErrorCode(Enum):
    """Number, kind, whether the same call may succeed later, and a description for the reference page."""

    ARGUMENT_INVALID = (1001, ErrorKind.CALLER, False, "An argument has the wrong type, form or value.")
    UNKNOWN_PARAMETER = (1002, ErrorKind.CALLER, False, "The tool has no parameter with this name.")
    UNKNOWN_TOOL = (1003, ErrorKind.CALLER, False, "There is no tool with this name.")
    READ_ONLY = (
        1004,
        ErrorKind.OPERATOR,
        False,
        "The server is read-only, so tools that change something are refused.",
    )
    CONFIRMATION_REQUIRED = (
        1005,
        ErrorKind.CALLER,
        False,
        "The call needs explicit confirmation, for example `confirm: true`.",
    )
    PATTERN_UNSUPPORTED = (
        1006,
        ErrorKind.CALLER,
        False,
        "The regular expression uses a construct that cannot run in linear time.",
    )
    MODE_UNSUPPORTED = (1007, ErrorKind.CALLER, False, "The mode is known but not available in this version.")
    PATH_INVALID = (1101, ErrorKind.CALLER, False, "The path is malformed or too long.")
    PATH_ESCAPE = (1102, ErrorKind.CALLER, False, "The path leads out of the repository.")
    PATH_SYMLINK = (
        1103,
        ErrorKind.CALLER,
        False,
        "The path is, or goes through, a symbolic link; links are not followed.",
    )
    NOT_REGULAR = (1104, ErrorKind.CALLER, False, "The path is not a regular file.")
    SECRET_PATH = (1105, ErrorKind.CALLER, False, "The file may contain secrets; no tool reads or changes it.")
    PROTECTED_PATH = (
        1106,
        ErrorKind.CALLER,
        False,
        "The path belongs to version control or to CodePlane; no tool opens it.",
    )
    FILE_NOT_FOUND = (1107, ErrorKind.CALLER, False, "The file or directory does not exist.")
    FILE_UNREADABLE = (1108, ErrorKind.OPERATOR, False, "The file exists but cannot be read.")
    FILE_TOO_LARGE = (1109, ErrorKind.LIMIT, False, "The file is larger than the limit.")
    FILE_CHANGED = (1110, ErrorKind.STATE, True, "The file changed while it was being read.")
    ANSWER_TOO_LARGE = (1111, ErrorKind.LIMIT, False, "The answer does not fit into the size limit.")
    FILE_UNWRITABLE = (1112, ErrorKind.OPERATOR, False, "The file or its directory cannot be written.")
    PATH_UNPORTABLE = (
        1113,
        ErrorKind.CALLER,
        False,
        "The file name does not work on all operating systems or is visually misleading.",
    )
    HANDLE_EXPIRED = (1201, ErrorKind.CALLER, False, "The cursor or handle has expired or was never issued.")
    HANDLE_NOT_YOURS = (1202, ErrorKind.CALLER, False, "The cursor, task or session belongs to another client.")
    ROOT_NOT_REGISTERED = (1203, ErrorKind.OPERATOR, False, "The server does not serve this repository.")

    CONFIG_INVALID = (
        2001,
        ErrorKind.OPERATOR,
        False,
        "A setting has an invalid value, or a configuration file is malformed.",
    )
    CONFIG_UNKNOWN_KEY = (2002, ErrorKind.OPERATOR, False, "There is no setting with this name.")
    CONFIG_UNTRUSTED = (
        2003,
        ErrorKind.OPERATOR,
        False,
        "A setting in the repository's configuration file needs trust.",
    )

    NOT_A_REPOSITORY = (3001, ErrorKind.CALLER, False, "The directory is not a git repository or cannot be opened.")
    ROOT_CHANGED = (3002, ErrorKind.STATE, False, "The repository was moved, deleted or replaced while it was open.")
    GIT_DAMAGED = (3003, ErrorKind.OPERATOR, False, "The git metadata cannot be read.")
    GIT_UNSUPPORTED = (
        3004,
        ErrorKind.OPERATOR,
        False,
        "The git repository uses a feature that is not supported, or belongs to someone else.",
    )
    STATE_DIRECTORY_UNSAFE = (
        3005,
        ErrorKind.OPERATOR,
        False,
        "`.codeplane` is not a directory that can be used safely.",
    )
    STATE_DIRECTORY_READ_ONLY = (3006, ErrorKind.OPERATOR, False, "A state directory cannot be written.")

    INDEX_CORRUPT = (4001, ErrorKind.STATE, False, "The index is damaged and must be rebuilt.")
    NOT_INDEXED = (4002, ErrorKind.STATE, False, "The repository has no index.")
    NOT_READY = (4003, ErrorKind.STATE, True, "The index is being built, opened or resolved.")
    REQUIRES_REINDEX = (
        4004,
        ErrorKind.STATE,
        False,
        "The index was built by an incompatible version and must be rebuilt.",
    )
    INDEX_LOCKED = (4005, ErrorKind.STATE, True, "Another process is using the index.")
    INDEX_NEWER = (4006, ErrorKind.OPERATOR, False, "The index was built by a newer version of CodePlane.")
    INDEX_TOO_LARGE = (4007, ErrorKind.LIMIT, False, "The index has reached its size limit.")
    NO_SPACE = (4008, ErrorKind.OPERATOR, True, "The disk is full.")
    SYSTEM_FAILED = (
        4011,
        ErrorKind.OPERATOR,
        True,
        "The operating system refused an operation; the message names the reason.",
    )
    LANGUAGE_UNSUPPORTED = (4009, ErrorKind.CALLER, False, "The operation is not available for this language or file.")
    INDEX_STALE = (4010, ErrorKind.STATE, True, "The index could not be brought up to date in time.")

    VERSION_MISMATCH = (5001, ErrorKind.OPERATOR, False, "Another version of CodePlane serves this repository.")
    ENGINE_UNREACHABLE = (5002, ErrorKind.STATE, True, "The engine process of this repository does not answer.")
    OUTCOME_UNKNOWN = (
        5009,
        ErrorKind.STATE,
        False,
        "The engine ended during the call; it is unknown whether the call took effect.",
    )
    CANCELLED = (5003, ErrorKind.CALLER, True, "The call was cancelled.")
    TOO_BUSY = (5004, ErrorKind.LIMIT, True, "Too many calls are running.")
    SHUTTING_DOWN = (5005, ErrorKind.STATE, True, "The server is shutting down.")
    RUNTIME_DIRECTORY_UNSAFE = (
        5006,
        ErrorKind.OPERATOR,
        False,
        "A runtime directory or file is not private to the user.",
    )
    LEDGER_DAMAGED = (5007, ErrorKind.OPERATOR, False, "The ledger cannot be read.")

    TASK_BUDGET_EXCEEDED = (6001, ErrorKind.LIMIT, False, "The task has reached one of its limits.")
    BUDGET_EXCEEDED = (6002, ErrorKind.LIMIT, False, "The read budget is used up.")
    TASK_CLOSED = (6003, ErrorKind.CALLER, False, "The task is closed or does not exist.")
    TASK_SCOPE = (6004, ErrorKind.CALLER, False, "The task does not allow changes to this file.")
    TEST_RUNNER_NOT_FOUND = (7001, ErrorKind.OPERATOR, False, "No test runner was found.")

    HASH_MISMATCH = (8001, ErrorKind.STATE, False, "The file differs from the version that the edit was made for.")
    EDIT_AMBIGUOUS = (8002, ErrorKind.CALLER, False, "The text to replace occurs more than once.")
    EDIT_NOT_FOUND = (8003, ErrorKind.CALLER, False, "The text, symbol or pattern to edit was not found.")
    EDIT_OVERLAP = (8004, ErrorKind.CALLER, False, "Two edits change the same text.")
    EDIT_CONFLICT = (8005, ErrorKind.STATE, True, "Another process changed the file during the edit.")
    EDIT_UNENCODABLE = (8006, ErrorKind.CALLER, False, "The file's encoding cannot represent the new text.")
    FILE_EXISTS = (8007, ErrorKind.CALLER, False, "The file to create exists already.")
    NOT_TEXT = (8008, ErrorKind.CALLER, False, "The file is not a text file.")
    MUTATION_UNKNOWN = (8010, ErrorKind.CALLER, False, "There is no mutation with this id.")
    UNDO_GONE = (8011, ErrorKind.LIMIT, False, "The previous content is no longer stored.")
    UNDO_REFUSED = (8012, ErrorKind.STATE, False, "The mutation cannot be undone because its files changed afterwards.")
    RECOVERY_PENDING = (8013, ErrorKind.STATE, True, "An interrupted write could not be rolled back yet.")
    KEY_REUSED = (8014, ErrorKind.CALLER, False, "The idempotency key was used for a different change.")
    REFACTOR_COLLISION = (
        8020,
        ErrorKind.CALLER,
        False,
        "The new name is taken, or would change what other names mean.",
    )
    REFACTOR_BROKEN = (
        8021,
        ErrorKind.STATE,
        False,
        "After the refactoring a file did not parse or a reference was lost, so everything was restored.",
    )
    PLAN_STALE = (8022, ErrorKind.STATE, False, "A file changed since the refactoring was planned.")
    EDIT_COUNT_MISMATCH = (8015, ErrorKind.CALLER, False, "The number of matches differs from the expected number.")

    INTERNAL = (9001, ErrorKind.INTERNAL, False, "An internal error occurred.")

    def __init__(self, number: int, kind: ErrorKind, retryable: bool, description: str) -> None:
        self.number = number
        self.kind = kind
        self.retryable = retryable
        self.description = description


FEW_DESCRIPTORS = frozenset({errno.EMFILE, errno.ENFILE})
"""Reasons why no further file can be opened."""

_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT})
_SYSTEM = FEW_DESCRIPTORS | _NO_SPACE | {errno.EIO, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOMEM, errno.EAGAIN}
"""Reasons outside of the program, wherever they are met."""


class CodePlaneError(Exception):
    """The exception type of all packages. `message` says what is wrong with which value, `remedy` what to do."""

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        details: Mapping[str, object] | None = None,
        expected: str | None = None,
        received: str | None = None,
        example: object | None = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = dict(details or {})
        self.expected = expected
        self.received = received
        self.example = example
        self.remedy = remedy

    def as_dict(self) -> dict[str, object]:
        """Return the error schema; empty fields are omitted."""
        fields: dict[str, object] = {
            "code": self.code.number,
            "error": self.code.name,
            "message": self.message,
            "retryable": self.code.retryable,
        }
        if self.details:
            fields["details"] = self.details
        optional = (("expected", self.expected), ("received", self.received), ("example", self.example))
        fields.update((name, value) for name, value in (*optional, ("remedy", self.remedy)) if value is not None)
        return fields


def system_error(error: OSError, what: str = "the operating system refused an operation") -> CodePlaneError:
    """Return the error for a system call that failed for a reason outside of the program."""
    message = f"{what}: {error.strerror}"
    if error.errno in _NO_SPACE:
        return CodePlaneError(ErrorCode.NO_SPACE, message, remedy="Free disk space, then try again.")
    if error.errno in FEW_DESCRIPTORS:
        return CodePlaneError(ErrorCode.SYSTEM_FAILED, message, remedy="Raise the limit of open files ('ulimit -n').")
    return CodePlaneError(ErrorCode.SYSTEM_FAILED, message)


def internal_error(error: BaseException, reason: str | None = None) -> CodePlaneError:
    """Wrap an unexpected exception. Its text is omitted because it may quote file content."""
    if isinstance(error, OSError) and error.errno in _SYSTEM:
        return system_error(error)
    return CodePlaneError(
        ErrorCode.INTERNAL,
        f"internal error ({type(error).__name__}{f': {reason}' if reason else ''})",
        remedy="Run 'cpl doctor'. 'cpl status --verbose' shows the log line of this error.",
    )
