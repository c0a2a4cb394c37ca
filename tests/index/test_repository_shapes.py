"""Every state that git leaves a repository in: it opens, is described rightly, or is refused with a reason.

For each shape: the indexed files, the reported branch, and the result without the overlay (tracked files only).
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.index.indexer import Indexer
from codeplane.query.files import list_files
from codeplane.query.snapshot import open_current
from support.repositories import git, make_repository, options_for, sync, write
from support.tooling import serving

FILES: dict[str, str | bytes] = {
    "a.py": "def alpha():\n    return 1\n",
    "left/b.py": "def beta():\n    return 2\n",
    "right/c.py": "def gamma():\n    return 3\n",
}


class Shape(NamedTuple):
    make: Callable[[Path], Path]
    files: tuple[str, ...] = tuple(FILES)
    branch: str | None = "main"
    tracked: tuple[str, ...] | ErrorCode | None = None
    """Indexed where only what git tracks is; or the refusal. None: the same files."""


def origin(place: Path) -> Path:
    root = make_repository(place / "origin", {**FILES, "a.py": "x = 1\n"})
    write(root, "a.py", FILES["a.py"])
    git(root, "commit", "-qam", "second")
    git(root, "config", "uploadpack.allowFilter", "true")
    return root


def clone(place: Path, *options: str) -> Path:
    git(place, "clone", "-q", *options, f"file://{origin(place)}", "repo")
    return place / "repo"


def new(place: Path, *options: str) -> Path:
    root = place / "repo"
    root.mkdir()
    git(root, "init", "-q", "-b", "main", *options)
    for path, text in FILES.items():
        write(root, path, text)
    return root


def sparse(place: Path, *options: str) -> Path:
    root = clone(place)
    git(root, "sparse-checkout", "set", *options)
    return root


def detached(place: Path) -> Path:
    root = clone(place)
    git(root, "checkout", "-q", "--detach")
    return root


def conflict(place: Path, *command: str) -> Path:
    """Two branches that changed the same line, in the middle of being brought together."""
    root = clone(place)
    git(root, "checkout", "-q", "-b", "other")
    write(root, "a.py", "def theirs():\n    return 1\n")
    git(root, "commit", "-qam", "theirs")
    git(root, "checkout", "-q", "main")
    write(root, "a.py", "def ours():\n    return 1\n")
    git(root, "commit", "-qam", "ours")
    with suppress(subprocess.CalledProcessError):
        git(root, *command, "other")
        raise AssertionError("there should be a conflict")
    return root


def linked(place: Path) -> Path:
    git(clone(place), "worktree", "add", "-q", "-b", "linked", str(place / "tree"))
    return place / "tree"


def submodule(place: Path, *, there: bool) -> Path:
    root = clone(place)
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", f"file://{place / 'origin'}", "mod")
    git(root, "commit", "-qm", "a submodule")
    if not there:
        git(root, "submodule", "deinit", "-q", "-f", "mod")
    return root


def plain(place: Path) -> Path:
    for path, text in FILES.items():
        write(place / "repo", path, text)
    return place / "repo"


def emptied(place: Path) -> Path:
    (place / "repo").mkdir()
    git(place / "repo", "init", "-q", "-b", "main")
    return place / "repo"


WITH_SUBMODULE = (".gitmodules", "a.py", "left/b.py", "mod/a.py", "mod/left/b.py", "mod/right/c.py", "right/c.py")
SHAPES: dict[str, Shape] = {
    "clone": Shape(clone),
    "shallow": Shape(lambda place: clone(place, "--depth", "1")),
    "partial": Shape(lambda place: clone(place, "--filter=blob:none")),
    "sparse, by folder": Shape(lambda place: sparse(place, "--cone", "left"), ("a.py", "left/b.py")),
    "sparse, by pattern": Shape(lambda place: sparse(place, "--no-cone", "/right/"), ("right/c.py",)),
    "sparse, and its index": Shape(
        lambda place: sparse(place, "--cone", "--sparse-index", "left"),
        ("a.py", "left/b.py"),
        tracked=ErrorCode.GIT_UNSUPPORTED,
    ),
    "linked worktree": Shape(linked, branch="linked"),
    "submodule": Shape(lambda place: submodule(place, there=True), WITH_SUBMODULE),
    "submodule not fetched": Shape(
        lambda place: submodule(place, there=False), (".gitmodules", "a.py", "left/b.py", "right/c.py")
    ),
    "detached": Shape(detached, branch=None),
    "merge": Shape(lambda place: conflict(place, "merge", "-q")),
    "rebase": Shape(lambda place: conflict(place, "rebase", "-q"), branch=None),
    "cherry-pick": Shape(lambda place: conflict(place, "cherry-pick")),
    "before the first commit": Shape(new, tracked=()),
    "empty": Shape(emptied, ()),
    "no git": Shape(plain, branch=None),
}


def indexed(root: Path, **changes: object) -> tuple[str, ...]:
    with Indexer.open(options_for(root, **changes)) as indexer:
        indexer.sync()
        assert indexer.sync().decision == "fresh"
        with open_current(indexer.state) as snapshot:
            return tuple(file.path for file in list_files(snapshot, 100).rows)


@pytest.mark.parametrize("name", SHAPES)
def test_repository_shapes_are_indexed(tmp_path: Path, name: str) -> None:
    shape = SHAPES[name]
    root = shape.make(tmp_path)
    assert indexed(root) == shape.files
    with serving(root) as server:
        told = server.call("describe")["result"]
    assert (told["index_status"], told.get("branch")) == ("indexed", shape.branch)
    assert told["counts"]["files"] == len(shape.files)
    tracked = shape.files if shape.tracked is None else shape.tracked
    if isinstance(tracked, ErrorCode):
        with pytest.raises(CodePlaneError) as caught:
            indexed(root, overlay=False)
        assert caught.value.code is tracked and caught.value.remedy
    else:
        assert indexed(root, overlay=False) == tracked


@pytest.mark.parametrize("command", [("merge", "-q"), ("rebase", "-q"), ("cherry-pick",)], ids=lambda words: words[0])
def test_both_sides_of_a_conflict_are_indexed(tmp_path: Path, command: tuple[str, ...]) -> None:
    """Between the marks, as the file lies there; the marks themselves are a syntax error that the outline tells."""
    root = conflict(tmp_path, *command)
    with serving(root) as server:
        told = server.call("file_outline", {"file": "a.py"})
        assert sorted(symbol["name"] for symbol in told["result"]["symbols"]) == ["ours", "theirs"]
        assert [warning["code"] for warning in told["warnings"]] == ["FILE_NOT_PARSED_WHOLE"]
        write(root, "a.py", "def both():\n    return 1\n")
        git(root, "add", "a.py")
        after = server.call("file_outline", {"file": "a.py"})
        assert [symbol["name"] for symbol in after["result"]["symbols"]] == ["both"]


def test_sparse_checkout_changes_are_followed(tmp_path: Path) -> None:
    root = sparse(tmp_path, "--cone", "left")
    assert indexed(root) == ("a.py", "left/b.py")
    git(root, "sparse-checkout", "set", "right")
    assert indexed(root) == ("a.py", "right/c.py")
    git(root, "sparse-checkout", "disable")
    assert indexed(root) == tuple(FILES)


def test_partial_clone_is_not_fetched(tmp_path: Path) -> None:
    """Missing objects of a partial clone are not fetched, even if the remote is unreachable."""
    root = clone(tmp_path, "--filter=blob:none")
    (tmp_path / "origin").rename(tmp_path / "gone")
    write(root, "a.py", "def changed():\n    return 1\n")
    with serving(root) as server:
        told = server.call("search", {"query": "changed", "mode": "symbol"})
    assert [hit["path"] for hit in told["result"]["results"]] == ["a.py"]


FORMATS = {
    "sha256": ("--object-format=sha256",),
    "reftable": (),
}


@pytest.mark.parametrize("name", FORMATS)
def test_unsupported_formats_are_refused(tmp_path: Path, name: str) -> None:
    root = new(tmp_path, *FORMATS[name])
    if name == "reftable":
        # As a git that knows it writes it; the one at hand may be older.
        with (root / ".git/config").open("a") as config:
            config.write("[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefstorage = reftable\n")
    with pytest.raises(CodePlaneError, match="not supported") as caught:
        sync(root)
    assert caught.value.code is ErrorCode.GIT_UNSUPPORTED and caught.value.remedy
    assert not list((root / ".codeplane").glob("generations/*"))


@pytest.mark.parametrize("place", ["bare", ".git", "unborn"])
def test_git_files_are_not_indexed(tmp_path: Path, place: str) -> None:
    """A bare repository has no files but git's own, and its configuration may hold a password."""
    root = clone(tmp_path, *(["--bare"] if place == "bare" else []))
    if place == ".git":
        root = root / ".git"
    elif place == "unborn":
        root = tmp_path / "empty.git"
        git(tmp_path, "init", "-q", "--bare", str(root))
    with pytest.raises(CodePlaneError, match="without a working tree") as caught:
        sync(root)
    assert caught.value.code is ErrorCode.NOT_A_REPOSITORY and caught.value.remedy
    assert not (root / ".codeplane").exists()


def test_nested_repository_lookalikes(tmp_path: Path) -> None:
    """`HEAD`, `objects` and `refs` are names like any others where there is a `.git`."""
    names = ("HEAD", "objects/a.py", "refs/b.py")
    root = make_repository(tmp_path / "repo", dict.fromkeys(names, "x = 1\n"))
    assert indexed(root) == names
