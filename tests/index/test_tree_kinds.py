"""Entries of a tree other than plain files, and their results, as documented in `docs/content.md`."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from codeplane.base.errors import ErrorCode
from codeplane.index.options import IndexOptions
from codeplane.operations.init import initialize
from codeplane.operations.status import status
from support.privileges import ordinary_rights
from support.repositories import make_repository, write
from support.tooling import Server, codes_of, context_for, error_of, serving

FILES: dict[str, str | bytes] = {
    "a.py": "def alpha():\n    return 1\n",
    "folder.py/inner.py": "def inner():\n    return 2\n",
}
LINKS = {
    "link.py": "a.py",
    "outside.py": "/etc/hostname",
    "upwards.py": "../../elsewhere.py",
    "itself.py": "itself.py",
    "nowhere.py": "missing.py",
    "loop": ".",
    "folder_link": "folder.py",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = make_repository(tmp_path_factory.mktemp("tree") / "repo", FILES)
    for name, target in LINKS.items():
        (root / name).symlink_to(target)
    os.mkfifo(root / "fifo.py")
    here = Path.cwd()
    with socket.socket(socket.AF_UNIX) as bound:
        # The address of a socket is short, so it is bound by a relative name.
        os.chdir(root)
        try:
            bound.bind("socket.py")
        finally:
            os.chdir(here)
    with suppress(OSError):
        os.mknod(root / "device.py", 0o20600, os.makedev(1, 5))
    return root


@pytest.fixture(scope="module")
def server(root: Path) -> Iterator[Server]:
    with serving(root) as server:
        yield server


@pytest.mark.parametrize("file", [*LINKS, "loop/a.py", "loop/loop/a.py", "folder_link/inner.py"])
def test_symlinks_are_listed_but_not_followed(server: Server, file: str) -> None:
    error = error_of(server.call("file_outline", {"file": file}), ErrorCode.FILE_NOT_FOUND)
    assert error["details"]["reason"] == "symlink"


@pytest.mark.parametrize("file", ["fifo.py", "socket.py", "device.py"])
def test_fifos_are_listed_and_do_not_block(server: Server, file: str) -> None:
    if not (server.root / file).exists():
        pytest.skip("only root can make a device")
    error = error_of(server.call("file_outline", {"file": file}), ErrorCode.FILE_NOT_FOUND)
    assert error["details"]["reason"] == "not_regular"


def test_directory_with_a_file_extension(server: Server) -> None:
    error = error_of(server.call("file_outline", {"file": "folder.py"}), ErrorCode.FILE_NOT_FOUND)
    assert "reason" not in error["details"] and error["example"] == {"file": "folder.py/inner.py"}
    assert server.call("file_outline", error["example"])["status"] == "ok"


def test_special_files_are_not_counted(server: Server) -> None:
    found = status(context_for(server.root))
    assert (found.files, found.skipped, found.set_aside) == (len(FILES), (), ())
    told = server.call("search", {"query": "alpha", "mode": "lexical"})
    assert [hit["path"] for hit in told["result"]["results"]] == ["a.py"]
    assert codes_of(told) == [] and told["meta"]["freshness"] == {"status": "fresh"}


def test_unreadable_files_are_reported_in_every_result(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", FILES)
    write(root, "closed.py", "def closed():\n    return 1\n")
    write(root, "locked/b.py", "def locked():\n    return 1\n")
    (root / "closed.py").chmod(0)
    (root / "locked").chmod(0)
    try:
        with ordinary_rights():
            report = initialize(context_for(root))
            assert report.files == len(FILES)
            assert [warning.rpartition(": ")[2] for warning in report.warnings] == ["locked", "closed.py"]
            with serving(root) as server:
                told = server.call("search", {"query": "alpha", "mode": "lexical"})
                for file, reason in (
                    ("closed.py", "unreadable"),
                    ("locked", "unreadable"),
                    ("locked/b.py", "unreadable"),
                ):
                    error = error_of(server.call("file_outline", {"file": file}), ErrorCode.FILE_NOT_FOUND)
                    assert error["details"]["reason"] == reason
        assert [hit["path"] for hit in told["result"]["results"]] == ["a.py"]
        assert codes_of(told) == ["FILES_UNREADABLE"]
        assert told["meta"]["freshness"]["stale_paths"] == ["locked", "closed.py"]
    finally:
        (root / "locked").chmod(0o755)
    with serving(root) as server:
        assert server.call("file_outline", {"file": "locked/b.py"})["status"] == "ok"


def test_cap_counts_rows_of_tiny_files() -> None:
    """A file of ten bytes takes a hundred times that in the index, and the cap allows for it."""
    options = IndexOptions(Path(), Path())
    assert options.cap_bytes(10 * 1_000_000, 1_000_000) > 1_500_000_000
    assert options.cap_bytes(10, 1) == 64 * 1024 * 1024


@pytest.mark.parametrize(
    "count", [1000, pytest.param(10_000, marks=[pytest.mark.sweep, pytest.mark.timeout(600)])], ids=str
)
def test_large_directory_and_255_byte_names(tmp_path: Path, count: int) -> None:
    names = [f"{number:06}".ljust(252, "x") + ".py" for number in range(count)]
    root = make_repository(tmp_path / "repo", {f"many/{name}": f"v{at} = 1\n" for at, name in enumerate(names)})
    report = initialize(context_for(root))
    assert (report.files, report.definitions) == (count, count)
    with serving(root) as server:
        last = server.call("file_outline", {"file": f"many/{names[-1]}"})
    assert [symbol["name"] for symbol in last["result"]["symbols"]] == [f"v{count - 1}"]
