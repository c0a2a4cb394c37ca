"""Options of the indexer, callbacks during a sync, and its report."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from codeplane.base import limits
from codeplane.base.paths import RepoPath
from codeplane.languages.registry import languages
from codeplane.store.registry import read_settings

if TYPE_CHECKING:
    from codeplane.disk.changes import Changes


@dataclass(frozen=True)
class IndexOptions:
    root: Path
    user_state: Path
    overlay: bool = True
    """Index files that git does not track, too."""
    workers: int = 0
    """Parse workers; 0 means one per core."""
    max_parse_bytes: int = limits.MAX_PARSE_BYTES
    max_lexical_bytes: int = limits.MAX_LEXICAL_BYTES
    parse_seconds: float = limits.PARSE_SECONDS
    full_hash_every: int = 0
    hash_concurrency: int = limits.HASH_CONCURRENCY
    ignore: tuple[str, ...] = ()
    extensions: tuple[tuple[str, str], ...] = ()
    """(".ext", language name) pairs that take precedence over the extensions of the languages."""
    extraction_cache_bytes: int = limits.EXTRACTIONS_BYTES
    """Size of the cache of parsed texts; 0 turns it off."""
    index_cache_bytes: int = limits.INDEX_CACHE_BYTES
    """Size of the cache of whole indexes; 0 turns it off."""
    max_bytes: int = 0
    """Cap on the index on disk; 0 derives one from the size of the sources."""

    @property
    def real_root(self) -> Path:
        return Path(os.path.realpath(self.root))

    @property
    def worker_count(self) -> int:
        return self.workers or max(
            1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        )

    def cap_bytes(self, source_bytes: int, files: int) -> int:
        """Return the size cap of the index for this much indexed text."""
        rule = limits.INDEX_BYTES_PER_SOURCE_BYTE * source_bytes + limits.INDEX_BYTES_PER_FILE * files
        return self.max_bytes or min(limits.MAX_INDEX_BYTES, max(64 * 1024 * 1024, rule))


def effective_options(options: IndexOptions) -> IndexOptions:
    """Return the options with the user's settings for this repository added."""
    settings = read_settings(options.user_state, options.real_root)
    ignore = tuple(dict.fromkeys((*options.ignore, *settings.ignore_patterns)))
    wanted = {**dict(options.extensions), **dict(settings.extensions)}
    known = {language.name for language in languages()} if wanted else set()
    extensions = tuple(sorted((suffix.lower(), name) for suffix, name in wanted.items() if name in known))
    return replace(options, ignore=ignore, extensions=extensions)


PROGRESS_SECONDS = 0.05
"""Least time between two reports of progress."""


class IndexProgress(NamedTuple):
    phase: str
    """scan, index, finish, or resolve: the epoch is published, and references follow."""
    files_done: int = 0
    files_total: int = 0
    bytes_done: int = 0
    bytes_total: int = 0
    elapsed_s: float = 0.0


ProgressListener = Callable[[IndexProgress], None]
IsCancelled = Callable[[], bool]
ChangesListener = Callable[["Changes"], None]
"""Called with the differences as soon as the tree was compared, before any file is read."""


class SyncHooks(NamedTuple):
    """Callbacks during a sync."""

    progress: ProgressListener
    cancelled: IsCancelled
    changes: ChangesListener

    @classmethod
    def make(
        cls,
        progress: ProgressListener | None = None,
        cancelled: IsCancelled | None = None,
        changes: ChangesListener | None = None,
    ) -> SyncHooks:
        """Return hooks that do nothing where none is passed."""
        return cls(progress or _ignore, cancelled or (lambda: False), changes or _ignore)


def _ignore(_: object) -> None:
    pass


@dataclass(frozen=True)
class SyncReport:
    """Result of one sync."""

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
    """Files whose stat changed but whose content did not."""
    hashed: int = 0
    parsed: int = 0
    resolved: int = 0
    """Files whose references must be resolved: they or their dependencies changed."""
    full_hash_run: bool = False
    reconciled: bool = False
    """True if ignore rules changed since the last sync."""
    partial: bool = False
    unscanned: tuple[RepoPath, ...] = ()
    stale: tuple[RepoPath, ...] = ()
    """Files that could not be read, or changed during the read; their indexed state is older."""
    set_aside: tuple[RepoPath, ...] = ()
    """Files that broke their parser in this sync."""
    unparsed: tuple[RepoPath, ...] = ()
    """Files of the index that could not be parsed so far."""
    pending: int = 0
    """Files left for the next sync, after an interruption or at the size cap."""
    repaired: tuple[RepoPath, ...] = ()
    seconds: float = 0.0
    bytes_read: int = 0
    rebuild_reason: str | None = None
    bound: bool = True
    """True if the index could be registered as this user's."""
    warnings: tuple[str, ...] = ()

    @property
    def changed(self) -> int:
        return self.added + self.modified + self.removed
