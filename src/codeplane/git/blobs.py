"""Content of a file in HEAD or in the index.

Files of submodules are rejected, because they belong to another repository. The content is the raw object: filters that
the repository configures are not run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pygit2
from pygit2.enums import FileMode

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.git.errors import translate_errors
from codeplane.git.git_directory import has_git, open_repository
from codeplane.git.head import NOT_THIS_REPOSITORY, is_own
from codeplane.git.index_state import check_objects

GitVersion = Literal["HEAD", "INDEX"]

_FILES = (FileMode.BLOB, FileMode.BLOB_EXECUTABLE)


def read_blob(root: Path, path: RepoPath, version: GitVersion, limit: int) -> bytes | None:
    """Return the content of a file in HEAD or in the index; None if it has no regular file at the path."""
    if not has_git(root):
        raise CodePlaneError(ErrorCode.NOT_A_REPOSITORY, "this directory is not a git repository")
    with translate_errors(root):
        repository = open_repository(root)
        if not is_own(root, repository):
            raise CodePlaneError(ErrorCode.GIT_UNSUPPORTED, NOT_THIS_REPOSITORY)
        check_objects(root)
        found = _in_head(repository, path) if version == "HEAD" else _in_index(repository, path)
        if found is None:
            return None
        _, size = repository.odb.read_header(found)
        if size > limit:
            raise CodePlaneError(
                ErrorCode.FILE_TOO_LARGE,
                f"'{display(path)}' has {size} bytes in git, more than {limit}",
                details={"size": size, "limit": limit},
            )
        data: bytes = repository.odb.read(found)[1]
        return data


def _in_head(repository: pygit2.Repository, path: RepoPath) -> pygit2.Oid | None:
    if repository.head_is_unborn:
        return None
    entry: pygit2.Object = repository.head.peel(pygit2.Tree)
    for name in path.split("/"):
        if not isinstance(entry, pygit2.Tree) or name not in entry:
            return None
        if entry[name].filemode == FileMode.COMMIT:
            raise _in_submodule(path)
        entry = entry[name]
    return entry.id if entry.filemode in _FILES else None


def _in_index(repository: pygit2.Repository, path: RepoPath) -> pygit2.Oid | None:
    index = repository.index
    parts = path.split("/")
    for end in range(1, len(parts)):
        above = "/".join(parts[:end])
        if above in index and index[above].mode == FileMode.COMMIT:
            raise _in_submodule(path)
    if path not in index:
        return None
    return index[path].id if index[path].mode in _FILES else None


def _in_submodule(path: RepoPath) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.GIT_UNSUPPORTED, f"'{display(path)}' is in a submodule, which is another repository"
    )
