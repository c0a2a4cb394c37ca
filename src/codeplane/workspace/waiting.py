"""Waiting for the thread that keeps the index, bounded and cancellable, and what is said when it was in vain."""

from __future__ import annotations

import os
import time
from typing import NoReturn

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.disk.locks import find_owner
from codeplane.index.options import IsCancelled
from codeplane.store.layout import open_state
from codeplane.workspace.compatibility import not_ready
from codeplane.workspace.jobs import SyncRequest
from codeplane.workspace.requests import Requests, shutting_down

OPENING_SECONDS = 10.0
"""How long a question waits for an index that is there to be opened."""

_SLICE_SECONDS = 0.05
"""How often a wait looks whether it was cancelled."""


def admit(index_thread: Requests, strict: bool, deadline: float, cancelled: IsCancelled | None) -> str:
    """Wait for an index that can be read: `ready`, or `waiting` where somebody else has the lock.

    An index that is being opened is waited for; one that is being built only by those who
    are strict, and by a command that asks once. Raises what keeps it from being read.
    """
    patient = strict or index_thread.settings.once
    with index_thread.changed:
        while True:
            _check(cancelled)
            if index_thread.closing:
                raise shutting_down()
            phase = index_thread.phase
            if phase == "ready" or (phase == "waiting" and not strict):
                return phase
            if phase in ("absent", "incompatible", "error"):
                _refuse(index_thread, phase)
            if not (phase == "opening" or patient) or time.monotonic() >= deadline:
                if phase == "waiting":
                    return phase
                raise not_ready_error(index_thread, phase)
            index_thread.changed.wait(min(_SLICE_SECONDS, max(0.0, deadline - time.monotonic())))


def wait_until_open(index_thread: Requests, deadline: float, cancelled: IsCancelled | None) -> str:
    """Wait until the phase is no longer `opening`, at most until the deadline; return the phase."""
    with index_thread.changed:
        while index_thread.phase == "opening" and not index_thread.closing:
            _check(cancelled)
            left = deadline - time.monotonic()
            if left <= 0:
                break
            index_thread.changed.wait(min(_SLICE_SECONDS, left))
        return index_thread.phase


def wait_for(
    index_thread: Requests,
    sync: SyncRequest,
    deadline: float | None,
    cancelled: IsCancelled | None,
    *,
    links: bool = False,
) -> bool:
    """Whether the look ended before the deadline, with `links` also what references stand for."""
    with index_thread.changed:
        while not (sync.resolved if links else sync.done):
            if index_thread.closing:
                raise shutting_down()
            _check(cancelled)
            left = deadline - time.monotonic() if deadline is not None else _SLICE_SECONDS
            if left <= 0:
                return False
            index_thread.changed.wait(min(left, _SLICE_SECONDS))
    return True


def not_ready_error(index_thread: Requests, phase: str) -> CodePlaneError:
    progress = index_thread.progress
    details: dict[str, object] = {"phase": phase}
    if progress is not None and progress.files_total:
        details |= {"files_done": progress.files_done, "files_total": progress.files_total}
        details["percent"] = 100 * progress.files_done // progress.files_total
    message = "the index is being built" if phase == "building" else "the index is being opened"
    return CodePlaneError(ErrorCode.NOT_READY, message, details=details, remedy="Ask again in a moment.")


def copy_error(error: CodePlaneError) -> CodePlaneError:
    """The same error for another caller: raised twice, one object would gather the frames of both."""
    return CodePlaneError(
        error.code,
        error.message,
        details=error.details,
        expected=error.expected,
        received=error.received,
        example=error.example,
        remedy=error.remedy,
    )


def lock_held_error(code: ErrorCode, owner: int | None) -> CodePlaneError:
    details: dict[str, object] = {"pid": owner} if owner is not None else {}
    return CodePlaneError(
        code,
        "another process is using the index, so that it cannot be checked",
        details=details,
        remedy="Ask with the policy 'balanced', or end the other process.",
    )


def _refuse(index_thread: Requests, phase: str) -> NoReturn:
    if phase != "absent":
        raise (
            copy_error(index_thread.error)
            if index_thread.error
            else CodePlaneError(ErrorCode.INTERNAL, "the index cannot be used")
        )
    state = open_state(index_thread.root)
    owner = find_owner(state.lock_path) if state is not None else None
    if owner is not None and owner != os.getpid():
        raise not_ready(f"process {owner} is building the index", owner)
    raise CodePlaneError(
        ErrorCode.NOT_INDEXED,
        "this repository has no index",
        remedy="Create one: manage_index with action 'create', or 'cpl init'.",
    )


def _check(cancelled: IsCancelled | None) -> None:
    if cancelled is not None and cancelled():
        raise CodePlaneError(ErrorCode.CANCELLED, "the call was cancelled")
