"""New generations: empty, or seeded with a copy of a cached index of a similar tree.

A seed only saves time: none of its files counts as seen, so each is read and compared by digest before the generation
becomes current. Cached indexes are in the user's state directory, never in a repository.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError
from codeplane.base.paths import RepoPath
from codeplane.disk.changes import Changes, FileRecord
from codeplane.disk.walk import Scan
from codeplane.index.fingerprint import runtime_fingerprint
from codeplane.store.index_cache import MIN_FILES, CachedIndex, IndexCache, TreeSignature, similarity, tree_signature
from codeplane.store.layout import Generation, StateDirectory
from codeplane.store.open_writer import create_writer, open_seeded
from codeplane.store.registry import Binding
from codeplane.store.writer import Barrier, Writer

_EPOCHS_PER_GENERATION = 1_000_000
_SWITCH_SHARE = 10
"""If one file in so many changed at once, it may be a branch switch."""
_MIN_SIMILARITY = 0.3
_MIN_ADVANTAGE = 0.1
"""Minimum advantage in similarity of a cached index over the current one."""


class NewGeneration(NamedTuple):
    state: StateDirectory
    binding: Binding
    last_epoch: int | None
    """Last epoch of the previous index, if known."""
    barrier: Barrier

    def create_empty(self) -> Writer:
        generation = self.state.new_generation()
        try:
            return create_writer(
                generation,
                runtime_fingerprint(),
                self.binding.repo_uuid,
                self.binding.index_id,
                first_epoch=self._first_epoch(generation),
                barrier=self.barrier,
            )
        except BaseException:
            self.state.remove_generation(generation)
            raise

    def create_from(self, cache: IndexCache, seed: CachedIndex) -> Writer | None:
        """Return the writer of a copy; None if the copy fails or is unusable."""
        generation = self.state.new_generation()
        try:
            cache.copy_to(seed, generation)
            return open_seeded(
                generation,
                runtime_fingerprint(),
                self.binding.repo_uuid,
                self.binding.index_id,
                first_epoch=self._first_epoch(generation),
                barrier=self.barrier,
            )
        except BaseException as error:
            self.state.remove_generation(generation)
            if isinstance(error, OSError | CodePlaneError):
                return None
            raise

    def _first_epoch(self, generation: Generation) -> int:
        """Return the epoch after the last one, or a number that the last one cannot have reached: epochs only grow."""
        if self.last_epoch is not None:
            return self.last_epoch + 1
        return (int(generation.name) - 1) * _EPOCHS_PER_GENERATION + 1


def is_branch_switch(changes: Changes, files: int) -> bool:
    """True if so much changed that a cached index may be nearer to the tree than the current one."""
    changed = len(changes.candidates) + len(changes.removed)
    return changed >= MIN_FILES and changed * _SWITCH_SHARE >= files


def stash_current(
    cache: IndexCache, writer: Writer, content: str, files: Mapping[RepoPath, FileRecord], scan: Scan
) -> CachedIndex | None:
    """Cache the current index, since its tree may return. Return a cached index that is nearer to the tree."""
    current, wanted = _file_signature(files), _scan_signature(scan)
    cache.store(writer, runtime_fingerprint(), content, current)
    return cache.find(runtime_fingerprint(), wanted, similarity(current, wanted) + _MIN_ADVANTAGE)


def store_copy(cache: IndexCache, writer: Writer, content: str, files: Mapping[RepoPath, FileRecord]) -> None:
    """Cache an index that was just built, unless it is too small to be worth it."""
    if len(files) >= MIN_FILES:
        cache.store(writer, runtime_fingerprint(), content, _file_signature(files))


def find_seed(cache: IndexCache, scan: Scan) -> CachedIndex | None:
    if len(scan.files) < MIN_FILES:
        return None
    return cache.find(runtime_fingerprint(), _scan_signature(scan), _MIN_SIMILARITY)


def _file_signature(files: Mapping[RepoPath, FileRecord]) -> TreeSignature:
    return tree_signature((path, record.stat.size) for path, record in files.items())


def _scan_signature(scan: Scan) -> TreeSignature:
    return tree_signature((path, stat.size) for path, stat in scan.files.items())
