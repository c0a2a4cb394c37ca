"""Sources of a read, and errors for missing files."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.base.warnings import Notice, WarningCode
from codeplane.disk.ignore import IgnoreRules, why_ignored
from codeplane.disk.safe_open import Root
from codeplane.index.options import effective_options
from codeplane.operations.outline import FileOutlineRows
from codeplane.operations.read.documents import Document, open_document
from codeplane.query.outline import list_directory_files, nearest_paths
from codeplane.query.snapshot import Snapshot
from codeplane.workspace.workspace import Workspace

MAX_NEAREST = 3
_MAX_RULE = 200
_ATTEMPTS = 3


class ReadSources(NamedTuple):
    root: Root
    workspace: Workspace
    policy: str | None = None
    cancelled: Callable[[], bool] | None = None
    parse: Callable[[RepoPath], FileOutlineRows] | None = None
    """Parses one file while there is no index; None to not do that."""


def open_or_explain(sources: ReadSources, path: RepoPath) -> Document:
    try:
        return open_document(sources.root, path)
    except CodePlaneError as error:
        raise with_nearest_paths(sources, path, error) from None


def parse_document(sources: ReadSources, path: RepoPath) -> tuple[Document, FileOutlineRows] | None:
    """Return a file and its definitions, of the same bytes; None if it cannot be parsed, or keeps changing."""
    if sources.parse is None:
        return None
    for _ in range(_ATTEMPTS):
        document = open_or_explain(sources, path)
        try:
            outlined = sources.parse(path)
        except CodePlaneError as error:
            if error.code is not ErrorCode.LANGUAGE_UNSUPPORTED:
                raise
            return None
        if open_or_explain(sources, path).digest == document.digest:
            return document, outlined
    return None


def with_nearest_paths(sources: ReadSources, path: RepoPath, error: CodePlaneError) -> CodePlaneError:
    """Add the nearest existing paths to a not-found error."""
    if error.code not in (ErrorCode.FILE_NOT_FOUND, ErrorCode.NOT_REGULAR):
        return error
    nearest = _nearest(sources, path)
    if nearest:
        error.details["nearest"] = nearest
        error.example = error.example or {"target": nearest[0]}
    error.expected = error.expected or "the path of a file of the repository"
    error.received = error.received or display(path)
    return error


def file_not_found(sources: ReadSources, path: RepoPath) -> CodePlaneError:
    known = CodePlaneError(ErrorCode.FILE_NOT_FOUND, f"'{display(path)}' does not exist")
    return with_nearest_paths(sources, path, known)


def ignore_notices(sources: ReadSources, path: RepoPath) -> tuple[Notice, ...]:
    rules = IgnoreRules(effective_options(sources.workspace.options).ignore)
    reason = why_ignored(sources.root, rules, path)
    return (Notice(WarningCode.FILE_IGNORED, {"path": path, "rule": reason[:_MAX_RULE]}),) if reason is not None else ()


def _nearest(sources: ReadSources, path: RepoPath) -> list[str]:
    """Return the nearest indexed paths, if the index is ready."""
    if sources.workspace.state().phase != "ready":
        return []

    def ask(snapshot: Snapshot) -> tuple[RepoPath, ...]:
        in_directory = list_directory_files(snapshot, path, MAX_NEAREST) if path else ()
        return in_directory or (nearest_paths(snapshot, path, MAX_NEAREST) if path else ())

    try:
        return list(sources.workspace.read(ask, "best_effort", cancelled=sources.cancelled).value)
    except CodePlaneError:
        return []
