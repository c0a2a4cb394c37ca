"""What the pipeline is told by configuration, and what it tells while it works."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from codeplane.base import limits
from codeplane.base.paths import RepoPath


@dataclass(frozen=True)
class IndexOptions:
    root: Path
    user_state: Path
    overlay: bool = True
    """Whether files that git does not track are indexed too."""
    workers: int = 0
    """Parse workers; 0 means one per core."""
    max_parse_bytes: int = limits.MAX_PARSE_BYTES
    max_lexical_bytes: int = limits.MAX_LEXICAL_BYTES
    parse_seconds: float = limits.PARSE_SECONDS
    full_hash_every: int = 0
    hash_concurrency: int = limits.HASH_CONCURRENCY
    ignore: tuple[str, ...] = ()
    max_bytes: int = 0
    """Cap on the index on disk; 0 means a rule of thumb from the size of the sources."""

    @property
    def worker_count(self) -> int:
        return self.workers or max(
            1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        )

    def cap_bytes(self, source_bytes: int) -> int:
        """How large the index may grow for this much indexed text."""
        rule = max(64 * 1024 * 1024, limits.INDEX_BYTES_PER_SOURCE_BYTE * source_bytes)
        return self.max_bytes or min(limits.MAX_INDEX_BYTES, rule)


class Progress(NamedTuple):
    phase: str
    """scan, index or finish."""
    files_done: int = 0
    files_total: int = 0
    bytes_done: int = 0
    bytes_total: int = 0
    elapsed_s: float = 0.0


Report = Callable[[Progress], None]
Cancelled = Callable[[], bool]


@dataclass(frozen=True)
class SyncReport:
    """What one look at the tree found and did."""

    epoch: int
    decision: str
    """fresh, synced, built, rebuilt, resumed or interrupted."""
    merkle_root: str
    files: int
    added: int = 0
    modified: int = 0
    removed: int = 0
    renamed: tuple[tuple[RepoPath, RepoPath], ...] = ()
    touched: int = 0
    """Files whose stat changed and whose content did not."""
    hashed: int = 0
    parsed: int = 0
    full_hash_run: bool = False
    partial: bool = False
    unscanned: tuple[RepoPath, ...] = ()
    stale: tuple[RepoPath, ...] = ()
    """Files that could not be read, or changed while they were; what is known of them is older."""
    set_aside: tuple[RepoPath, ...] = ()
    """Files that broke their parser in this look."""
    pending: int = 0
    """Files left for the next look, after an interruption or at the size cap."""
    repaired: tuple[RepoPath, ...] = ()
    seconds: float = 0.0
    bytes_read: int = 0
    rebuild_reason: str | None = None
    warnings: tuple[str, ...] = ()

    @property
    def changed(self) -> int:
        return self.added + self.modified + self.removed
