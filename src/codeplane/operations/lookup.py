"""Look at what was found: definitions by name, the outline of a file. Both bring the index up to date first."""

from __future__ import annotations

from dataclasses import dataclass

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import normalize
from codeplane.disk.secrets import is_secret
from codeplane.operations.context import Context
from codeplane.operations.settings import index_options
from codeplane.query.defs import DefRow, list_defs_by_name, list_defs_by_qualified_name, list_defs_in_file
from codeplane.query.files import get_file
from codeplane.query.snapshot import check_limit
from codeplane.store.records import FileState
from codeplane.workspace.snapshot import Freshness, open_view


@dataclass(frozen=True)
class Answer:
    rows: tuple[DefRow, ...]
    total: int
    epoch: int
    freshness: Freshness
    warnings: tuple[str, ...] = ()


def find_definitions(
    context: Context, name: str, kind: str | None = None, path: str | None = None, limit: int = 20
) -> Answer:
    """Definitions of a name, or of a qualified name, by path and line."""
    check_limit(limit)
    inside = normalize(path) if path else ""
    with open_view(index_options(context)) as view:
        qualified = any(separator in name for separator in (".", "::", "/"))
        look = list_defs_by_qualified_name if qualified else list_defs_by_name
        found = look(view.snapshot, name, limit, kind=kind, directory=inside)
        return Answer(found.rows, found.total, view.snapshot.epoch.epoch, view.freshness, view.warnings)


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
        return Answer(found.rows, found.total, view.snapshot.epoch.epoch, view.freshness, view.warnings)


def _not_indexed(context: Context, file: str) -> CodePlaneError:
    del context
    return CodePlaneError(ErrorCode.FILE_NOT_FOUND, f"'{file}' is not in the index")
