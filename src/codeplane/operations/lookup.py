"""Find definitions by name in an index that whoever opened it keeps up to date."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display, normalize
from codeplane.base.warnings import Notice
from codeplane.operations.missing import nothing_indexed
from codeplane.query.defs import (
    DefRow,
    list_defs_by_prefix,
    list_defs_called,
    list_kinds,
    name_parts,
)
from codeplane.query.files import get_file, list_files
from codeplane.query.snapshot import Page, Snapshot, check_limit
from codeplane.workspace.freshness import Freshness, Read

MAX_SIMILAR = 5

Found = tuple[Page[DefRow], tuple[str, ...]]
Reads = Callable[[Callable[[Snapshot], Found]], Read[Found]]
"""The door to an index: asks one epoch."""


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
    reads: Reads, name: str, kind: str | None = None, path: str | None = None, limit: int = 20
) -> Answer:
    """Definitions of a name, or of the end of a qualified name, by path and line."""
    check_limit(limit)
    if not name.strip():
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID, "the name is empty", expected="a name", received="''", example="cpl defs main"
        )
    inside = normalize(path) if path else ""

    def ask(snapshot: Snapshot) -> Found:
        found = list_defs_called(snapshot, name, limit, kind=kind, directory=inside)
        if found.rows:
            return found, ()
        _check_filters(snapshot, kind, inside)
        near = list_defs_by_prefix(snapshot, name, 100).rows if len(name_parts(name)) == 1 else ()
        return found, tuple(dict.fromkeys(row.name for row in near))[:MAX_SIMILAR]

    read = reads(ask)
    found, similar = read.value
    return Answer(found.rows, found.total, read.epoch, read.freshness, _warnings(read.notices), similar)


def _warnings(notices: tuple[Notice, ...]) -> tuple[str, ...]:
    """Notices in one line each, with the names that they are about."""
    return tuple(_sentence(notice) for notice in notices)


def _sentence(notice: Notice) -> str:
    about = [", ".join(map(str, value)) if isinstance(value, list) else str(value) for value in notice.about.values()]
    return f"{notice.code.sentence} ({display('; '.join(about))})" if about else notice.code.sentence


def _check_filters(snapshot: Snapshot, kind: str | None, directory: str) -> None:
    """A filter that nothing passes is a mistake in the call, not an answer."""
    kinds = list_kinds(snapshot) if kind is not None else ()
    if kind is not None and kind not in kinds:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"no definition of kind '{kind}'",
            expected=", ".join(kinds),
            received=kind,
            example="cpl defs main --kind function",
        )
    if directory and get_file(snapshot, directory) is None and not list_files(snapshot, 1, directory).total:
        raise nothing_indexed(directory)
