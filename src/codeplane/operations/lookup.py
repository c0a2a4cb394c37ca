"""Look at what was found: definitions by name, the outline of a file. Both bring the index up to date first."""

from __future__ import annotations

import os
from dataclasses import dataclass

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, normalize
from codeplane.disk.beneath import Root
from codeplane.disk.ignore import Rules, why_ignored
from codeplane.disk.secrets import is_secret
from codeplane.operations.context import Context
from codeplane.operations.settings import index_options
from codeplane.query.defs import (
    DefRow,
    list_defs_by_name,
    list_defs_by_prefix,
    list_defs_by_qualified_name,
    list_defs_in_file,
    list_kinds,
)
from codeplane.query.files import get_file, list_files, list_problems
from codeplane.query.snapshot import Snapshot, check_limit
from codeplane.store.records import FileState
from codeplane.workspace.snapshot import Freshness, open_view

MAX_SIMILAR = 5


@dataclass(frozen=True)
class Answer:
    rows: tuple[DefRow, ...]
    total: int
    epoch: int
    freshness: Freshness
    warnings: tuple[str, ...] = ()
    similar: tuple[str, ...] = ()
    """Names that begin so, where nothing has the name itself."""


def find_definitions(
    context: Context, name: str, kind: str | None = None, path: str | None = None, limit: int = 20
) -> Answer:
    """Definitions of a name, or of the end of a qualified name, by path and line."""
    check_limit(limit)
    if not name.strip():
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID, "the name is empty", expected="a name", received="''", example="cpl defs main"
        )
    inside = normalize(path) if path else ""
    with open_view(index_options(context)) as view:
        snapshot = view.snapshot
        qualified = any(separator in name for separator in (".", "::", "/", "#"))
        look = list_defs_by_qualified_name if qualified else list_defs_by_name
        found = look(snapshot, name, limit, kind=kind, directory=inside)
        similar: tuple[str, ...] = ()
        if not found.rows:
            _check_filters(snapshot, kind, inside)
            near = list_defs_by_prefix(snapshot, name, 100).rows if not qualified else ()
            similar = tuple(dict.fromkeys(row.name for row in near))[:MAX_SIMILAR]
        return Answer(found.rows, found.total, snapshot.epoch.epoch, view.freshness, view.warnings, similar)


def outline(context: Context, path: str, limit: int = 500) -> Answer:
    """Definitions of one file in the order in which they stand."""
    check_limit(limit)
    file = normalize(path)
    if is_secret(file):
        raise CodePlaneError(
            ErrorCode.SECRET_PATH, f"'{file}' may hold secrets and is never indexed", remedy="Open it yourself."
        )
    with open_view(index_options(context)) as view:
        known = get_file(view.snapshot, file)
        if known is None:
            raise _not_indexed(context, file)
        if known.state is not FileState.INDEXED:
            reason = known.reason or "no grammar reads it"
            raise CodePlaneError(
                ErrorCode.LANGUAGE_UNSUPPORTED,
                f"'{file}' has no outline: {reason}",
                remedy="'cpl languages' lists the languages that have one.",
            )
        found = list_defs_in_file(view.snapshot, file, limit)
        problems = list_problems(view.snapshot, 1, file)
        warnings = view.warnings
        if problems.total:
            where = problems.rows[0].line
            warnings = (*warnings, f"{problems.total} syntax errors, the first in line {where}: parts may be missing")
        return Answer(found.rows, found.total, view.snapshot.epoch.epoch, view.freshness, warnings)


def _check_filters(snapshot: Snapshot, kind: str | None, directory: str) -> None:
    """A filter that nothing passes is a mistake in the call, not an answer."""
    kinds = list_kinds(snapshot) if kind is not None else ()
    if kind is not None and kind not in kinds:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"nothing is of the kind '{kind}'",
            expected=", ".join(kinds),
            received=kind,
            example="cpl defs main --kind function",
        )
    if directory and get_file(snapshot, directory) is None and not list_files(snapshot, 1, directory).total:
        raise CodePlaneError(
            ErrorCode.FILE_NOT_FOUND,
            f"nothing beneath '{directory}' is indexed",
            expected="a directory or file of the repository that is indexed",
            received=directory,
        )


def _not_indexed(context: Context, file: str) -> CodePlaneError:
    """Why a path has no facts: it is no file, or a rule leaves it out."""
    rules = Rules(context.config.index.ignore)
    with Root.open(context.root) as root:
        reason = why_ignored(root, rules, RepoPath(file)) if file else None
        if reason is not None:
            remedy = f"A line '!{file.partition('/')[0]}' in .cplignore brings it back." if "/" in file else None
            return CodePlaneError(ErrorCode.FILE_NOT_FOUND, f"'{file}' is not indexed: {reason}", remedy=remedy)
        try:
            os.close(root.open_file(file))
        except CodePlaneError as error:
            return CodePlaneError(
                ErrorCode.FILE_NOT_FOUND,
                f"'{file}' is not a file of this repository" if file else "no file was named",
                expected="the path of a file",
                received=error.message,
                example="cpl outline src/app.py",
            )
    return CodePlaneError(
        ErrorCode.FILE_NOT_FOUND, f"'{file}' is not indexed", remedy="Only files that git tracks are indexed in CI."
    )
