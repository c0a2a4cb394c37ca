"""Import graph: the files that a file imports and that import it, and import cycles."""

from __future__ import annotations

from dataclasses import dataclass

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.operations.refs import Reads
from codeplane.query.files import get_file
from codeplane.query.imports import list_import_cycles, list_imported_files, list_importing_files
from codeplane.query.outline import nearest_paths
from codeplane.query.snapshot import Snapshot
from codeplane.workspace.freshness import FreshResult


@dataclass(frozen=True)
class FileImports:
    path: RepoPath
    imports: tuple[RepoPath, ...]
    imported_by: tuple[RepoPath, ...]


def find_imports(reads: Reads, path: RepoPath) -> FreshResult[FileImports]:
    def ask(snapshot: Snapshot) -> FileImports:
        if get_file(snapshot, path) is None:
            nearest = nearest_paths(snapshot, path, 1)
            raise CodePlaneError(
                ErrorCode.FILE_NOT_FOUND,
                f"'{display(path)}' is not an indexed file",
                details={"nearest": list(nearest)} if nearest else None,
                expected="the path of an indexed file",
                received=display(path),
            )
        return FileImports(
            path, tuple(list_imported_files(snapshot, path)), tuple(list_importing_files(snapshot, path))
        )

    return reads(ask, references=True)


def find_import_cycles(reads: Reads) -> FreshResult[list[list[RepoPath]]]:
    """Return groups of files that import each other."""
    return reads(list_import_cycles, references=True)
