"""Names, places and file kinds that trip programs up, and the border of the repository, which nothing crosses."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError
from codeplane.index.indexer import Indexer
from codeplane.query.defs import list_defs_by_name
from codeplane.query.files import get_file
from codeplane.query.snapshot import open_current
from support.repositories import git, logical_dump, make_repository, options_for, scratch_dump, state_files, sync, write
from support.snapshots import open_view
from support.text_search import search_files

FILES: dict[str, str | bytes] = {"a.py": "def alpha():\n    return 1\n", "web/b.ts": "export const beta = 1;\n"}


def found(root: Path, name: str, **changes: object) -> list[str]:
    with open_view(options_for(root, **changes)) as view:
        return [row.path for row in list_defs_by_name(view.snapshot, name, 20).rows]


@pytest.mark.parametrize(
    "name", ["with space", "Grüße 日本", "line\nbreak", "-dash", "q?u%20e#ry", "'quote\"", "back\\slash", "x" * 200]
)
def test_repository_paths(tmp_path: Path, name: str) -> None:
    root = make_repository(tmp_path / name / "repo", FILES)
    assert sync(root).decision == "built"
    write(root, "a.py", "def changed():\n    return 1\n")
    assert found(root, "changed") == ["a.py"]
    assert sync(root).rebuild_reason is None


def test_non_utf8_repository_path(tmp_path: Path) -> None:
    root = make_repository(tmp_path / os.fsdecode(b"caf\xe9") / "repo", FILES)
    try:
        sync(root)
    except CodePlaneError as error:
        assert error.message
    else:
        assert found(root, "alpha") == ["a.py"]


def test_symlinked_root_is_the_same_repository(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", FILES)
    link = tmp_path / "link"
    link.symlink_to(root)
    assert sync(link).decision == "built"
    assert sync(root).rebuild_reason is None
    assert found(link, "alpha") == ["a.py"]
    assert sync(link).rebuild_reason is None


def test_unusual_file_names(tmp_path: Path) -> None:
    names = [
        "n" * 252 + ".py",
        os.fsdecode(b"caf\xe9.py"),
        os.fsdecode(b"\xff\xfe\x80.py"),
        "new\nline.py",
        "tab\t.py",
        " lead.py",
        "trail .py",
        "日本語.py",
        "e\u0301.py",
        "\u00e9.py",
        "-rf.py",
        "\u202egnp.py",
        "a%00b.py",
        "c:d.py",
        "back\\slash.py",
        "[glob]*.py",
        "~tilde.py",
        "CON.py",
        "UPPER.PY.py",
        "upper.py.py",
    ]
    files: dict[str, str | bytes] = {name: f"def odd_{at}():\n    return 1\n" for at, name in enumerate(names)}
    root = make_repository(tmp_path / "repo", files)
    for overlay in (True, False):
        with Indexer.open(options_for(root, overlay=overlay)) as indexer:
            assert indexer.sync().files == len(names)
            assert logical_dump(indexer) == scratch_dump(root, tmp_path)
        for at, name in enumerate(names):
            assert found(root, f"odd_{at}", overlay=overlay) == [name]
    for name in names:
        (root / name).unlink()
    assert sync(root).removed == len(names)


def test_deep_tree(tmp_path: Path) -> None:
    path = "/".join(["d"] * 200) + "/deep.py"
    root = make_repository(tmp_path / "repo", {path: "def deep():\n    return 1\n"})
    sync(root)
    assert found(root, "deep") == [path]
    write(root, path, "def deeper():\n    return 1\n")
    assert found(root, "deeper") == [path]


CANARY = b"canary_4f1c9e"


def test_nothing_outside_the_root_is_read(tmp_path: Path) -> None:
    """Not through links to files or directories, nor through ignore files that are links."""
    outside = tmp_path / "outside"
    text = b"def " + CANARY + b"():\n    return '" + CANARY + b"'\n"
    write(outside, "secret.py", text)
    write(outside, "deep/secret.py", text)
    write(outside, "ignore", b"*.py\n" + CANARY + b"\n")
    root = make_repository(tmp_path / "repo", FILES)
    links = {
        "file.py": outside / "secret.py",
        "up": outside,
        "web/up": outside / "deep",
        "relative.py": Path("../outside/secret.py"),
        "absolute": Path("/"),
        "loop": Path(),
        ".gitignore": outside / "ignore",
        "web/.cplignore": outside / "ignore",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    git(root, "add", "-A")
    report = sync(root)
    assert report.files == len(FILES)
    write(outside, "secret.py", text + b"x = 1\n")
    for _ in range(2):
        assert found(root, "alpha") == ["a.py"]
    # A directory that is swapped for a link after it was indexed.
    (root / "web").rename(tmp_path / "moved")
    (root / "web").symlink_to(outside)
    assert found(root, "beta") == []
    assert found(root, CANARY.decode()) == []
    for name, data in state_files(root).items():
        assert CANARY not in data, name
    with open_view(options_for(root)) as view:
        assert get_file(view.snapshot, "web/secret.py") is None
        assert search_files(view.snapshot, CANARY.decode(), 5) == []


def test_parent_replaced_by_a_link_during_the_sync(tmp_path: Path) -> None:
    """Between the scan and the reading: the file behind the link has the same name and is not read."""
    outside = tmp_path / "outside"
    write(outside, "b.ts", b"export const " + CANARY + b" = 1;\n")
    many: dict[str, str | bytes] = {f"f{number:02}.py": "x = 1\n" for number in range(60)}
    root = make_repository(tmp_path / "repo", {**FILES, **many})

    def swap(progress: object) -> None:
        # Files are read in order, a few ahead of the parser: at the first result `web/b.ts` is not among them.
        if getattr(progress, "phase", "") == "index" and not (root / "web").is_symlink():
            (root / "web").rename(tmp_path / "moved")
            (root / "web").symlink_to(outside)

    with Indexer.open(options_for(root, hash_concurrency=1)) as indexer:
        for report in (swap, None):
            indexer.sync(report)
            assert not any(CANARY.decode() in line for line in logical_dump(indexer))
            with open_current(indexer.state) as snapshot:
                assert get_file(snapshot, "a.py") is not None
                assert get_file(snapshot, "web/b.ts") is None


def test_fifos_sockets_and_devices_are_skipped(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", FILES)
    os.mkfifo(root / "fifo.py")
    (root / "null.py").symlink_to("/dev/null")
    here = Path.cwd()
    with socket.socket(socket.AF_UNIX) as server:
        # The address of a socket is short, so it is bound by a relative name.
        os.chdir(root)
        try:
            server.bind("socket.py")
        finally:
            os.chdir(here)
        if os.geteuid() == 0:
            with suppress(OSError):
                os.mknod(root / "device.py", 0o20600, os.makedev(1, 5))
        assert sync(root).files == len(FILES)
    (root / "fifo.py").unlink()
    write(root, "fifo.py", "def fifo():\n    return 1\n")
    assert found(root, "fifo") == ["fifo.py"]
    (root / "fifo.py").unlink()
    os.mkfifo(root / "fifo.py")
    assert found(root, "fifo") == []
