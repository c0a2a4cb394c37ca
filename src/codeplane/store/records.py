"""Values that the pipeline passes to the writer and reads back: files and epochs."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from codeplane.base.digests import Digest
from codeplane.base.paths import RepoPath
from codeplane.languages.role_paths import Role

BYTE_ENCODINGS = ("utf-8", "latin-1")
"""Encodings in which line endings are single bytes."""


class FileState(StrEnum):
    INDEXED = "indexed"
    """Facts and text."""
    TEXT = "text"
    """Text only: there is no grammar for it, or it is too large to parse."""
    SKIPPED = "skipped"
    """Recorded only; `reason` says why."""
    FAILED = "failed"
    """It broke its parser; its text is searchable if it could be read."""


class ChangeKind(StrEnum):
    ADDED = "added"
    MODIFIED = "modified"
    REMOVED = "removed"
    RENAMED = "renamed"


class ObservedStat(NamedTuple):
    """Stat of a file, and when it was taken. The names are columns of `files`."""

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
    role: Role = Role.SOURCE
    evidence: str = ""
    """Reason for the role."""
    header: str | None = None
    """Role marker found in its text, such as a "generated" header."""

    @property
    def document_digest(self) -> str:
        """Digest in the text index, independent of line endings."""
        # Normalizing line endings works on bytes, which is wrong in wider encodings.
        digest = self.text_digest if self.encoding in BYTE_ENCODINGS else self.digest
        return digest or self.digest or ""


class EpochInfo(NamedTuple):
    """State of the repository when an epoch is published. `repo_version` must be JSON data."""

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
    change: ChangeKind
    old_path: RepoPath | None
    digest: str | None
