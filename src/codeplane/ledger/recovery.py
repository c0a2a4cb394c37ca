"""Queue of interrupted mutations: intents with a journal entry and no outcome.

They were left by a process that died, or that could not roll back. Each is rolled back before files are changed
again, by the ledger's thread and under the ledger lock. The function that rolls back is given by the opener of the
ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from codeplane import telemetry
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.ledger.events import interrupted_row
from codeplane.ledger.schema import EventRow

Recover = Callable[[str, str], Sequence[str] | None]
"""Rolls back a mutation, by id and journal entry, and returns the files it could not restore; None if the mutation
turned out to be committed. Raises while it cannot roll back."""

UNDONE = "UNDONE"
CONFLICT = "CONFLICT"
UNREADABLE = "UNREADABLE"


@dataclass(frozen=True)
class RolledBackMutation:
    """An interrupted mutation that was rolled back."""

    mutation_id: str
    conflicts: tuple[str, ...]
    """Files that someone else changed in between; they were left alone."""


class RecoveryQueue:
    """Used by the ledger's thread, except `abandon`, `take_rolled_back` and `is_empty`."""

    def __init__(self, recover: Recover | None) -> None:
        self._recover = recover
        self._running: dict[int, EventRow] = {}
        self._interrupted: dict[int, EventRow] = {}
        self._error: CodePlaneError | None = None
        self._rolled_back: list[RolledBackMutation] = []

    @property
    def is_empty(self) -> bool:
        return not self._interrupted

    def take_rolled_back(self) -> tuple[RolledBackMutation, ...]:
        """Return what was rolled back since the last call."""
        found, self._rolled_back = self._rolled_back, []
        return tuple(found)

    def track(self, seq: int, row: EventRow) -> None:
        """Note a running mutation."""
        if row.plan is not None:
            self._running[seq] = row

    def finish(self, seq: int) -> None:
        self._running.pop(seq, None)
        self._interrupted.pop(seq, None)

    def abandon(self, seq: int, row: EventRow | None = None) -> None:
        """Queue a mutation that its caller will not finish."""
        known = self._running.pop(seq, row)
        if known is not None:
            self._interrupted[seq] = known

    def roll_back(self, has_outcome: Callable[[int], bool], now_ms: int) -> list[EventRow]:
        """Roll back the queue, newest first, and return the outcomes to write. What cannot be rolled back now stays."""
        rows: list[EventRow] = []
        self._error = None
        for seq, row in sorted(self._interrupted.items(), reverse=True):
            if has_outcome(seq):
                # The outcome was written by an attempt that looked like a failure.
                del self._interrupted[seq]
                continue
            outcome = self._roll_back(row, interrupted_row(seq, row, now_ms))
            if outcome is None:
                continue
            del self._interrupted[seq]
            rows.append(outcome)
        return rows

    def require_empty(self) -> None:
        if self._interrupted:
            reason = self._error.message if self._error is not None else "the cause is unknown"
            raise CodePlaneError(
                ErrorCode.RECOVERY_PENDING,
                f"an interrupted write could not be rolled back yet: {reason}",
                details={"mutations": [row.mutation_id for row in self._interrupted.values()]},
                remedy="Fix the cause and retry; the rollback runs first.",
            )

    def _roll_back(self, row: EventRow, outcome: EventRow) -> EventRow | None:
        """Return the outcome to write; None while it cannot be rolled back."""
        if self._recover is None:
            return None
        mutation_id = row.mutation_id or ""
        try:
            conflicts = self._recover(mutation_id, row.plan or "")
        except CodePlaneError as error:
            if error.code is ErrorCode.LEDGER_DAMAGED:
                telemetry.warn("the journal entry of an interrupted write is unreadable", mutation=mutation_id)
                return outcome._replace(failure_class=UNREADABLE)
            self._error = error
            telemetry.warn("cannot roll back an interrupted write yet", mutation=mutation_id, code=error.code.name)
            return None
        except Exception as failure:
            telemetry.error("rolling back a write failed", mutation=mutation_id, **telemetry.describe(failure))
            self._error = CodePlaneError(ErrorCode.INTERNAL, f"the rollback failed: {type(failure).__name__}")
            return None
        if conflicts is None:
            telemetry.warn("the ledger had lost the outcome of a write", mutation=mutation_id)
            return outcome._replace(status="ok", success=1)
        self._rolled_back.append(RolledBackMutation(mutation_id, tuple(conflicts)))
        telemetry.info("rolled back an interrupted write", mutation=mutation_id, conflicts=len(conflicts))
        return outcome._replace(failure_class=CONFLICT if conflicts else UNDONE)
