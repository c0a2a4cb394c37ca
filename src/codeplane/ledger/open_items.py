"""Tasks and intents that are open in the ledger: carried over to a new file, or closed if their process died."""

from __future__ import annotations

from codeplane.ledger.events import TaskState, carried_row, closed_row, interrupted_row
from codeplane.ledger.recovery import RecoveryQueue
from codeplane.ledger.rotation import OpenedLedger
from codeplane.ledger.schema import EventRow

OPENINGS = ("task_opened", "task_carried")


class OpenItems:
    """Used by the ledger's thread, except `take_interrupted`."""

    def __init__(self, recovery: RecoveryQueue) -> None:
        self._recovery = recovery
        self._tasks: dict[str, EventRow] = {}
        self.intents: set[int] = set()
        self._interrupted: dict[str, tuple[str, ...]] = {}

    def take_interrupted(self, client: str) -> tuple[str, ...]:
        """Return the tasks that a client had open in a server that died, each once."""
        return self._interrupted.pop(client, ())

    def track(self, rows: list[EventRow], numbers: list[int]) -> None:
        """Note what appended rows open and close."""
        for row, seq in zip(rows, numbers, strict=True):
            if row.kind in OPENINGS and row.task_id is not None:
                self._tasks[row.task_id] = row
            elif row.kind == "task_closed" and row.task_id is not None:
                self._tasks.pop(row.task_id, None)
            elif row.kind == "intent":
                self.intents.add(seq)
                self._recovery.track(seq, row)
            elif row.intent_seq is not None:
                self.intents.discard(row.intent_seq)
                self._recovery.finish(row.intent_seq)

    def close_intents(self, outcomes: list[EventRow]) -> None:
        self.intents.difference_update(row.intent_seq for row in outcomes if row.intent_seq is not None)

    def adopt(self, opened: OpenedLedger, now_ms: int) -> list[EventRow]:
        """Return the rows that a newly opened file needs.

        Tasks of this process that the file lacks are carried over. Tasks and intents of a dead process are closed;
        its mutations are queued for rollback.
        """
        in_file = {row.task_id for row in opened.file.open_tasks()}
        rows = [carried_row(row, now_ms) for task_id, row in self._tasks.items() if task_id not in in_file]
        for task in opened.open_tasks:
            if task.task_id is not None and task.task_id not in self._tasks:
                if task.task_id not in in_file:
                    rows.append(carried_row(task, now_ms))
                rows.append(closed_row(task.task_id, TaskState.CLOSED_INTERRUPTED, now_ms))
                if task.owner is not None:
                    self._interrupted[task.owner] = (*self._interrupted.get(task.owner, ()), task.task_id)
        for seq, row in opened.open_intents:
            if seq not in self.intents and row.plan is None:
                rows.append(interrupted_row(seq, row, now_ms))
            elif seq not in self.intents:
                self.intents.add(seq)
                self._recovery.abandon(seq, row)
        return rows
