"""Files as commits have them: by every name that git knows, by no more of its language, and without a wait."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.git.revisions import FileAtRevision, read_file_at
from support.repositories import git, make_repository, write


def read(root: Path, revision: str, path: str = "a.py", limit: int = 1000) -> FileAtRevision:
    return read_file_at(root, revision, RepoPath(path), limit)


def refused(root: Path, revision: str, path: str = "a.py", limit: int = 1000) -> CodePlaneError:
    with pytest.raises(CodePlaneError) as raised:
        read(root, revision, path, limit)
    return raised.value


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three commits of a.py, a branch, both kinds of tag. Changed by no test."""
    root = make_repository(tmp_path_factory.mktemp("revisions") / "repo", {"a.py": "one\n", "sub/b.py": "b\n"})
    git(root, "tag", "v1")
    write(root, "a.py", "two\n")
    git(root, "commit", "-qam", "second")
    git(root, "tag", "-a", "-m", "annotated", "v2")
    git(root, "branch", "feat/auth")
    write(root, "a.py", "three\n")
    write(root, ".env.local", "KEY=1\n")
    (root / "link.py").symlink_to("a.py")
    (root / "folder").symlink_to("sub")
    git(root, "add", "-A", "-f")
    git(root, "commit", "-qam", "third")
    write(root, "a.py", "staged\n")
    git(root, "add", "a.py")
    write(root, "a.py", "unstaged\n")
    return root


@pytest.mark.parametrize(
    ("revision", "text"),
    [
        ("HEAD", "three"),
        ("@", "three"),
        ("main", "three"),
        ("heads/main", "three"),
        ("refs/heads/main", "three"),
        ("HEAD~", "two"),
        ("HEAD~1", "two"),
        ("HEAD^", "two"),
        ("HEAD^1~1", "one"),
        ("main~2", "one"),
        ("v1", "one"),
        ("v2", "two"),
        ("tags/v2", "two"),
        ("v2^", "one"),
        ("feat/auth", "two"),
        ("INDEX", "staged"),
    ],
)
def test_every_revision_syntax_is_resolved(repo: Path, revision: str, text: str) -> None:
    found = read(repo, revision)
    assert found.data.decode() == f"{text}\n"
    if revision != "INDEX":
        assert found.commit == git(repo, "rev-parse", f"{revision}^{{commit}}").strip()
        assert read(repo, found.commit) == read(repo, found.commit[:10]) == found


@pytest.mark.parametrize(
    "revision",
    [
        *("--output=x", "-1", "a..b", "HEAD..main", "HEAD...main", ":/second", ":a.py", "HEAD:a.py", "HEAD:../../etc"),
        *("HEAD@{1}", "@{-1}", "HEAD^{/second}", "HEAD^{tree}", "main@{upstream}", "../../etc/passwd", "/etc/passwd"),
        *(
            "",
            " ",
            "HEAD ",
            "a b",
            "a\nb",
            "a\0b",
            "main\\",
            "ma*n",
            "ma?n",
            "[main]",
            ".git",
            "x" * 300,
            "HEAD~1000000",
        ),
        *("nothing", "HEAD~50", "v3", "deadbeef", "0" * 40, "FETCH_HEAD", "config", "HEAD^7", "index"),
    ],
)
def test_invalid_revisions_are_argument_errors(repo: Path, revision: str) -> None:
    error = refused(repo, revision)
    assert error.code is ErrorCode.ARGUMENT_INVALID
    assert error.expected and error.example == "HEAD~1"


def test_revisions_that_are_not_commits_are_rejected(repo: Path) -> None:
    blob = git(repo, "rev-parse", "HEAD:a.py").strip()
    assert refused(repo, blob).code is ErrorCode.ARGUMENT_INVALID


@pytest.mark.parametrize("revision", ["HEAD", "INDEX"])
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("aa.py", ErrorCode.FILE_NOT_FOUND),
        ("sub", ErrorCode.FILE_NOT_FOUND),
        ("sub/c.py", ErrorCode.FILE_NOT_FOUND),
        ("a.py/b", ErrorCode.FILE_NOT_FOUND),
        ("nothing/a.py", ErrorCode.FILE_NOT_FOUND),
        ("link.py", ErrorCode.PATH_SYMLINK),
        ("folder/b.py", ErrorCode.PATH_SYMLINK),
    ],
)
def test_directories_links_and_submodules_are_rejected(repo: Path, revision: str, path: str, code: ErrorCode) -> None:
    assert refused(repo, revision, path).code is code


def test_not_found_errors_suggest_near_paths_without_secrets(repo: Path) -> None:
    assert refused(repo, "HEAD", "aa.py").details["nearest"] == ["a.py"]
    assert refused(repo, "HEAD", "sub").details["nearest"] == ["sub/b.py"]
    assert ".env" not in str(refused(repo, "HEAD", ".env.loca").details)


