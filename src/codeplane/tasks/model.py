"""Words of tasks: their states and limits, and what the ledger records of one call."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from codeplane.base.digests import Digest


class TaskState(StrEnum):
    OPEN = "OPEN"
    CLOSED_SUCCESS = "CLOSED_SUCCESS"
    CLOSED_FAILED = "CLOSED_FAILED"
    CLOSED_INTERRUPTED = "CLOSED_INTERRUPTED"


@dataclass(frozen=True)
class Limits:
    """What a task may do at most; None is no limit."""

    max_mutations: int | None = None
    max_test_runs: int | None = None
    max_duration_sec: int | None = None

    def as_dict(self) -> dict[str, int]:
        named = ("max_mutations", "max_test_runs", "max_duration_sec")
        return {name: value for name in named if (value := getattr(self, name)) is not None}


@dataclass(frozen=True)
class Event:
    """One call as the ledger records it. There is no place for parameters, content or credentials."""

    tool: str
    request_id: str
    session_id: str | None = None
    task_id: str | None = None
    op_type: str = "read"
    params_digest: Digest | None = None
    epoch: int | None = None
    intent: int | None = None
    """Of an outcome: the number that `Ledger.intent` gave. None for a call without an effect."""
    status: str | None = None
    error_code: int | None = None
    duration_ms: int | None = None
    tokens_given: int | None = None
    repo_before_hash: str | None = None
    repo_after_hash: str | None = None
    changed_paths: Sequence[str] = ()
    diff_stats: Mapping[str, int] | None = None
    """files_changed, insertions, deletions."""
    short_diff: str | None = None
    mutation_fingerprint: str | None = None
    failure_fingerprint: str | None = None
    failure_class: str | None = None
    failing_tests: Sequence[str] = ()
    limit_triggered: str | None = None


def digest_params(params: Mapping[str, object]) -> Digest:
    """The same for the same parameters in whatever order; nothing of them can be read from it."""
    text = json.dumps(params, sort_keys=True, separators=(",", ":"), default=str)
    return Digest(hashlib.sha256(text.encode("ascii")).hexdigest())
