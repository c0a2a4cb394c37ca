"""The tree as the last epoch of an index describes it, held in memory between syncs."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from codeplane.base.digests import Digest, merkle_root
from codeplane.base.paths import RepoPath
from codeplane.disk.changes import FileRecord
from codeplane.disk.stats import FileStat
from codeplane.index.options import IndexOptions
from codeplane.index.roles import Roles
from codeplane.index.unit_assignment import UnitAssignment
from codeplane.store.files import list_stored
from codeplane.store.parse_failures import PARSE_FAILURES, ParseFailure, parse_failures
from codeplane.store.records import FileState
from codeplane.store.writer import Writer

READ_AGAIN = FileStat(-1, 0, 0, 0, 0)
"""Stat of a file that must be read again even if its stat is the same."""
PARSE_AGAIN = FileStat(-2, 0, 0, 0, 0)
"""Stat of a file that must be parsed again even if its text is the same."""


class IndexState(Enum):
    MISSING = auto()
    """There is no usable generation: the next sync builds one."""
    UNFINISHED = auto()
    """A build or update was interrupted: files are missing, and the next sync resumes."""
    UNPUBLISHED = auto()
    """A repair must be published before the index may be read."""
    PUBLISHED = auto()


@dataclass
class IndexedTree:
    files: dict[RepoPath, FileRecord] = field(default_factory=dict)
    assignment: UnitAssignment = field(default_factory=UnitAssignment)
    roles: Roles = field(default_factory=Roles)
    root_digest: Digest | None = None
    ignore_signature: str | None = None
    repo_version: Mapping[str, object] = field(default_factory=dict)
    failures: dict[RepoPath, ParseFailure] = field(default_factory=dict)
    """Files that could not be parsed."""
    forced: bool = False
    """True if files must be read again even where their stat is unchanged."""

    def update_root_digest(self) -> Digest:
        self.root_digest = merkle_root((path, self.files[path].digest) for path in sorted(self.files))
        return self.root_digest

    def retry_failures(self) -> None:
        """Mark the files that could not be parsed, and whose retry is due, to be parsed again."""
        now = time.time()
        for path, failure in self.failures.items():
            if path in self.files and failure.is_due(now):
                self.files[path] = FileRecord(PARSE_AGAIN, Digest(""), 0)

    def read_again(self, paths: Iterable[RepoPath]) -> None:
        """Mark files whose stat does not show every change. Without an observation a stat is always racy."""
        for path in paths:
            record = self.files.get(path)
            if record is not None:
                self.files[path] = record._replace(observed_at_ns=0)

    @property
    def retry_at(self) -> float | None:
        """Unix time of the next retry; None if there is nothing to retry."""
        return min((each.retry_at for each in self.failures.values() if each.is_due(each.retry_at)), default=None)

    def cap_bytes(self, options: IndexOptions) -> int:
        limit = options.max_lexical_bytes
        size = sum(record.stat.size for record in self.files.values() if record.stat.size <= limit)
        return options.cap_bytes(size, len(self.files))


def read_state(writer: Writer | None) -> IndexState:
    if writer is None:
        return IndexState.MISSING
    if writer.read_meta("pending") not in (None, "0") and writer.read_meta("pending_why") != "full":
        return IndexState.UNFINISHED
    return IndexState.UNPUBLISHED if writer.changed else IndexState.PUBLISHED


def load_tree(writer: Writer, options: IndexOptions) -> IndexedTree:
    """Load what the writer's index describes; a seeded index has no epoch yet."""
    tree = IndexedTree(
        files={
            path: FileRecord(FileStat(*stored[:5]), Digest(stored.digest or ""), stored.observed_at_ns)
            for path, stored in list_stored(writer)
        },
        assignment=UnitAssignment.load(writer),
        roles=Roles.load(writer),
        ignore_signature=writer.read_meta("ignore_signature"),
        failures=parse_failures(writer.read_meta(PARSE_FAILURES)),
    )
    if writer.read_meta("limits") != limits_note(options):
        _invalidate_limits(tree, writer, options)
    if (writer.read_meta("extensions") or "") != extensions_note(options):
        _invalidate_extensions(tree, writer, options)
    epoch = writer.read_epoch()
    if epoch is not None:
        tree.root_digest = Digest(epoch.merkle_root)
        tree.repo_version = epoch.repo_version
    return tree


def limits_note(options: IndexOptions) -> str:
    """Return the limits that decide how a file is indexed, as stored with the index."""
    return f"{options.max_parse_bytes} {options.max_lexical_bytes} {options.parse_seconds} cpu"


def extensions_note(options: IndexOptions) -> str:
    return " ".join(f"{extension}={language}" for extension, language in options.extensions)


def _invalidate_limits(tree: IndexedTree, writer: Writer, options: IndexOptions) -> None:
    """Mark the files whose treatment other limits may change."""
    for path, stored in list_stored(writer):
        if stored.state != FileState.INDEXED or stored.size > options.max_parse_bytes:
            tree.files[path] = FileRecord(READ_AGAIN, Digest(""), 0)
            tree.forced = True


def _invalidate_extensions(tree: IndexedTree, writer: Writer, options: IndexOptions) -> None:
    """Mark the files whose language changed."""
    before = set((writer.read_meta("extensions") or "").split())
    suffixes = tuple(pair.partition("=")[0] for pair in before ^ set(extensions_note(options).split()))
    for path in tree.files:
        if path.lower().endswith(suffixes):
            tree.files[path] = FileRecord(PARSE_AGAIN, Digest(""), 0)
            tree.forced = True
