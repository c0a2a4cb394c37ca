"""The result of a mutation: files, counts, line ranges and digests. No content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from codeplane.base.digests import Digest, digest_bytes
from codeplane.base.paths import RepoPath
from codeplane.edits.diff import count_changes
from codeplane.edits.model import EditPlan, FileChange
from codeplane.edits.text_edit import EditSite

FINGERPRINT_CHARS = 16
"""Length of a fingerprint in an answer, where it is only compared for equality and costs tokens."""
MAX_CHARS = 14_000
"""Maximum size of all file rows together."""

_MARKS = {"created": "+", "deleted": "-", "updated": "~", "moved": ">"}


@dataclass(frozen=True)
class Delta:
    """An applied mutation."""

    mutation_id: str
    plan: EditPlan
    fields: Mapping[str, object]
    """The files as they are reported; see `delta_fields`."""
    fingerprint: Digest
    lost_attributes: tuple[RepoPath, ...] = ()
    """Files whose owner or extended attributes could not be preserved."""


def delta_fields(plan: EditPlan) -> dict[str, object]:
    """Return counts and one row per file; a long list is truncated, with the number left out."""
    rows = [_row(change, plan) for change in plan.changes if not change.is_move_source]
    listed: list[dict[str, object]] = []
    chars = MAX_CHARS
    for row in rows:
        chars -= len(str(row))
        if chars < 0:
            break
        listed.append(row)
    fields: dict[str, object] = {**plan.stats.as_dict(), "files": listed}
    if len(rows) > len(listed):
        fields["files_left_out"] = len(rows) - len(listed)
    return fields


def mutation_fingerprint(plan: EditPlan) -> Digest:
    """Return a digest of the change, the same for the same change at any time and by any caller."""
    lines = [f"{change.path}\0{change.old_digest}\0{change.new_digest}" for change in plan.changes]
    lines.append(f"{plan.stats.files} {plan.stats.insertions} {plan.stats.deletions}")
    return digest_bytes("\n".join(lines).encode("utf-8", "surrogateescape"))


def short_diff(plan: EditPlan) -> str:
    """Return one line per file: a mark for the action, and the path."""
    return "\n".join(f"{_MARKS[change.action]} {change.path}" for change in plan.changes if not change.is_move_source)


def _row(change: FileChange, plan: EditPlan) -> dict[str, object]:
    inserted, deleted = count_changes(plan.blocks[change.path])
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
    corrected = [site for site in change.sites if site.requested is not None]
    if corrected:
        fields["line_corrections"] = [
            {"original": str(site.requested), "corrected": str(site.before)} for site in corrected
        ]
    return fields


def _site_fields(site: EditSite) -> dict[str, object]:
    fields: dict[str, object] = {"lines": str(site.before), "new_lines": str(site.after)}
    return fields | ({"reindented": True} if site.reindented else {})
