"""Answers of write_source and rollback: a delta with the symbols and tests it affects, a preview, warnings."""

from __future__ import annotations

import json
from collections.abc import Sequence

from codeplane import telemetry
from codeplane.base.call_record import CallRecord
from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import MAX_ANSWER_CHARS
from codeplane.base.paths import RepoPath, join, parent
from codeplane.base.warnings import Notice, WarningCode
from codeplane.disk.ignore import IgnoreRules, why_ignored
from codeplane.disk.safe_open import Root
from codeplane.disk.sensitive import is_sensitive
from codeplane.disk.write import exists
from codeplane.edits.delta import FINGERPRINT_CHARS, Delta
from codeplane.edits.diff import unified_diff
from codeplane.edits.journal import MutationJournal
from codeplane.edits.model import EditPlan
from codeplane.edits.mutation import Cancelled
from codeplane.edits.undo_store import write_note
from codeplane.index.options import effective_options
from codeplane.ledger.recovery import RolledBackMutation
from codeplane.operations.read_meta import freshness_fields
from codeplane.operations.write_source.symbol_changes import IndexBefore, compare_symbols, read_index_before
from codeplane.workspace.workspace import Workspace

MAX_DIFF_CHARS = 14_000
RESULT_NOTE = "result.json"
"""File in the undo store with the answer to an idempotency key."""

_MAX_LISTED = 20
_ENVELOPE_CHARS = 2_000


def present_preview(workspace: Workspace, plan: EditPlan, max_chars: int | None) -> Answer:
    """Present a plan as a diff."""
    result: dict[str, object] = {"applied": False, "dry_run": True, "delta": plan.stats.as_dict()}
    corrections = [
        {"path": change.path, "original": str(site.requested), "corrected": str(site.before)}
        for change in plan.changes
        for site in change.sites
        if site.requested is not None
    ]
    if corrections:
        result["line_corrections"] = corrections[:_MAX_LISTED]
    shown, left_out = plan_diff(plan, max_chars)
    if shown:
        result["diff"] = shown
    if left_out:
        result["diff_lines_left_out"] = left_out
    if plan.unchanged:
        result["unchanged"] = list(plan.unchanged[:_MAX_LISTED])
    return Answer(
        result, message=f"Nothing was written; {plan.stats.sentence()}.", warnings=_file_warnings(workspace, plan)
    )


def present_unchanged(workspace: Workspace, journal: MutationJournal, plan: EditPlan) -> Answer:
    return Answer(
        {"applied": False, "unchanged": list(plan.unchanged[:_MAX_LISTED])},
        message="No changes: all files already match.",
        warnings=_rollback_warnings(workspace, journal),
    )


def present_delta(
    workspace: Workspace,
    journal: MutationJournal,
    delta: Delta,
    before: IndexBefore | None,
    cancelled: Cancelled,
    *,
    keep_result: bool = False,
) -> Answer:
    """Present a committed mutation; never fails. `keep_result` stores the result for a repeated idempotency key."""
    rolled_back = _rollback_warnings(workspace, journal)
    try:
        answer = _describe(workspace, delta, before, cancelled)
    except Exception as error:
        telemetry.error("the answer of a write is incomplete", **telemetry.describe(error))
        message = f"{delta.plan.stats.sentence()}."
        answer = Answer(_result(delta), message=message, warnings=(Notice(WarningCode.INDEX_NOT_FRESH),))
    answer = _truncate(answer, delta)
    if keep_result:
        note = {"result": answer.result, "message": answer.message}
        write_note(workspace.editor.root, delta.mutation_id, RESULT_NOTE, json.dumps(note).encode("ascii"))
    return Answer(
        answer.result,
        message=answer.message,
        warnings=(*rolled_back, *answer.warnings),
        meta=answer.meta,
        record=CallRecord(mutation_id=delta.mutation_id, mutation_fingerprint=delta.fingerprint),
    )


def read_before(workspace: Workspace, plan: EditPlan) -> IndexBefore | None:
    """Read what the index knows of the files before they change; None if there is no usable index."""
    try:
        if workspace.state().phase != "ready" and not workspace.settings.once:
            return None
        found = workspace.read(lambda snapshot: read_index_before(snapshot, plan), "best_effort").value
        if found.stale:
            found = workspace.read(lambda snapshot: read_index_before(snapshot, plan), "strict").value
        return found
    except CodePlaneError as error:
        telemetry.debug("the index could not be read before a write", error=error.code.name)
        return None


