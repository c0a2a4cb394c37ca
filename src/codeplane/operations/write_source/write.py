"""write_source: plan the edits, apply them as one mutation, and present the delta.

A repeated idempotency key never changes anything twice: it returns the first answer. Once a mutation is committed,
no later failure turns its answer into an error; it becomes a warning.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from codeplane.base.credentials import count_marks
from codeplane.base.digests import Digest, digest_bytes
from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.edits.journal import MutationJournal, parse_entry
from codeplane.edits.model import Edit, EditPlan, FileChange
from codeplane.edits.mutation import Cancelled, Mutation
from codeplane.edits.plan import PlanOptions, plan_edits
from codeplane.edits.undo_store import read_note
from codeplane.ledger.queries import MutationRow
from codeplane.operations.write_source.messages import RECOVERED, REPEATED, rolled_back
from codeplane.operations.write_source.presenter import (
    RESULT_NOTE,
    present_delta,
    present_preview,
    present_unchanged,
    read_before,
)
from codeplane.operations.write_source.targets import TargetFinder
from codeplane.workspace.workspace import Workspace

_MAX_SAME_KEY = 10


@dataclass(frozen=True)
class EditContext:
    """Workspace and journal of a call that changes files, and the key under which its frontend repeats it."""

    workspace: Workspace
    journal: MutationJournal | None
    """None for a preview."""
    cancelled: Cancelled
    retry_key: str = ""
    """Key of this one call, made by the frontend; empty if it never repeats a call."""
    is_retry: bool = False
    """True if an engine that ended may have carried out the call."""

    def mutation(self, paths: Sequence[RepoPath]) -> AbstractContextManager[Mutation]:
        return self.workspace.mutation(paths, self.journal, self.cancelled)

    def replay(self, request: Digest, idempotency_key: str | None) -> Answer | None:
        """Return the answer of an earlier call with the same key, or of this call if it was carried out."""
        if idempotency_key is None:
            return self.replay_lost(request)
        journal = self.require_journal()
        journal.ensure_settled()
        row = _find_applied(journal, key_digest(idempotency_key))
        return None if row is None else _replay(self, request, row, REPEATED)

    def replay_lost(self, request: Digest) -> Answer | None:
        """Return the answer of this call if an engine that ended has carried it out."""
        if not self.is_retry:
            return None
        journal = self.require_journal()
        journal.ensure_settled()
        row = _find_applied(journal, key_digest(self.retry_key))
        return None if row is None else _replay(self, request, row, RECOVERED)

    def require_journal(self) -> MutationJournal:
        assert self.journal is not None
        return self.journal


@dataclass(frozen=True)
class WriteRequest:
    """Edits with resolved paths, and the rules for planning them."""

    edits: Sequence[Edit]
    allow_sensitive: bool
    require_allowed: Callable[[RepoPath], None]
    digest: Digest
    """Digest of the edits, to recognise a repeated request."""
    idempotency_key: str | None = None

    @property
    def paths(self) -> list[RepoPath]:
        return list(dict.fromkeys(path for edit in self.edits for path in edit.paths))


def preview(context: EditContext, request: WriteRequest, max_chars: int | None) -> Answer:
    """Return the diff of the edits without changing anything."""
    with context.mutation(request.paths) as mutation:
        plan = _plan(context, mutation, request)
    return present_preview(context.workspace, plan, max_chars)


def write(context: EditContext, request: WriteRequest) -> Answer:
    """Apply the edits, or return the answer of an earlier call with the same idempotency key."""
    text = request.idempotency_key or context.retry_key
    if not text:
        return _write(context, request, None)
    key = key_digest(text)
    with context.workspace.editor.key_locks.acquire((key,), context.cancelled):
        return context.replay(request.digest, request.idempotency_key) or _write(context, request, key)


def key_digest(key: str) -> Digest:
    return digest_bytes(key.encode("utf-8", "surrogatepass"))


def _find_applied(journal: MutationJournal, key: Digest) -> MutationRow | None:
    rows = journal.list_mutations(_MAX_SAME_KEY, key=key)
    return next((row for row in rows if row.status == "ok"), None)


def _find_rollback(journal: MutationJournal, mutation_id: str) -> str | None:
    """Return the mutation that rolled back another one, unless it was rolled back itself."""
    for row in journal.list_mutations(_MAX_SAME_KEY, undoes=mutation_id):
        if row.status == "ok" and _find_rollback(journal, row.mutation_id) is None:
            return row.mutation_id
    return None


def _write(context: EditContext, request: WriteRequest, key: Digest | None) -> Answer:
    # Right after a start the index is still being opened. Without it the answer could not name symbols and tests.
    context.workspace.wait_until_open(cancelled=context.cancelled)
    with context.mutation(request.paths) as mutation:
        plan = _plan(context, mutation, request)
        if not plan.changes:
            return present_unchanged(context.workspace, context.require_journal(), plan)
        before = read_before(context.workspace, plan)
        delta = mutation.apply(plan, key=key, request=request.digest)
    return present_delta(
        context.workspace, context.require_journal(), delta, before, context.cancelled, keep_result=key is not None
    )


def _plan(context: EditContext, mutation: Mutation, request: WriteRequest) -> EditPlan:
    finder = TargetFinder(mutation.root, context.workspace, context.cancelled)
    options = PlanOptions(
        request.allow_sensitive,
        context.workspace.editor.explain_mismatch,
        request.require_allowed,
        finder.suggest,
        finder.locate_symbol_edit,
        finder.checker(),
    )
    plan = plan_edits(mutation.root, request.edits, options)
    for change in plan.changes:
        _refuse_redacted(change)
    return plan


def _refuse_redacted(change: FileChange) -> None:
    """Raise if an edit would put the mark of a redacted key into a file, where the key itself was or belongs."""
    marks = count_marks((change.new or b"").decode("utf-8", "replace"))
    if marks > count_marks((change.old or b"").decode("utf-8", "replace")):
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"the new text of '{display(change.path)}' has '[redacted:…]' where an answer left out a key; nothing was "
            "changed",
            details={"path": change.path},
            expected="the text as it is in the file",
            remedy="Leave the lines with keys out of the edit, or read them with show_secrets: true if the user asks.",
        )


def _replay(context: EditContext, request: Digest, row: MutationRow, message: str) -> Answer:
    """Return the first answer of an idempotency key; from the journal entry if the answer is not stored any more."""
    entry = parse_entry(row.plan)
    if entry.about.get("asked") != request:
        raise CodePlaneError(
            ErrorCode.KEY_REUSED,
            "idempotency_key was used for different edits",
            details={"mutation_id": row.mutation_id},
            expected="a new key for new edits",
            remedy="Leave it out, or choose another.",
        )
    note = read_note(context.workspace.editor.root, row.mutation_id, RESULT_NOTE)
    try:
        stored: Any = json.loads(note) if note is not None else None
        result = stored["result"] if stored is not None else None
    except (ValueError, TypeError, KeyError):
        result = None
    if not isinstance(result, dict) or result.get("mutation_id") != row.mutation_id:
        result = {"applied": True, "mutation_id": row.mutation_id, "delta": entry.about.get("delta", {})}
    rollback = _find_rollback(context.require_journal(), row.mutation_id)
    if rollback is not None:
        result, message = result | {"applied": False, "rolled_back_by": rollback}, rolled_back(rollback)
    return Answer(result, message=message)
