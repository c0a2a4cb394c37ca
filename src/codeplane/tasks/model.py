"""Words of tasks: their states, limits and scope, how one stands, and what the ledger records of one call."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from codeplane.base.digests import Digest
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.ledger.events import TaskState

Counts = Literal["mutations", "test_runs"]
"""What a call can use up of its task, besides tokens and time."""


@dataclass(frozen=True)
class Limits:
    """What a task may do at most; None is no limit."""

    max_mutations: int | None = None
    max_test_runs: int | None = None
    max_duration_sec: int | None = None
    max_tokens: int | None = None
    """Of all its answers together."""

    def as_dict(self) -> dict[str, int]:
        named = ("max_mutations", "max_test_runs", "max_duration_sec", "max_tokens")
        return {name: value for name in named if (value := getattr(self, name)) is not None}


NO_LIMITS = Limits()


def _anywhere(path: str) -> bool:
    return True


@dataclass(frozen=True)
class Scope:
    """Which files the calls of a task may change. What they read is not its matter."""

    patterns: tuple[str, ...] = ()
    accepts: Callable[[str], bool] = field(default=_anywhere, compare=False, repr=False)

    def allows(self, path: str) -> bool:
        return self.accepts(path)

    def require(self, path: str) -> None:
        """TASK_SCOPE for a file that the task may not change."""
        if not self.accepts(path):
            raise CodePlaneError(
                ErrorCode.TASK_SCOPE,
                "the task was opened for other files than this",
                expected=", ".join(self.patterns[:_SHOWN_PATTERNS]),
                received=path,
                remedy="Change only files of the task, or open one with other paths.",
            )


_SHOWN_PATTERNS = 10
ANYWHERE = Scope()


@dataclass(frozen=True)
class Task:
    """A task as it stands."""

    id: str
    session_id: str
    began: float
    """By a clock that nobody sets; so too when it was last used."""
    used: float = 0.0
    explicit: bool = False
    """Whether the caller opened it, rather than the session."""
    state: TaskState = TaskState.OPEN
    limits: Limits = NO_LIMITS
    scope: Scope = ANYWHERE
    repo_head: str | None = None
    client: str | None = None
    """Who opened it, as a digest."""
    calls: int = 0
    tokens: int = 0
    mutations: int = 0
    test_runs: int = 0
    limit_triggered: str | None = None
    last_mutation_fingerprint: str | None = None
    last_failure_fingerprint: str | None = None
    changed_since_failure: bool = False
    repeated_mutations: int = 0
    repeated_failures: int = 0

    @property
    def recorded_limits(self) -> dict[str, int]:
        """Limits as the ledger records them. Path patterns are the caller's words, so only their number is recorded."""
        return self.limits.as_dict() | ({"paths": len(self.scope.patterns)} if self.scope.patterns else {})


def digest_params(params: Mapping[str, object]) -> Digest:
    """The same for the same parameters in whatever order; nothing of them can be read from it."""
    text = json.dumps(params, sort_keys=True, separators=(",", ":"), default=str)
    return Digest(hashlib.sha256(text.encode("ascii")).hexdigest())
