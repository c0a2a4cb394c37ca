"""How a new generation begins: empty, or as a copy of an index that was put by and is like the tree.

A copy is a head start and no more: none of its files counts as seen, so each is read and compared by digest before the
generation becomes current. What is put by, and found here, lies in the user's own directory, never in a repository.
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
from codeplane.store.recovery import open_seeded
from codeplane.store.registry import Binding
from codeplane.store.writer import Barrier, Writer, create_writer

_EPOCHS_PER_GENERATION = 1_000_000
_OTHER_TREE = 10
"""A tree of which one file in so many changed at once may be another."""
_ALIKE = 0.3
_NEARER = 0.1
"""Share of files that an index must have in common with a tree to start from it; more than the one at hand has."""


class NewGeneration(NamedTuple):
    """What a generation must know when it is made."""

    state: StateDirectory
    binding: Binding
    last_epoch: int | None
    """Of the index before it, where that is known."""
    barrier: Barrier


def is_branch_switch(changes: Changes, files: int) -> bool:
    """Whether so much changed that it may be another branch, and an index that was put by nearer to it."""
    changed = len(changes.candidates) + len(changes.removed)
    return changed >= MIN_FILES and changed * _OTHER_TREE >= files


def stash_current(
    shelf: IndexCache, writer: Writer, content: str, known: Mapping[RepoPath, FileRecord], scan: Scan
) -> CachedIndex | None:
    """Put the index by as it is, since its tree may come back; an index that is nearer to what is there now."""
    own, wanted = _sketch_known(known), _sketch_scan(scan)
    shelf.put(writer, runtime_fingerprint(), content, own)
    return shelf.find(runtime_fingerprint(), wanted, similarity(own, wanted) + _NEARER)


def store_copy(shelf: IndexCache, writer: Writer, content: str, known: Mapping[RepoPath, FileRecord]) -> None:
    """Keep a copy of what was just built, if that is worth it."""
    if len(known) >= MIN_FILES:
        shelf.put(writer, runtime_fingerprint(), content, _sketch_known(known))


def find_seed(shelf: IndexCache, scan: Scan) -> CachedIndex | None:
    """The index to start from where there is none."""
    return shelf.find(runtime_fingerprint(), _sketch_scan(scan), _ALIKE) if len(scan.files) >= MIN_FILES else None


def create_generation(beginning: NewGeneration) -> Writer:
    state, binding, _, barrier = beginning
    generation = state.new_generation()
    first_epoch = _first_epoch(beginning, generation)
    try:
        return create_writer(
            generation,
            runtime_fingerprint(),
            binding.repo_uuid,
            binding.index_id,
            first_epoch=first_epoch,
            barrier=barrier,
        )
    except BaseException:
        state.remove_generation(generation)
        raise


def copy_generation_from(shelf: IndexCache, start: CachedIndex, beginning: NewGeneration) -> Writer | None:
    """A generation that begins as a copy; None if that is no good."""
    state, binding, _, barrier = beginning
    generation = state.new_generation()
    first_epoch = _first_epoch(beginning, generation)
    try:
        shelf.take(start, generation)
        return open_seeded(
            generation,
            runtime_fingerprint(),
            binding.repo_uuid,
            binding.index_id,
            first_epoch=first_epoch,
            barrier=barrier,
        )
    except (OSError, CodePlaneError):
        state.remove_generation(generation)
        return None
    except BaseException:
        state.remove_generation(generation)
        raise


def _first_epoch(beginning: NewGeneration, generation: Generation) -> int:
    """Epochs only ever grow: on from the last one, or from a number that it cannot have reached."""
    last = beginning.last_epoch
    return last + 1 if last is not None else (int(generation.name) - 1) * _EPOCHS_PER_GENERATION + 1


def _sketch_known(known: Mapping[RepoPath, FileRecord]) -> TreeSignature:
    return tree_signature((path, each.stat.size) for path, each in known.items())


def _sketch_scan(scan: Scan) -> TreeSignature:
    return tree_signature((path, stat.size) for path, stat in scan.files.items())
