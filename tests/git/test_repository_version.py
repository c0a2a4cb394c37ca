"""The checked-out version in every state of a repository; damage is reported, never repaired."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pygit2
import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.git.errors import FOREIGN, map_error
from codeplane.git.repository import RepoVersion, find_root, repo_version, tracked_paths


def git(place: Path, *words: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    clean = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    identity = {
        f"GIT_{who}_{what}": f"{who}@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    settings = ("-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", "-c", "commit.gpgSign=false")
    command = ["git", *settings, *words]
    return subprocess.run(
        command, cwd=place, env=kept | clean | identity, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    place = tmp_path / "repo"
    place.mkdir()
    git(place, "init", "-q")
    (place / "a.py").write_text("a")
    (place / "d").mkdir()
    (place / "d" / "é.py").write_text("b")
    git(place, "add", ".")
    git(place, "commit", "-qm", "first")
    return place


def version(place: Path) -> RepoVersion:
    found = repo_version(place)
    assert found is not None
    return found


def snapshot(place: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in (place / ".git").rglob("*")
        if path.is_file()
    }


def test_head_and_index(repo: Path) -> None:
    first = version(repo)
    index = (repo / ".git/index").stat()
    assert first == RepoVersion(git(repo, "rev-parse", "HEAD"), index.st_mtime_ns, index.st_size)
    (repo / "c.py").write_text("c")
    assert version(repo) == first
    git(repo, "add", "c.py")
    staged = version(repo)
    assert staged != first
    assert staged.head == first.head
    git(repo, "commit", "-qm", "second")
    assert version(repo).head != first.head


def test_unborn(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    assert version(tmp_path) == RepoVersion(None, 0, 0)
    assert tracked_paths(tmp_path) == frozenset()


def test_detached_and_packed(repo: Path) -> None:
    head = git(repo, "rev-parse", "HEAD")
    git(repo, "pack-refs", "--all")
    assert version(repo).head == head
    git(repo, "checkout", "-q", "--detach")
    assert version(repo).head == head


def test_linked_worktree(repo: Path) -> None:
    linked = repo.parent / "linked"
    git(repo, "worktree", "add", "-q", "-b", "other", str(linked))
    (linked / "only_here.py").write_text("x")
    git(linked, "add", ".")
    git(linked, "commit", "-qm", "there")
    assert (linked / ".git").is_file()
    assert find_root(linked) == linked
    assert version(linked).head == git(linked, "rev-parse", "HEAD") != version(repo).head
    assert "only_here.py" in tracked_paths(linked)
    assert "only_here.py" not in tracked_paths(repo)


def test_submodules(repo: Path, tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    for place in (inner, outer):
        place.mkdir()
        git(place, "init", "-q")
        (place / "m.py").write_text("m")
        git(place, "add", ".")
        git(place, "commit", "-qm", "m")
    git(outer, "submodule", "add", "-q", str(inner), "deep")
    git(outer, "commit", "-qm", "with a submodule")
    git(repo, "submodule", "add", "-q", str(outer), "libs/outer")
    git(repo, "commit", "-qm", "with submodules")
    module = repo / "libs/outer"
    assert version(repo).submodules == (("libs/outer", git(module, "rev-parse", "HEAD")),)
    assert "libs/outer/m.py" in tracked_paths(repo)
    assert "libs/outer" not in tracked_paths(repo)

    git(repo, "submodule", "update", "-q", "--init", "--recursive")
    both = version(repo).submodules
    assert [path for path, _ in both] == ["libs/outer", "libs/outer/deep"]
    assert "libs/outer/deep/m.py" in tracked_paths(repo)
    (module / "n.py").write_text("n")
    git(module, "add", "n.py")
    git(module, "commit", "-qm", "n")
    assert version(repo).submodules != both

    git(repo, "submodule", "deinit", "-q", "-f", "--all")
    assert version(repo).submodules == ()


def test_submodule_path_behind_a_link_is_not_opened(repo: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    (other / "secret.py").write_text("s")
    git(other, "add", ".")
    git(other, "commit", "-qm", "s")
    head = git(other, "rev-parse", "HEAD")
    git(repo, "update-index", "--add", "--cacheinfo", f"160000,{head},mod")
    (repo / ".gitmodules").write_text(
        '[submodule "mod"]\n\tpath = mod\n\turl = x\n[submodule "up"]\n\tpath = ../other\n'
    )
    (repo / "mod").symlink_to(other)
    assert version(repo).submodules == ()
    assert not any("secret" in path for path in tracked_paths(repo))


def test_not_a_repository(tmp_path: Path) -> None:
    assert repo_version(tmp_path) is None
    with pytest.raises(CodePlaneError) as caught:
        tracked_paths(tmp_path)
    assert caught.value.code is ErrorCode.NOT_A_REPOSITORY


def test_find_root(repo: Path) -> None:
    assert find_root(repo) == repo
    assert find_root(repo / "d") == repo
    assert find_root(repo / "d" / "missing" / "x") == repo
    (repo.parent / "alias").symlink_to(repo / "d")
    assert find_root(repo.parent / "alias") == repo
    (repo / "d" / ".git").symlink_to(repo / ".git")
    assert find_root(repo / "d") == repo, "a link is no repository"


HEAD_DAMAGE = {"empty": b"", "garbage": b"garbage\n", "short": b"0" * 39, "escape": b"ref: refs/heads/../../../x\n"}


@pytest.mark.parametrize("content", HEAD_DAMAGE.values(), ids=HEAD_DAMAGE)
def test_damaged_head(repo: Path, content: bytes) -> None:
    (repo / ".git/HEAD").write_bytes(content)
    before = snapshot(repo)
    with pytest.raises(CodePlaneError) as caught:
        repo_version(repo)
    assert caught.value.code is ErrorCode.GIT_DAMAGED
    assert str(repo) in caught.value.message
    assert snapshot(repo) == before


@pytest.mark.parametrize("name", ["HEAD", "objects", "refs"])
def test_missing_metadata(repo: Path, name: str) -> None:
    (repo / ".git" / name).rename(repo / "aside")
    with pytest.raises(CodePlaneError) as caught:
        repo_version(repo)
    assert caught.value.code is ErrorCode.GIT_DAMAGED


def test_damaged_branch(repo: Path) -> None:
    (repo / ".git/refs/heads/main").write_text("zzz\n")
    with pytest.raises(CodePlaneError) as caught:
        repo_version(repo)
    assert caught.value.code is ErrorCode.GIT_DAMAGED


@pytest.mark.parametrize("damage", ["empty", "zeros", "version"])
def test_damaged_index(repo: Path, damage: str) -> None:
    index = repo / ".git/index"
    data = index.read_bytes()
    index.write_bytes({"empty": b"", "zeros": bytes(len(data)), "version": data[:4] + b"\0\0\0\x09" + data[8:]}[damage])
    for function in (repo_version, tracked_paths):
        with pytest.raises(CodePlaneError) as caught:
            function(repo)
        assert caught.value.code is ErrorCode.GIT_DAMAGED


def test_truncated_index(repo: Path) -> None:
    index = repo / ".git/index"
    index.write_bytes(index.read_bytes()[:-30])
    with pytest.raises(CodePlaneError) as caught:
        tracked_paths(repo)
    assert caught.value.code is ErrorCode.GIT_DAMAGED


def test_dangling_gitdir_file(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: /nowhere/at/all\n")
    with pytest.raises(CodePlaneError) as caught:
        repo_version(tmp_path)
    assert caught.value.code is ErrorCode.GIT_DAMAGED


def test_unsupported_repository_formats(repo: Path, tmp_path: Path) -> None:
    sha256 = tmp_path / "sha256"
    sha256.mkdir()
    git(sha256, "init", "-q", "--object-format=sha256")
    git(repo, "update-index", "--split-index")
    with open(repo / ".git/config", "a") as config:
        config.write("[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefstorage = reftable\n")
    for place in (sha256, repo):
        with pytest.raises(CodePlaneError) as caught:
            repo_version(place)
        assert caught.value.code is ErrorCode.GIT_UNSUPPORTED


def test_split_index(repo: Path) -> None:
    git(repo, "update-index", "--split-index")
    assert version(repo).head is not None
    with pytest.raises(CodePlaneError) as caught:
        tracked_paths(repo)
    assert caught.value.code is ErrorCode.GIT_UNSUPPORTED


def test_partial_clone(repo: Path) -> None:
    with open(repo / ".git/config", "a") as config:
        config.write("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialclone = origin\n")
    assert version(repo).head == git(repo, "rev-parse", "HEAD")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a repository away")
def test_repository_of_another_user(repo: Path) -> None:
    for path in (repo, repo / ".git", *(repo / ".git").rglob("*")):
        os.chown(path, 12345, 12345)
    with pytest.raises(CodePlaneError) as caught:
        repo_version(repo)
    assert caught.value.code is ErrorCode.GIT_UNSUPPORTED
    assert "safe.directory" in (caught.value.remedy or "")


def test_tracked_paths(repo: Path) -> None:
    bad = os.fsdecode(b"bad\xff.py")
    (repo / bad).write_text("x")
    (repo / "untracked.py").write_text("x")
    git(repo, "add", bad)
    assert tracked_paths(repo) == {"a.py", "d/é.py", bad}


def test_reading_does_not_write(repo: Path) -> None:
    before = snapshot(repo)
    (repo / "a.py").write_text("changed")
    repo_version(repo)
    tracked_paths(repo)
    assert snapshot(repo) == before


def test_worktree_elsewhere_is_not_followed(repo: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".gitmodules").write_text('[submodule "m"]\n\tpath = m\n\turl = x\n')
    expected = version(repo)
    git(repo, "config", "core.worktree", str(elsewhere))
    assert version(repo) == expected
    assert tracked_paths(repo) == {"a.py", "d/é.py"}


def test_all_foreign_exceptions_are_mapped() -> None:
    raised = {
        item
        for module in (pygit2, pygit2._pygit2)
        for item in vars(module).values()
        if isinstance(item, type) and issubclass(item, Exception)
    } - {pygit2.Passthrough}  # raised by callbacks, of which there are none here
    assert raised, "nothing to prove"
    assert [item for item in raised if not issubclass(item, FOREIGN)] == []
    assert map_error(KeyError("x"), Path("repo")).code is ErrorCode.GIT_DAMAGED
