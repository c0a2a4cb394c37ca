"""Handler of write_source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.edits.preconditions import refusal
from codeplane.operations.write_source.presenter import MAX_DIFF_CHARS
from codeplane.operations.write_source.targets import TargetFinder
from codeplane.operations.write_source.write import EditContext, WriteRequest, preview, write
from codeplane.tasks.model import digest_params
from codeplane.tools.calls import Call
from codeplane.tools.handler import Handler
from codeplane.tools.handlers.write_source_edits import (
    EditArguments,
    WriteSourceArguments,
    corrected_edits,
    parse_edits,
    requested_edits,
)
from codeplane.tools.text.write_source import render_write_source

MIN_STORED_CHARS = 1_000
"""Length from which a single rejected edit is stored. Sending a shorter one again costs nothing."""


@dataclass(frozen=True)
class _EditBatch:
    """Edits of a call. A rejected batch is stored behind a handle, so that a caller sends only corrections."""

    edits: tuple[EditArguments, ...]
    allow_sensitive: bool

    def as_dicts(self) -> tuple[dict[str, object], ...]:
        return tuple(edit.as_dict() for edit in self.edits)


def check_write_source(args: WriteSourceArguments) -> None:
    """Reject an invalid single edit. The handler parses a batch, so that a rejected one can be stored."""
    requested = requested_edits(args)
    if args.batch is None and len(requested) == 1:
        parse_edits(requested)


def write_source(call: Call, args: WriteSourceArguments) -> Answer:
    batch = _requested_batch(call, args)
    try:
        return _write(call, args, batch)
    except CodePlaneError as error:
        _store_rejected(call, batch, error)
        raise


def _write(call: Call, args: WriteSourceArguments, batch: _EditBatch) -> Answer:
    context = edit_context(call)
    finder = TargetFinder(context.workspace.editor.root, context.workspace, context.cancelled)
    edits = []
    for number, edit in enumerate(parse_edits(batch.edits)):
        try:
            edits.append(finder.resolve(edit))
        except CodePlaneError as error:
            raise refusal([(number, error)], len(batch.edits)) from error
    request = WriteRequest(
        edits,
        batch.allow_sensitive,
        call.session.scope.require,
        digest_params({"edits": batch.as_dicts()}),
        args.idempotency_key,
    )
    if args.dry_run:
        return preview(context, request, None if call.surface.everything else MAX_DIFF_CHARS)
    return write(context, request)


def _requested_batch(call: Call, args: WriteSourceArguments) -> _EditBatch:
    requested = requested_edits(args)
    if args.batch is None:
        return _EditBatch(requested, args.allow_sensitive)
    try:
        batch = call.handles.take("batch", call.session.id, args.batch)
    except CodePlaneError as error:
        if error.code is ErrorCode.HANDLE_EXPIRED:
            error.remedy = "Send the whole batch again."
        raise
    assert isinstance(batch, _EditBatch)
    return _EditBatch(corrected_edits(batch.edits, requested), args.allow_sensitive or batch.allow_sensitive)


def _store_rejected(call: Call, batch: _EditBatch, error: CodePlaneError) -> None:
    """Store a batch that one of its edits made fail, and say in the error how to continue."""
    number = error.details.get("edit")
    total = len(batch.edits)
    if number is None or call.once or (total == 1 and len(str(batch.as_dicts())) < MIN_STORED_CHARS):
        return
    try:
        handle = call.handles.mint("batch", call.session.id, batch)
    except CodePlaneError:
        # Too large to store: the caller has to send it again.
        return
    error.details["batch"] = handle
    refused = error.details.get("refused", [number])
    which = _edit_numbers(refused if isinstance(refused, list) else [number])
    advice = f"{error.remedy} " if error.remedy else ""
    only = "the corrected fields" if total == 1 else f"only {which} corrected"
    error.remedy = f"{advice}The batch is kept: send batch={handle} with {only}."


def _edit_numbers(numbers: Sequence[object]) -> str:
    words = [str(number) for number in numbers]
    return f"edit {words[0]}" if len(words) == 1 else f"edits {', '.join(words[:-1])} and {words[-1]}"


def edit_context(call: Call) -> EditContext:
    return EditContext(call.root.workspace, call.journal, call.cancelled, call.retry_key, call.is_retry)


HANDLERS = {"write_source": Handler(WriteSourceArguments, write_source, check_write_source, render_write_source)}
