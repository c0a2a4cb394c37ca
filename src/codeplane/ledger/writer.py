"""The writing side of a ledger: the current file, its lock, and what is open in it.

Appends groups of rows, retries or retains them when the file cannot be written, closes what a dead process left
open, rolls back interrupted mutations, and rotates. Not thread-safe: the ledger's thread alone calls it; other
threads read its properties.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from codeplane import telemetry
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.disk.locks import FileLock
from codeplane.ledger.ack_buffer import AckBuffer
from codeplane.ledger.anchor import LedgerAnchor
from codeplane.ledger.errors import unwritable_error
from codeplane.ledger.file import LedgerFile
from codeplane.ledger.open_items import OPENINGS, OpenItems
from codeplane.ledger.paths import ARCHIVE_NAME, LOCK_NAME
from codeplane.ledger.recovery import RecoveryQueue
from codeplane.ledger.rotation import (
    OpenedLedger,
    QuarantinedFile,
    Retention,
    create_archive_directory,
    open_current,
    rotate,
)
from codeplane.ledger.schema import EventRow

_RETRY_SECONDS = 1.0
_WARN_SECONDS = 60.0
_ROTATE_RETRY_SECONDS = 60.0
_LOCK_SECONDS = 0.3
"""Time that an effect, or closing, waits for another process to release the ledger."""
_TRANSIENT = (
    ErrorCode.NO_SPACE,
    ErrorCode.INDEX_LOCKED,
    ErrorCode.STATE_DIRECTORY_READ_ONLY,
    ErrorCode.VERSION_MISMATCH,
)


class LedgerWriter:
    def __init__(
        self,
        directory: Path,
        owner: str,
        retention: Retention,
        wall: Callable[[], float],
        recovery: RecoveryQueue,
        max_retained: int,
        anchor: LedgerAnchor | None,
    ) -> None:
        self._directory = directory
        self.owner = owner
        self._retention = retention
        self._wall = wall
        self.recovery = recovery
        self._max_retained = max_retained
        self._anchor = anchor
        self.acks = AckBuffer(directory, owner)
        self.file: LedgerFile | None = None
        self.is_locked_elsewhere = False
        """True while another process holds the ledger lock."""
        self.lost = 0
        """Number of events that could not be written."""
        self.quarantined: list[QuarantinedFile] = []
        self.open_items = OpenItems(recovery)
        self._retained: list[EventRow] = []
        self._lock = FileLock(directory / ARCHIVE_NAME / LOCK_NAME)
        self._failed_at = self._warned_at = self._rotation_tried_at = float("-inf")

    def now_ms(self) -> int:
        return int(self._wall() * 1000)

    @property
    def is_settled(self) -> bool:
        """True if files may be changed now: the file is open and in place, and nothing waits for rollback."""
        file = self.file
        return file is not None and self.recovery.is_empty and file.is_in_place()

    def try_open(self) -> None:
        """Open at start. Raises only VERSION_MISMATCH; other errors are retried with the next write."""
        try:
            self._open_file()
        except CodePlaneError as error:
            if error.code is ErrorCode.VERSION_MISMATCH:
                self._lock.release()
                raise
            self._failed_at = time.monotonic()
            telemetry.warn("the ledger cannot be written", code=error.code.name)

    def write(self, rows: list[EventRow], durable: bool, urgent: bool) -> list[int]:
        """Append rows after those retained earlier; return their numbers. An urgent write skips the retry delay."""
        if not rows and not self._retained:
            return []
        if self.file is None and not urgent and time.monotonic() - self._failed_at < _RETRY_SECONDS:
            code = ErrorCode.INDEX_LOCKED if self.is_locked_elsewhere else ErrorCode.NO_SPACE
            raise CodePlaneError(code, "the ledger could not be written a moment ago")
        try:
            if urgent:
                self._acquire_lock(_LOCK_SECONDS)
            return self._append(rows, durable)
        except CodePlaneError as error:
            self._close_file()
            if error.code is not ErrorCode.LEDGER_DAMAGED:
                self._failed_at = time.monotonic()
                raise
        # Opening quarantines the damaged file; the rows go to the next one.
        try:
            return self._append(rows, durable, thorough=True)
        except CodePlaneError:
            self._close_file()
            self._failed_at = time.monotonic()
            raise

    def retain(self, rows: list[EventRow], error: CodePlaneError) -> None:
        """Keep rows that must not be lost if the error may be transient; count the others as lost."""
        important = [row for row in rows if row.kind.startswith("task_") or row.intent_seq is not None]
        if self.is_locked_elsewhere:
            # The other process will end and release the ledger.
            important = [row for row in rows if row.kind != "intent"]
        if error.code not in _TRANSIENT or len(self._retained) + len(important) > self._max_retained:
            important = []
        self._retained.extend(important)
        lost = sum(row.kind != "intent" for row in rows) - len(important)
        if lost:
            self.count_lost(lost, error.code)

    def count_lost(self, count: int, code: ErrorCode) -> None:
        self.lost += count
        now = time.monotonic()
        if now - self._warned_at >= _WARN_SECONDS:
            self._warned_at = now
            telemetry.warn("ledger events were lost", lost=self.lost, code=code.name)

    def settle(self) -> CodePlaneError | None:
        """Roll back interrupted mutations; return the reason if files may not be changed."""
        try:
            if self.file is None:
                self._acquire_lock(_LOCK_SECONDS)
            file = self.file or self._open_file()
            self._roll_back(file, self.now_ms())
            self.recovery.require_empty()
            if not file.is_in_place():
                self._recreate()
        except CodePlaneError as error:
            if error.code is not ErrorCode.RECOVERY_PENDING:
                self._close_file()
            return unwritable_error(self._directory) if error.code is ErrorCode.STATE_DIRECTORY_READ_ONLY else error
        except Exception as failure:
            return self.fail(failure)
        return None

    def commit_error(self, intent: int, error: CodePlaneError) -> CodePlaneError | None:
        """Return the error of a failed commit, or None if its outcome reached the file all the same."""
        if error.code in (ErrorCode.NO_SPACE, ErrorCode.INDEX_LOCKED):
            return error
        try:
            file = self.file or self._open_file()
            return None if file.has_outcome(intent) else error
        except Exception as failure:
            unknown = failure if isinstance(failure, CodePlaneError) else self.fail(failure)
            self._close_file()
            return CodePlaneError(
                ErrorCode.RECOVERY_PENDING,
                f"the commit of the write could not be recorded: {unknown.message}",
                remedy="Fix the cause and retry; the write is rolled back first unless it was recorded.",
            )

    def fail(self, failure: BaseException) -> CodePlaneError:
        """Handle an unexpected exception: the thread must continue, because callers wait for it."""
        telemetry.error("the ledger failed", **telemetry.describe(failure))
        self._close_file()
        return CodePlaneError(ErrorCode.INTERNAL, "the ledger failed")

    def rotate_if_due(self) -> None:
        file, now = self.file, self.now_ms()
        # An intent and its outcome stay in one file.
        if file is None or self.open_items.intents or not self._retention.is_due(file, now):
            return
        if time.monotonic() - self._rotation_tried_at < _ROTATE_RETRY_SECONDS:
            return
        self._rotation_tried_at = time.monotonic()
        try:
            following = rotate(self._directory, file, self.owner, now, self._retention)
            if following is None:
                return
            self._rotation_tried_at = float("-inf")
            self.file = following
            self._close_leftovers(OpenedLedger(following), now)
            self._move_anchor(following, synced=True)
        except CodePlaneError as error:
            telemetry.warn("the ledger could not be rotated", code=error.code.name)
            self._close_file()
        except Exception as failure:
            self.fail(failure)

    def close(self) -> None:
        """Write the retained rows and release the file and the lock."""
        with suppress(CodePlaneError):
            self.write([], durable=True, urgent=True)
        if self._retained:
            self.count_lost(len(self._retained), ErrorCode.SHUTTING_DOWN)
        self._close_file()
        self.acks.close()
        self._lock.release()

    def _append(self, rows: list[EventRow], durable: bool, *, thorough: bool = False) -> list[int]:
        file = self.file or self._open_file(thorough=thorough)
        retained = self._retained
        numbers = file.append([*retained, *rows], durable=durable or bool(retained))
        self._move_anchor(file, synced=durable or bool(retained))
        self._retained = []
        self.open_items.track([*retained, *rows], numbers)
        return numbers[len(retained) :]

    def _acquire_lock(self, timeout: float = 0.0) -> None:
        """Acquire the ledger lock: only one process writes, and it alone knows what is open."""
        if self._lock.is_held:
            return
        try:
            create_archive_directory(self._directory)
            self._lock.acquire(timeout)
        except CodePlaneError as error:
            self.is_locked_elsewhere = error.code is ErrorCode.INDEX_LOCKED
            if self.is_locked_elsewhere:
                raise CodePlaneError(
                    ErrorCode.INDEX_LOCKED,
                    "another process is writing the ledger of this repository",
                    details={name: value for name, value in error.details.items() if name == "pid"},
                    remedy=error.remedy,
                ) from error
            raise
        self.is_locked_elsewhere = False

    def _open_file(self, *, thorough: bool = False) -> LedgerFile:
        self._acquire_lock()
        now = self.now_ms()
        opened = open_current(self._directory, self.owner, now, thorough=thorough)
        if opened.quarantined is not None:
            self._quarantine(opened.quarantined)
        try:
            self._compare_with_anchor(now)
            if not self.acks.is_open:
                opened = self._append_pending(opened)
            self._close_leftovers(opened, now)
            self._move_anchor(opened.file, synced=False)
        except BaseException:
            with suppress(CodePlaneError):
                opened.file.close()
            raise
        self.file = opened.file
        return opened.file

    def _quarantine(self, quarantined: QuarantinedFile) -> None:
        self.quarantined.append(quarantined)
        telemetry.warn("a ledger file was quarantined", kind=quarantined.kind, moved_to=quarantined.moved_to)
        if self._anchor is not None and quarantined.kind == "damaged":
            text = f"{quarantined.moved_to} was set aside: {quarantined.reason}"
            self._anchor.record(text, self.now_ms())

    def _compare_with_anchor(self, now: int) -> None:
        missing = self._anchor.missing_row(self._directory) if self._anchor is not None else ""
        if missing and self._anchor is not None:
            telemetry.warn("the ledger differs from its anchor", problem=missing)
            self._anchor.record(missing, now)
            self._anchor.reset()

    def _move_anchor(self, file: LedgerFile, *, synced: bool) -> None:
        if self._anchor is not None:
            self._anchor.move(file.head, synced=synced)

    def _append_pending(self, opened: OpenedLedger) -> OpenedLedger:
        """Append the rows that a dead process had acknowledged, and start buffering new ones."""
        pending = self.acks.read_pending()
        if pending.damaged is not None:
            self._quarantine(QuarantinedFile("damaged", pending.damaged, "acknowledged rows cannot be read"))
        if pending.rows:
            opened.file.append(pending.rows, durable=True)
        self.acks.open()
        closed = {row.task_id for row in pending.rows if row.kind == "task_closed"}
        tasks = {row.task_id: row for row in (*opened.open_tasks, *pending.rows) if row.kind in OPENINGS}
        return replace(opened, open_tasks=tuple(row for name, row in tasks.items() if name not in closed))

    def _close_leftovers(self, opened: OpenedLedger, now: int) -> None:
        """Close what a dead process left open, carry over open tasks, and roll back interrupted mutations."""
        if rows := self.open_items.adopt(opened, now):
            opened.file.append(rows, durable=True)
        self._roll_back(opened.file, now)

    def _roll_back(self, file: LedgerFile, now: int) -> None:
        if rows := self.recovery.roll_back(file.has_outcome, now):
            file.append(rows, durable=True)
            self.open_items.close_intents(rows)

    def _recreate(self) -> None:
        """Start a new ledger after someone removed the state directory: rows in deleted files would be lost."""
        if self.open_items.intents:
            raise CodePlaneError(
                ErrorCode.RECOVERY_PENDING,
                "'.codeplane' was removed or replaced while files were being changed",
                remedy="Retry when the running write is finished.",
            )
        telemetry.warn("the ledger was removed or replaced; starting a new one")
        self._close_file()
        self._lock.release()
        self.acks.close()
        self._open_file()

    def _close_file(self) -> None:
        file, self.file = self.file, None
        if file is not None:
            with suppress(CodePlaneError):
                file.close()
                # Closing writes the log of changes into the file and syncs it.
                self._move_anchor(file, synced=True)
