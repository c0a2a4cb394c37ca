"""Words for how fresh an answer is, and for what the door to the index is doing. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.base.warnings import Notice, WarningCode
from codeplane.index.options import IndexProgress, SyncReport

T = TypeVar("T")

POLICIES = ("strict", "balanced", "best_effort")
MAX_STALE_PATHS = 20


@dataclass(frozen=True)
class WorkspaceSettings:
    policy: str = "balanced"
    inline_ms: int = 250
    """Balanced: how long a call waits for the look at the tree."""
    strict_seconds: float = 30.0
    watcher: bool = True
    debounce_ms: int = 5000
    background: bool = True
    """Looks without a question: shortly after the start, then every `interval_seconds`."""
    interval_seconds: float = 180.0
    build: bool = True
    """Whether a missing index is built unasked."""
    prewarm: bool = True
    once: bool = False
    """For a command that asks once: it waits for its look however long that takes, but not for a lock."""


ONE_SHOT = WorkspaceSettings(
    inline_ms=24 * 3600 * 1000, watcher=False, background=False, build=False, prewarm=False, once=True
)


@dataclass(frozen=True)
class Freshness:
    status: str
    """fresh or stale."""
    decision: str
    """fresh, synced, coalesced, reconciled_ignores, deferred, unchecked or failed."""
    stale_paths: tuple[RepoPath, ...] = ()
    """The first of them; `stale_total` counts all. None at all where it is not known which."""
    stale_total: int = 0
    reason: str | None = None
    """Name of the error that a failed look ended with."""

    def as_dict(self) -> dict[str, object]:
        fields: dict[str, object] = {"status": self.status, "decision": self.decision}
        if self.stale_total:
            fields["stale_paths"] = list(self.stale_paths)
            fields["stale_total"] = self.stale_total
        if self.reason is not None:
            fields["reason"] = self.reason
        return fields


FRESH = Freshness("fresh", "fresh")


@dataclass(frozen=True)
class FreshResult(Generic[T]):
    """What was asked for, and of which epoch it speaks."""

    value: T
    epoch: int
    freshness: Freshness
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True)
class Compatibility:
    """How the index on disk stands to this program."""

    verdict: str
    """ok, absent, building, requires_reindex, newer or corrupt."""
    reason: str | None
    runtime: Mapping[str, str]
    indexed: Mapping[str, str]
    """Empty without an index."""
    differences: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Field: the value in the index, the value now."""


@dataclass(frozen=True)
class ActiveJob:
    kind: str
    """create, reindex, rebuild, resume or sync."""
    id: str
    """Empty for a look that nobody can ask about."""
    progress: IndexProgress
    started: float
    """Seconds since the epoch of Unix."""


@dataclass(frozen=True)
class WorkspaceState:
    phase: str
    """opening, waiting, building, ready, absent, incompatible or error."""
    watcher: str
    """on, starting, off, overflow, limit, untrusted or unsupported."""
    prewarm: str
    """pending, running, complete, skipped or failed."""
    lock_owner: int | None = None
    progress: IndexProgress | None = None
    epoch: int | None = None
    last_sync: float | None = None
    last_report: SyncReport | None = None
    last_error: CodePlaneError | None = None
    compatibility: Compatibility | None = None
    active_job: ActiveJob | None = None
    published: bool = True
    """Whether there is an index at all; where another process has the lock, it may be making the first."""


def check_policy(policy: str) -> str:
    if policy in POLICIES:
        return policy
    raise CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        "there is no such freshness policy",
        expected=", ".join(POLICIES),
        received=policy,
        example="balanced",
    )


def stale(decision: str, paths: tuple[RepoPath, ...] = (), total: int = 0, reason: str | None = None) -> Freshness:
    return Freshness("stale", decision, paths[:MAX_STALE_PATHS], max(total, len(paths)), reason)


def freshness_of(report: SyncReport, shared: bool) -> Freshness:
    """What a finished look says about the answers that waited for it."""
    unseen = (*report.unscanned, *report.stale)
    if unseen or report.pending:
        return stale("deferred", unseen, len(unseen) + report.pending)
    if report.reconciled:
        return Freshness("fresh", "reconciled_ignores")
    if shared:
        return Freshness("fresh", "coalesced")
    return FRESH if report.decision == "fresh" else Freshness("fresh", "synced")


def notices_of(report: SyncReport) -> tuple[Notice, ...]:
    """What whoever reads this index should know of the look that made it so."""
    found: list[Notice] = []
    unseen = (*report.unscanned, *report.stale)
    if report.rebuild_reason is not None:
        found.append(Notice(WarningCode.INDEX_REBUILT, {"why": report.rebuild_reason}))
    if report.repaired:
        found.append(Notice(WarningCode.INDEX_REPAIRED, {"files": len(report.repaired)}))
    if not report.bound:
        found.append(Notice(WarningCode.INDEX_NOT_BOUND))
    if unseen:
        found.append(Notice(WarningCode.FILES_UNREADABLE, {"paths": list(unseen[:MAX_STALE_PATHS])}))
    if report.pending and report.decision != "interrupted":
        found.append(Notice(WarningCode.INDEX_AT_CAP, {"files": report.pending}))
    return tuple(found)
