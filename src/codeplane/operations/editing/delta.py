"""What a change of files is told as: which files, how much, where, and their digests. No content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from codeplane.base.digests import Digest, digest_bytes
from codeplane.base.paths import RepoPath
from codeplane.operations.editing.diffing import Block, count
from codeplane.operations.editing.locate import EditSite
from codeplane.operations.editing.model import FileChange

FINGERPRINT_CHARS = 16
"""Of a fingerprint in an answer: it is compared by eye and by equality, and costs tokens."""
MAX_CHARS = 14_000
"""Of the rows of files together."""

Blocks = Mapping[RepoPath, Sequence[Block] | None]


@dataclass(frozen=True)
class Stats:
    files: int
    insertions: int
    deletions: int

    def as_dict(self) -> dict[str, int]:
        return {"files_changed": self.files, "insertions": self.insertions, "deletions": self.deletions}

    def sentence(self) -> str:
        files = f"{self.files} file{'' if self.files == 1 else 's'} changed"
        return f"{files}, {self.insertions} line{'' if self.insertions == 1 else 's'} added, {self.deletions} removed"


def stats_of(changes: Sequence[FileChange], blocks: Blocks) -> Stats:
    counted = [_counted(change, blocks) for change in changes]
    # What moves away is told with the file that it becomes.
    files = sum(not _is_left(change) for change in changes)
    return Stats(files, sum(pair[0] for pair in counted), sum(pair[1] for pair in counted))


def delta_fields(changes: Sequence[FileChange], blocks: Blocks) -> dict[str, object]:
    """The whole delta as far as the files themselves tell it; long lists are cut, and say so."""
    rows = [_row(change, blocks) for change in changes if not _is_left(change)]
    listed = fitting(rows, MAX_CHARS)
    fields: dict[str, object] = {**stats_of(changes, blocks).as_dict(), "files": listed}
    if len(rows) > len(listed):
        fields["files_left_out"] = len(rows) - len(listed)
    return fields


def fitting(rows: Sequence[dict[str, object]], chars: int) -> list[dict[str, object]]:
    """The first rows that fit."""
    taken: list[dict[str, object]] = []
    for row in rows:
        chars -= len(str(row))
        if chars < 0:
            break
        taken.append(row)
    return taken


def mutation_fingerprint(changes: Sequence[FileChange], stats: Stats) -> Digest:
    """The same for the same change, whoever makes it and whenever."""
    lines = [f"{change.path}\0{change.old_digest}\0{change.new_digest}" for change in changes]
    lines.append(f"{stats.files} {stats.insertions} {stats.deletions}")
    return digest_bytes("\n".join(lines).encode("utf-8", "surrogateescape"))


def short_diff(changes: Sequence[FileChange]) -> str:
    marks = {"created": "+", "deleted": "-", "updated": "~", "moved": ">"}
    return "\n".join(f"{marks[change.action]} {change.path}" for change in changes if not _is_left(change))


def _is_left(change: FileChange) -> bool:
    return change.new is None and change.moved_to is not None


def _counted(change: FileChange, blocks: Blocks) -> tuple[int, int]:
    if _is_left(change):
        return 0, 0
    return count(blocks.get(change.path))


def _row(change: FileChange, blocks: Blocks) -> dict[str, object]:
    inserted, deleted = _counted(change, blocks)
    fields: dict[str, object] = {"path": change.path, "action": change.action}
    if change.moved_from is not None:
        fields["from"] = change.moved_from
    if change.old is not None:
        fields["old_hash"] = change.old_digest
    if change.new is not None:
        fields["file_sha256"] = change.new_digest
    if inserted:
        fields["insertions"] = inserted
    if deleted:
        fields["deletions"] = deleted
    if change.line_ending not in (None, "lf", "none"):
        fields["line_ending"] = change.line_ending
    if change.encoding is not None:
        fields["encoding"] = change.encoding
    if change.sites:
        fields["edits"] = [_site_fields(site) for site in change.sites]
    if change.replacements:
        fields["replacements"] = change.replacements
    moved = [site for site in change.sites if site.said is not None]
    if moved:
        fields["line_corrections"] = [{"original": str(site.said), "corrected": str(site.before)} for site in moved]
    return fields


def _site_fields(site: EditSite) -> dict[str, object]:
    fields: dict[str, object] = {"lines": str(site.before), "new_lines": str(site.after)}
    return fields | ({"reindented": True} if site.reindented else {})
