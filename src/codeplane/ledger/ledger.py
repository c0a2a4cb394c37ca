"""The ledger of one repository: every call records one outcome, and a call with an effect records an intent first.

An intent is on disk before its effect begins; the outcome of an effect is on disk before it is answered. The outcome
of a read is handed to the kernel before the answer is sent, so it survives the death of this process, and is appended
to the ledger in groups by a background thread. If the disk is full or read-only, reads continue and their rows are
counted as lost, and effects are refused. While another process holds the ledger, effects are refused too, and other
rows are written when it releases it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Condition, Lock

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.ledger.ack_buffer import MAX_GROUP
from codeplane.ledger.anchor import LedgerAnchor
from codeplane.ledger.errors import closed_error
from codeplane.ledger.events import Event, TaskState, closed_row, event_row, opened_row
from codeplane.ledger.queries import MutationRow, find_tasks, list_mutation_ids, list_mutations
from codeplane.ledger.recovery import Recover, RecoveryQueue, RolledBackMutation
from codeplane.ledger.rotation import QuarantinedFile, Retention
from codeplane.ledger.schema import EventRow
from codeplane.ledger.tickets import Ticket
from codeplane.ledger.writer import LedgerWriter
from codeplane.processes.threads import SupervisedThread

GROUP_SECONDS = 0.05
QUEUE_LIMIT = MAX_GROUP


_Entry = tuple[EventRow | None, Ticket | None]


class Ledger:
    """Thread-safe. One background thread alone touches the file."""

    def __init__(self, writer: LedgerWriter, directory: Path, group_seconds: float, queue_limit: int) -> None:
        """Use `Ledger.open`."""
        self._writer = writer
        self._recovery = writer.recovery
        self.directory = directory
        self.owner = writer.owner
        self._group_seconds = group_seconds
        self._queue_limit = queue_limit
        lock = Lock()
        self._work = Condition(lock)
        self._has_room = Condition(lock)
        self._queue: list[_Entry] = []
        self._urgent = False
        self._closing = False
        self._open_intents: set[int] = set()
        self._group: list[_Entry] = []
        """Entries that are being written."""
        self._thread = SupervisedThread("codeplane-ledger", self._run, self._fail_group)

    @classmethod
    def open(
        cls,
        directory: Path,
        *,
        owner: str = "",
        retention: Retention | None = None,
        wall: Callable[[], float] = time.time,
        group_seconds: float = GROUP_SECONDS,
        queue_limit: int = QUEUE_LIMIT,
        recover: Recover | None = None,
        anchor: LedgerAnchor | None = None,
    ) -> Ledger:
        """Open the ledger in a state directory and close what a dead process left open.

        `recover` rolls back an interrupted mutation. Missing space or permission does not raise: `is_available` is
        then False. `owner` is an id of this repository that no clone can know; a ledger of another owner is
        quarantined. `anchor` shows whether the ledger was deleted or replaced. VERSION_MISMATCH if a newer version
        wrote the ledger.
        """
        queue = RecoveryQueue(recover)
        writer = LedgerWriter(directory, owner, retention or Retention(), wall, queue, queue_limit, anchor)
        ledger = cls(writer, directory, group_seconds, queue_limit)
        writer.try_open()
        ledger._thread.start()
        return ledger

    @property
    def lost(self) -> int:
        """Number of events that could not be written."""
        return self._writer.lost

    @property
    def is_available(self) -> bool:
        return self._writer.file is not None

    @property
    def availability(self) -> str:
        """`kept`, `elsewhere` while another process holds it, or `unavailable`."""
        if self.is_available:
            return "kept"
        return "elsewhere" if self._writer.is_locked_elsewhere else "unavailable"

    @property
    def quarantined(self) -> tuple[QuarantinedFile, ...]:
        """Files that were moved aside since this ledger was opened."""
        return tuple(self._writer.quarantined)

    def intent(self, event: Event) -> int:
        """Record an intent, on disk when this returns. If it raises, the effect must not happen."""
        seq = self._put_and_wait(event_row(event, "intent", self._writer.now_ms()))
        with self._work:
            self._open_intents.add(seq)
        return seq

    def outcome(self, event: Event) -> None:
        """Record the outcome of a call. For a read this never waits for the disk, never fails and survives a kill.

        The outcome of an effect is on disk when this returns; if that fails this raises, and the row is retained and
        written as soon as possible.
        """
        row = event_row(event, "outcome", self._writer.now_ms())
        if event.intent is None:
            self._put(row)
            return
        with self._work:
            if event.intent not in self._open_intents:
                raise CodePlaneError(ErrorCode.INTERNAL, "an outcome without an intent, or a second outcome")
            self._open_intents.remove(event.intent)
        self._put_and_wait(row)

    def ensure_settled(self) -> None:
        """Wait until files may be changed: the ledger is writable and interrupted mutations are rolled back."""
        if self._writer.is_settled:
            return
        ticket = Ticket(settles=True)
        if not self._add(None, ticket):
            raise closed_error()
        ticket.wait()

    def commit(self, event: Event) -> None:
        """Record the outcome of a mutation: this is its commit point. If it raises, the mutation must be rolled back.

        RECOVERY_PENDING if it is unknown whether the outcome was written: then the ledger finds out and rolls back.
        """
        assert event.intent is not None
        ticket = Ticket(commits=event.intent)
        if not self._add(event_row(event, "outcome", self._writer.now_ms()), ticket):
            raise closed_error()
        ticket.wait()
        with self._work:
            self._open_intents.discard(event.intent)

    def abandon(self, intent: int) -> None:
        """Leave a mutation to be rolled back before the next one."""
        with self._work:
            self._open_intents.discard(intent)
        self._recovery.abandon(intent)

    def take_rolled_back(self) -> tuple[RolledBackMutation, ...]:
        """Return the interrupted mutations that were rolled back, each once."""
        return self._recovery.take_rolled_back()

    def list_mutations(
        self, limit: int, *, mutation_id: str | None = None, key: str | None = None, undoes: str | None = None
    ) -> list[MutationRow]:
        """List mutations, newest first: all, or those with this id, this idempotency key, or that undo this one."""
        return list_mutations(self.directory, limit, mutation_id=mutation_id, key=key, undoes=undoes)

    def list_mutation_ids(self) -> frozenset[str]:
        return list_mutation_ids(self.directory)

    def open_task(
        self,
        task_id: str,
        session_id: str | None = None,
        *,
        limits: Mapping[str, int] | None = None,
        repo_head: str | None = None,
        epoch: int | None = None,
        client: str | None = None,
    ) -> None:
        self._put(opened_row(task_id, session_id, limits, repo_head, epoch, self._writer.now_ms(), client))

    def close_task(self, task_id: str, state: TaskState, limit: str | None = None) -> None:
        self._put(closed_row(task_id, state, self._writer.now_ms(), limit))

    def find_state(self, task_id: str) -> TaskState | None:
        """Return the state of a task; None if the task is not in the ledger."""
        self.flush()
        try:
            found = find_tasks(self.directory, task_id, 1)
        except CodePlaneError:
            return None
        return TaskState(found[0].state) if found and found[0].task_id == task_id else None

    def take_interrupted(self, client: str) -> tuple[str, ...]:
        """Return the tasks that a client had open in a server that died, each once."""
        return self._writer.open_items.take_interrupted(client)

    def flush(self) -> None:
        """Wait until everything recorded so far was written, or counted as lost."""
        ticket = Ticket()
        if self._add(None, ticket):
            ticket.wait()

    def close(self) -> None:
        """Write the queue and release the file."""
        with self._work:
            self._closing = True
            self._work.notify_all()
            self._has_room.notify_all()
        self._thread.join()

    def _put(self, row: EventRow) -> None:
        if not self._add(row, None):
            self._writer.count_lost(1, ErrorCode.SHUTTING_DOWN)

    def _put_and_wait(self, row: EventRow) -> int:
        ticket = Ticket()
        if not self._add(row, ticket):
            raise closed_error()
        return ticket.wait()

    def _add(self, row: EventRow | None, ticket: Ticket | None) -> bool:
        self._thread.ensure_running()
        with self._work:
            while len(self._queue) >= self._queue_limit and not self._closing:
                self._has_room.wait()
            if self._closing:
                return False
            if row is not None and ticket is None:
                self._writer.acks.add(row)
            self._queue.append((row, ticket))
            if ticket is not None:
                self._urgent = True
            if ticket is not None or len(self._queue) in (1, self._queue_limit):
                self._work.notify()
            return True

    def _run(self) -> None:
        while True:
            with self._work:
                while not self._queue and not self._closing:
                    self._work.wait()
                if not self._closing:
                    self._work.wait_for(self._is_due, self._group_seconds)
                group, self._queue = self._queue, []
                self._group = group
                if group:
                    self._writer.acks.start_group()
                self._urgent = False
                closing = self._closing
                self._has_room.notify_all()
            if group:
                self._write_group(group)
            if closing and not self._queue:
                break
        self._writer.close()

    def _is_due(self) -> bool:
        return self._urgent or self._closing or len(self._queue) >= self._queue_limit

    def _write_group(self, group: list[_Entry]) -> None:
        """Write a group and complete every ticket in it, whatever happens."""
        error = self._append_group(group)
        if error is not None:
            # A commit counts only if it is written now, so it is never retained.
            self._writer.retain(
                [row for row, ticket in group if row is not None and not (ticket and ticket.is_commit)], error
            )
        self._writer.acks.clear_group()
        for row, ticket in group:
            if ticket is not None:
                ticket.error = error if row is not None else None
                if error is not None and ticket.commits is not None:
                    ticket.error = self._writer.commit_error(ticket.commits, error)
                elif ticket.settles:
                    ticket.error = self._writer.settle()
                ticket.done.set()
        if error is None:
            self._writer.rotate_if_due()

    def _fail_group(self, failure: BaseException) -> None:
        """Complete the tickets of a group whose writing ended in an unexpected way: their callers wait."""
        group, self._group = self._group, []
        error = self._writer.fail(failure)
        for _, ticket in group:
            if ticket is not None and not ticket.done.is_set():
                commits = ticket.commits
                ticket.error = error if commits is None else self._writer.commit_error(commits, error)
                ticket.done.set()

    def _append_group(self, group: list[_Entry]) -> CodePlaneError | None:
        entries = [(row, ticket) for row, ticket in group if row is not None]
        durable = any(ticket is not None for _, ticket in entries)
        try:
            numbers = self._writer.write([row for row, _ in entries], durable, urgent=durable or self._closing)
        except CodePlaneError as failure:
            return failure
        except Exception as failure:
            return self._writer.fail(failure)
        for (_, ticket), seq in zip(entries, numbers, strict=True):
            if ticket is not None:
                ticket.seq = seq
        return None
