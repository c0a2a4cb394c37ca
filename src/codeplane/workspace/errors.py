"""Errors that reads and builds raise while the index cannot be used."""

from __future__ import annotations

import math

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.index.options import IndexProgress

CREATE_REMEDY = "Create one: manage_index with action 'create', or 'cpl init'."


def copy_error(error: CodePlaneError) -> CodePlaneError:
    """Return an equal error: an object that several callers raise would collect the traceback of each."""
    return CodePlaneError(
        error.code,
        error.message,
        details=error.details,
        expected=error.expected,
        received=error.received,
        example=error.example,
        remedy=error.remedy,
    )


def locked_error(owner: int | None) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.INDEX_LOCKED,
        "another process is using the index",
        details=_pid(owner),
        remedy="Wait until it is done, or end it.",
    )


def unverifiable_error(code: ErrorCode, owner: int | None) -> CodePlaneError:
    """Return the error for a read that must be fresh while another process holds the lock."""
    return CodePlaneError(
        code,
        "another process is using the index, so its freshness cannot be verified",
        details=_pid(owner),
        remedy="Use the policy 'balanced', or end the other process.",
    )


def cleared_error() -> CodePlaneError:
    return CodePlaneError(ErrorCode.NOT_INDEXED, "the index was cleared", remedy=CREATE_REMEDY)


def no_index_error() -> CodePlaneError:
    return CodePlaneError(ErrorCode.NOT_INDEXED, "this repository has no index", remedy=CREATE_REMEDY)


def shutting_down_error() -> CodePlaneError:
    return CodePlaneError(ErrorCode.SHUTTING_DOWN, "CodePlane is shutting down")


def not_ready_error(phase: str, progress: IndexProgress | None) -> CodePlaneError:
    details: dict[str, object] = {"phase": phase}
    if progress is not None and progress.files_total:
        details |= {"files_done": progress.files_done, "files_total": progress.files_total}
        details["percent"] = 100 * progress.files_done // progress.files_total
    message = "the index is being built" if phase == "building" else "the index is being opened"
    return CodePlaneError(ErrorCode.NOT_READY, message, details=details, remedy="Ask again in a moment.")


def resolving_details(progress: IndexProgress) -> dict[str, object]:
    """Return how far the references of the epoch are, and an estimate of the time left."""
    left = progress.files_total - progress.files_done
    details: dict[str, object] = {"files_done": progress.files_done, "files_total": progress.files_total}
    details["files_left"] = left
    if progress.files_done:
        details["seconds_left"] = math.ceil(progress.elapsed_s * left / progress.files_done)
    return details


def owned_elsewhere_error(message: str, owner: int | None) -> CodePlaneError:
    """Return the error for an index that another process is still building or replacing."""
    details = {"phase": "waiting", **_pid(owner)}
    return CodePlaneError(ErrorCode.NOT_READY, message, details=details, remedy="Wait until it is done.")


def stale_error(freshness: dict[str, object]) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.INDEX_STALE,
        "the index could not be brought up to date in time",
        details=freshness,
        remedy="Ask again, or use the policy 'balanced'.",
    )


def _pid(owner: int | None) -> dict[str, object]:
    return {} if owner is None else {"pid": owner}
