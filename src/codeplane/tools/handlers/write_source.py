"""Changing files: write_source, rollback."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.operations.editing import undoing, writing
from codeplane.operations.editing.planning import PlanOptions, plan_edits, refusal
from codeplane.operations.editing.targets import TargetFinder
from codeplane.tasks.model import digest_params
from codeplane.tools.calls import Call
from codeplane.tools.handlers.write_source_edits import Fields, corrected_edits, parse_edits, requested_edits

MIN_KEPT_CHARS = 1_000
"""A single edit that was refused is kept if it is longer than this; sending a short one again costs nothing."""


@dataclass(frozen=True)
class _RefusedBatch:
    """A batch that a handle stands for, so that a caller can send corrections of it alone."""

    edits: tuple[Fields, ...]
    allow_sensitive: bool


def check_write_source(args: Mapping[str, Any]) -> None:
    """Refuse what the arguments alone show. A batch is parsed later, so that one that is refused can be kept."""
    requested = requested_edits(args)
    if "batch" not in args and len(requested) == 1:
        parse_edits(requested)


def write_source(call: Call, args: Mapping[str, Any]) -> Answer:
    batch = _requested_batch(call, args)
    try:
        return _write(call, args, batch)
    except CodePlaneError as error:
        _keep(call, batch, error)
        raise


def rollback(call: Call, args: Mapping[str, Any]) -> Answer:
    assert call.journal is not None
    return undoing.take_back(_context(call), args["mutation_id"], call.journal, call.session.scope)


def _write(call: Call, args: Mapping[str, Any], batch: _RefusedBatch) -> Answer:
    context = _context(call)
    finder = TargetFinder(context.editor.root, context.workspace, context.cancelled)
    edits = []
    for number, edit in enumerate(parse_edits(batch.edits)):
        try:
            edits.append(finder.resolve(edit))
        except CodePlaneError as error:
            raise refusal([(number, error)], len(batch.edits)) from error
    options = PlanOptions(
        call.session.scope,
        batch.allow_sensitive,
        context.editor.explain,
        finder.suggest,
        finder.find_symbol_in,
    )
    request = writing.MutationRequest(
        list(dict.fromkeys(path for edit in edits for path in edit.paths)),
        lambda root: plan_edits(root, edits, replace(options, check=finder.checker())),
        digest_params({"edits": batch.edits}),
        args.get("idempotency_key"),
    )
    if args.get("dry_run"):
        return writing.preview(context, request, None if call.surface.everything else writing.MAX_DIFF_CHARS)
    assert call.journal is not None
    return writing.change(context, request, call.journal)


def _requested_batch(call: Call, args: Mapping[str, Any]) -> _RefusedBatch:
    requested, allow_sensitive = requested_edits(args), args.get("allow_sensitive", False)
    if "batch" not in args:
        return _RefusedBatch(requested, allow_sensitive)
    try:
        kept = call.handles.take("batch", call.session.id, args["batch"])
    except CodePlaneError as error:
        if error.code is ErrorCode.HANDLE_EXPIRED:
            error.remedy = "Send the whole batch again."
        raise
    assert isinstance(kept, _RefusedBatch)
    return _RefusedBatch(corrected_edits(kept.edits, requested), allow_sensitive or kept.allow_sensitive)


def _keep(call: Call, batch: _RefusedBatch, error: CodePlaneError) -> None:
    """Keep a batch that one of its edits made fail, and say how to go on."""
    number = error.details.get("edit")
    total = len(batch.edits)
    if number is None or call.once or (total == 1 and len(str(batch.edits)) < MIN_KEPT_CHARS):
        return
    try:
        handle = call.handles.mint("batch", call.session.id, batch)
    except CodePlaneError:
        # Too large to keep: the caller has to send it again.
        return
    error.details["batch"] = handle
    refused = error.details.get("refused", [number])
    which = _counted(refused if isinstance(refused, list) else [number])
    advice = f"{error.remedy} " if error.remedy else ""
    only = "the corrected fields" if total == 1 else f"only {which} corrected"
    error.remedy = f"{advice}The batch is kept: send batch={handle} with {only}."


def _counted(numbers: Sequence[object]) -> str:
    words = [str(number) for number in numbers]
    return f"edit {words[0]}" if len(words) == 1 else f"edits {', '.join(words[:-1])} and {words[-1]}"


def _context(call: Call) -> writing.EditContext:
    if call.editor is None:
        raise CodePlaneError(ErrorCode.READ_ONLY, "files cannot be changed here")
    return writing.EditContext(call.editor, call.root.workspace, call.cancelled)
