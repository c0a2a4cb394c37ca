"""Scans of the working tree: all files that are not ignored, or without the overlay only those that git tracks."""

from __future__ import annotations

import time

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import RACY_WINDOW_NS
from codeplane.base.paths import RepoPath, display
from codeplane.disk.ignore import IgnoreRules
from codeplane.disk.safe_open import Root
from codeplane.disk.walk import Scan, WalkCache, walk
from codeplane.git.git_directory import is_git_directory
from codeplane.git.repository import RepoVersion, repo_version, tracked_paths


class TreeScanner:
    """Caches directory listings and the list of tracked paths between scans."""

    def __init__(self, root: Root, ignore: tuple[str, ...], *, overlay: bool) -> None:
        self._root = root
        self._rules = IgnoreRules(ignore)
        self._overlay = overlay
        self._cache = WalkCache()
        self._tracked: tuple[RepoVersion, frozenset[RepoPath]] | None = None

    def scan(self) -> Scan:
        scan = walk(self._root, self._rules, self._cache)
        if self._overlay:
            return scan
        version = repo_version(self._root.path)
        if version is None:
            return scan
        tracked = self._tracked_paths(version)
        return scan._replace(files={path: stat for path, stat in scan.files.items() if path in tracked})

    def directories(self) -> dict[RepoPath, int]:
        """Return the directories of the last scan with their devices."""
        return {listing.path: listing.stat.device for listing in self._cache.listings.values()}

    def _tracked_paths(self, version: RepoVersion) -> frozenset[RepoPath]:
        if self._tracked is not None and self._tracked[0] == version:
            return self._tracked[1]
        observed_at = time.time_ns()
        tracked = tracked_paths(self._root.path)
        # An index that was just written is racy, and indexes of submodules have no stamp: do not cache them.
        settled = version.index_mtime_ns < observed_at - RACY_WINDOW_NS and not version.submodules
        self._tracked = (version, tracked) if settled else None
        return tracked


def check_root(root: Root) -> None:
    """Raise if the root cannot be indexed.

    PATH_INVALID: neither SQLite nor Tantivy can open a path that is not UTF-8. NOT_A_REPOSITORY: the files of a git
    directory are not sources, and may hold credentials.
    """
    try:
        str(root.path).encode()
    except UnicodeEncodeError:
        raise CodePlaneError(
            ErrorCode.PATH_INVALID,
            f"the path of the repository is not UTF-8: '{display(str(root.path))}'",
            remedy="Rename the directory, or index it through a bind mount with another name.",
        ) from None
    if is_git_directory(root.path):
        raise CodePlaneError(
            ErrorCode.NOT_A_REPOSITORY,
            f"'{display(str(root.path))}' is a git directory without a working tree",
            remedy="Index a clone of it, or a working tree: git worktree add PATH.",
        )
