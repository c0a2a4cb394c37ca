"""Compare a scan with the recorded files: find candidates to read, removed files and renames. Does no I/O.

A file that a scan could not see is never reported as removed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from codeplane.base.digests import Digest, digest_bytes
from codeplane.base.limits import RACY_WINDOW_NS
from codeplane.base.paths import RepoPath, basename, is_inside
from codeplane.disk.stats import FileStat
from codeplane.disk.walk import Scan

MAX_FULL_HASH_EVERY = 1_000_000
_EMPTY = digest_bytes(b"")


class FileRecord(NamedTuple):
    """A file as it was last read. `observed_at_ns` is the time just before the read."""

    stat: FileStat
    digest: Digest
    observed_at_ns: int


class Changes(NamedTuple):
    candidates: tuple[RepoPath, ...]
    """Files to read, sorted: new, changed by stat, racy, or all files in a full-hash run."""
    removed: tuple[RepoPath, ...]
    """Recorded files that certainly no longer exist, sorted."""
    unchanged: int
    partial: bool
    """Part of the tree could not be scanned; its records stay as they are."""
    unscanned: tuple[RepoPath, ...]
    unreadable: tuple[RepoPath, ...]


class FullHashSchedule(NamedTuple):
    """`run`: hash all files in this scan. `counter`: value to store for the next scan."""

    run: bool
    counter: int
    advanced: bool


def compare(scan: Scan, records: Mapping[RepoPath, FileRecord], *, full_hash: bool = False) -> Changes:
    files = scan.files
    if full_hash:
        candidates = list(files)
    else:
        candidates = []
        find = records.get
        for path, stat in files.items():
            before = find(path)
            if before is None:
                candidates.append(path)
                continue
            # Same rule as stats.is_racy, inlined: this runs for every file in every scan.
            recorded, _, observed_at = before
            settled_before = observed_at - RACY_WINDOW_NS
            if (recorded is not stat and recorded != stat) or stat[1] >= settled_before or stat[2] >= settled_before:
                candidates.append(path)
    missing = [path for path in records if path not in files] if len(records) > len(files) - len(candidates) else []
    removed = _certainly_removed(missing, scan) if missing else []
    return Changes(
        candidates=tuple(sorted(candidates)),
        removed=tuple(sorted(removed)),
        unchanged=len(files) - len(candidates),
        partial=bool(scan.unscanned or scan.unreadable),
        unscanned=scan.unscanned,
        unreadable=scan.unreadable,
    )


def find_renames(
    removed: Mapping[RepoPath, Digest], added: Mapping[RepoPath, Digest]
) -> list[tuple[RepoPath, RepoPath]]:
    """Return (old, new) pairs of equal content, sorted; each path at most once. Empty files are not paired."""
    old_by_digest: dict[Digest, list[RepoPath]] = defaultdict(list)
    for path in sorted(removed):
        old_by_digest[removed[path]].append(path)
    pairs: list[tuple[RepoPath, RepoPath]] = []
    unpaired: list[RepoPath] = []
    # Equal basenames first: among equal files, a move to another directory is the most likely.
    for path in sorted(added):
        same = old_by_digest.get(added[path], []) if added[path] != _EMPTY else []
        old = next((candidate for candidate in same if basename(candidate) == basename(path)), None)
        if old is None:
            unpaired.append(path)
        else:
            same.remove(old)
            pairs.append((old, path))
    for path in unpaired:
        same = old_by_digest.get(added[path], []) if added[path] != _EMPTY else []
        if same:
            pairs.append((same.pop(0), path))
    return sorted(pairs)


def next_full_hash(counter: int, every: int) -> FullHashSchedule:
    """Schedule a full hash on every `every`-th scan; 0 means never."""
    every = min(max(every, 0), MAX_FULL_HASH_EVERY)
    if every == 0:
        return FullHashSchedule(False, counter, False)
    following = max(counter, 0) + 1
    run = following >= every
    return FullHashSchedule(run, 0 if run else following, True)


def _certainly_removed(missing: Iterable[RepoPath], scan: Scan) -> list[RepoPath]:
    unreadable = frozenset(scan.unreadable)
    return [
        path
        for path in missing
        if path not in unreadable and not any(is_inside(path, prefix) for prefix in scan.unscanned)
    ]
