"""Content of a file in any revision.

A revision is a branch, tag or commit with optional parent steps (`HEAD~2`, `v1.0^`). The rest of git's revision syntax
(history searches, paths, reflogs) is rejected before libgit2 sees it. Submodules are not entered. The content is
the raw object: filters that the repository configures are not run.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, NamedTuple

import pygit2
from pygit2.enums import FileMode

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display, join
from codeplane.disk.secrets import is_secret
from codeplane.git.errors import translate_errors
from codeplane.git.git_directory import check_reference, has_git, open_repository
from codeplane.git.head import NOT_THIS_REPOSITORY, is_own
from codeplane.git.index_state import check_objects

INDEX = "INDEX"
"""Pseudo revision: the staged content."""

_MAX_CHARS = 250
_MAX_SHOWN = 80
_MAX_NEAREST = 3
_REVISION = re.compile(r"([^-/.\s~^:?*\[\\\x00-\x1f\x7f][^\s~^:?*\[\\\x00-\x1f\x7f]*)((?:~[0-9]{0,5}|\^[0-9]{0,2})*)")


class FileAtRevision(NamedTuple):
    """A file in a revision."""

    commit: str
    """Full commit id; empty for INDEX."""
    data: bytes


def read_file_at(root: Path, revision: str, path: RepoPath, limit: int) -> FileAtRevision:
    """Return the file at a path in a revision, if it has at most `limit` bytes."""
    return _read(root, revision, path, limit, remedy="Leave 'ref' out.")


def find_file_at(root: Path, revision: Literal["HEAD", "INDEX"], path: RepoPath, limit: int) -> bytes | None:
    """Return the content of a file in HEAD or in the index; None if it has no regular file at the path."""
    try:
        return _read(root, revision, path, limit).data
    except CodePlaneError as error:
        # ARGUMENT_INVALID: HEAD has no commit yet.
        if error.code in (ErrorCode.FILE_NOT_FOUND, ErrorCode.PATH_SYMLINK, ErrorCode.ARGUMENT_INVALID):
            return None
        raise


def _read(root: Path, revision: str, path: RepoPath, limit: int, remedy: str | None = None) -> FileAtRevision:
    name = parse_name(revision)
    repository = _open(root, remedy)
    with translate_errors(root):
        if revision == INDEX:
            return FileAtRevision("", _data(repository, _find_staged(repository, path), path, limit))
        check_reference(root, name)
        commit = find_commit(repository, revision)
        return FileAtRevision(str(commit.id), _data(repository, _find_committed(repository, commit, path), path, limit))


def _open(root: Path, remedy: str | None) -> pygit2.Repository:
    if not has_git(root):
        raise CodePlaneError(ErrorCode.NOT_A_REPOSITORY, "this directory is not a git repository", remedy=remedy)
    with translate_errors(root):
        repository = open_repository(root)
        if not is_own(root, repository):
            raise CodePlaneError(ErrorCode.GIT_UNSUPPORTED, NOT_THIS_REPOSITORY)
        check_objects(root)
        return repository


def parse_name(revision: str) -> str:
    """Return the branch, tag or commit at the start of a revision."""
    found = _REVISION.fullmatch(revision) if len(revision) <= _MAX_CHARS else None
    if found is None or ".." in found[1] or "@{" in found[1]:
        raise _invalid(revision, f"'{display(revision[:_MAX_SHOWN])}' is not a supported revision")
    return found[1]


def find_commit(repository: pygit2.Repository, revision: str) -> pygit2.Commit:
    try:
        found = repository.revparse_single(revision)
    except (KeyError, ValueError) as error:
        unborn = repository.head_is_unborn and revision.startswith(("HEAD", "@"))
        missing = f"no branch, tag or commit named '{display(revision[:_MAX_SHOWN])}'"
        message = "the repository has no commit yet" if unborn else missing
        raise _invalid(revision, message) from error
    try:
        return found.peel(pygit2.Commit)
    except (pygit2.GitError, ValueError) as error:
        raise _invalid(revision, f"'{display(revision[:_MAX_SHOWN])}' is not a commit") from error


def _find_committed(repository: pygit2.Repository, commit: pygit2.Commit, path: RepoPath) -> pygit2.Oid:
    here: pygit2.Object = _object(repository, commit.tree_id)
    above = RepoPath("")
    for name in path.split("/"):
        if not isinstance(here, pygit2.Tree) or name not in here:
            names = [join(above, entry.name or "") for entry in here] if isinstance(here, pygit2.Tree) else []
            raise _missing(path, names)
        entry = here[name]
        above = join(above, name)
        _require_plain(path, entry.filemode)
        here = _object(repository, entry.id) if entry.filemode == FileMode.TREE else entry
    if isinstance(here, pygit2.Tree):
        raise _missing(path, [join(path, entry.name or "") for entry in here], is_directory=True)
    return here.id


def _find_staged(repository: pygit2.Repository, path: RepoPath) -> pygit2.Oid:
    index = repository.index
    parts = path.split("/")
    for end in range(1, len(parts) + 1):
        above = "/".join(parts[:end])
        if above in index:
            _require_plain(path, index[above].mode)
    if path not in index:
        raise _missing(path, [])
    found: pygit2.Oid = index[path].id
    return found


def _object(repository: pygit2.Repository, object_id: pygit2.Oid) -> pygit2.Object:
    """Load an object; shallow and partial clones lack some."""
    try:
        return repository[object_id]
    except KeyError as error:
        raise _missing_object() from error


def _data(repository: pygit2.Repository, object_id: pygit2.Oid, path: RepoPath, limit: int) -> bytes:
    try:
        _, size = repository.odb.read_header(object_id)
    except KeyError as error:
        raise _missing_object() from error
    if size > limit:
        raise CodePlaneError(
            ErrorCode.FILE_TOO_LARGE,
            f"'{display(path)}' has {size} bytes in this revision, more than {limit}",
            details={"size": size, "limit": limit},
        )
    data: bytes = _object(repository, object_id).read_raw()
    return data


def _require_plain(path: RepoPath, mode: int) -> None:
    if mode == FileMode.LINK:
        raise CodePlaneError(
            ErrorCode.PATH_SYMLINK,
            f"'{display(path)}' is, or goes through, a symbolic link in this revision",
            expected="the path of a file",
            received=display(path),
        )
    if mode == FileMode.COMMIT:
        raise CodePlaneError(
            ErrorCode.GIT_UNSUPPORTED,
            f"'{display(path)}' is, or is in, a submodule, which is another repository",
            expected="a file of this repository",
            received=display(path),
        )


def _missing(path: RepoPath, names: list[RepoPath], *, is_directory: bool = False) -> CodePlaneError:
    known = [name for name in names if not is_secret(name)]
    nearest = known[:_MAX_NEAREST] if is_directory else get_close_matches(path, known, _MAX_NEAREST)
    return CodePlaneError(
        ErrorCode.FILE_NOT_FOUND,
        f"'{display(path)}' is a directory" if is_directory else f"'{display(path)}' is not in this revision",
        details={"nearest": nearest} if nearest else None,
        expected="the path of a file in that revision",
        received=display(path),
    )


def _missing_object() -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.GIT_UNSUPPORTED,
        "this clone does not contain the file of that revision",
        remedy="Fetch it; the clone is shallow or partial.",
    )


def _invalid(revision: str, message: str) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        message,
        expected=f"a branch, a tag or a commit, optionally followed by ~1 or ^1; or {INDEX}",
        received=display(revision[:_MAX_SHOWN]),
        example="HEAD~1",
    )
