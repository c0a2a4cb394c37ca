"""What the pipeline hands to the writer and reads back: files, epochs, and derived rows."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from codeplane.base.digests import Digest
from codeplane.base.paths import RepoPath
from codeplane.languages.role_paths import Role

BYTE_ENCODINGS = ("utf-8", "latin-1")
"""In which a line ending is one that bytes show."""


class FileState(StrEnum):
    INDEXED = "indexed"
    """Facts and text."""
    TEXT = "text"
    """Text alone: no grammar reads it, or it is too large to parse."""
    SKIPPED = "skipped"
    """Recorded only; `reason` says why."""
    FAILED = "failed"
    """Set aside after it broke its parser; its text is searchable where it could be read."""


class ChangeKind(StrEnum):
    ADDED = "added"
    MODIFIED = "modified"
    REMOVED = "removed"
    RENAMED = "renamed"


class ObservedStat(NamedTuple):
    """What the file system said, and when it was asked."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    device: int
    observed_at_ns: int


class FileRow(NamedTuple):
    path: RepoPath
    stat: ObservedStat
    digest: Digest | None
    text_digest: Digest | None
    language: str | None
    family: str | None
    encoding: str | None
    lines: int
    state: FileState
    reason: str | None = None
    unit_id: int | None = None
    """The unit that owns it."""
    role: Role = Role.SOURCE
    evidence: str = ""
    """What its role follows from."""
    header: str | None = None
    """What its own text says of its role."""

    @property
    def document_digest(self) -> str:
        """What the document of the text index goes by: line endings leave no trace in it."""
        # The digest that ignores line endings is one of bytes: in wider encodings it may take others for them.
        digest = self.text_digest if self.encoding in BYTE_ENCODINGS else self.digest
        return digest or self.digest or ""


class EpochInfo(NamedTuple):
    """What is true of the repository when an epoch is published. `repo_version` must be JSON data."""

    merkle_root: str
    head: str | None
    repo_version: Mapping[str, object]
    published_ns: int


class EpochRow(NamedTuple):
    epoch: int
    published_ns: int
    merkle_root: str
    head: str | None
    repo_version: Mapping[str, object]
    files: int


class PendingChange(NamedTuple):
    """How the next epoch will differ from the last in one path."""

    change: ChangeKind
    old_path: RepoPath | None
    digest: str | None
