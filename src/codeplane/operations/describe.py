"""What a repository is, in a few words: where, on which branch, mostly in which language, and how its index stands."""

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
    """Ready to be written as JSON. Without a snapshot only what needs no index is said."""
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
    held = summarize_index(snapshot)
    counts = {"files": held.files, "definitions": held.definitions, "references": held.references}
    return fields | {"counts": counts}


def main_language(snapshot: Snapshot) -> str | None:
    """The language that most lines are written in, dialects taken together; None where there are no programs."""
    lines: Counter[str] = Counter()
    for name, count in count_lines_by_language(snapshot).items():
        lines[_DIALECTS.get(name, name)] += count
    ranked = sorted((-count, name) for name, count in lines.items() if is_programming(name))
    return ranked[0][1] if ranked else None


_DIALECTS = {"tsx": "typescript"}


def _branch(root: Path) -> str | None:
    """Damaged metadata is told where it matters; a description goes without its branch."""
    try:
        return current_branch(root)
    except CodePlaneError:
        return None
