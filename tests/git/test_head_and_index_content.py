"""Files as HEAD and the index have them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.git.revisions import find_file_at
from support.repositories import git, make_repository, write

LIMIT = 10_000


def versions(root: Path, path: str) -> tuple[bytes | None, bytes | None]:
    return find_file_at(root, "HEAD", RepoPath(path), LIMIT), find_file_at(root, "INDEX", RepoPath(path), LIMIT)


def test_head_and_index_versions_differ(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"d/a.txt": "one\n", "gone.txt": "x\n"})
    write(root, "d/a.txt", "two\n")
    write(root, "new.txt", "new\n")
    git(root, "add", "-A")
    git(root, "rm", "-q", "--cached", "gone.txt")
    write(root, "d/a.txt", "three\n")
    assert versions(root, "d/a.txt") == (b"one\n", b"two\n")
    assert versions(root, "new.txt") == (None, b"new\n")
    assert versions(root, "gone.txt") == (b"x\n", None)
    assert versions(root, "d") == versions(root, "d/a.txt/b") == versions(root, "never") == (None, None)


def test_non_utf8_names_are_supported(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {})
    name = os.fsdecode(b"caf\xe9.txt")
    write(root, name, "a\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "more")
    assert versions(root, name) == (b"a\n", b"a\n")


def test_links_and_submodules_have_no_blob(tmp_path: Path) -> None:
    inner = make_repository(tmp_path / "inner", {"a.txt": "inner\n"})
    root = make_repository(tmp_path / "repo", {"a.txt": "outer\n"})
    os.symlink("a.txt", root / "link")
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "sub")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "more")
    assert versions(root, "link") == (None, None)
    for version in ("HEAD", "INDEX"):
        with pytest.raises(CodePlaneError) as caught:
            find_file_at(root, version, RepoPath("sub/a.txt"), LIMIT)
        assert caught.value.code is ErrorCode.GIT_UNSUPPORTED


def test_unborn_branch_has_no_blobs(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    git(root, "init", "-q")
    write(root, "a.txt", "a\n")
    git(root, "add", "a.txt")
    assert versions(root, "a.txt") == (None, b"a\n")


def test_blob_size_is_bounded(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.txt": "x" * (LIMIT + 1)})
    with pytest.raises(CodePlaneError) as caught:
        find_file_at(root, "HEAD", RepoPath("a.txt"), LIMIT)
    assert caught.value.code is ErrorCode.FILE_TOO_LARGE


def test_gitdir_pointer_to_another_repository_is_not_followed(tmp_path: Path) -> None:
    """A directory whose `.git` points to another repository must not reveal its content."""
    private = make_repository(tmp_path / "private", {"config.py": "TOKEN = 1\n"})
    bait = tmp_path / "bait"
    write(bait, ".git", f"gitdir: {private / '.git'}\n")
    write(bait, "config.py", "TOKEN = 2\n")
    for version in ("HEAD", "INDEX"):
        with pytest.raises(CodePlaneError) as caught:
            find_file_at(bait, version, RepoPath("config.py"), LIMIT)
        assert caught.value.code is ErrorCode.GIT_UNSUPPORTED


def test_linked_worktree_has_its_own_head(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.txt": "one\n"})
    git(root, "worktree", "add", "-q", str(tmp_path / "other"))
    assert versions(tmp_path / "other", "a.txt") == (b"one\n", b"one\n")


def test_fifo_among_the_objects_does_not_block(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.txt": "one\n"})
    (objects,) = [
        path
        for path in (root / ".git/objects").glob("??/*")
        if git(root, "cat-file", "-t", path.parent.name + path.name) == "blob\n"
    ]
    objects.unlink()
    os.mkfifo(objects)
    with pytest.raises(CodePlaneError) as caught:
        find_file_at(root, "HEAD", RepoPath("a.txt"), LIMIT)
    assert caught.value.code is ErrorCode.GIT_DAMAGED


def test_missing_repository_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CodePlaneError) as caught:
        find_file_at(tmp_path, "HEAD", RepoPath("a.txt"), LIMIT)
    assert caught.value.code is ErrorCode.NOT_A_REPOSITORY
