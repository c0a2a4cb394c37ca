"""From what happened to what is written: every field bounded, nothing of it free text from outside.

Names that a caller may have chosen (a tool that does not exist, a request id) are written only
if they look like names, so that nothing secret or strange gets into the ledger by that way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from codeplane.store.ledger_schema import EventRow
from codeplane.tasks.fingerprints import record_fingerprint
from codeplane.tasks.model import Event, Task, TaskState

INTERRUPTED = "INTERRUPTED"

MAX_LISTED = 1000
MAX_TEXT_CHARS = 2000

_NAME = re.compile(r"[A-Za-z0-9_.:-]{1,80}")
_NOT_A_NAME = "?"


def row_of(event: Event, kind: str, at_ms: int) -> EventRow:
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
        error_code=_whole(event.error_code),
        duration_ms=_whole(event.duration_ms),
        tokens_given=_whole(event.tokens_given),
        epoch=_whole(event.epoch),
        paths=_listed(record.paths),
        whole_tokens=_whole(record.whole_tokens),
        repo_before_hash=_name(record.repo_before_hash),
        repo_after_hash=_name(record.repo_after_hash),
        changed_paths=_listed(record.changed_paths),
        diff_stats=json.dumps(dict(record.diff_stats), sort_keys=True) if record.diff_stats else None,
        short_diff=_text(record.short_diff),
        mutation_id=_name(record.mutation_id),
        mutation_fingerprint=_name(record_fingerprint(record)),
        failure_fingerprint=_name(record.failure_fingerprint),
        failure_class=_name(record.failure_class),
        failing_tests=_listed(record.failing_tests),
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
        epoch=_whole(epoch),
        owner=_name(client),
    )


def explicit_row(task: Task, epoch: int | None, at_ms: int) -> EventRow:
    """The opening of a task that somebody asked for. Of the files that it may change only the number of patterns:
    they are the words of the caller."""
    limits = task.limits.as_dict() | ({"paths": len(task.scope.patterns)} if task.scope.patterns else {})
    return opened_row(task.id, task.session_id, limits, task.repo_head, epoch, at_ms, task.client)


def carried_row(opened: EventRow, at_ms: int) -> EventRow:
    """The opening of a task told again, in a file that does not have it."""
    return opened._replace(kind="task_carried", at_ms=at_ms)


def closed_row(task_id: str, state: TaskState, at_ms: int, limit: str | None = None) -> EventRow:
    return EventRow(
        kind="task_closed", at_ms=at_ms, task_id=_name(task_id), state=state.value, limit_triggered=_name(limit)
    )


def interrupted_row(seq: int, intent: EventRow, at_ms: int) -> EventRow:
    """The outcome of an effect whose process died: it may or may not have happened."""
    return intent._replace(kind="outcome", at_ms=at_ms, intent_seq=seq, status=INTERRUPTED, success=0, plan=None)


def _name(text: str | None) -> str | None:
    if text is None or _NAME.fullmatch(text):
        return text
    return _NOT_A_NAME


def _whole(number: float | None) -> int | None:
    """What is hashed must be what the file gives back, so there are no fractions and no booleans."""
    return None if number is None else int(number)


def _listed(items: Sequence[str]) -> str | None:
    """A JSON array in ASCII, so that names which are not UTF-8 are written too."""
    return json.dumps([item[:MAX_TEXT_CHARS] for item in items[:MAX_LISTED]]) if items else None


def _text(text: str | None) -> str | None:
    return text[:MAX_TEXT_CHARS].encode("utf-8", "backslashreplace").decode() if text else None
