"""The shape of every answer, the same on every transport."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from codeplane.base.call_record import EMPTY_RECORD, CallRecord
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.text_lines import TextLine
from codeplane.base.warnings import Notice

STATUSES = (
    "ok",
    "not_ready",
    "not_indexed",
    "requires_reindex",
    "stale",
    "blocked",
    "needs_decision",
    "ambiguous",
    "not_found",
    "unsupported",
    "error",
)

_STATUS_OF = {
    ErrorCode.NOT_INDEXED: "not_indexed",
    ErrorCode.NOT_READY: "not_ready",
    ErrorCode.REQUIRES_REINDEX: "requires_reindex",
    ErrorCode.INDEX_STALE: "stale",
    ErrorCode.LANGUAGE_UNSUPPORTED: "unsupported",
    ErrorCode.MODE_UNSUPPORTED: "unsupported",
    ErrorCode.FILE_NOT_FOUND: "not_found",
    ErrorCode.INDEX_LOCKED: "blocked",
    ErrorCode.CONFIRMATION_REQUIRED: "blocked",
    ErrorCode.PLAN_STALE: "blocked",
}


@dataclass(frozen=True)
class Answer:
    """Result of a handler, before it becomes an envelope."""

    result: Mapping[str, object] = field(default_factory=dict)
    status: str = "ok"
    reason: str | None = None
    message: str | None = None
    warnings: Sequence[Notice] = ()
    hints: Mapping[str, object] = field(default_factory=dict)
    meta: Mapping[str, object] = field(default_factory=dict)
    record: CallRecord = EMPTY_RECORD
    """For the ledger; not part of the envelope."""
    shows_secrets: bool = False
    """True if the caller asked for keys and tokens in the text."""
    lines: Sequence[TextLine] | None = None
    """The text form if a handler builds it; with None, `tools/text` builds it from the other fields."""


def new_request_id() -> str:
    """Return a new id, shared by an answer, its ledger row and its log lines."""
    return "r_" + secrets.token_hex(6)


def status_of(error: CodePlaneError) -> str:
    return _STATUS_OF.get(error.code, "error")


def envelope(answer: Answer, meta: Mapping[str, object]) -> dict[str, object]:
    """Build the envelope. Empty fields are omitted; `meta` of the answer overrides `meta` of the call."""
    head: dict[str, object] = {"status": answer.status}
    head.update((key, value) for key, value in (("reason", answer.reason), ("message", answer.message)) if value)
    return _with_rest(head | {"result": answer.result}, answer.warnings, answer.hints, {**meta, **answer.meta})


def error_envelope(
    error: CodePlaneError,
    meta: Mapping[str, object],
    warnings: Sequence[Notice] = (),
    hints: Mapping[str, object] | None = None,
    reason: str | None = None,
) -> dict[str, object]:
    head: dict[str, object] = {"status": status_of(error)}
    if reason:
        head["reason"] = reason
    return _with_rest(head | {"error": error.as_dict()}, warnings, hints or {}, meta)


def _with_rest(
    head: dict[str, object], warnings: Sequence[Notice], hints: Mapping[str, object], meta: Mapping[str, object]
) -> dict[str, object]:
    if warnings:
        head["warnings"] = [notice.as_dict() for notice in warnings]
    if hints:
        head["hints"] = dict(hints)
    head["meta"] = dict(meta)
    return head
