"""Short description of a repository: root, branch, main language, index state."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from codeplane.base.errors import CodePlaneError
from codeplane.git.head import current_branch
from codeplane.languages.registry import is_programming
from codeplane.query.files import summarize_index
from codeplane.query.overview import count_lines_by_language
from codeplane.query.snapshot import Snapshot


def describe_repo(snapshot: Snapshot | None, root: Path, index_status: str) -> dict[str, object]:
    """Return JSON fields; without a snapshot, only those that need no index."""
    fields: dict[str, object] = {"repo_root": str(root)}
    branch = _branch(root)
    if branch is not None:
        fields["branch"] = branch
    fields["index_status"] = index_status
    if snapshot is None:
        return fields
    language = main_language(snapshot)
    if language is not None:
        fields["language"] = language
    totals = summarize_index(snapshot)
    counts = {"files": totals.files, "definitions": totals.definitions, "references": totals.references}
    return fields | {"counts": counts}


def main_language(snapshot: Snapshot) -> str | None:
    """Return the language with the most lines, dialects combined; None without programs."""
    lines: Counter[str] = Counter()
    for name, count in count_lines_by_language(snapshot).items():
        lines[_DIALECTS.get(name, name)] += count
    ranked = sorted((-count, name) for name, count in lines.items() if is_programming(name))
    return ranked[0][1] if ranked else None


_DIALECTS = {"tsx": "typescript"}


def _branch(root: Path) -> str | None:
    """Return the branch; None if git metadata is damaged, which other tools report."""
    try:
        return current_branch(root)
    except CodePlaneError:
        return None
