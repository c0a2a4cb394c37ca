"""The one entry to changing files: mutations of disjoint paths run concurrently, each applied completely or not at all.

    with editor.mutation(paths, journal, cancelled) as mutation:
        delta = mutation.apply(plan)

Within the block the paths are locked, the ledger is writable, and interrupted mutations are rolled back. `apply`
stages the new contents, writes the intent, exchanges the files, verifies them, and writes the outcome, which is the
commit point; on any error before it everything is rolled back. The old contents stay in the undo store for a while.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from codeplane import telemetry
from codeplane.base.call_record import CallRecord
from codeplane.base.digests import Digest
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.disk.policy import fold_name
from codeplane.disk.safe_open import Root
from codeplane.disk.write import NewFile, missing_directories
from codeplane.edits.delta import Delta, delta_fields, mutation_fingerprint, short_diff
from codeplane.edits.diff import diff_lines, split_lines
from codeplane.edits.journal import FileEntry, JournalEntry, MutationJournal
from codeplane.edits.model import MAX_FILE_BYTES, EditPlan
from codeplane.edits.name_locks import NameLocks
from codeplane.edits.recover import LeftoverMutation, LeftoverReason, adopt_leftovers, list_leftovers
from codeplane.edits.transaction import Transaction
from codeplane.edits.undo_store import RetentionLimits, UndoStore, read_old, remove, remove_manifest
from codeplane.ledger.ledger import Ledger

_MAX_RECENT = 1000
_ID_BYTES = 6
_CLOSE_POLL_SECONDS = 0.01

Cancelled = Callable[[], bool]


class Editor:
    """Applies mutations to one working tree. Thread-safe."""

    def __init__(
        self, root: Path, ledger: Ledger | None, limits: RetentionLimits | None = None, *, no_exchange: bool = False
    ) -> None:
        """Open after the ledger, which rolls back interrupted mutations; those that it has lost are rolled back here.

        `no_exchange` forces the rename fallback.
        """
        self.root = Root.open(root)
        self.key_locks = NameLocks()
        """Locks of idempotency keys."""
        self.path_locks = NameLocks()
        self.undo_store = UndoStore(self.root, limits or RetentionLimits())
        self.owner = ledger.owner if ledger is not None else ""
        self.no_exchange = no_exchange
        self.running: set[str] = set()
        self.is_closing = False
        self._lock = threading.Lock()
        self._active = 0
        self._recent: deque[tuple[str, FileEntry]] = deque(maxlen=_MAX_RECENT)
        self._untold: tuple[LeftoverMutation, ...] = ()
        self.leftovers: tuple[LeftoverMutation, ...] = ()
        """Mutations that are neither committed nor completely rolled back."""
        self._ledger = ledger
        self._is_settled = False
        if ledger is not None and ledger.availability != "elsewhere":
            try:
                self._settle(ledger)
            except CodePlaneError as error:
                telemetry.warn("interrupted writes are not settled yet", error=error.code.name)
                self._list_leftovers(ledger)

    def close(self, timeout: float) -> None:
        """Refuse new mutations, cancel those not begun, and wait for those being applied."""
        deadline = time.monotonic() + timeout
        self.is_closing = True
        while self._active and time.monotonic() < deadline:
            time.sleep(_CLOSE_POLL_SECONDS)
        if not self._active:
            self.root.close()

    @contextmanager
    def mutation(
        self, paths: Sequence[RepoPath], journal: MutationJournal | None, cancelled: Cancelled
    ) -> Iterator[Mutation]:
        """Lock the paths for one mutation. Without a journal nothing can be applied: for previews."""
        with self._lock:
            if self.is_closing:
                raise _shutting_down()
            self._active += 1
        try:
            self._check_root()
            # Names that are one file on case-insensitive systems share a lock. Missing directories are locked too:
            # two mutations must not both create one.
            names = map(fold_name, (*paths, *self._missing_directories(paths)))
            with self.path_locks.acquire(names, cancelled) as ticket:
                if journal is not None:
                    journal.ensure_settled()
                    if not self._is_settled and self._ledger is not None:
                        self._settle(self._ledger)
                yield Mutation(self, journal, cancelled, ticket)
        finally:
            with self._lock:
                self._active -= 1

    def take_damaged(self) -> tuple[LeftoverMutation, ...]:
        """Return the mutations that cannot be rolled back because their plan is damaged, each once."""
        with self._lock:
            untold, self._untold = self._untold, ()
        return untold

    def remember(self, entry: JournalEntry) -> None:
        self._recent.extend((entry.mutation_id, file) for file in entry.files)

    def explain_mismatch(self, path: RepoPath, expected: str, data: bytes) -> dict[str, object]:
        """Return which recent mutation changed a file since it had the expected digest, and where."""
        for mutation_id, file in reversed(self._recent):
            if file.path == path and file.old is not None and file.old.startswith(expected):
                stored = read_old(self.root, mutation_id, file, MAX_FILE_BYTES)
                fields: dict[str, object] = {"mutation_id": mutation_id}
                old, new = split_lines(stored.data) if stored is not None else None, split_lines(data)
                if old is not None and new is not None:
                    blocks = diff_lines(old, new)
                    fields["changed_lines"] = [f"{block.new_start + 1}-{block.new_end}" for block in blocks[:10]]
                return fields
        return {}

    def _settle(self, ledger: Ledger) -> None:
        """Roll back what the ledger has lost, once, before any mutation runs; then clean the undo store."""
        with self._lock:
            if self._is_settled:
                return
            ledger.ensure_settled()
            adopt_leftovers(self.root, ledger)
            self._is_settled = True
            try:
                # A quarantined ledger may have recorded the mutations that the undo store holds.
                removed = self.undo_store.sweep(ledger.list_mutation_ids) if not ledger.quarantined else []
            except CodePlaneError as error:
                telemetry.warn("the undo store could not be cleaned", error=error.code.name)
                removed = []
            if removed:
                telemetry.info("removed staged files of mutations that never began", count=len(removed))
            self._list_leftovers(ledger)

    def _list_leftovers(self, ledger: Ledger) -> None:
        self.leftovers = list_leftovers(self.root, ledger.directory, ledger.owner)
        self._untold = tuple(found for found in self.leftovers if found.reason is LeftoverReason.DAMAGED)
        for found in self.leftovers:
            telemetry.warn(
                "a write is unfinished", mutation=found.mutation_id, reason=found.reason, files=len(found.paths)
            )

    def _check_root(self) -> None:
        try:
            self.root.check()
        except CodePlaneError as error:
            # The error of the root names its absolute path, which an agent does not need.
            message = "the repository was moved, deleted or replaced; nothing was changed"
            raise CodePlaneError(error.code, message, remedy=error.remedy) from error

    def _missing_directories(self, paths: Sequence[RepoPath]) -> set[RepoPath]:
        found: set[RepoPath] = set()
        for path in paths:
            try:
                found.update(missing_directories(self.root, path))
            except CodePlaneError:
                # Planning reports it, with the edit that it belongs to.
                continue
        return found


class Mutation:
    """One atomic change, while its paths are locked. Use `Editor.mutation`."""

    def __init__(self, editor: Editor, journal: MutationJournal | None, cancelled: Cancelled, ticket: int) -> None:
        self.root = editor.root
        self._editor = editor
        self._journal = journal
        self._cancelled = cancelled
        self._ticket = ticket

    def apply(
        self,
        plan: EditPlan,
        *,
        key: Digest | None = None,
        request: Digest | None = None,
        undoes: str | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> Delta:
        """Apply a plan of at least one change; it is committed when this returns.

        `key` and `request` are the digests of an idempotency key and of the request it was sent with; `undoes` is the
        mutation that this one rolls back. `check` runs when the files are changed, before the commit; if it raises,
        everything is rolled back.
        """
        editor, journal = self._editor, self._journal
        assert journal is not None and plan.changes
        if not editor.path_locks.extend(self._ticket, map(fold_name, plan.new_directories)):
            raise CodePlaneError(
                ErrorCode.EDIT_CONFLICT, "a directory of the files was removed during the call; nothing was changed"
            )
        fields, fingerprint = delta_fields(plan), mutation_fingerprint(plan)
        about: dict[str, object] = {"key": key, "asked": request, "delta": fields} if key is not None else {}
        if undoes is not None:
            about["undoes"] = undoes
        files = tuple(
            FileEntry(change.path, change.old_digest, change.new_digest, str(number))
            for number, change in enumerate(plan.changes)
        )
        entry = JournalEntry(f"m_{secrets.token_urlsafe(_ID_BYTES)}", files, plan.new_directories, about)
        editor.running.add(entry.mutation_id)
        try:
            with Transaction(self.root, entry, owner=editor.owner, no_exchange=editor.no_exchange) as transaction:
                lost = self._stage(transaction, plan)
                try:
                    journal.begin(entry)
                except BaseException:
                    remove(self.root, entry.mutation_id)
                    raise
                record = CallRecord(
                    changed_paths=entry.paths,
                    diff_stats=plan.stats.as_dict(),
                    short_diff=short_diff(plan),
                    mutation_id=entry.mutation_id,
                    mutation_fingerprint=fingerprint,
                )
                try:
                    transaction.apply()
                    transaction.verify()
                    check()
                    journal.commit(record, len(str(fields)))
                except BaseException as error:
                    _roll_back(transaction, journal, error)
                    raise
            remove_manifest(self.root, entry.mutation_id)
            self._store(entry.mutation_id, plan)
        finally:
            editor.running.discard(entry.mutation_id)
        editor.remember(entry)
        return Delta(entry.mutation_id, plan, fields, fingerprint, lost)

    def _stage(self, transaction: Transaction, plan: EditPlan) -> tuple[RepoPath, ...]:
        contents = {
            change.path: NewFile(change.new, change.like, change.executable)
            for change in plan.changes
            if change.new is not None
        }
        try:
            lost = transaction.stage(contents)
            if self._editor.is_closing:
                raise _shutting_down()
            if self._cancelled():
                raise CodePlaneError(ErrorCode.CANCELLED, "the call was cancelled before it began; nothing was done")
        except BaseException:
            remove(self.root, transaction.entry.mutation_id)
            raise
        return lost

    def _store(self, mutation_id: str, plan: EditPlan) -> None:
        """Account for the old contents. The mutation is committed, so an error here must not fail the call."""
        try:
            size = sum(len(change.old or b"") for change in plan.changes)
            self._editor.undo_store.add(mutation_id, size, self._editor.running)
        except (OSError, CodePlaneError) as error:
            telemetry.warn("old file contents could not be pruned", **telemetry.describe(error))


def _roll_back(transaction: Transaction, journal: MutationJournal, error: BaseException) -> None:
    """Restore everything; a rollback that fails is left to the next mutation, and the error says so."""
    if isinstance(error, CodePlaneError) and error.code is ErrorCode.RECOVERY_PENDING:
        journal.abandon()
        return
    try:
        conflicts = transaction.roll_back()
    except BaseException as failure:
        journal.abandon()
        telemetry.warn("cannot roll back a write yet", **telemetry.describe(failure))
        reason = failure.message if isinstance(failure, CodePlaneError) else type(failure).__name__
        raise CodePlaneError(
            ErrorCode.RECOVERY_PENDING,
            f"the write failed and could not be rolled back yet: {reason}",
            details={"mutation_id": transaction.entry.mutation_id},
            remedy="Fix the cause and retry; the rollback runs first.",
        ) from error
    if conflicts and isinstance(error, CodePlaneError):
        error.details["left"] = [{"path": path, "reason": reason} for path, reason in conflicts]
        error.details["kept_in"] = f".codeplane/txn/{transaction.entry.mutation_id}"


def _shutting_down() -> CodePlaneError:
    return CodePlaneError(ErrorCode.SHUTTING_DOWN, "CodePlane is shutting down; nothing was changed")
