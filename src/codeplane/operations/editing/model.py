"""Values of editing: an edit as it is requested, and the change that it makes to each file."""

from __future__ import annotations

from dataclasses import dataclass

from codeplane.base.digests import Digest, digest_bytes
from codeplane.base.paths import RepoPath
from codeplane.operations.editing.locate import EditSite
from codeplane.operations.editing.substitution import Substitution

SYMBOL_ACTIONS = ("replace_symbol", "insert_before", "insert_after")
MAX_FILE_BYTES = 16 * 1024 * 1024
"""Maximum size of an edited file; a file that is only moved or deleted may be larger."""
MAX_MOVED_BYTES = 256 * 1024 * 1024
MAX_BATCH_BYTES = 512 * 1024 * 1024


@dataclass(frozen=True)
class Edit:
    """One edit as it was requested, its action known."""

    path: RepoPath
    action: str
    content: str | None = None
    new_text: str | None = None
    old_text: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    replace_all: bool = False
    whole_lines: bool = False
    """True if `old_text` is whole lines, as in a patch."""
    symbol: str | None = None
    pattern: Substitution | None = None
    globs: tuple[str, ...] = ()
    """Paths and globs of the files that `pattern` is applied to; empty: `path` alone."""
    files: tuple[RepoPath, ...] = ()
    """Files that `globs` stands for, once they are known."""
    expected_count: int | None = None
    expected_sha256: str | None = None
    """The digest, or its first digits."""
    new_path: RepoPath | None = None
    final_newline: bool | None = None
    executable: bool = False

    @property
    def paths(self) -> tuple[RepoPath, ...]:
        """Every path that the edit touches."""
        return (*(self.files or (self.path,)), *((self.new_path,) if self.new_path is not None else ()))


@dataclass(frozen=True)
class FileChange:
    """The change of one path: created without `old`, deleted without `new`."""

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
    replacements: int = 0
    """Places that edits changed which may change many."""
    linked: bool = False
    """True if the old file has other hard links."""

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
    """A batch of edits, planned and not applied."""

    changes: tuple[FileChange, ...]
    """By path; every path once."""
    unchanged: tuple[RepoPath, ...] = ()
    made: tuple[RepoPath, ...] = ()
    """Directories that do not exist yet."""
