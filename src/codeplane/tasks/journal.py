"""Changes of files that were begun and of which nobody has said how they ended.

Their plan stands in the ledger. They were left by a process that died, or by one that could
not undo what it had begun; each is undone before anything else is changed, under the lock of
the ledger and by its one thread. How to undo a plan is known to whoever opened the ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from codeplane import telemetry
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.store.ledger_schema import EventRow
from codeplane.tasks.ledger_rows import interrupted_row

Recover = Callable[[str], Sequence[str]]
"""Undoes a plan, and tells which files it had to leave; raises while it cannot."""

UNDONE = "UNDONE"
CONFLICT = "CONFLICT"
UNREADABLE = "UNREADABLE"


@dataclass(frozen=True)
class Recovered:
    """A change that was cut off and undone."""

    mutation_id: str
    left: tuple[str, ...]
    """Files that somebody changed meanwhile; they were not touched."""


class Journal:
    """Of the ledger's thread, but for `leave` and what only asks."""

    def __init__(self, recover: Recover | None) -> None:
        self._recover = recover
        self._running: dict[int, EventRow] = {}
        self._left: dict[int, EventRow] = {}
        self._error: CodePlaneError | None = None
        self._recovered: list[Recovered] = []

    @property
    def is_settled(self) -> bool:
        return not self._left

    def take_recovered(self) -> tuple[Recovered, ...]:
        """What was undone since the last time that somebody asked."""
        taken, self._recovered = self._recovered, []
        return tuple(taken)

    def begun(self, seq: int, row: EventRow) -> None:
        if row.plan is not None:
            self._running[seq] = row

    def ended(self, seq: int) -> None:
        self._running.pop(seq, None)
        self._left.pop(seq, None)

    def leave(self, seq: int, row: EventRow | None = None) -> None:
        """Nobody will end it any more."""
        known = self._running.pop(seq, row)
        if known is not None:
            self._left[seq] = known

    def settle(self, is_ended: Callable[[int], bool], now_ms: int) -> list[EventRow]:
        """Undo what is left, the newest first; the outcomes to write. What cannot be undone now stays."""
        rows: list[EventRow] = []
        self._error = None
        for seq, row in sorted(self._left.items(), reverse=True):
            if is_ended(seq):
                # The row was written after all, by an attempt that looked like a failure.
                del self._left[seq]
                continue
            outcome = self._undo(row)
            if outcome is None:
                continue
            del self._left[seq]
            rows.append(interrupted_row(seq, row, now_ms)._replace(failure_class=outcome))
        return rows

    def require_settled(self) -> None:
        if self._left:
            reason = self._error.message if self._error is not None else "it is not known how"
            raise CodePlaneError(
                ErrorCode.RECOVERY_PENDING,
                f"an earlier change was cut off and could not be undone yet: {reason}",
                details={"mutations": [row.mutation_id for row in self._left.values()]},
                remedy="Do away with what hinders it, and try again; it is undone first.",
            )

    def _undo(self, row: EventRow) -> str | None:
        if self._recover is None:
            return None
        mutation_id = row.mutation_id or ""
        try:
            left = tuple(self._recover(row.plan or ""))
        except CodePlaneError as error:
            if error.code is ErrorCode.LEDGER_DAMAGED:
                telemetry.warn("a change that was cut off cannot be understood", mutation=mutation_id)
                return UNREADABLE
            self._error = error
            telemetry.warn("a change that was cut off cannot be undone yet", mutation=mutation_id, code=error.code.name)
            return None
        except Exception as failure:
            telemetry.error("undoing a change failed", mutation=mutation_id, **telemetry.describe(failure))
            self._error = CodePlaneError(ErrorCode.INTERNAL, f"undoing it failed: {type(failure).__name__}")
            return None
        self._recovered.append(Recovered(mutation_id, left))
        telemetry.info("a change that was cut off was undone", mutation=mutation_id, left=len(left))
        return CONFLICT if left else UNDONE
