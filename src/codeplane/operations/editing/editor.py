"""The one door to changing files: batches that do not overlap go on side by side, each done as a whole or not at all.

Planned under the turn at its paths, staged, told to the ledger, put in place, and done with
the outcome that the ledger writes; before that everything is undone. What a batch replaced
stays for a while. Before anything is changed, what an earlier change left half done is undone.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from codeplane import telemetry
from codeplane.base.call_record import CallRecord
from codeplane.base.digests import Digest
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.disk.batch import Batch, Change
from codeplane.disk.kept import read_saved, remove
from codeplane.disk.policy import fold_name
from codeplane.disk.safe_open import Root
from codeplane.disk.transaction import Transaction
from codeplane.disk.writing import New, missing_folders
from codeplane.operations.editing.delta import Blocks, Stats, delta_fields, mutation_fingerprint, short_diff, stats_of
from codeplane.operations.editing.diffing import blocks_of, compare, lines_of
from codeplane.operations.editing.keeping import Keeping, Room
from codeplane.operations.editing.locks import Turns
from codeplane.operations.editing.model import MAX_FILE_BYTES, EditPlan, FileChange

_RECENT = 1000
_ID_BYTES = 6
_ATTEMPTS = 5
_CLOSE_LOOK_SECONDS = 0.01

Cancelled = Callable[[], bool]


class Journal(Protocol):
    """What the ledger is told of one call that changes files."""

    def ensure(self) -> None:
        """Raise unless files may be changed: the ledger is there, and nothing is left half done."""

    def begin(self, batch: Batch) -> None:
        """Note what is about to be done; on the disk when this returns."""

    def commit(self, record: CallRecord, answer_chars: int) -> None:
        """Note that it is done. From here on it is; when this raises it is not."""

    def abandon(self) -> None:
        """Leave the undoing to whoever changes files next."""


@dataclass(frozen=True)
class AppliedEdit:
    """A batch that was applied."""

    batch: Batch
    plan: EditPlan
    blocks: Blocks
    stats: Stats
    delta: Mapping[str, object]
    fingerprint: Digest
    lost_attributes: tuple[RepoPath, ...]


@dataclass(frozen=True)
class Request:
    """What is to be changed, found out under the turn at the paths."""

    paths: Sequence[RepoPath]
    plan: Callable[[Root], EditPlan]
    about: Callable[[Mapping[str, object]], Mapping[str, object]] = lambda delta: {}
    """From the delta to what the plan says besides: no content."""
    look: Callable[[EditPlan, Blocks], None] | None = None
    """Called with the finished plan while the files are still as they were."""


class Editor:
    """Of one repository, for as long as its ledger is ours. Safe from many threads."""

    def __init__(self, root: Path, room: Room | None = None, *, plain: bool = False) -> None:
        """`plain` forces the way of systems that cannot exchange names."""
        self.root = Root.open(root)
        self.keys = Turns()
        self._paths = Turns()
        self._plain = plain
        self._keeping = Keeping(self.root, room or Room())
        self._lock = threading.Lock()
        self._running: set[str] = set()
        self._busy = 0
        self._closing = False
        self._recent: deque[tuple[str, Change]] = deque(maxlen=_RECENT)

    def sweep(self, known: Callable[[], Collection[str]]) -> None:
        """Remove what a kill left before anything was touched. Only at the start, and by what the ledger knows."""
        gone = self._keeping.sweep_left_over(known)
        if gone:
            telemetry.info("leftovers of changes that never began were removed", count=len(gone))

    def close(self, timeout: float) -> None:
        """What is planned is given up, what is being applied comes to its end; then nothing is changed any more."""
        deadline = time.monotonic() + timeout
        self._closing = True
        while self._busy and time.monotonic() < deadline:
            time.sleep(_CLOSE_LOOK_SECONDS)
        if not self._busy:
            self.root.close()

    def plan(self, request: Request, cancelled: Cancelled) -> tuple[EditPlan, Blocks]:
        """What would be changed; changes nothing."""
        with self._working():
            self._check_root()
            with self._paths.taken(map(fold_name, request.paths), cancelled):
                plan = request.plan(self.root)
            return plan, _blocks(plan)

    def apply(self, request: Request, journal: Journal, cancelled: Cancelled) -> AppliedEdit | EditPlan:
        """Do it; what was planned comes back alone where nothing is to be changed."""
        with self._working():
            self._check_root()
            for _ in range(_ATTEMPTS):
                folders = self._missing(request.paths)
                # Of names that are one file on some systems, two batches must not make one each.
                with self._paths.taken(map(fold_name, (*request.paths, *folders)), cancelled):
                    journal.ensure()
                    plan = request.plan(self.root)
                    if not folders.issuperset(plan.made):
                        # A directory has gone meanwhile, which others may be about to make.
                        continue
                    if not plan.changes:
                        return plan
                    blocks = _blocks(plan)
                    if request.look is not None:
                        request.look(plan, blocks)
                    return self._apply(plan, blocks, request, journal, cancelled)
        raise CodePlaneError(ErrorCode.EDIT_CONFLICT, "directories of the files come and go; nothing was changed")

    def explain(self, path: RepoPath, expected: str, data: bytes) -> dict[str, object]:
        """What is known of how a file came from what was expected of it to what it is."""
        for mutation_id, change in reversed(self._recent):
            if change.path == path and change.old is not None and change.old.startswith(expected):
                saved = read_saved(self.root, mutation_id, change, MAX_FILE_BYTES)
                fields: dict[str, object] = {"mutation_id": mutation_id}
                old, new = lines_of(saved.data) if saved is not None else None, lines_of(data)
                if old is not None and new is not None:
                    blocks = compare(old, new)
                    fields["changed_lines"] = [f"{block.new_start + 1}-{block.new_end}" for block in blocks[:10]]
                return fields
        return {}

    @contextmanager
    def _working(self) -> Iterator[None]:
        with self._lock:
            if self._closing:
                raise _shutting_down()
            self._busy += 1
        try:
            yield
        finally:
            with self._lock:
                self._busy -= 1

    def _check_root(self) -> None:
        try:
            self.root.check()
        except CodePlaneError as error:
            # Where it lay is nothing that an agent needs to know.
            message = "the repository was moved, deleted or replaced; nothing was changed"
            raise CodePlaneError(error.code, message, remedy=error.remedy) from error

    def _missing(self, paths: Sequence[RepoPath]) -> set[RepoPath]:
        found: set[RepoPath] = set()
        for path in paths:
            try:
                found.update(missing_folders(self.root, path))
            except CodePlaneError:
                # Said by the planning, with all that belongs to it.
                continue
        return found

    def _apply(
        self,
        plan: EditPlan,
        blocks: Blocks,
        request: Request,
        journal: Journal,
        cancelled: Cancelled,
    ) -> AppliedEdit:
        stats = stats_of(plan.changes, blocks)
        delta = delta_fields(plan.changes, blocks)
        fingerprint = mutation_fingerprint(plan.changes, stats)
        batch = _batch(plan, request.about(delta))
        mutation_id = batch.mutation_id
        self._running.add(mutation_id)
        try:
            with Transaction(self.root, batch, plain=self._plain) as transaction:
                lost = self._staged(transaction, plan, cancelled)
                try:
                    journal.begin(batch)
                except BaseException:
                    remove(self.root, mutation_id)
                    raise
                record = CallRecord(
                    changed_paths=batch.paths,
                    diff_stats=stats.as_dict(),
                    short_diff=short_diff(plan.changes),
                    mutation_id=mutation_id,
                    mutation_fingerprint=fingerprint,
                )
                try:
                    transaction.apply()
                    transaction.verify()
                    journal.commit(record, len(str(delta)))
                except BaseException as error:
                    _undo(transaction, journal, error)
                    raise
            self._keep(mutation_id, plan)
        finally:
            self._running.discard(mutation_id)
        self._recent.extend((mutation_id, change) for change in batch.changes)
        return AppliedEdit(batch, plan, blocks, stats, delta, fingerprint, lost)

    def _keep(self, mutation_id: str, plan: EditPlan) -> None:
        """It is done, so whatever happens here must not look as if it were not."""
        try:
            kept = sum(len(change.old or b"") for change in plan.changes)
            self._keeping.add(mutation_id, kept, self._running)
        except (OSError, CodePlaneError) as error:
            telemetry.warn("what files were before could not be tidied", **telemetry.describe(error))

    def _staged(self, transaction: Transaction, plan: EditPlan, cancelled: Cancelled) -> tuple[RepoPath, ...]:
        contents = {
            change.path: New(change.new, change.like, change.executable)
            for change in plan.changes
            if change.new is not None
        }
        try:
            lost = transaction.stage(contents)
            if self._closing:
                raise _shutting_down()
            if cancelled():
                raise CodePlaneError(ErrorCode.CANCELLED, "the call was cancelled before it began; nothing was done")
        except BaseException:
            remove(self.root, transaction.batch.mutation_id)
            raise
        return lost


def new_mutation_id() -> str:
    return f"m_{secrets.token_urlsafe(_ID_BYTES)}"


def _batch(plan: EditPlan, about: Mapping[str, object]) -> Batch:
    changes = tuple(
        Change(change.path, change.old_digest, change.new_digest, str(number))
        for number, change in enumerate(plan.changes)
    )
    return Batch(new_mutation_id(), changes, plan.made, about)


def _blocks(plan: EditPlan) -> Blocks:
    """Of a file that moves, what differs from what it was where it came from."""
    by_path = {change.path: change for change in plan.changes}
    found = {}
    for change in plan.changes:
        source = by_path.get(change.moved_from) if change.moved_from is not None else None
        compared = change if source is None else FileChange(change.path, source.old, change.new)
        found[change.path] = blocks_of(compared)
    return found


def _undo(transaction: Transaction, journal: Journal, error: BaseException) -> None:
    """Put everything back; what cannot be is left to the next change, and said."""
    if isinstance(error, CodePlaneError) and error.code is ErrorCode.RECOVERY_PENDING:
        journal.abandon()
        return
    try:
        left = transaction.undo()
    except BaseException as failure:
        journal.abandon()
        telemetry.warn("a change could not be undone yet", **telemetry.describe(failure))
        reason = failure.message if isinstance(failure, CodePlaneError) else type(failure).__name__
        raise CodePlaneError(
            ErrorCode.RECOVERY_PENDING,
            f"the change failed, and could not be undone yet: {reason}",
            details={"mutation_id": transaction.batch.mutation_id},
            remedy="Do away with what hinders it, and try again; it is undone first.",
        ) from error
    if left and isinstance(error, CodePlaneError):
        error.details["left"] = [{"path": path, "reason": reason} for path, reason in left]
        error.details["kept_in"] = f".codeplane/txn/{transaction.batch.mutation_id}"


def _shutting_down() -> CodePlaneError:
    return CodePlaneError(ErrorCode.SHUTTING_DOWN, "CodePlane is shutting down; nothing was changed")
