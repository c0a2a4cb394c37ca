"""Checks of a planned change: paths, digests, sizes, free names; and one error for all refused edits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from codeplane.base.digests import digest_bytes
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, basename, display, join, parent
from codeplane.disk.policy import fold_name, refuse_restricted, refuse_unportable
from codeplane.disk.safe_open import Root
from codeplane.disk.sensitive import is_sensitive
from codeplane.disk.write import missing_directories, read_with_links, sibling_names
from codeplane.edits.model import MAX_FILE_BYTES, MAX_MOVED_BYTES, FileChange
from codeplane.edits.text_edit import RefusedEdits

MIN_DIGEST_DIGITS = 12
MAX_EXCERPT_LINES = 60

_ENCODED_DOTS = re.compile(r"(?:%2e|\.){1,2}", re.IGNORECASE)
_DIGEST = re.compile(rf"[0-9a-f]{{{MIN_DIGEST_DIGITS},64}}")


def is_digest(text: str) -> bool:
    """True for a sha256, or a prefix of one that is long enough to identify a content."""
    return _DIGEST.fullmatch(text) is not None


def require_path(root: Root, path: RepoPath, allow_sensitive: bool) -> None:
    """Raise unless the path names a file that tools may write."""
    if not path or any(_ENCODED_DOTS.fullmatch(part) for part in path.split("/")):
        raise CodePlaneError(
            ErrorCode.PATH_INVALID,
            f"'{display(path)}' is not a file path",
            expected="a path relative to the repository root",
            received=display(path),
            example="src/app.py",
        )
    refuse_restricted(root.path, path)
    if is_sensitive(path) and not allow_sensitive:
        raise CodePlaneError(
            ErrorCode.CONFIRMATION_REQUIRED,
            f"'{display(path)}' is sensitive (CI, hooks, agent or editor config)",
            expected="allow_sensitive: true, if the user asked for this change; or paths that leave it out",
            received="no allow_sensitive",
        )


def require_size(path: RepoPath, data: bytes) -> None:
    if len(data) > MAX_FILE_BYTES:
        raise CodePlaneError(
            ErrorCode.FILE_TOO_LARGE,
            f"'{display(path)}' would have {len(data)} bytes, more than {MAX_FILE_BYTES}",
            details={"size": len(data), "limit": MAX_FILE_BYTES},
        )


def require_free_names(root: Root, planned: Mapping[RepoPath, FileChange], vacated: set[RepoPath]) -> None:
    """Raise if a new file would replace one, or would be the same file as another on some system."""
    folded: dict[str, RepoPath] = {}
    for path in sorted(planned):
        change = planned[path]
        if change.old is not None or change.new is None:
            continue
        refuse_unportable(path)
        _require_absent(root, path)
        twin = folded.setdefault(fold_name(path), path)
        if twin != path:
            raise _same_file(path, twin)
        missing = missing_directories(root, path)
        first = missing[0] if missing else path
        name = basename(first)
        for other in sorted(sibling_names(root, first)):
            if other != name and fold_name(other) == fold_name(name):
                sibling = join(parent(first), other)
                if sibling not in vacated:
                    raise _same_file(path, sibling)


def new_directories(root: Root, changes: Sequence[FileChange]) -> tuple[RepoPath, ...]:
    """Return the directories that the changes need and that do not exist, parents first."""
    written = [change.path for change in changes if change.new is not None]
    missing = {directory for path in written for directory in missing_directories(root, path)}
    return tuple(sorted(missing, key=lambda path: (path.count("/"), path)))


def at_edit(number: int, error: CodePlaneError) -> CodePlaneError:
    """Add the number of the edit to an error that has none."""
    error.details.setdefault("edit", number + 1)
    return error


def in_file(error: CodePlaneError, path: RepoPath) -> CodePlaneError:
    """Return the error with the path of the file in its message and details."""
    return CodePlaneError(
        error.code,
        f"{display(path)}: {error.message}",
        details={"path": path, **error.details},
        expected=error.expected,
        received=error.received,
        remedy=error.remedy,
    )


def refusal(refused: RefusedEdits, total: int) -> CodePlaneError:
    """Return one error for all refused edits: the first in full, the others in the excerpt."""
    ordered = sorted(refused, key=lambda pair: pair[0])
    number, first = ordered[0]
    excerpt = _excerpt(first)
    for other, error in ordered[1:]:
        excerpt += [f"edit {other + 1}: {error.code.name}: {error.message}", *_excerpt(error)]
    tail = " Nothing was changed." if first.message.endswith("?") else "; nothing was changed"
    combined = CodePlaneError(
        first.code,
        f"{f'edit {number + 1}: ' if total > 1 else ''}{first.message}{tail}",
        details={"edit": number + 1, **first.details},
        expected=first.expected,
        received=first.received,
        example=first.example,
        remedy=first.remedy,
    )
    if excerpt:
        combined.details["excerpt"] = excerpt[:MAX_EXCERPT_LINES]
    if len(ordered) > 1:
        combined.details["refused"] = sorted({other + 1 for other, _ in ordered})
    return combined


def _excerpt(error: CodePlaneError) -> list[str]:
    found = error.details.get("excerpt")
    return list(map(str, found)) if isinstance(found, list) else []


def _require_absent(root: Root, path: RepoPath) -> None:
    try:
        current = digest_bytes(read_with_links(root, path, MAX_MOVED_BYTES)[0])
    except CodePlaneError as error:
        if error.code is ErrorCode.FILE_NOT_FOUND:
            return
        raise
    raise CodePlaneError(
        ErrorCode.FILE_EXISTS,
        f"'{display(path)}' exists",
        details={"path": path, "current_sha256": current},
        remedy="To replace it, use action update with its content and expected_file_sha256.",
    )


def _same_file(path: RepoPath, twin: RepoPath) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.PATH_UNPORTABLE,
        f"'{display(path)}' and '{display(twin)}' are the same file on some systems",
        received=display(path),
        remedy="Choose another name.",
    )