def _describe(workspace: Workspace, delta: Delta, before: IndexBefore | None, cancelled: Cancelled) -> Answer:
    """Present everything that is known once the index has seen the files."""
    fields: dict[str, object] = dict(delta.fields)
    warnings = list(_file_warnings(workspace, delta.plan, delta.lost_attributes))
    meta: dict[str, object] = {}
    known = before or IndexBefore({}, tuple(change.path for change in delta.plan.changes), (), 0)
    try:
        if workspace.state().phase != "ready" and not workspace.settings.once:
            raise CodePlaneError(ErrorCode.NOT_READY, "the index is being built")
        read = workspace.read(
            lambda snapshot: (compare_symbols(snapshot, delta.plan, known), snapshot.epoch.merkle_root),
            "strict",
            cancelled=cancelled,
        )
    except CodePlaneError as error:
        warnings.append(Notice(WarningCode.INDEX_NOT_FRESH, {"reason": error.code.name}))
    else:
        symbols, fingerprint = read.value
        if symbols.as_dict():
            fields["symbols_changed"] = symbols.as_dict()
        fields["repo_fingerprint"] = fingerprint[:FINGERPRINT_CHARS]
        meta = {"epoch": read.epoch, "freshness": freshness_fields(read.freshness)}
        warnings += read.notices
    if known.tests:
        fields["tests_affected"] = list(known.tests)
        if known.tests_total > len(known.tests):
            fields["tests_affected_total"] = known.tests_total
    fields["mutation_fingerprint"] = delta.fingerprint[:FINGERPRINT_CHARS]
    result = {**_result(delta), "delta": fields}
    return Answer(result, message=f"{delta.plan.stats.sentence()}.", warnings=warnings, meta=meta)


def _result(delta: Delta) -> dict[str, object]:
    result: dict[str, object] = {"applied": True, "mutation_id": delta.mutation_id, "delta": delta.fields}
    if delta.plan.unchanged:
        result["unchanged"] = list(delta.plan.unchanged[:_MAX_LISTED])
    return result


def _truncate(answer: Answer, delta: Delta) -> Answer:
    """Shorten an answer that is too long: refusing it would make a committed mutation look like a failure."""
    size = len(json.dumps(answer.result)) + sum(len(json.dumps(notice.as_dict())) for notice in answer.warnings)
    if size <= MAX_ANSWER_CHARS - _ENVELOPE_CHARS:
        return answer
    stats = delta.plan.stats
    fields = {**stats.as_dict(), "files_left_out": stats.files}
    result = {"applied": True, "mutation_id": delta.mutation_id, "delta": fields}
    warnings = tuple(Notice(notice.code) for notice in answer.warnings)
    return Answer(result, message=answer.message, warnings=warnings, meta=answer.meta)


def _file_warnings(workspace: Workspace, plan: EditPlan, lost: Sequence[RepoPath] = ()) -> tuple[Notice, ...]:
    root, rules = workspace.editor.root, IgnoreRules(effective_options(workspace.options).ignore)
    written = [change.path for change in plan.changes if change.new is not None]
    found = (
        (WarningCode.SENSITIVE_PATH, [change.path for change in plan.changes if is_sensitive(change.path)]),
        (
            WarningCode.FILES_IGNORED,
            [path for path in written[:_MAX_LISTED] if why_ignored(root, rules, path) is not None],
        ),
        (WarningCode.IN_OTHER_REPOSITORY, _in_nested_repository(root, plan)),
        (WarningCode.HARD_LINK_BROKEN, [change.path for change in plan.changes if change.linked]),
        (WarningCode.FILE_ATTRIBUTES_LOST, list(lost)),
    )
    return tuple(Notice(code, {"paths": paths[:_MAX_LISTED]}) for code, paths in found if paths)


def _in_nested_repository(root: Root, plan: EditPlan) -> list[RepoPath]:
    """Return the files under a directory that is a repository of its own."""
    nested: dict[RepoPath, bool] = {RepoPath(""): False}

    def is_nested(directory: RepoPath) -> bool:
        if directory not in nested:
            nested[directory] = is_nested(parent(directory)) or exists(root, join(directory, ".git"))
        return nested[directory]

    return [change.path for change in plan.changes if is_nested(parent(change.path))]


def _rollback_warnings(workspace: Workspace, journal: MutationJournal) -> tuple[Notice, ...]:
    rolled_back = [_rollback_warning(mutation) for mutation in journal.take_rolled_back()]
    damaged = [Notice(WarningCode.WRITE_IN_DOUBT, found.as_dict()) for found in workspace.editor.take_damaged()]
    return (*rolled_back, *damaged)


def _rollback_warning(mutation: RolledBackMutation) -> Notice:
    fields: dict[str, object] = {"mutation_id": mutation.mutation_id}
    if mutation.conflicts:
        fields |= {"left": list(mutation.conflicts[:_MAX_LISTED]), "kept_in": f".codeplane/txn/{mutation.mutation_id}"}
    return Notice(WarningCode.EDIT_UNDONE, fields)


def plan_diff(plan: EditPlan, max_chars: int | None) -> tuple[str, int]:
    """Return the diff up to a size, and the number of lines left out."""
    lines: list[str] = []
    size = left_out = 0
    for change in plan.changes:
        if change.is_move_source:
            continue
        before = plan.source_of(change) or change
        for line in unified_diff(before.path, before.old, change.path, change.new, executable=change.executable):
            size += len(line)
            if max_chars is not None and size > max_chars:
                left_out += 1
            else:
                lines.append(line)
    return "".join(lines), left_out
