"""The ledger: every call leaves one outcome, and a call with an effect says first what it is about to do.

An effect waits until its intent is on the disk, and for its outcome likewise. The row of what
only reads is handed to the system before its answer is given, which outlives this process, and
put into the ledger in groups behind the caller's back. When the disk is full or read-only,
reads go on and are counted as lost, and effects are refused. While another process keeps the
ledger effects are refused too, and the rest is written when it lets go. One thread alone
touches the file.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Condition, Lock, Thread
from threading import Event as Signal

from codeplane import telemetry
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.disk.locks import FileLock
from codeplane.store.errors import SPACE_REMEDY
from codeplane.store.ledger import LedgerFile
from codeplane.store.ledger_files import (
    ARCHIVE_NAME,
    LOCK_NAME,
    LedgerNote,
    OpenedLedger,
    Retention,
    make_archive,
    open_current,
    rotate,
)
from codeplane.store.ledger_reading import (
    MutationRow,
    OperationRow,
    TaskRow,
    find_tasks,
    known_mutations,
    list_mutations,
    list_operations,
    list_tasks,
)
from codeplane.store.ledger_schema import EventRow
from codeplane.store.ledger_waiting import MAX_GROUP, Waiting, open_waiting, read_left
from codeplane.tasks.journal import Journal, Recover, Recovered
from codeplane.tasks.ledger_rows import (
    carried_row,
    closed_row,
    explicit_row,
    interrupted_row,
    opened_row,
    row_of,
)
from codeplane.tasks.model import Event, Limits, Task, TaskState

GROUP_SECONDS = 0.05
QUEUE_LIMIT = MAX_GROUP

_RETRY_SECONDS = 1.0
_WARN_SECONDS = 60.0
_ROTATE_RETRY_SECONDS = 60.0
_LEAST_BYTES = 128 * 1024
_TURN_SECONDS = 0.3
"""How long an effect, or the end, waits for another process to let go of the ledger."""
_OPENINGS = ("task_opened", "task_carried")
_PASSING = (
    ErrorCode.NO_SPACE,
    ErrorCode.INDEX_LOCKED,
    ErrorCode.STATE_DIRECTORY_READ_ONLY,
    ErrorCode.VERSION_MISMATCH,
)


class _Ticket:
    """What a caller waits for: the number of its row, or why there is none."""

    def __init__(self, *, settles: bool = False, commits: int | None = None) -> None:
        self.done = Signal()
        self.seq = 0
        self.error: CodePlaneError | None = None
        self.settles = settles
        """Whether it waits until nothing is left that has to be undone."""
        self.commits = commits
        """The intent of an outcome that counts only if it is written now."""

    def wait(self) -> int:
        self.done.wait()
        if self.error is not None:
            raise self.error
        return self.seq


_Entry = tuple[EventRow | None, _Ticket | None]


class Ledger:
    """The ledger of one repository, for as long as this process is its owner."""

    def __init__(
        self,
        directory: Path,
        *,
        owner: str,
        retention: Retention,
        wall: Callable[[], float],
        group_seconds: float,
        queue_limit: int,
        recover: Recover | None = None,
    ) -> None:
        """Use `Ledger.open`."""
        self._directory = directory
        self._owner = owner
        self._retention = retention
        self._wall = wall
        self._group_seconds = group_seconds
        self._queue_limit = queue_limit

        lock = Lock()
        self._work = Condition(lock)
        self._room = Condition(lock)
        self._queue: list[_Entry] = []
        self._urgent = False
        self._closing = False
        self._awaited: set[int] = set()
        self._waiting: Waiting | None = None

        # From here on: of the writing thread alone.
        self._file: LedgerFile | None = None
        self._tasks: dict[str, EventRow] = {}
        self._intents: set[int] = set()
        self._journal = Journal(recover)
        self._kept: list[EventRow] = []
        self._notes: list[LedgerNote] = []
        self._interrupted: dict[str, tuple[str, ...]] = {}
        self._lost = 0
        self._lock = FileLock(directory / ARCHIVE_NAME / LOCK_NAME)
        self._is_elsewhere = False
        self._failed_at = self._warned_at = self._rotation_tried_at = float("-inf")
        self._thread = Thread(target=self._run, name="codeplane-ledger", daemon=True)

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
    ) -> Ledger:
        """Open the ledger in a state directory and settle what a dead process left open.

        `recover` undoes a change of files that was cut off.

        Never fails for want of space or permission: `is_available` then says so. `owner` is an id
        of this repository that no clone can know; a ledger with another one is put aside.
        VERSION_MISMATCH when a newer version wrote it.
        """
        ledger = cls(
            directory,
            owner=owner,
            retention=retention or Retention(),
            wall=wall,
            group_seconds=group_seconds,
            queue_limit=queue_limit,
            recover=recover,
        )
        try:
            ledger._open_file()
        except CodePlaneError as error:
            if error.code is ErrorCode.VERSION_MISMATCH:
                ledger._lock.release()
                raise
            ledger._failed_at = time.monotonic()
            telemetry.warn("the ledger cannot be written", code=error.code.name)
        ledger._thread.start()
        return ledger

    @property
    def lost(self) -> int:
        """How many events could not be written."""
        return self._lost

    @property
    def is_available(self) -> bool:
        return self._file is not None

    @property
    def standing(self) -> str:
        """kept, elsewhere while another process keeps it, or unavailable."""
        if self.is_available:
            return "kept"
        return "elsewhere" if self._is_elsewhere else "unavailable"

    @property
    def notes(self) -> tuple[LedgerNote, ...]:
        """What its owner should hear of: files that were put aside."""
        return tuple(self._notes)

    def intent(self, event: Event) -> int:
        """Record what is about to be done, on the disk when this returns; raises when it cannot be, so do not do it."""
        seq = self._put_and_wait(row_of(event, "intent", self._now_ms()))
        with self._work:
            self._awaited.add(seq)
        return seq

    def outcome(self, event: Event) -> None:
        """Record how a call ended. Of a read this never waits for the disk and never fails; a kill does not undo it.

        Of an effect it is on the disk when this returns; when it cannot be, this raises, and the
        outcome is kept and written as soon as it can be.
        """
        row = row_of(event, "outcome", self._now_ms())
        if event.intent is None:
            self._put(row)
            return
        with self._work:
            if event.intent not in self._awaited:
                raise CodePlaneError(ErrorCode.INTERNAL, "an outcome without its intent, or a second one")
            self._awaited.remove(event.intent)
        self._put_and_wait(row)

    def ensure_settled(self) -> None:
        """Wait until files may be changed: the ledger can be written, what was cut off is undone. Raises why not."""
        file = self._file
        if file is not None and self._journal.is_settled and file.is_in_place():
            return
        ticket = _Ticket(settles=True)
        if not self._add(None, ticket):
            raise _closed()
        ticket.wait()

    def commit(self, event: Event) -> None:
        """Record that a change of files is done: from here on it is. When this raises it is not, and must be undone.

        RECOVERY_PENDING where that cannot be told now: then it is for the ledger to find out.
        """
        assert event.intent is not None
        ticket = _Ticket(commits=event.intent)
        if not self._add(row_of(event, "outcome", self._now_ms()), ticket):
            raise _closed()
        ticket.wait()
        with self._work:
            self._awaited.discard(event.intent)

    def abandon(self, intent: int) -> None:
        """Leave a change to be undone before the next one."""
        with self._work:
            self._awaited.discard(intent)
        self._journal.leave(intent)

    def take_recovered(self) -> tuple[Recovered, ...]:
        """Changes that were cut off and undone, told once."""
        return self._journal.take_recovered()

    def list_mutations(
        self, limit: int, *, mutation_id: str | None = None, key: str | None = None
    ) -> list[MutationRow]:
        """Changes of files, newest first: all of them, the one with this id, or those with this key."""
        return list_mutations(self._directory, limit, mutation_id=mutation_id, key=key)

    def known_mutations(self) -> frozenset[str]:
        """The ids of all changes of files that it tells of."""
        return known_mutations(self._directory)

    def open_task(
        self,
        task_id: str,
        session_id: str | None = None,
        *,
        limits: Limits | None = None,
        repo_head: str | None = None,
        epoch: int | None = None,
    ) -> None:
        known = limits.as_dict() if limits is not None else None
        self._put(opened_row(task_id, session_id, known, repo_head, epoch, self._now_ms()))

    def open_explicit(self, task: Task, epoch: int | None = None) -> None:
        self._put(explicit_row(task, epoch, self._now_ms()))

    def close_task(self, task_id: str, state: TaskState, limit: str | None = None) -> None:
        self._put(closed_row(task_id, state, self._now_ms(), limit))

    def find_state(self, task_id: str) -> TaskState | None:
        """How a task ended, or that it did not; None for one that is not in the ledger."""
        self.flush()
        try:
            found = find_tasks(self._directory, task_id, 1)
        except CodePlaneError:
            return None
        return TaskState(found[0].state) if found and found[0].task_id == task_id else None

    def take_interrupted(self, client: str) -> tuple[str, ...]:
        """Tasks that a client had opened in a server which died, told once."""
        return self._interrupted.pop(client, ())

    def flush(self) -> None:
        """Wait until everything recorded so far was written, or counted as lost."""
        ticket = _Ticket()
        if self._add(None, ticket):
            ticket.wait()

    def close(self) -> None:
        """Write what is queued and let go of the file."""
        with self._work:
            self._closing = True
            self._work.notify_all()
            self._room.notify_all()
        self._thread.join()

    def list_operations(self, limit: int, before: int | None = None, task_id: str | None = None) -> list[OperationRow]:
        """Outcomes, newest first; `before` is the number of the last one seen."""
        self.flush()
        return list_operations(self._directory, limit, before, task_id)

    def list_tasks(self, limit: int) -> list[TaskRow]:
        """Tasks, newest first."""
        self.flush()
        return list_tasks(self._directory, limit)

    def _now_ms(self) -> int:
        return int(self._wall() * 1000)

    def _put(self, row: EventRow) -> None:
        if not self._add(row, None):
            self._lose(1, ErrorCode.SHUTTING_DOWN)

    def _put_and_wait(self, row: EventRow) -> int:
        ticket = _Ticket()
        if not self._add(row, ticket):
            raise _closed()
        return ticket.wait()

    def _add(self, row: EventRow | None, ticket: _Ticket | None) -> bool:
        with self._work:
            while len(self._queue) >= self._queue_limit and not self._closing:
                self._room.wait()
            if self._closing:
                return False
            if row is not None and ticket is None and self._waiting is not None:
                self._waiting.add(row)
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
                    self._work.wait_for(self._is_pressing, self._group_seconds)
                batch, self._queue = self._queue, []
                if batch and self._waiting is not None:
                    self._waiting.turn()
                self._urgent = False
                closing = self._closing
                self._room.notify_all()
            if batch:
                self._write_all(batch)
            if closing and not self._queue:
                break
        with suppress(CodePlaneError):
            self._write([], durable=True)
        if self._kept:
            self._lose(len(self._kept), ErrorCode.SHUTTING_DOWN)
        self._close_file()
        if self._waiting is not None:
            self._waiting.close()
        self._lock.release()

    def _is_pressing(self) -> bool:
        return self._urgent or self._closing or len(self._queue) >= self._queue_limit

    def _write_all(self, batch: list[_Entry]) -> None:
        """Write a group; whatever happens, everybody who waits is told."""
        rows = [row for row, _ in batch if row is not None]
        durable = any(row is not None and ticket is not None for row, ticket in batch)
        error: CodePlaneError | None = None
        try:
            numbers = iter(self._write(rows, durable))
            for row, ticket in batch:
                if row is not None:
                    seq = next(numbers)
                    if ticket is not None:
                        ticket.seq = seq
        except CodePlaneError as failure:
            error = failure
        except Exception as failure:
            error = self._failed(failure)
        if error is not None:
            # What counts only if it is written now is not written later.
            self._give_up([row for row, ticket in batch if row is not None and not _is_commit(ticket)], error)
        if self._waiting is not None:
            self._waiting.done()
        for row, ticket in batch:
            if ticket is not None:
                ticket.error = error if row is not None else None
                if error is not None and ticket.commits is not None:
                    ticket.error = self._commit_error(ticket.commits, error)
                elif ticket.settles:
                    ticket.error = self._settle_error()
                ticket.done.set()
        if error is None:
            self._rotate_if_due()

    def _settle_error(self) -> CodePlaneError | None:
        """Undo what is left; why files may not be changed, if they may not."""
        try:
            if self._file is None:
                self._take_turn(_TURN_SECONDS)
            file = self._file or self._open_file()
            self._write_settled(file, self._now_ms())
            self._journal.require_settled()
            if not file.is_in_place():
                self._begin_anew()
        except CodePlaneError as error:
            if error.code is not ErrorCode.RECOVERY_PENDING:
                self._close_file()
            return _why_unwritable(self._directory) if error.code is ErrorCode.STATE_DIRECTORY_READ_ONLY else error
        except Exception as failure:
            return self._failed(failure)
        return None

    def _failed(self, failure: Exception) -> CodePlaneError:
        """For what nobody foresaw: this thread goes on, since everybody waits for it."""
        telemetry.error("the ledger failed", **telemetry.describe(failure))
        self._close_file()
        return CodePlaneError(ErrorCode.INTERNAL, "the ledger failed")

    def _begin_anew(self) -> None:
        """Somebody has removed the files beneath us: what is only in them would be lost with this process."""
        if self._intents:
            raise CodePlaneError(
                ErrorCode.RECOVERY_PENDING,
                "'.codeplane' was removed or replaced while files were being changed",
                remedy="Try again when that change is done.",
            )
        telemetry.warn("the ledger was removed or replaced, and is begun anew")
        self._close_file()
        self._lock.release()
        with self._work:
            waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.close()
        self._open_file()

    def _commit_error(self, intent: int, error: CodePlaneError) -> CodePlaneError | None:
        """A write that failed may have reached the file all the same; the file knows."""
        if error.code in (ErrorCode.NO_SPACE, ErrorCode.INDEX_LOCKED):
            return error
        try:
            file = self._file or self._open_file()
            return None if file.has_outcome(intent) else error
        except Exception as failure:
            unknown = failure if isinstance(failure, CodePlaneError) else self._failed(failure)
            self._close_file()
            return CodePlaneError(
                ErrorCode.RECOVERY_PENDING,
                f"whether the change counts as done could not be recorded: {unknown.message}",
                remedy="Do away with what hinders it; then it is undone unless it had been recorded.",
            )

    def _write(self, rows: list[EventRow], durable: bool) -> list[int]:
        if not rows and not self._kept:
            return []
        urgent = durable or self._closing
        if self._file is None and not urgent and time.monotonic() - self._failed_at < _RETRY_SECONDS:
            code = ErrorCode.INDEX_LOCKED if self._is_elsewhere else ErrorCode.NO_SPACE
            raise CodePlaneError(code, "the ledger could not be written a moment ago")
        try:
            if urgent:
                self._take_turn(_TURN_SECONDS)
            return self._append(rows, durable)
        except CodePlaneError as error:
            self._close_file()
            if error.code is not ErrorCode.LEDGER_DAMAGED:
                self._failed_at = time.monotonic()
                raise
        # The damaged file is put aside by the opening, and the rows begin the next one.
        try:
            return self._append(rows, durable, thorough=True)
        except CodePlaneError:
            self._close_file()
            self._failed_at = time.monotonic()
            raise

    def _append(self, rows: list[EventRow], durable: bool, *, thorough: bool = False) -> list[int]:
        file = self._file or self._open_file(thorough=thorough)
        kept = self._kept
        numbers = file.append([*kept, *rows], durable=durable or bool(kept))
        self._kept = []
        self._learn([*kept, *rows], numbers)
        return numbers[len(kept) :]

    def _learn(self, rows: list[EventRow], numbers: list[int]) -> None:
        """What the file now knows to be open, to be carried into the next one."""
        for row, seq in zip(rows, numbers, strict=True):
            if row.kind in _OPENINGS and row.task_id is not None:
                self._tasks[row.task_id] = row
            elif row.kind == "task_closed" and row.task_id is not None:
                self._tasks.pop(row.task_id, None)
            elif row.kind == "intent":
                self._intents.add(seq)
                self._journal.begun(seq, row)
            elif row.intent_seq is not None:
                self._intents.discard(row.intent_seq)
                self._journal.ended(row.intent_seq)

    def _take_turn(self, timeout: float = 0.0) -> None:
        """Of several processes one writes, and only that one knows what is open and what was left open."""
        if self._lock.held:
            return
        try:
            make_archive(self._directory)
            self._lock.acquire(timeout)
        except CodePlaneError as error:
            self._is_elsewhere = error.code is ErrorCode.INDEX_LOCKED
            if self._is_elsewhere:
                raise CodePlaneError(
                    ErrorCode.INDEX_LOCKED,
                    "another process keeps the ledger of this repository",
                    details={name: value for name, value in error.details.items() if name == "pid"},
                    remedy=error.remedy,
                ) from error
            raise
        self._is_elsewhere = False

    def _open_file(self, *, thorough: bool = False) -> LedgerFile:
        self._take_turn()
        now = self._now_ms()
        opened = open_current(self._directory, self._owner, now, thorough=thorough)
        if opened.note is not None:
            self._notes.append(opened.note)
            telemetry.warn("the ledger was put aside", kind=opened.note.kind, kept_as=opened.note.kept_as)
        try:
            if self._waiting is None:
                opened = self._put_left(opened)
            self._settle(opened, now)
        except BaseException:
            with suppress(CodePlaneError):
                opened.file.close()
            raise
        self._file = opened.file
        return opened.file

    def _put_left(self, opened: OpenedLedger) -> OpenedLedger:
        """Put into the ledger what a process that died had acknowledged, and keep what is acknowledged from now on."""
        left = read_left(self._directory, self._owner)
        if left.damaged is not None:
            self._notes.append(LedgerNote("damaged", left.damaged, "rows that waited to be written cannot be read"))
            telemetry.warn("rows that waited for the ledger cannot be read", kept_as=left.damaged)
        if left.rows:
            opened.file.append(left.rows, durable=True)
        self._waiting = open_waiting(self._directory, self._owner)
        closed = {row.task_id for row in left.rows if row.kind == "task_closed"}
        tasks = {row.task_id: row for row in (*opened.left_tasks, *left.rows) if row.kind in _OPENINGS}
        return replace(opened, left_tasks=tuple(row for name, row in tasks.items() if name not in closed))

    def _settle(self, opened: OpenedLedger, now: int) -> None:
        """Close what a dead process left open, and carry over what is open here but not in this file."""
        here = {row.task_id for row in opened.file.open_tasks()}
        rows = [carried_row(row, now) for task_id, row in self._tasks.items() if task_id not in here]
        for left in opened.left_tasks:
            if left.task_id is not None and left.task_id not in self._tasks:
                if left.task_id not in here:
                    rows.append(carried_row(left, now))
                rows.append(closed_row(left.task_id, TaskState.CLOSED_INTERRUPTED, now))
                if left.owner is not None:
                    known = self._interrupted.get(left.owner, ())
                    self._interrupted[left.owner] = (*known, left.task_id)
        for seq, row in opened.left_intents:
            if seq not in self._intents and row.plan is None:
                rows.append(interrupted_row(seq, row, now))
            elif seq not in self._intents:
                self._intents.add(seq)
                self._journal.leave(seq, row)
        if rows:
            opened.file.append(rows, durable=True)
        self._write_settled(opened.file, now)

    def _write_settled(self, file: LedgerFile, now: int) -> None:
        rows = [] if self._journal.is_settled else self._journal.settle(file.has_outcome, now)
        if rows:
            file.append(rows, durable=True)
            self._intents.difference_update(row.intent_seq for row in rows if row.intent_seq is not None)

    def _rotate_if_due(self) -> None:
        file, now = self._file, self._now_ms()
        # An intent and its outcome stay in one file.
        if file is None or self._intents or not self._retention.is_due(file, now):
            return
        if time.monotonic() - self._rotation_tried_at < _ROTATE_RETRY_SECONDS:
            return
        self._rotation_tried_at = time.monotonic()
        try:
            following = rotate(self._directory, file, self._owner, now, self._retention)
            if following is None:
                return
            self._rotation_tried_at = float("-inf")
            self._file = following
            self._settle(OpenedLedger(following), now)
        except CodePlaneError as error:
            telemetry.warn("the ledger could not be rotated", code=error.code.name)
            self._close_file()
        except Exception as failure:
            self._failed(failure)

    def _give_up(self, rows: list[EventRow], error: CodePlaneError) -> None:
        """Keep what must not be forgotten while the trouble may pass; the rest is lost, and said to be."""
        weighty = [row for row in rows if row.kind.startswith("task_") or row.intent_seq is not None]
        if self._is_elsewhere:
            # That process ends, and with it the trouble.
            weighty = [row for row in rows if row.kind != "intent"]
        if error.code not in _PASSING or len(self._kept) + len(weighty) > self._queue_limit:
            weighty = []
        self._kept.extend(weighty)
        lost = sum(row.kind != "intent" for row in rows) - len(weighty)
        if lost:
            self._lose(lost, error.code)

    def _lose(self, count: int, code: ErrorCode) -> None:
        self._lost += count
        now = time.monotonic()
        if now - self._warned_at >= _WARN_SECONDS:
            self._warned_at = now
            telemetry.warn("ledger events were lost", lost=self._lost, code=code.name)

    def _close_file(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with suppress(CodePlaneError):
                file.close()


def _why_unwritable(directory: Path) -> CodePlaneError:
    """SQLite cannot even open a file where there is no space for what it keeps beside it."""
    with suppress(OSError):
        found = os.statvfs(directory)
        if found.f_bavail * found.f_frsize < _LEAST_BYTES:
            message = "the disk is full, so that no record of a change can be kept"
            return CodePlaneError(ErrorCode.NO_SPACE, message, remedy=SPACE_REMEDY)
    return CodePlaneError(
        ErrorCode.STATE_DIRECTORY_READ_ONLY,
        "no record of a change can be kept, so nothing may be changed",
        remedy="Make '.codeplane' in the repository writable for you.",
    )


def _is_commit(ticket: _Ticket | None) -> bool:
    return ticket is not None and ticket.commits is not None


def _closed() -> CodePlaneError:
    return CodePlaneError(ErrorCode.SHUTTING_DOWN, "the ledger is closed, so nothing may be changed")
