"""Changing files as a whole: planned, applied, seen by the index, and told.

The same key never does anything twice: whoever asks again is told what they were told. After
a change is done nothing that goes wrong makes its answer an error; it is said in a warning.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from codeplane import telemetry
from codeplane.base.call_record import CallRecord
from codeplane.base.digests import Digest, digest_bytes
from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import MAX_ANSWER_CHARS
from codeplane.base.paths import RepoPath, join, parent
from codeplane.base.warnings import Notice, WarningCode
from codeplane.disk.batch import parse_batch
from codeplane.disk.ignore import IgnoreRules, why_ignored
from codeplane.disk.kept import read_note, write_note
from codeplane.disk.policy import is_sensitive
from codeplane.disk.safe_open import Root
from codeplane.disk.writing import exists
from codeplane.index.options import effective_options
from codeplane.ledger.queries import MutationRow
from codeplane.ledger.recovery import RolledBackMutation
from codeplane.operations.editing.delta import FINGERPRINT_CHARS, Blocks, stats_of
from codeplane.operations.editing.diffing import unified
from codeplane.operations.editing.editor import AppliedEdit, Cancelled, Editor, Journal, Request
from codeplane.operations.editing.effects import Before, look_after, look_before
from codeplane.operations.editing.messages import REPEATED
from codeplane.operations.editing.model import EditPlan
from codeplane.operations.read_meta import freshness_fields
from codeplane.workspace.workspace import Workspace

MAX_DIFF_CHARS = 14_000
_MAX_ABOUT = 20
_ROOM_AROUND = 2_000
_NOTE = "result.json"


class MutationLog(Journal, Protocol):
    """The journal of a call, and what the ledger knows of calls before it."""

    def list_mutations(
        self, limit: int, *, mutation_id: str | None = None, key: str | None = None
    ) -> list[MutationRow]: ...

    def take_rolled_back(self) -> tuple[RolledBackMutation, ...]: ...


@dataclass(frozen=True)
class MutationRequest:
    """A change that somebody asks for."""

    paths: Sequence[RepoPath]
    plan: Callable[[Root], EditPlan]
    asked: Digest
    """The same for the same request."""
    key: str | None = None
    undoes: str | None = None
    """The change that this one takes back."""


@dataclass(frozen=True)
class EditContext:
    """Where changes are made: the editor, the index, and whether the caller still waits."""

    editor: Editor
    workspace: Workspace
    cancelled: Cancelled


def preview(context: EditContext, request: MutationRequest, max_chars: int | None = MAX_DIFF_CHARS) -> Answer:
    """What would be changed, as a diff; changes nothing."""
    plan, blocks = context.editor.plan(Request(request.paths, request.plan), context.cancelled)
    stats = stats_of(plan.changes, blocks)
    result: dict[str, object] = {"applied": False, "dry_run": True, "delta": stats.as_dict()}
    corrections = [
        {"path": change.path, "original": str(site.said), "corrected": str(site.before)}
        for change in plan.changes
        for site in change.sites
        if site.said is not None
    ]
    if corrections:
        result["line_corrections"] = corrections[:_MAX_ABOUT]
    shown, left_out = _diff(plan, max_chars)
    if shown:
        result["diff"] = shown
    if left_out:
        result["diff_lines_left_out"] = left_out
    if plan.unchanged:
        result["unchanged"] = list(plan.unchanged[:_MAX_ABOUT])
    return Answer(result, message=f"Nothing was written; {stats.sentence()}.", warnings=_flags(context, plan))


def change(context: EditContext, request: MutationRequest, log: MutationLog) -> Answer:
    """Do it, or tell what was done under the same key."""
    if request.key is None:
        return _change(context, request, log, None)
    key = digest_bytes(request.key.encode("utf-8", "surrogatepass"))
    with context.editor.keys.taken((key,), context.cancelled):
        log.ensure()
        for row in log.list_mutations(10, key=key):
            if row.status == "ok":
                return _again(context, request, row)
        return _change(context, request, log, key)


def _change(context: EditContext, request: MutationRequest, log: MutationLog, key: str | None) -> Answer:
    seen: list[Before] = []

    def about(delta: Mapping[str, object]) -> dict[str, object]:
        fields: dict[str, object] = {}
        if key is not None:
            fields |= {"key": key, "asked": request.asked, "delta": dict(delta)}
        if request.undoes is not None:
            fields["undoes"] = request.undoes
        return fields

    def look(plan: EditPlan, blocks: Blocks) -> None:
        before = _look_before(context.workspace, plan, blocks)
        if before is not None:
            seen.append(before)

    # Right after a start the index is still being opened. Without it the answer could not name symbols and tests.
    context.workspace.wait_until_open(cancelled=context.cancelled)
    done = context.editor.apply(Request(request.paths, request.plan, about, look), log, context.cancelled)
    recovered = tuple(_recovered_notice(found) for found in log.take_rolled_back())
    if isinstance(done, EditPlan):
        return Answer(
            {"applied": False, "unchanged": list(done.unchanged[:_MAX_ABOUT])},
            message="Nothing to change: every file is already so.",
            warnings=recovered,
        )
    try:
        answer = _told(context, done, seen[0] if seen else None)
    except Exception as error:
        telemetry.error("the answer of a change is incomplete", **telemetry.describe(error))
        answer = Answer(
            _result(done), message=f"{done.stats.sentence()}.", warnings=(Notice(WarningCode.INDEX_NOT_FRESH),)
        )
    answer = _fitted(answer, done)
    if key is not None:
        note = {"result": answer.result, "message": answer.message}
        write_note(context.editor.root, done.batch.mutation_id, _NOTE, json.dumps(note).encode("ascii"))
    return Answer(
        answer.result,
        message=answer.message,
        warnings=(*recovered, *answer.warnings),
        meta=answer.meta,
        record=CallRecord(mutation_id=done.batch.mutation_id, mutation_fingerprint=done.fingerprint),
    )


def _told(context: EditContext, done: AppliedEdit, before: Before | None) -> Answer:
    """Everything that is known once the index has seen the files."""
    result = _result(done)
    delta: dict[str, object] = dict(done.delta)
    warnings = list(_flags(context, done.plan, done.lost_attributes))
    meta: dict[str, object] = {}
    known = before or Before("", {}, done.batch.paths, (), 0)
    changes = done.plan.changes
    try:
        if context.workspace.state().phase != "ready" and not context.workspace.settings.once:
            raise CodePlaneError(ErrorCode.NOT_READY, "the index is being built")
        read = context.workspace.read(
            lambda snapshot: look_after(snapshot, changes, known), "strict", cancelled=context.cancelled
        )
    except CodePlaneError as error:
        warnings.append(Notice(WarningCode.INDEX_NOT_FRESH, {"reason": error.code.name}))
    else:
        symbols, fingerprint = read.value
        if symbols.as_dict():
            delta["symbols_changed"] = symbols.as_dict()
        delta["repo_fingerprint"] = fingerprint[:FINGERPRINT_CHARS]
        meta = {"epoch": read.epoch, "freshness": freshness_fields(read.freshness)}
        warnings += read.notices
    if known.tests:
        delta["tests_affected"] = list(known.tests)
        if known.tests_total > len(known.tests):
            delta["tests_affected_total"] = known.tests_total
    delta["mutation_fingerprint"] = done.fingerprint[:FINGERPRINT_CHARS]
    return Answer({**result, "delta": delta}, message=f"{done.stats.sentence()}.", warnings=warnings, meta=meta)


def _fitted(answer: Answer, done: AppliedEdit) -> Answer:
    """What is done is answered, if need be with less: an answer that is too long would look like a failure."""
    size = len(json.dumps(answer.result)) + sum(len(json.dumps(notice.as_dict())) for notice in answer.warnings)
    if size <= MAX_ANSWER_CHARS - _ROOM_AROUND:
        return answer
    delta = {**done.stats.as_dict(), "files_left_out": done.stats.files}
    result = {"applied": True, "mutation_id": done.batch.mutation_id, "delta": delta}
    warnings = tuple(Notice(notice.code) for notice in answer.warnings)
    return Answer(result, message=answer.message, warnings=warnings, meta=answer.meta)


def _result(done: AppliedEdit) -> dict[str, object]:
    result: dict[str, object] = {"applied": True, "mutation_id": done.batch.mutation_id, "delta": done.delta}
    if done.plan.unchanged:
        result["unchanged"] = list(done.plan.unchanged[:_MAX_ABOUT])
    return result


def _again(context: EditContext, request: MutationRequest, row: MutationRow) -> Answer:
    """What was answered then; from the plan where nobody has kept it."""
    batch = parse_batch(row.plan)
    if batch.about.get("asked") != request.asked:
        raise CodePlaneError(
            ErrorCode.KEY_REUSED,
            "idempotency_key belongs to another change",
            details={"mutation_id": row.mutation_id},
            expected="a new key for a new change",
            remedy="Leave it out, or choose another.",
        )
    note = read_note(context.editor.root, row.mutation_id, _NOTE)
    try:
        kept: Any = json.loads(note) if note is not None else None
        result = kept["result"] if kept is not None else None
    except (ValueError, TypeError, KeyError):
        result = None
    if not isinstance(result, dict) or result.get("mutation_id") != row.mutation_id:
        result = {"applied": True, "mutation_id": row.mutation_id, "delta": batch.about.get("delta", {})}
    return Answer(result, message=REPEATED)


def _look_before(workspace: Workspace, plan: EditPlan, blocks: Blocks) -> Before | None:
    """What the index knows while the files are still as they were; None where it knows nothing."""
    try:
        if workspace.state().phase != "ready" and not workspace.settings.once:
            return None
        found = workspace.read(lambda snapshot: look_before(snapshot, plan.changes, blocks), "best_effort").value
        if found.stale:
            found = workspace.read(lambda snapshot: look_before(snapshot, plan.changes, blocks), "strict").value
        return found
    except CodePlaneError as error:
        telemetry.debug("nothing is known of the files before", error=error.code.name)
        return None


def _flags(context: EditContext, plan: EditPlan, lost: Sequence[RepoPath] = ()) -> tuple[Notice, ...]:
    """What whoever asked should know of the files besides."""
    written = [change for change in plan.changes if change.new is not None]
    rules = IgnoreRules(effective_options(context.workspace.options).ignore)
    ignored = [
        change.path
        for change in written[:_MAX_ABOUT]
        if why_ignored(context.editor.root, rules, change.path) is not None
    ]
    found = (
        (WarningCode.SENSITIVE_PATH, [change.path for change in plan.changes if is_sensitive(change.path)]),
        (WarningCode.FILES_IGNORED, ignored),
        (WarningCode.IN_OTHER_REPOSITORY, _in_other_repository(context.editor.root, plan)),
        (WarningCode.HARD_LINK_BROKEN, [change.path for change in plan.changes if change.linked]),
        (WarningCode.FILE_ATTRIBUTES_LOST, list(lost)),
    )
    return tuple(Notice(code, {"paths": paths[:_MAX_ABOUT]}) for code, paths in found if paths)


def _in_other_repository(root: Root, plan: EditPlan) -> list[RepoPath]:
    """Files beneath a directory that is a repository of its own."""
    nested: dict[RepoPath, bool] = {RepoPath(""): False}

    def is_nested(folder: RepoPath) -> bool:
        if folder not in nested:
            nested[folder] = is_nested(parent(folder)) or exists(root, join(folder, ".git"))
        return nested[folder]

    return [change.path for change in plan.changes if is_nested(parent(change.path))]


def _recovered_notice(found: RolledBackMutation) -> Notice:
    about: dict[str, object] = {"mutation_id": found.mutation_id}
    if found.conflicts:
        about |= {"left": list(found.conflicts[:_MAX_ABOUT]), "kept_in": f".codeplane/txn/{found.mutation_id}"}
    return Notice(WarningCode.EDIT_UNDONE, about)


def _diff(plan: EditPlan, max_chars: int | None) -> tuple[str, int]:
    lines: list[str] = []
    size = left_out = 0
    for changed in plan.changes:
        if changed.new is None and changed.moved_to is not None:
            continue
        source = next((other for other in plan.changes if other.path == changed.moved_from), None)
        for line in unified(changed, source):
            size += len(line)
            if max_chars is not None and size > max_chars:
                left_out += 1
            else:
                lines.append(line)
    return "".join(lines), left_out
