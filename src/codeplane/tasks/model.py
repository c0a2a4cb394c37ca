"""Tasks: limits, scope of changes, and counters."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from codeplane.base.digests import Digest
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.ledger.events import TaskState

CountedBudget = Literal["mutations", "test_runs"]
"""Budget that a call uses, besides tokens and time."""


@dataclass(frozen=True)
class TaskLimits:
    """Limits of a task; None: unlimited."""

    max_mutations: int | None = None
    max_test_runs: int | None = None
    max_duration_sec: int | None = None
    max_tokens: int | None = None
    """Tokens of all answers together."""

    def as_dict(self) -> dict[str, int]:
        named = ("max_mutations", "max_test_runs", "max_duration_sec", "max_tokens")
        return {name: value for name in named if (value := getattr(self, name)) is not None}


NO_LIMITS = TaskLimits()


def _allow_all(path: str) -> bool:
    return True


@dataclass(frozen=True)
class TaskScope:
    """Files that the calls of a task may change. Reads are not restricted."""

    patterns: tuple[str, ...] = ()
    accepts: Callable[[str], bool] = field(default=_allow_all, compare=False, repr=False)

    def require(self, path: str) -> None:
        """Raise TASK_SCOPE if the task may not change the file."""
        if not self.accepts(path):
            raise CodePlaneError(
                ErrorCode.TASK_SCOPE,
                "the file is outside the paths of the task",
                expected=", ".join(self.patterns[:_SHOWN_PATTERNS]),
                received=path,
                remedy="Change only files in the paths of the task, or open a task with other paths.",
            )


_SHOWN_PATTERNS = 10
UNRESTRICTED = TaskScope()


@dataclass(frozen=True)
class Task:
    """State of a task."""

    id: str
    session_id: str
    started_at: float
    """Monotonic time, as is `last_used_at`."""
    last_used_at: float = 0.0
    explicit: bool = False
    """True if a caller opened it; False for the implicit task of a session."""
    state: TaskState = TaskState.OPEN
    limits: TaskLimits = NO_LIMITS
    scope: TaskScope = UNRESTRICTED
    repo_head: str | None = None
    client: str | None = None
    """Digest of the client that opened it."""
    calls: int = 0
    tokens: int = 0
    mutations: int = 0
    test_runs: int = 0
    limit_triggered: str | None = None
    mutation_fingerprints: tuple[str, ...] = ()
    """Fingerprints of its latest mutations, oldest first."""
    last_failure_fingerprint: str | None = None
    changed_since_failure: bool = False
    repeated_mutations: int = 0
    repeated_failures: int = 0

    @property
    def last_mutation_fingerprint(self) -> str | None:
        return self.mutation_fingerprints[-1] if self.mutation_fingerprints else None

    @property
    def recorded_limits(self) -> dict[str, int]:
        """Limits as the ledger records them. Path patterns are the caller's words, so only their number is recorded."""
        return self.limits.as_dict() | ({"paths": len(self.scope.patterns)} if self.scope.patterns else {})


def digest_params(params: Mapping[str, object]) -> Digest:
    """Return a digest of the parameters that does not depend on their order and does not reveal them."""
    text = json.dumps(params, sort_keys=True, separators=(",", ":"), default=str)
    return Digest(hashlib.sha256(text.encode("ascii")).hexdigest())
