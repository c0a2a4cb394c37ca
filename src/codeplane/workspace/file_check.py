"""Compare the working tree, or one file of it, with an epoch. Writes nothing."""

from __future__ import annotations

import os
import stat as modes

from codeplane.base.digests import Digest
from codeplane.base.errors import CodePlaneError
from codeplane.base.paths import RepoPath, basename, parent
from codeplane.disk.changes import FileRecord, compare
from codeplane.disk.hashing import ReadOutcome, read_many
from codeplane.disk.ignore import IgnoreRules, why_ignored
from codeplane.disk.safe_open import Root
from codeplane.disk.stats import FileStat, is_racy
from codeplane.git.index_stamp import index_stamp
from codeplane.index.options import IndexOptions, effective_options
from codeplane.index.tree_scanner import TreeScanner
from codeplane.query.snapshot import Snapshot
from codeplane.store.codec import path_to_text, signed64
from codeplane.store.files import list_stored
from codeplane.workspace.freshness import FRESH, Freshness, stale

_SELECT_STAT = "SELECT size, mtime_ns, ctime_ns, inode, device, observed_at_ns FROM files WHERE path = ?"


def is_file_unchanged(snapshot: Snapshot, options: IndexOptions, file: RepoPath) -> bool:
    """True if the stat equals the stored one, is not racy, and no ignore rule excludes the file."""
    stored = snapshot.reader.row(_SELECT_STAT, (path_to_text(file),))
    if stored is None:
        return False
    try:
        with Root.open(options.root) as root:
            directory = root.open_directory(parent(file))
            try:
                status = os.stat(basename(file), dir_fd=directory, follow_symlinks=False)
            finally:
                os.close(directory)
            current = FileStat(
                status.st_size,
                status.st_mtime_ns,
                status.st_ctime_ns,
                signed64(status.st_ino),
                signed64(status.st_dev),
            )
            if not modes.S_ISREG(status.st_mode) or current != stored[:5] or is_racy(current, stored[5]):
                return False
            if why_ignored(root, IgnoreRules(effective_options(options).ignore), file) is not None:
                return False
    except (OSError, CodePlaneError):
        return False
    return options.overlay or _is_same_git_index(snapshot, options)


def compare_tree(snapshot: Snapshot, options: IndexOptions, reason: CodePlaneError) -> Freshness:
    """Return how fresh an epoch is that cannot be updated for a reason."""
    options = effective_options(options)
    records = {
        path: FileRecord(FileStat(*stored[:5]), Digest(stored.digest or ""), stored.observed_at_ns)
        for path, stored in list_stored(snapshot.reader)
    }
    with Root.open(options.root) as root:
        changes = compare(TreeScanner(root, options.ignore, overlay=options.overlay).scan(), records)
        differing = {*changes.removed, *changes.unscanned, *changes.unreadable}
        for read in read_many(root, changes.candidates, limit=0):
            record = records.get(read.path)
            if record is None or read.outcome is not ReadOutcome.OK or read.digest != record.digest:
                differing.add(read.path)
    return stale("failed", tuple(sorted(differing)), reason=reason.code.name) if differing else FRESH


def _is_same_git_index(snapshot: Snapshot, options: IndexOptions) -> bool:
    """True if git tracks the same files: without the overlay, the git index decides what is indexed."""
    version = snapshot.epoch.repo_version
    stamp = index_stamp(options.root)
    indexed = (version.get("index_mtime_ns"), version.get("index_size"))
    return stamp is not None and stamp == indexed and not version.get("submodules")
