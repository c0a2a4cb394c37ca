"""Every way in which CodePlane declines to answer, in one table.

The kind says who must act: the caller (another call), the state (wait, index, reindex),
a limit (ask for less), the operator (configuration, permissions), or us (internal).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum


class ErrorKind(Enum):
    CALLER = "caller"
    STATE = "state"
    LIMIT = "limit"
    OPERATOR = "operator"
    INTERNAL = "internal"


class ErrorCode(Enum):
    """Number, kind, and whether the same call may succeed later without a change."""

    ARGUMENT_INVALID = (1001, ErrorKind.CALLER, False)
    UNKNOWN_PARAMETER = (1002, ErrorKind.CALLER, False)
    UNKNOWN_TOOL = (1003, ErrorKind.CALLER, False)
    READ_ONLY = (1004, ErrorKind.OPERATOR, False)
    CONFIRMATION_REQUIRED = (1005, ErrorKind.CALLER, False)
    PATTERN_UNSUPPORTED = (1006, ErrorKind.CALLER, False)
    MODE_UNSUPPORTED = (1007, ErrorKind.CALLER, False)
    PATH_INVALID = (1101, ErrorKind.CALLER, False)
    PATH_ESCAPE = (1102, ErrorKind.CALLER, False)
    PATH_SYMLINK = (1103, ErrorKind.CALLER, False)
    NOT_REGULAR = (1104, ErrorKind.CALLER, False)
    SECRET_PATH = (1105, ErrorKind.CALLER, False)
    PROTECTED_PATH = (1106, ErrorKind.CALLER, False)
    FILE_NOT_FOUND = (1107, ErrorKind.CALLER, False)
    FILE_UNREADABLE = (1108, ErrorKind.OPERATOR, False)
    FILE_TOO_LARGE = (1109, ErrorKind.LIMIT, False)
    FILE_CHANGED = (1110, ErrorKind.STATE, True)
    ANSWER_TOO_LARGE = (1111, ErrorKind.LIMIT, False)
    FILE_UNWRITABLE = (1112, ErrorKind.OPERATOR, False)
    PATH_UNPORTABLE = (1113, ErrorKind.CALLER, False)
    HANDLE_EXPIRED = (1201, ErrorKind.CALLER, False)
    HANDLE_NOT_YOURS = (1202, ErrorKind.CALLER, False)
    ROOT_NOT_REGISTERED = (1203, ErrorKind.OPERATOR, False)

    CONFIG_INVALID = (2001, ErrorKind.OPERATOR, False)
    CONFIG_UNKNOWN_KEY = (2002, ErrorKind.OPERATOR, False)
    CONFIG_UNTRUSTED = (2003, ErrorKind.OPERATOR, False)

    NOT_A_REPOSITORY = (3001, ErrorKind.CALLER, False)
    ROOT_CHANGED = (3002, ErrorKind.STATE, False)
    GIT_DAMAGED = (3003, ErrorKind.OPERATOR, False)
    GIT_UNSUPPORTED = (3004, ErrorKind.OPERATOR, False)
    STATE_DIRECTORY_UNSAFE = (3005, ErrorKind.OPERATOR, False)
    STATE_DIRECTORY_READ_ONLY = (3006, ErrorKind.OPERATOR, False)

    INDEX_CORRUPT = (4001, ErrorKind.STATE, False)
    NOT_INDEXED = (4002, ErrorKind.STATE, False)
    NOT_READY = (4003, ErrorKind.STATE, True)
    REQUIRES_REINDEX = (4004, ErrorKind.STATE, False)
    INDEX_LOCKED = (4005, ErrorKind.STATE, True)
    INDEX_NEWER = (4006, ErrorKind.OPERATOR, False)
    INDEX_TOO_LARGE = (4007, ErrorKind.LIMIT, False)
    NO_SPACE = (4008, ErrorKind.OPERATOR, True)
    LANGUAGE_UNSUPPORTED = (4009, ErrorKind.CALLER, False)
    INDEX_STALE = (4010, ErrorKind.STATE, True)

    VERSION_MISMATCH = (5001, ErrorKind.OPERATOR, False)
    ENGINE_UNREACHABLE = (5002, ErrorKind.STATE, True)
    CANCELLED = (5003, ErrorKind.CALLER, True)
    TOO_BUSY = (5004, ErrorKind.LIMIT, True)
    SHUTTING_DOWN = (5005, ErrorKind.STATE, True)
    RUNTIME_DIRECTORY_UNSAFE = (5006, ErrorKind.OPERATOR, False)
    LEDGER_DAMAGED = (5007, ErrorKind.OPERATOR, False)

    TASK_BUDGET_EXCEEDED = (6001, ErrorKind.LIMIT, False)
    BUDGET_EXCEEDED = (6002, ErrorKind.LIMIT, False)
    TASK_CLOSED = (6003, ErrorKind.CALLER, False)
    TASK_SCOPE = (6004, ErrorKind.CALLER, False)
    TEST_RUNNER_NOT_FOUND = (7001, ErrorKind.OPERATOR, False)

    HASH_MISMATCH = (8001, ErrorKind.STATE, False)
    EDIT_AMBIGUOUS = (8002, ErrorKind.CALLER, False)
    EDIT_NOT_FOUND = (8003, ErrorKind.CALLER, False)
    EDIT_OVERLAP = (8004, ErrorKind.CALLER, False)
    EDIT_CONFLICT = (8005, ErrorKind.STATE, True)
    EDIT_UNENCODABLE = (8006, ErrorKind.CALLER, False)
    FILE_EXISTS = (8007, ErrorKind.CALLER, False)
    NOT_TEXT = (8008, ErrorKind.CALLER, False)
    MUTATION_UNKNOWN = (8010, ErrorKind.CALLER, False)
    UNDO_GONE = (8011, ErrorKind.LIMIT, False)
    UNDO_REFUSED = (8012, ErrorKind.STATE, False)
    RECOVERY_PENDING = (8013, ErrorKind.STATE, True)
    KEY_REUSED = (8014, ErrorKind.CALLER, False)
    EDIT_COUNT_MISMATCH = (8015, ErrorKind.CALLER, False)

    INTERNAL = (9001, ErrorKind.INTERNAL, False)

    def __init__(self, number: int, kind: ErrorKind, retryable: bool) -> None:
        self.number = number
        self.kind = kind
        self.retryable = retryable


class CodePlaneError(Exception):
    """The one exception that crosses package borders; it renders as the error schema."""

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
        """The error schema; fields with nothing to say are left out."""
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


def internal_error(error: BaseException, reason: str | None = None) -> CodePlaneError:
    """What nobody thought of, as an error that says no more than that: its words may quote anything."""
    return CodePlaneError(
        ErrorCode.INTERNAL,
        f"something went wrong that should not ({type(error).__name__}{f': {reason}' if reason else ''})",
        remedy="Run 'cpl doctor'. The log line of this failure is shown by 'cpl status --verbose'.",
    )
