"""Nothing outside the root is ever opened, however the path or the tree is bent."""

from __future__ import annotations

import errno
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.disk.safe_open import Root

LIMIT = 1000


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A repository beside a secret that it must not reach."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("secret")
    repo = tmp_path / "repo"
    (repo / "d" / "e").mkdir(parents=True)
    (repo / "d" / "e" / "f.py").write_text("inside")
    (repo / "top.py").write_text("top")
    (repo / "link_file").symlink_to("../outside/secret")
    (repo / "link_dir").symlink_to("../outside")
    (repo / "link_absolute").symlink_to(repo / "top.py")
    (repo / "chain").symlink_to("link_file")
    (repo / "loop").symlink_to("loop")
    (repo / "dangling").symlink_to("nowhere")
    (repo / "link_d").symlink_to("d")
    os.mkfifo(repo / "fifo")
    return repo


@pytest.fixture(params=["openat2", "by component"])
def root(place: Path, request: pytest.FixtureRequest) -> Iterator[Root]:
    with Root.open(place, by_component=request.param == "by component") as opened:
        yield opened


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../outside/secret", ErrorCode.PATH_ESCAPE),
        ("d/../../outside/secret", ErrorCode.PATH_ESCAPE),
        ("/etc/passwd", ErrorCode.PATH_ESCAPE),
        ("//etc/passwd", ErrorCode.PATH_ESCAPE),
        ("..", ErrorCode.PATH_ESCAPE),
        ("d/./e", ErrorCode.PATH_INVALID),
        ("d//e", ErrorCode.PATH_INVALID),
        ("top.py/", ErrorCode.PATH_INVALID),
        ("a\0b", ErrorCode.PATH_INVALID),
        ("x" * 300, ErrorCode.PATH_INVALID),
        ("link_file", ErrorCode.PATH_SYMLINK),
        ("link_dir/secret", ErrorCode.PATH_SYMLINK),
        ("link_absolute", ErrorCode.PATH_SYMLINK),
        ("chain", ErrorCode.PATH_SYMLINK),
        ("loop", ErrorCode.PATH_SYMLINK),
        ("dangling", ErrorCode.PATH_SYMLINK),
        ("link_d/e/f.py", ErrorCode.PATH_SYMLINK),
        ("missing", ErrorCode.FILE_NOT_FOUND),
        ("top.py/below", ErrorCode.FILE_NOT_FOUND),
        ("fifo", ErrorCode.NOT_REGULAR),
        ("d", ErrorCode.NOT_REGULAR),
        ("", ErrorCode.NOT_REGULAR),
    ],
)
@pytest.mark.timeout(20)  # Opening a FIFO without a writer must not block.
def test_paths_outside_the_root_are_refused(root: Root, path: str, code: ErrorCode) -> None:
    with pytest.raises(CodePlaneError) as caught:
        root.read_file(path, LIMIT)
    assert caught.value.code is code


def test_socket_is_not_regular(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root.path)  # the address of a socket is short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("sock")
        with pytest.raises(CodePlaneError) as caught:
            root.read_file("sock", LIMIT)
    assert caught.value.code is ErrorCode.NOT_REGULAR


def test_files_inside_the_root_are_read(root: Root) -> None:
    content = root.read_file("d/e/f.py", LIMIT)
    assert content.data == b"inside"
    assert content.stat.inode == (root.path / "d/e/f.py").stat().st_ino


def test_names_are_not_normalized(root: Root) -> None:
    for name in ("a\\b", "~x", "C:x", " ", "-", os.fsdecode(b"bad\xff"), "é"):
        (root.path / name).write_text(name.encode("utf-8", "surrogateescape").hex())
        assert root.read_file(name, LIMIT).data.decode() == name.encode("utf-8", "surrogateescape").hex()


def test_size_limit_is_enforced(root: Root) -> None:
    assert root.read_file("top.py", 3).data == b"top"
    with pytest.raises(CodePlaneError) as caught:
        root.read_file("top.py", 2)
    assert caught.value.code is ErrorCode.FILE_TOO_LARGE


def test_directories_are_opened(root: Root) -> None:
    for path, expected in (("", {"top.py"}), ("d", {"e"}), ("d/e", {"f.py"})):
        fd = root.open_directory(path)
        assert expected <= set(os.listdir(fd))
        os.close(fd)
    for path, code in (
        ("link_dir", ErrorCode.PATH_SYMLINK),
        ("top.py", ErrorCode.FILE_NOT_FOUND),
        ("..", ErrorCode.PATH_ESCAPE),
    ):
        with pytest.raises(CodePlaneError) as caught:
            root.open_directory(path)
        assert caught.value.code is code


def test_no_descriptor_is_left_open(root: Root) -> None:
    before = len(os.listdir("/dev/fd"))
    for path in ("d/e/f.py", "link_dir/secret", "d/missing/x", "fifo", "d"):
        try:
            root.read_file(path, 1)
        except CodePlaneError:
            continue
    assert len(os.listdir("/dev/fd")) == before


def test_directory_swapped_for_a_link_while_reading(root: Root) -> None:
    """A thread flips `d` between a directory and a link to the outside; no read ever leaves."""
    inside, aside, link = root.path / "flip", root.path / "flip_aside", root.path / "flip_link"
    inside.mkdir()
    (inside / "secret").write_text("inside")
    link.symlink_to("../outside")
    stop = threading.Event()

    def flip() -> None:
        while not stop.is_set():
            inside.rename(aside)
            link.rename(inside)
            inside.rename(link)
            aside.rename(inside)

    thread = threading.Thread(target=flip)
    thread.start()
    seen: set[object] = set()
    try:
        for _ in range(2000):
            try:
                seen.add(root.read_file("flip/secret", LIMIT).data)
            except CodePlaneError as error:
                seen.add(error.code)
    finally:
        stop.set()
        thread.join()
    assert b"secret" not in seen
    assert seen <= {b"inside", ErrorCode.PATH_SYMLINK, ErrorCode.FILE_NOT_FOUND, ErrorCode.FILE_CHANGED}


def test_root_is_canonical(place: Path) -> None:
    (place.parent / "alias").symlink_to(place)
    spellings = (place, place.parent / "alias", place / "d" / "..", f"{place}/")
    for spelling in spellings:
        with Root.open(spelling) as root:
            assert root.path == Path(os.path.realpath(place))


def test_replaced_root_is_detected(place: Path) -> None:
    with Root.open(place) as root:
        root.check()
        place.rename(place.parent / "moved")
        with pytest.raises(CodePlaneError) as moved:
            root.check()
        place.mkdir()
        with pytest.raises(CodePlaneError) as replaced:
            root.check()
        place.rmdir()
        place.symlink_to("moved")
        with pytest.raises(CodePlaneError) as linked:
            root.check()
    assert {error.value.code for error in (moved, replaced, linked)} == {ErrorCode.ROOT_CHANGED}


def test_roots_that_are_not_directories_are_rejected(place: Path) -> None:
    for path in (place / "missing", place / "top.py", place / "loop"):
        with pytest.raises(CodePlaneError) as caught:
            Root.open(path)
        assert caught.value.code is ErrorCode.NOT_A_REPOSITORY


def test_openat2_and_component_resolution_are_both_covered(place: Path) -> None:
    """With openat2 in the kernel, the two roots above must differ; otherwise half of these tests check nothing."""
    with Root.open(place) as fast, Root.open(place, by_component=True) as slow:
        if fast._open_path is slow._open_path:
            pytest.skip(f"no openat2 on this system ({errno.ENOSYS})")
        assert fast.read_file("top.py", LIMIT) == slow.read_file("top.py", LIMIT)
