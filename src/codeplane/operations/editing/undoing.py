"""Taking a change back: from what was kept of the files, as a change of its own.

Only when every file is still what the change made of it: whatever was done since would be
lost otherwise. So the change that takes back can be taken back as well.
"""

from __future__ import annotations

from codeplane.base.digests import digest_bytes
from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.disk import encoding as texts
from codeplane.disk.batch import Batch, Change, parse_batch
from codeplane.disk.kept import read_saved
from codeplane.disk.policy import refuse_protected
from codeplane.disk.safe_open import Root
from codeplane.disk.writing import missing_folders, read_to_replace, remove_folder
from codeplane.operations.editing.model import MAX_MOVED_BYTES, EditPlan, FileChange
from codeplane.operations.editing.writing import EditContext, MutationLog, MutationRequest, change
from codeplane.tasks.model import Scope

_MAX_TOLD = 20


def take_back(context: EditContext, mutation_id: str, log: MutationLog, scope: Scope) -> Answer:
    """MUTATION_UNKNOWN, UNDO_GONE or UNDO_REFUSED where it cannot be."""
    batch = _find(log, mutation_id)
    for path in batch.paths:
        refuse_protected(path)
        scope.require(path)
    request = MutationRequest(
        batch.paths,
        lambda root: _inverse(root, batch),
        digest_bytes(mutation_id.encode()),
        undoes=mutation_id,
    )
    answer = change(context, request, log)
    for directory in reversed(batch.made):
        remove_folder(context.editor.root, directory)
    return answer


def _find(log: MutationLog, mutation_id: str) -> Batch:
    rows = log.list_mutations(1, mutation_id=mutation_id) if mutation_id.isascii() else []
    if rows and rows[0].status == "ok":
        return parse_batch(rows[0].plan)
    raise CodePlaneError(
        ErrorCode.MUTATION_UNKNOWN,
        "that change was never done: it failed or was undone" if rows else "there is no change with this id",
        expected="the mutation_id of a change",
        received=display(mutation_id[:80]),
        remedy="'cpl mutations' lists them.",
    )


def _inverse(root: Root, batch: Batch) -> EditPlan:
    """Every file as it was, given that none has moved on."""
    states = [(entry, _state(root, entry)) for entry in batch.changes]
    moved_on = [(entry, state) for entry, state in states if state != "new"]
    if moved_on:
        undone = all(state == "old" for _, state in states)
        raise CodePlaneError(
            ErrorCode.UNDO_REFUSED,
            "the change is undone already" if undone else _why(*moved_on[0]),
            details={
                "mutation_id": batch.mutation_id,
                "files": [{"path": entry.path, "reason": _REASONS[state]} for entry, state in moved_on[:_MAX_TOLD]],
            },
            remedy=None if undone else "Undo the later change first, or edit the file.",
        )
    changes = [_restored(root, batch, entry) for entry in batch.changes]
    made = {folder for entry in changes if entry.new is not None for folder in missing_folders(root, entry.path)}
    ordered = tuple(sorted(made, key=lambda path: (path.count("/"), path)))
    return EditPlan(tuple(changes), (), ordered)


_REASONS = {
    "old": "it is what it was before",
    "gone": "it was removed",
    "other": "it was changed since",
    "there": "something else has its name",
    "new": "",
}


def _state(root: Root, entry: Change) -> str:
    try:
        current = digest_bytes(read_to_replace(root, entry.path, MAX_MOVED_BYTES)[0])
    except CodePlaneError as error:
        if error.code is ErrorCode.FILE_UNREADABLE:
            raise
        if error.code is not ErrorCode.FILE_NOT_FOUND:
            return "there" if entry.new is None else "other"
        return "new" if entry.new is None else "old" if entry.old is None else "gone"
    if current == entry.new:
        return "new"
    if current == entry.old:
        return "old"
    return "there" if entry.new is None else "other"


def _why(entry: Change, state: str) -> str:
    return f"'{display(entry.path)}' is not what the change made of it: {_REASONS[state]}"


def _restored(root: Root, batch: Batch, entry: Change) -> FileChange:
    path = RepoPath(entry.path)
    current, linked = (None, False) if entry.new is None else read_to_replace(root, path, MAX_MOVED_BYTES)
    if entry.old is None:
        return FileChange(path, current, None, linked=linked)
    saved = read_saved(root, batch.mutation_id, entry, MAX_MOVED_BYTES)
    if saved is None:
        raise CodePlaneError(
            ErrorCode.UNDO_GONE,
            f"what '{display(path)}' was before is no longer kept",
            details={"mutation_id": batch.mutation_id},
            remedy="edits.undo_days and edits.undo_bytes say how long and how much is kept.",
        )
    found = texts.decode(saved.data)
    ending = found.line_ending if found is not None else None
    return FileChange(
        path,
        current,
        saved.data,
        saved.like,
        line_ending=ending,
        linked=linked,
    )
