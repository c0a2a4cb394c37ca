"""rollback: undo a mutation by a mutation of its own."""

from __future__ import annotations

from codeplane.base.digests import digest_bytes
from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.disk.policy import refuse_protected
from codeplane.disk.write import remove_directory
from codeplane.edits.journal import JournalEntry, MutationJournal, parse_entry
from codeplane.edits.rollback import plan_rollback
from codeplane.operations.write_source.presenter import present_delta, present_unchanged, read_before
from codeplane.operations.write_source.write import EditContext, key_digest
from codeplane.tasks.model import TaskScope


def roll_back(context: EditContext, mutation_id: str, scope: TaskScope) -> Answer:
    """Undo a mutation. MUTATION_UNKNOWN, UNDO_GONE or UNDO_REFUSED if that is impossible."""
    journal = context.require_journal()
    request = digest_bytes(mutation_id.encode("utf-8", "surrogatepass"))
    answer = context.replay_lost(request)
    if answer is not None:
        return answer
    entry = _find(journal, mutation_id)
    for path in entry.paths:
        refuse_protected(path)
        scope.require(path)
    context.workspace.wait_until_open(cancelled=context.cancelled)
    with context.mutation(entry.paths) as mutation:
        plan = plan_rollback(mutation.root, entry)
        if not plan.changes:
            return present_unchanged(context.workspace, journal, plan)
        before = read_before(context.workspace, plan)
        key = key_digest(context.retry_key) if context.retry_key else None
        delta = mutation.apply(plan, key=key, request=request, undoes=mutation_id)
    answer = present_delta(context.workspace, journal, delta, before, context.cancelled)
    for directory in reversed(entry.new_directories):
        remove_directory(context.workspace.editor.root, directory)
    return answer


def _find(journal: MutationJournal, mutation_id: str) -> JournalEntry:
    rows = journal.list_mutations(1, mutation_id=mutation_id) if mutation_id.isascii() else []
    if rows and rows[0].status == "ok":
        return parse_entry(rows[0].plan)
    raise CodePlaneError(
        ErrorCode.MUTATION_UNKNOWN,
        "that mutation failed or was rolled back" if rows else "no mutation with this id",
        expected="the mutation_id of a change",
        received=display(mutation_id[:80]),
        remedy="'cpl mutations' lists them.",
    )
