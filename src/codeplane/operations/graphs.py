"""Questions about the repository as a whole: which file imports which, and what nothing is known to use."""

from __future__ import annotations

from dataclasses import dataclass

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.index.resolve.languages import RESOLVED
from codeplane.operations.missing import nothing_indexed
from codeplane.operations.relations import Reads
from codeplane.query.files import get_file, list_files
from codeplane.query.import_graph import list_circles, list_imported, list_importers
from codeplane.query.outline import nearest_paths
from codeplane.query.snapshot import Page, Snapshot
from codeplane.query.unused import Unused, list_unused
from codeplane.workspace.freshness import Read


@dataclass(frozen=True)
class Imports:
    path: RepoPath
    imports: tuple[RepoPath, ...]
    imported_by: tuple[RepoPath, ...]


def find_imports(reads: Reads, path: RepoPath) -> Read[Imports]:
    def ask(snapshot: Snapshot) -> Imports:
        if get_file(snapshot, path) is None:
            nearest = nearest_paths(snapshot, path, 1)
            raise CodePlaneError(
                ErrorCode.FILE_NOT_FOUND,
                f"'{display(path)}' is not an indexed file",
                details={"nearest": list(nearest)} if nearest else None,
                expected="the path of an indexed file",
                received=display(path),
            )
        return Imports(path, tuple(list_imported(snapshot, path)), tuple(list_importers(snapshot, path)))

    return reads(ask, links=True)


def find_circles(reads: Reads) -> Read[list[list[RepoPath]]]:
    """Groups of files that import each other."""
    return reads(list_circles, links=True)


def find_unused(reads: Reads, limit: int, under: RepoPath | None = None) -> Read[Page[Unused]]:
    """Definitions without a known use, beneath a directory or in a file if one is named."""

    def ask(snapshot: Snapshot) -> Page[Unused]:
        if under is not None and get_file(snapshot, under) is None and not list_files(snapshot, 1, under).total:
            raise nothing_indexed(under)
        return list_unused(snapshot, limit, languages=sorted(RESOLVED), under=under)

    return reads(ask, links=True)
