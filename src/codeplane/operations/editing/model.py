"""Words of editing: what is asked for, and what it comes to file by file. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from codeplane.base.digests import Digest, digest_bytes
from codeplane.base.paths import RepoPath
from codeplane.operations.editing.locate import EditSite

ACTIONS = ("create", "update", "delete", "move")
MAX_FILE_BYTES = 16 * 1024 * 1024
"""Of one file that is edited; what is only moved or deleted may be larger."""
MAX_MOVED_BYTES = 256 * 1024 * 1024
MAX_BATCH_BYTES = 512 * 1024 * 1024


@dataclass(frozen=True)
class Edit:
    """One edit as it was asked for, its action known."""

    path: RepoPath
    action: str
    content: str | None = None
    new_content: str | None = None
    expected_content: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    expected_sha256: str | None = None
    new_path: RepoPath | None = None
    final_newline: bool | None = None
    executable: bool = False


@dataclass(frozen=True)
class FileChange:
    """What becomes of one path: created without `old`, deleted without `new`."""

    path: RepoPath
    old: bytes | None
    new: bytes | None
    like: RepoPath | None = None
    """The file whose mode and attributes it keeps."""
    executable: bool = False
    moved_from: RepoPath | None = None
    moved_to: RepoPath | None = None
    line_ending: str | None = None
    encoding: str | None = None
    sites: tuple[EditSite, ...] = ()
    linked: bool = False
    """Whether the old file has other names."""

    @property
    def action(self) -> str:
        if self.moved_from is not None:
            return "moved"
        return "created" if self.old is None else "deleted" if self.new is None else "updated"

    @property
    def old_digest(self) -> Digest | None:
        return None if self.old is None else digest_bytes(self.old)

    @property
    def new_digest(self) -> Digest | None:
        return None if self.new is None else digest_bytes(self.new)


@dataclass(frozen=True)
class EditPlan:
    """A whole batch, planned and not applied."""

    changes: tuple[FileChange, ...]
    """By path; every path once."""
    unchanged: tuple[RepoPath, ...] = ()
    made: tuple[RepoPath, ...] = ()
    """Directories that do not exist yet."""


Counts = Mapping[RepoPath, tuple[int, int]]