def test_oversized_blob_is_refused(repo: Path) -> None:
    assert read(repo, "v1", limit=4).data == b"one\n"
    assert refused(repo, "v1", limit=3).code is ErrorCode.FILE_TOO_LARGE


def test_unborn_branch_is_reported(tmp_path: Path) -> None:
    tmp_path.joinpath("repo").mkdir()
    git(tmp_path / "repo", "init", "-q", "-b", "main")
    error = refused(tmp_path / "repo", "HEAD")
    assert (error.code, error.message) == (ErrorCode.ARGUMENT_INVALID, "the repository has no commit yet")
    write(tmp_path / "repo", "a.py", "new\n")
    git(tmp_path / "repo", "add", "a.py")
    assert read(tmp_path / "repo", "INDEX") == FileAtRevision("", b"new\n")
    assert refused(tmp_path, "HEAD").code is ErrorCode.NOT_A_REPOSITORY


def test_a_submodule_is_not_entered(repo: Path, tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "one\n"})
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(repo), "mod")
    git(root, "commit", "-qm", "with a submodule")
    for revision in ("HEAD", "INDEX"):
        for path in ("mod", "mod/a.py"):
            assert refused(root, revision, path).code is ErrorCode.GIT_UNSUPPORTED


def test_shallow_clones_report_missing_objects(repo: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--no-local", "--depth=1", f"file://{repo}", "shallow")
    shallow = tmp_path / "shallow"
    assert read(shallow, "HEAD").data == b"three\n"
    assert refused(shallow, "HEAD~1").code is ErrorCode.ARGUMENT_INVALID
    blob = git(shallow, "rev-parse", "HEAD:a.py").strip()
    for pack in (shallow / ".git/objects/pack").iterdir():
        pack.chmod(0o600)
        pack.rename(tmp_path / pack.name)
    pack = next(tmp_path.glob("*.pack"))
    subprocess.run(["git", "unpack-objects", "-q"], cwd=shallow, stdin=pack.open("rb"), check=True)
    (shallow / ".git/objects" / blob[:2] / blob[2:]).unlink()
    assert refused(shallow, "HEAD").code is ErrorCode.GIT_UNSUPPORTED


@pytest.mark.parametrize("way", ["pointer", "linked directory"])
def test_a_foreign_repository_is_not_read(repo: Path, tmp_path: Path, way: str) -> None:
    place = tmp_path / "place"
    place.mkdir()
    if way == "pointer":
        (place / ".git").write_text(f"gitdir: {repo}/.git\n")
    else:
        (place / ".git").symlink_to(repo / ".git")
    assert refused(place, "HEAD").code in (ErrorCode.GIT_UNSUPPORTED, ErrorCode.NOT_A_REPOSITORY)


def test_worktree_has_its_own_head(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"), "v1")
    try:
        assert read(tmp_path / "linked", "HEAD").data == b"one\n"
        assert read(tmp_path / "linked", "main").data == b"three\n"
    finally:
        git(repo, "worktree", "remove", "--force", str(tmp_path / "linked"))


def test_non_utf8_names_are_supported(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "one\n"})
    with open(os.fsencode(root) + b"/\xff.py", "wb") as file:
        file.write(b"odd\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "odd")
    assert read(root, "HEAD", "\udcff.py").data == read(root, "INDEX", "\udcff.py").data == b"odd\n"


def test_fifo_in_place_of_a_ref_is_reported_as_damage(tmp_path: Path) -> None:
    """Asked in a process that can be given up: a wait in libgit2 has no end."""
    program = (
        "import sys; from pathlib import Path\n"
        "from codeplane.base.errors import CodePlaneError\n"
        "from codeplane.git.revisions import read_file_at\n"
        "try:\n"
        "    read_file_at(Path(sys.argv[1]), sys.argv[2], 'a.py', 100); print('well')\n"
        "except CodePlaneError as error:\n"
        "    print(error.code.name)\n"
    )
    traps = [
        ("refs/heads/trap", "trap"),
        ("refs/tags/trap", "trap~1"),
        ("refs/remotes/trap/HEAD", "trap"),
        ("TRAP", "TRAP"),
        ("refs/heads/trap", "way"),
    ]
    for number, (name, revision) in enumerate(traps):
        root = make_repository(tmp_path / str(number), {"a.py": "one\n"})
        (root / ".git" / name).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(root / ".git" / name)
        (root / ".git/refs/heads/way").write_text("ref: refs/heads/trap\n")
        command = [sys.executable, "-c", program, str(root), revision]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=20)
        assert done.stdout.strip() == "GIT_DAMAGED", name
