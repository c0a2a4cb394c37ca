"""Recovery of interrupted mutations, and the list of those that recovery could not settle.

The manifest of a mutation is used before its entry in the ledger, because it has a checksum of its own. A mutation that
the ledger has lost is recorded again from its manifest, and then rolled back like every other.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from codeplane import telemetry
from codeplane.base.call_record import CallRecord
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import MAX_LIMIT
from codeplane.base.paths import RepoPath
from codeplane.disk.safe_open import Root
from codeplane.disk.write import exists
from codeplane.edits.journal import FileEntry, JournalEntry, parse_entry, parse_manifest, readable_paths
from codeplane.edits.rollback import ChangeState, change_state
from codeplane.edits.transaction import Transaction
from codeplane.edits.undo_store import TXN_PATH, list_stored, read_manifest, remove, remove_manifest
from codeplane.ledger.events import Event
from codeplane.ledger.ledger import Ledger
from codeplane.ledger.queries import MutationRow, list_mutations
from codeplane.ledger.recovery import UNREADABLE

_MAX_LISTED = 20
_REFUSED_PATHS = (ErrorCode.PROTECTED_PATH, ErrorCode.PATH_ESCAPE, ErrorCode.PATH_INVALID)


class LeftoverReason(StrEnum):
    """Reason why a mutation is unfinished; the value is a sentence about it."""

    INTERRUPTED = "it was interrupted; the next server rolls it back"
    DAMAGED = "it was interrupted, and its plan is damaged, so it was not rolled back"
    INCOMPLETE = "it was rolled back, except for these files"


class LeftoverMutation(NamedTuple):
    """A mutation that is neither committed nor completely rolled back."""

    mutation_id: str
    reason: LeftoverReason
    paths: tuple[RepoPath, ...]
    """Files that may not have the content that they should have. A damaged plan may hide some."""

    def as_dict(self) -> dict[str, object]:
        return {
            "mutation_id": self.mutation_id,
            "reason": self.reason.value,
            "left": list(self.paths[:_MAX_LISTED]),
            "kept_in": f"{TXN_PATH}/{self.mutation_id}",
        }


def roll_back_interrupted(
    root: Path, mutation_id: str, plan: str, *, owner: str = "", no_exchange: bool = False
) -> tuple[RepoPath, ...] | None:
    """Restore the files of a mutation; return those that could not be restored.

    None, with nothing changed, if the mutation is committed and its outcome was lost: it has no manifest any more, and
    every file is as it left it.
    """
    with Root.open(root) as opened:
        manifest = read_manifest(opened, mutation_id)
        entry = _trusted_entry(mutation_id, manifest, owner) or parse_entry(plan)
        try:
            if manifest is None and all(change_state(opened, file) is ChangeState.CURRENT for file in entry.files):
                return None
            with Transaction(opened, entry, owner=owner, no_exchange=no_exchange) as transaction:
                return tuple(conflict.path for conflict in transaction.roll_back())
        except CodePlaneError as error:
            if error.code in _REFUSED_PATHS:
                # No entry that this code writes names such a path.
                raise CodePlaneError(ErrorCode.LEDGER_DAMAGED, "a journal entry names a protected path") from error
            raise


def adopt_leftovers(root: Root, ledger: Ledger) -> None:
    """Roll back the mutations that only their manifests know, and remove those that never began.

    Only when all mutations in the ledger are settled: their manifests are of no more use.
    """
    for mutation_id, manifest in _manifests(root).items():
        row = _find_row(ledger.directory, mutation_id)
        entry = _trusted_entry(mutation_id, manifest, ledger.owner)
        if row is not None:
            if row.failure_class != UNREADABLE:
                remove_manifest(root, mutation_id)
        elif entry is not None and _is_untouched(root, entry):
            remove(root, mutation_id)
        elif entry is not None:
            telemetry.warn("the ledger has lost an interrupted write", mutation=mutation_id, files=len(entry.files))
            record = CallRecord(mutation_id=mutation_id, changed_paths=entry.paths)
            event = Event("recovery", mutation_id, op_type="recovery", record=record, plan=entry.as_text())
            ledger.abandon(ledger.intent(event))
    ledger.ensure_settled()


def list_leftovers(root: Root, ledger_directory: Path, owner: str) -> tuple[LeftoverMutation, ...]:
    """Return the unfinished mutations, also one that is running now. Writes nothing."""
    stored = list_stored(root)
    failed = _failed_rows(ledger_directory) if stored else {}
    found = []
    for mutation_id in stored:
        manifest, row = read_manifest(root, mutation_id), failed.get(mutation_id)
        if manifest is not None and (row is None or row.failure_class == UNREADABLE):
            found.append(_unfinished(root, ledger_directory, mutation_id, manifest, owner))
        elif row is not None:
            found.append(LeftoverMutation(mutation_id, LeftoverReason.INCOMPLETE, _not_restored(root, row)))
    return tuple(leftover for leftover in found if leftover is not None)


def _unfinished(
    root: Root, ledger_directory: Path, mutation_id: str, manifest: bytes, owner: str
) -> LeftoverMutation | None:
    row = _find_row(ledger_directory, mutation_id)
    if row is not None and row.status == "ok":
        # Killed between the outcome and the removal of the manifest.
        return None
    entry = _trusted_entry(mutation_id, manifest, owner)
    if entry is None and row is not None and row.failure_class != UNREADABLE:
        entry = _entry_of(row)
    if entry is None:
        return LeftoverMutation(mutation_id, LeftoverReason.DAMAGED, readable_paths(manifest))
    if _is_untouched(root, entry):
        return None
    return LeftoverMutation(mutation_id, LeftoverReason.INTERRUPTED, entry.paths)


def _manifests(root: Root) -> Mapping[str, bytes]:
    found = {name: read_manifest(root, name) for name in list_stored(root)}
    return {name: manifest for name, manifest in found.items() if manifest is not None}


def _trusted_entry(mutation_id: str, manifest: bytes | None, owner: str) -> JournalEntry | None:
    entry = parse_manifest(manifest, owner) if manifest is not None else None
    return entry if entry is not None and entry.mutation_id == mutation_id else None


def _find_row(ledger_directory: Path, mutation_id: str) -> MutationRow | None:
    """Return the row of a mutation; None if it has none, or the ledger is damaged."""
    try:
        found = list_mutations(ledger_directory, 1, mutation_id=mutation_id)
    except CodePlaneError:
        return None
    return found[0] if found else None


def _failed_rows(ledger_directory: Path) -> Mapping[str, MutationRow]:
    try:
        rows = list_mutations(ledger_directory, MAX_LIMIT, failed=True)
    except CodePlaneError:
        return {}
    return {row.mutation_id: row for row in rows}


def _entry_of(row: MutationRow) -> JournalEntry | None:
    try:
        return parse_entry(row.plan)
    except CodePlaneError:
        return None


def _not_restored(root: Root, row: MutationRow) -> tuple[RepoPath, ...]:
    entry = _entry_of(row)
    if entry is None:
        return ()
    return tuple(file.path for file in entry.files if _state_or_changed(root, file) is not ChangeState.OLD)


def _is_untouched(root: Root, entry: JournalEntry) -> bool:
    is_old = all(_state_or_changed(root, file) is ChangeState.OLD for file in entry.files)
    return is_old and not any(exists(root, directory) for directory in entry.new_directories)


def _state_or_changed(root: Root, file: FileEntry) -> ChangeState:
    try:
        return change_state(root, file)
    except CodePlaneError:
        return ChangeState.CHANGED
