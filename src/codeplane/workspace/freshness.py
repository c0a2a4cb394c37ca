"""Values that describe the state of a workspace and how fresh a result is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Generic, TypeVar

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.base.warnings import Notice, WarningCode
from codeplane.index.options import IndexProgress, SyncReport

if TYPE_CHECKING:
    from codeplane.edits.recover import LeftoverMutation

T = TypeVar("T")

POLICIES = ("strict", "balanced", "best_effort")
MAX_STALE_PATHS = 20
MAX_UNPARSED_PATHS = 5


UNWRITABLE = frozenset({ErrorCode.STATE_DIRECTORY_READ_ONLY, ErrorCode.NO_SPACE})
"""Errors that leave a published index readable."""


class IndexPhase(StrEnum):
    """Phases of the index thread; `index_thread` lists the transitions."""

    OPENING = "opening"
    WAITING = "waiting"
    """The published epoch can be read, but not updated: another process holds the lock, or nothing can be written."""
    ABSENT = "absent"
    BUILDING = "building"
    READY = "ready"
    INCOMPATIBLE = "incompatible"
    ERROR = "error"


@dataclass(frozen=True)
class WorkspaceSettings:
    policy: str = "balanced"
    inline_ms: int = 250
    """Time that a balanced read waits for a sync."""
    strict_seconds: float = 30.0
    watcher: bool = True
    debounce_ms: int = 5000
    background: bool = True
    """Sync without a request: shortly after the start, then every `interval_seconds`."""
    interval_seconds: float = 180.0
    build: bool = True
    """Build a missing index without a request."""
    prewarm: bool = True
    once: bool = False
    """For a one-shot command: wait for the sync however long it takes, but not for a lock."""


ONE_SHOT = WorkspaceSettings(
    inline_ms=24 * 3600 * 1000, watcher=False, background=False, build=False, prewarm=False, once=True
)


@dataclass(frozen=True)
class Freshness:
    status: str
    """fresh or stale."""
    decision: str
    """Steps taken: `fresh` (nothing had changed), `synced`, `coalesced` (shared the sync of another read),
    `reconciled_ignores`, `deferred` (a sync continues in the background), `unchecked`, or `failed`."""
    stale_paths: tuple[RepoPath, ...] = ()
    """The first stale paths; `stale_total` counts all. Empty if they are not known."""
    stale_total: int = 0
    reason: str | None = None
    """Error code of a failed sync."""

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
    """Result of a read, and the epoch that it describes."""

    value: T
    epoch: int
    freshness: Freshness
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True)
class Compatibility:
    """Verdict on the index on disk, for this program and this user."""

    verdict: str
    """ok, absent, building, requires_reindex, newer or corrupt."""
    reason: str | None
    runtime: Mapping[str, str]
    indexed: Mapping[str, str]
    """Empty without an index."""
    differences: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """By field: the value in the index and the current value."""


@dataclass(frozen=True)
class ActiveJob:
    kind: str
    """create, reindex, rebuild, resume or sync."""
    id: str
    """Empty for a sync, which cannot be queried."""
    progress: IndexProgress
    started: float
    """Unix time in seconds."""


@dataclass(frozen=True)
class WorkspaceState:
    phase: IndexPhase
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
    unparsed: int = 0
    """Files that could not be parsed so far."""
    unfinished_writes: tuple[LeftoverMutation, ...] = ()
    published: bool = True
    """False if there is no index at all; a process that holds the lock may be building the first one."""


def check_policy(policy: str) -> str:
    if policy in POLICIES:
        return policy
    raise CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"unknown freshness policy '{policy}'",
        expected=", ".join(POLICIES),
        received=policy,
        example="balanced",
    )


def stale(decision: str, paths: tuple[RepoPath, ...] = (), total: int = 0, reason: str | None = None) -> Freshness:
    return Freshness("stale", decision, paths[:MAX_STALE_PATHS], max(total, len(paths)), reason)


def freshness_of(report: SyncReport, shared: bool) -> Freshness:
    """Return the freshness of a read that waited for this sync; `shared` if another caller had requested it."""
    unseen = (*report.unscanned, *report.stale)
    if unseen or report.pending:
        return stale("deferred", unseen, len(unseen) + report.pending)
    if report.reconciled:
        return Freshness("fresh", "reconciled_ignores")
    if shared:
        return Freshness("fresh", "coalesced")
    return FRESH if report.decision == "fresh" else Freshness("fresh", "synced")


def report_notices(report: SyncReport) -> tuple[Notice, ...]:
    """Return what readers of the index should know about the sync that produced it."""
    notices: list[Notice] = []
    unseen = (*report.unscanned, *report.stale)
    if report.rebuild_reason is not None:
        notices.append(Notice(WarningCode.INDEX_REBUILT, {"why": report.rebuild_reason}))
    if report.repaired:
        notices.append(Notice(WarningCode.INDEX_REPAIRED, {"files": len(report.repaired)}))
    if not report.bound:
        notices.append(Notice(WarningCode.INDEX_NOT_BOUND))
    if unseen:
        notices.append(Notice(WarningCode.FILES_UNREADABLE, {"paths": list(unseen[:MAX_STALE_PATHS])}))
    if report.pending and report.decision != "interrupted":
        notices.append(Notice(WarningCode.INDEX_AT_CAP, {"files": report.pending}))
    notices += unparsed_notices(report.unparsed)
    return tuple(notices)


def unparsed_notices(paths: Sequence[RepoPath]) -> tuple[Notice, ...]:
    """Return the warning for an answer that lacks the facts of these files."""
    if not paths:
        return ()
    about: dict[str, object] = {"paths": sorted(paths)[:MAX_UNPARSED_PATHS]}
    return (Notice(WarningCode.FILES_NOT_PARSED, about | ({"total": len(paths)} if len(paths) > 1 else {})),)
