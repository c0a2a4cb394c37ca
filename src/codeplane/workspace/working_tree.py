"""Lists the files that would be indexed, without an index.

The walk, the ignore rules and the secrets policy are those of the index. Language and role follow from the path and
`.gitattributes` alone: no source file is opened.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.disk.bulk_read import BulkReader, ReadFailure
from codeplane.disk.ignore import IgnoreRules
from codeplane.disk.safe_open import Root
from codeplane.disk.walk import Scan, WalkCache, walk
from codeplane.git.attributes import (
    MAX_ATTRIBUTES_BYTES,
    Attributes,
    AttributeStatement,
    is_attributes_file,
    parse_attributes,
)
from codeplane.git.repository import repo_version, tracked_paths
from codeplane.index.classify import detect_language
from codeplane.index.options import IndexOptions, effective_options
from codeplane.languages.roles import decide_role


class TreeFile(NamedTuple):
    path: RepoPath
    size: int
    language: str | None
    role: str


class TreeListing(NamedTuple):
    files: tuple[TreeFile, ...]
    """Sorted by path."""
    unscanned: tuple[RepoPath, ...]
    """Directories that could not be listed, and files whose stat failed."""


class WorkingTree:
    """Scans the tree at each call, but not the unchanged directories. Safe from many threads."""

    def __init__(self, options: IndexOptions) -> None:
        self._options = options
        self._lock = threading.Lock()
        self._cache = WalkCache()
        self._kinds: _FileKinds | None = None

    def list_files(self) -> TreeListing:
        options = effective_options(self._options)
        with self._lock, Root.open(options.root) as root:
            scan = walk(root, IgnoreRules(options.ignore), self._cache)
            statements = _read_attributes(root, scan)
            if self._kinds is None or self._kinds.settings != (options.extensions, statements):
                self._kinds = _FileKinds(options, statements)
            files = tuple(self._kinds.describe(path, scan.files[path].size) for path in _indexed(options, scan))
        return TreeListing(files, tuple(sorted({*scan.unscanned, *scan.unreadable})))

    def forget(self) -> None:
        """Drop the caches."""
        with self._lock:
            self._cache, self._kinds = WalkCache(), None


class _FileKinds:
    """Cache of language and role by path."""

    def __init__(self, options: IndexOptions, statements: dict[RepoPath, tuple[AttributeStatement, ...]]) -> None:
        self.settings = (options.extensions, statements)
        self._options = options
        self._attributes = Attributes(statements)
        self._known: dict[RepoPath, tuple[str | None, str]] = {}

    def describe(self, path: RepoPath, size: int) -> TreeFile:
        known = self._known.get(path)
        if known is None:
            language = detect_language(path, b"", self._options)
            role = decide_role(path, None, self._attributes.find(path)).role
            known = self._known[path] = (language.name if language is not None else None, str(role))
        return TreeFile(path, size, *known)


def _indexed(options: IndexOptions, scan: Scan) -> Iterable[RepoPath]:
    if options.overlay or repo_version(options.root) is None:
        return sorted(scan.files)
    return sorted(scan.files.keys() & tracked_paths(options.root))


def _read_attributes(root: Root, scan: Scan) -> dict[RepoPath, tuple[AttributeStatement, ...]]:
    found: dict[RepoPath, tuple[AttributeStatement, ...]] = {}
    with BulkReader(root) as texts:
        for path in filter(is_attributes_file, scan.files):
            data = texts.read(path, MAX_ATTRIBUTES_BYTES)
            statements = parse_attributes(None if isinstance(data, ReadFailure) else data)
            if statements:
                found[path] = statements
    return found
