"""Check one file against an epoch without scanning the whole tree."""

from __future__ import annotations

import os
import stat as modes

from codeplane.base.errors import CodePlaneError
from codeplane.base.paths import RepoPath, basename, parent
from codeplane.disk.ignore import IgnoreRules, why_ignored
from codeplane.disk.safe_open import Root
from codeplane.disk.stats import FileStat, is_racy
from codeplane.git.index_stamp import index_stamp
from codeplane.index.options import IndexOptions, effective_options
from codeplane.query.snapshot import Snapshot
from codeplane.store.codec import path_to_text, signed64

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


def _is_same_git_index(snapshot: Snapshot, options: IndexOptions) -> bool:
    """True if git tracks the same files: without the overlay, the git index decides what is indexed."""
    version = snapshot.epoch.repo_version
    stamp = index_stamp(options.root)
    indexed = (version.get("index_mtime_ns"), version.get("index_size"))
    return stamp is not None and stamp == indexed and not version.get("submodules")
