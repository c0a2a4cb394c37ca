"""From a scan to what changed: stat first, bytes on doubt.

Compares what was seen with what was known. Does no I/O; the reading of candidates is
elsewhere. What a scan could not see is never called removed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from codeplane.base.digests import Digest, digest_bytes
from codeplane.base.limits import RACY_WINDOW_NS
from codeplane.base.paths import RepoPath, is_inside
from codeplane.disk.stats import FileStat
from codeplane.disk.walk import Scan

MAX_FULL_HASH_EVERY = 1_000_000
_EMPTY = digest_bytes(b"")


class Known(NamedTuple):
    """A file as it was last read: `observed_at_ns` is the time just before its bytes were."""

    stat: FileStat
    digest: Digest
    observed_at_ns: int


class Changes(NamedTuple):
    candidates: tuple[RepoPath, ...]
    """To be read: new, changed by stat, too fresh to be believed, or all of them in a full-hash run. Sorted."""
    removed: tuple[RepoPath, ...]
    """Known, and certainly no longer there. Sorted."""
    unchanged: int
    partial: bool
    """Part of the tree could not be seen; what is known of that part stays as it is."""
    unscanned: tuple[RepoPath, ...]
    unreadable: tuple[RepoPath, ...]


def compare(scan: Scan, known: Mapping[RepoPath, Known], full_hash: bool = False) -> Changes:
    files = scan.files
    if full_hash:
        candidates = list(files)
    else:
        candidates = []
        find = known.get
        for path, stat in files.items():
            before = find(path)
            if before is None:
                candidates.append(path)
                continue
            # Written out, since this runs for every file at every look: the same rule as stats.is_racy.
            believed, _, observed_at = before
            trusted_before = observed_at - RACY_WINDOW_NS
            if (believed is not stat and believed != stat) or stat[1] >= trusted_before or stat[2] >= trusted_before:
                candidates.append(path)
    missing = [path for path in known if path not in files] if len(known) > len(files) - len(candidates) else []
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
    """Pairs (old, new) of equal content, sorted; each path at most once. Empty files are all alike, and not paired."""
    old_by_digest: dict[Digest, list[RepoPath]] = defaultdict(list)
    for path in sorted(removed):
        old_by_digest[removed[path]].append(path)
    pairs: list[tuple[RepoPath, RepoPath]] = []
    unpaired: list[RepoPath] = []
    # First those that kept their name: of several equal files, a move to another directory is the likeliest.
    for path in sorted(added):
        same = old_by_digest.get(added[path], []) if added[path] != _EMPTY else []
        old = next((candidate for candidate in same if _name(candidate) == _name(path)), None)
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


def should_save(
    *, changed: bool, hashed: int, metadata_changed: bool = False, counter_advanced: bool = False
) -> bool:
    """Whether a look at the tree left something worth writing.

    Hashes alone are: unless the later time of observation is kept, a racy file is hashed for ever.
    """
    return changed or hashed > 0 or metadata_changed or counter_advanced


class FullHash(NamedTuple):
    """Whether to hash everything this time, and the counter to keep for the next."""

    run: bool
    counter: int
    advanced: bool


def count_full_hash(counter: int, every: int) -> FullHash:
    """Every `every`-th look hashes all files; 0 means never."""
    every = min(max(every, 0), MAX_FULL_HASH_EVERY)
    if every == 0:
        return FullHash(False, counter, False)
    following = max(counter, 0) + 1
    run = following >= every
    return FullHash(run, 0 if run else following, True)


def _certainly_removed(missing: Iterable[RepoPath], scan: Scan) -> list[RepoPath]:
    unreadable = frozenset(scan.unreadable)
    return [
        path
        for path in missing
        if path not in unreadable and not any(is_inside(path, prefix) for prefix in scan.unscanned)
    ]


def _name(path: str) -> str:
    return path.rpartition("/")[2]
