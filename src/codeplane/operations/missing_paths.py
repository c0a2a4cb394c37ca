"""Errors about paths that are not indexed: the file does not exist, or a rule excludes it."""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Mapping

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.disk.ignore import IgnoreRules, why_ignored
from codeplane.disk.safe_open import Root
from codeplane.index.options import effective_options
from codeplane.operations.context import Context
from codeplane.operations.settings import index_options


def explain_missing(context: Context, file: RepoPath, known: CodePlaneError) -> CodePlaneError:
    """Add the reason to a not-found error. Rules of the repository are data fields."""
    nearest = known.details.get("nearest")
    details: Mapping[str, object] = known.details
    message, remedy = known.message, known.remedy
    with Root.open(context.root) as root:
        excluded, reason = _find_rule(root, IgnoreRules(effective_options(index_options(context)).ignore), file)
        if reason is not None:
            message = f"'{display(file)}' is not indexed: excluded by a rule"
            details = {**details, "ignored_by": reason}
            remedy = _remedy(reason, excluded)
        elif file and not _is_directory(root, file):
            try:
                os.close(root.open_file(file))
            except CodePlaneError as error:
                if error.code in _REASONS:
                    message = f"{error.message}; it is not indexed"
                    details = {**details, "reason": _REASONS[error.code]}
            else:
                message = f"'{display(file)}' is not indexed"
                remedy = "If untracked files are not indexed, add it to git."
    return CodePlaneError(
        ErrorCode.FILE_NOT_FOUND,
        message,
        details=details,
        expected=known.expected,
        received=known.received,
        example={"file": nearest[0]} if isinstance(nearest, list) and nearest else None,
        remedy=remedy,
    )


def nothing_indexed(path: str) -> CodePlaneError:
    """The error for a path at or under which no file is indexed."""
    return CodePlaneError(
        ErrorCode.FILE_NOT_FOUND,
        f"no indexed file at or under '{display(path)}'",
        expected="an indexed file, or a directory that has some",
        received=display(path),
        example="cpl ls",
    )


def _find_rule(root: Root, rules: IgnoreRules, file: RepoPath) -> tuple[str, str | None]:
    """Return the outermost path that a rule excludes, and the rule."""
    reason = why_ignored(root, rules, file) if file else None
    if reason is None:
        return "", None
    parts = file.split("/")
    entries = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
    # Everything inside of an excluded directory is excluded too.
    first = bisect_left(entries, True, key=lambda entry: why_ignored(root, rules, RepoPath(entry)) is not None)
    return entries[min(first, len(entries) - 1)], reason


def _remedy(reason: str, entry: str) -> str | None:
    """Return how to include the entry; None if the product or a stronger file excludes it."""
    if reason.startswith(_FINAL):
        return None
    escaped = re.sub(r"([\\*?\[])", r"\\\1", display(entry))
    return f"A line '!/{escaped}' in the root .cplignore includes it."


_FINAL = ("protected", "secret", "cplignore", "satoriignore")


def _is_directory(root: Root, file: RepoPath) -> bool:
    try:
        os.close(root.open_directory(file))
    except CodePlaneError:
        return False
    return True


_REASONS = {
    ErrorCode.PATH_SYMLINK: "symlink",
    ErrorCode.NOT_REGULAR: "not_regular",
    ErrorCode.FILE_UNREADABLE: "unreadable",
}
