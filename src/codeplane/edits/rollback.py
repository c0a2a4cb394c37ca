"""Plan the inverse of a mutation from the old contents in the undo store.

Only if every file still is what the mutation made of it: later changes would be lost otherwise. The rollback is a
mutation itself, so it can be rolled back too.
"""

from __future__ import annotations

from enum import StrEnum

from codeplane.base.digests import digest_bytes
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.disk import encoding as texts
from codeplane.disk.safe_open import Root
from codeplane.disk.write import read_with_links
from codeplane.edits.journal import FileEntry, JournalEntry
from codeplane.edits.model import MAX_MOVED_BYTES, EditPlan, FileChange
from codeplane.edits.preconditions import new_directories
from codeplane.edits.undo_store import read_old

_MAX_LISTED = 20


class ChangeState(StrEnum):
    """State of a file relative to the mutation; the value is the reason not to roll back."""

    CURRENT = ""
    OLD = "it already has its old content"
    REMOVED = "it was removed"
    CHANGED = "it was changed since"
    REPLACED = "its path is in use"


def plan_rollback(root: Root, entry: JournalEntry) -> EditPlan:
    """Plan the inverse. UNDO_REFUSED if a file was changed since, UNDO_GONE if an old content is no longer stored."""
    states = [(file, change_state(root, file)) for file in entry.files]
    changed = [(file, state) for file, state in states if state is not ChangeState.CURRENT]
    if changed:
        is_rolled_back = all(state is ChangeState.OLD for _, state in states)
        first, reason = changed[0]
        raise CodePlaneError(
            ErrorCode.UNDO_REFUSED,
            "the mutation is rolled back already"
            if is_rolled_back
            else f"'{display(first.path)}' is not as the mutation left it: {reason.value}",
            details={
                "mutation_id": entry.mutation_id,
                "files": [{"path": file.path, "reason": state.value} for file, state in changed[:_MAX_LISTED]],
            },
            remedy=None if is_rolled_back else "Roll back the later mutation first, or edit the file.",
        )
    changes = tuple(_inverse(root, entry, file) for file in entry.files)
    return EditPlan(changes, (), new_directories(root, changes))


def change_state(root: Root, file: FileEntry) -> ChangeState:
    """Return how far a file has been changed by its mutation, judged by its present content."""
    try:
        current = digest_bytes(read_with_links(root, file.path, MAX_MOVED_BYTES)[0])
    except CodePlaneError as error:
        if error.code is ErrorCode.FILE_UNREADABLE:
            raise
        if error.code is not ErrorCode.FILE_NOT_FOUND:
            return ChangeState.REPLACED if file.new is None else ChangeState.CHANGED
        return ChangeState.CURRENT if file.new is None else ChangeState.OLD if file.old is None else ChangeState.REMOVED
    if current == file.new:
        return ChangeState.CURRENT
    if current == file.old:
        return ChangeState.OLD
    return ChangeState.REPLACED if file.new is None else ChangeState.CHANGED


def _inverse(root: Root, entry: JournalEntry, file: FileEntry) -> FileChange:
    current, linked = (None, False) if file.new is None else read_with_links(root, file.path, MAX_MOVED_BYTES)
    if file.old is None:
        return FileChange(file.path, current, None, linked=linked)
    stored = read_old(root, entry.mutation_id, file, MAX_MOVED_BYTES)
    if stored is None:
        raise CodePlaneError(
            ErrorCode.UNDO_GONE,
            f"the old content of '{display(file.path)}' is no longer stored",
            details={"mutation_id": entry.mutation_id},
            remedy="edits.undo_days and edits.undo_bytes limit how long and how much is stored.",
        )
    found = texts.decode(stored.data)
    ending = found.line_ending if found is not None else None
    return FileChange(file.path, current, stored.data, stored.like, line_ending=ending, linked=linked)
