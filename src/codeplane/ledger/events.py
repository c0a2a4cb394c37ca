"""Events that callers record, and the rows that are written for them.

Every field is bounded, and none is free text from outside. Names that a caller may have chosen (an unknown tool, a
request id) are written only if they look like names, so nothing secret or malformed gets into the ledger this way.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from codeplane.base.call_record import EMPTY_RECORD, CallRecord
from codeplane.base.digests import Digest
from codeplane.ledger.schema import EventRow

INTERRUPTED = "INTERRUPTED"

MAX_LISTED = 1000
MAX_TEXT_CHARS = 2000
FINGERPRINT_CHARS = 16

_NAME = re.compile(r"[A-Za-z0-9_.:-]{1,80}")
_NOT_A_NAME = "?"


class TaskState(StrEnum):
    OPEN = "OPEN"
    CLOSED_SUCCESS = "CLOSED_SUCCESS"
    CLOSED_FAILED = "CLOSED_FAILED"
    CLOSED_INTERRUPTED = "CLOSED_INTERRUPTED"


@dataclass(frozen=True)
class Event:
    """Intent or outcome of one call. Has no field for parameters, content or credentials."""

    tool: str
    request_id: str
    session_id: str | None = None
    task_id: str | None = None
    op_type: str = "read"
    params_digest: Digest | None = None
    epoch: int | None = None
    intent: int | None = None
    """Outcome: the number that `Ledger.intent` returned. None for a call without an effect."""
    status: str | None = None
    error_code: int | None = None
    duration_ms: int | None = None
    tokens_given: int | None = None
    record: CallRecord = EMPTY_RECORD
    plan: str | None = None
    """Intent of a mutation: its journal entry. Paths and digests, no content."""


def event_row(event: Event, kind: str, at_ms: int) -> EventRow:
    record = event.record
    return EventRow(
        kind=kind,
        at_ms=at_ms,
        intent_seq=event.intent,
        session_id=_name(event.session_id),
        task_id=_name(event.task_id),
        request_id=_name(event.request_id),
        tool=_name(event.tool),
        op_type=_name(event.op_type),
        params_digest=_name(event.params_digest),
        status=_name(event.status),
        success=None if kind == "intent" else int(event.status == "ok"),
        error_code=_integer(event.error_code),
        duration_ms=_integer(event.duration_ms),
        tokens_given=_integer(event.tokens_given),
        epoch=_integer(event.epoch),
        paths=_json_list(record.paths),
        whole_tokens=_integer(record.whole_tokens),
        repo_before_hash=_name(record.repo_before_hash),
        repo_after_hash=_name(record.repo_after_hash),
        changed_paths=_json_list(record.changed_paths),
        diff_stats=json.dumps(dict(record.diff_stats), sort_keys=True) if record.diff_stats else None,
        short_diff=_text(record.short_diff),
        mutation_id=_name(record.mutation_id),
        mutation_fingerprint=_name(record_fingerprint(record)),
        failure_fingerprint=_name(record.failure_fingerprint),
        failure_class=_name(record.failure_class),
        failing_tests=_json_list(record.failing_tests),
        limit_triggered=_name(record.limit_triggered),
        plan=event.plan if kind == "intent" else None,
    )


def opened_row(
    task_id: str,
    session_id: str | None,
    limits: Mapping[str, int] | None,
    repo_head: str | None,
    epoch: int | None,
    at_ms: int,
    client: str | None = None,
) -> EventRow:
    return EventRow(
        kind="task_opened",
        at_ms=at_ms,
        opened_at_ms=at_ms,
        task_id=_name(task_id),
        session_id=_name(session_id),
        state=TaskState.OPEN.value,
        limits_json=json.dumps(dict(limits), sort_keys=True) if limits is not None else None,
        repo_head_sha=_name(repo_head),
        epoch=_integer(epoch),
        owner=_name(client),
    )


def carried_row(opened: EventRow, at_ms: int) -> EventRow:
    """Return the opening row of a task for a file that does not have it."""
    return opened._replace(kind="task_carried", at_ms=at_ms)


def closed_row(task_id: str, state: TaskState, at_ms: int, limit: str | None = None) -> EventRow:
    return EventRow(
        kind="task_closed", at_ms=at_ms, task_id=_name(task_id), state=state.value, limit_triggered=_name(limit)
    )


def interrupted_row(seq: int, intent: EventRow, at_ms: int) -> EventRow:
    """Return the outcome of an effect whose process died: it may or may not have happened."""
    return intent._replace(kind="outcome", at_ms=at_ms, intent_seq=seq, status=INTERRUPTED, success=0, plan=None)


def record_fingerprint(record: CallRecord) -> str | None:
    """Return the mutation fingerprint that a call reported, or else one of the changes that it reported."""
    if record.mutation_fingerprint is not None:
        return record.mutation_fingerprint
    if not record.changed_paths:
        return None
    parts = [sorted(record.changed_paths), sorted((record.diff_stats or {}).items()), record.repo_after_hash]
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()[:FINGERPRINT_CHARS]


def _name(text: str | None) -> str | None:
    if text is None or _NAME.fullmatch(text):
        return text
    return _NOT_A_NAME


def _integer(number: float | None) -> int | None:
    """Return an int: a hashed value must equal what SQLite returns, so fractions and booleans are not stored."""
    return None if number is None else int(number)


def _json_list(items: Sequence[str]) -> str | None:
    """Return a JSON array in ASCII, so that names that are not UTF-8 can be stored too."""
    return json.dumps([item[:MAX_TEXT_CHARS] for item in items[:MAX_LISTED]]) if items else None


def _text(text: str | None) -> str | None:
    return text[:MAX_TEXT_CHARS].encode("utf-8", "backslashreplace").decode() if text else None
