"""Values of a change: an edit as requested, the change of each file, and the plan of all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from codeplane.base.digests import Digest, digest_bytes
from codeplane.base.paths import RepoPath
from codeplane.edits.diff import DiffBlock, count_changes, diff_blocks
from codeplane.edits.text_edit import EditSite, Pattern

SYMBOL_ACTIONS = ("replace_symbol", "insert_before", "insert_after")
MAX_FILE_BYTES = 16 * 1024 * 1024
"""Maximum size of an edited file; a file that is only moved or deleted may be larger."""
MAX_MOVED_BYTES = 256 * 1024 * 1024
MAX_BATCH_BYTES = 512 * 1024 * 1024


@dataclass(frozen=True)
class Edit:
    """One requested edit, with its action determined."""

    path: RepoPath
    action: str
    """create, update, delete, move, or one of SYMBOL_ACTIONS."""
    content: str | None = None
    new_text: str | None = None
    old_text: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    replace_all: bool = False
    whole_lines: bool = False
    """True if `old_text` is whole lines, as in a patch."""
    symbol: str | None = None
    pattern: Pattern | None = None
    globs: tuple[str, ...] = ()
    """Paths and globs of the files that `pattern` is applied to; empty: `path` alone."""
    files: tuple[RepoPath, ...] = ()
    """Files that match `globs`, once they are resolved."""
    expected_count: int | None = None
    expected_sha256: str | None = None
    """The digest, or a prefix of it."""
    new_path: RepoPath | None = None
    final_newline: bool | None = None
    executable: bool = False

    @property
    def paths(self) -> tuple[RepoPath, ...]:
        """Every path that the edit touches."""
        return (*(self.files or (self.path,)), *((self.new_path,) if self.new_path is not None else ()))


@dataclass(frozen=True)
class FileChange:
    """The change of one path: created if `old` is None, deleted if `new` is None."""

    path: RepoPath
    old: bytes | None
    new: bytes | None
    like: RepoPath | None = None
    """File whose mode and attributes are copied."""
    executable: bool = False
    moved_from: RepoPath | None = None
    moved_to: RepoPath | None = None
    line_ending: str | None = None
    encoding: str | None = None
    sites: tuple[EditSite, ...] = ()
    replacements: int = 0
    """Number of sites changed by edits that may change many."""
    linked: bool = False
    """True if the old file has other hard links."""

    @property
    def action(self) -> str:
        if self.moved_from is not None:
            return "moved"
        return "created" if self.old is None else "deleted" if self.new is None else "updated"

    @property
    def is_move_source(self) -> bool:
        """True for the old path of a moved file, which is reported with the new path."""
        return self.new is None and self.moved_to is not None

    @property
    def old_digest(self) -> Digest | None:
        return None if self.old is None else digest_bytes(self.old)

    @property
    def new_digest(self) -> Digest | None:
        return None if self.new is None else digest_bytes(self.new)


@dataclass(frozen=True)
class DiffStats:
    files: int
    insertions: int
    deletions: int

    def as_dict(self) -> dict[str, int]:
        return {"files_changed": self.files, "insertions": self.insertions, "deletions": self.deletions}

    def sentence(self) -> str:
        files = f"{self.files} file{'' if self.files == 1 else 's'} changed"
        return f"{files}, {self.insertions} line{'' if self.insertions == 1 else 's'} added, {self.deletions} removed"


@dataclass(frozen=True)
class EditPlan:
    """The change of every file, planned and not applied."""

    changes: tuple[FileChange, ...]
    """Sorted by path; every path once."""
    unchanged: tuple[RepoPath, ...] = ()
    new_directories: tuple[RepoPath, ...] = ()
    """Directories to create, parents first."""

    @cached_property
    def blocks(self) -> Mapping[RepoPath, Sequence[DiffBlock] | None]:
        """Changed line ranges by path; None for a binary file. A moved file is compared with its source."""
        found: dict[RepoPath, Sequence[DiffBlock] | None] = {}
        for change in self.changes:
            source = self.source_of(change)
            found[change.path] = diff_blocks(change.old if source is None else source.old, change.new)
        return found

    @cached_property
    def stats(self) -> DiffStats:
        reported = [change for change in self.changes if not change.is_move_source]
        counts = [count_changes(self.blocks[change.path]) for change in reported]
        return DiffStats(len(reported), sum(pair[0] for pair in counts), sum(pair[1] for pair in counts))

    def source_of(self, change: FileChange) -> FileChange | None:
        """Return the change of the path that a file was moved from."""
        return self._by_path.get(change.moved_from) if change.moved_from is not None else None

    @cached_property
    def _by_path(self) -> Mapping[RepoPath, FileChange]:
        return {change.path: change for change in self.changes}
