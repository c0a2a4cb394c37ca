"""A `.codeplane` prepared by someone else is never trusted, never leads out of the repository, and is replaced."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.warnings import WarningCode
from codeplane.config import merge
from codeplane.config.files import repository_layer
from codeplane.config.model import Config
from codeplane.index.indexer import Indexer
from codeplane.operations.clear import clear
from codeplane.operations.context import Context
from codeplane.operations.doctor import diagnose
from codeplane.operations.status import status
from codeplane.query.defs import list_defs_by_name
from support.children import start
from support.repositories import logical_dump, make_repository, options_for, scratch_dump, sync, write
from support.snapshots import open_view

OURS: dict[str, str | bytes] = {"a.py": "def ours():\n    return 1\n"}
THEIRS: dict[str, str | bytes] = {"a.py": "def planted():\n    return 1\n"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "ours" / "repo", OURS)


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    root = make_repository(tmp_path / "theirs" / "repo", THEIRS)
    sync(root)
    return root


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Files that must stay unchanged, byte for byte."""
    place = tmp_path / "outside"
    for name in ("CURRENT", "index.db", "lock", "config.yaml", "1/index.db", "1/tantivy/meta.json", "generations/x"):
        write(place, name, f"canary {name}")
    return place


def context_for(root: Path) -> Context:
    return Context(root, Config(), options_for(root).user_state)


def contents(place: Path) -> dict[str, tuple[bytes, int]]:
    return {str(path): (path.read_bytes(), path.stat().st_mode) for path in place.rglob("*") if path.is_file()}


def names_found(root: Path, name: str) -> list[str]:
    with open_view(options_for(root)) as view:
        return [row.path for row in list_defs_by_name(view.snapshot, name, 5).rows]


def use_everything(root: Path) -> set[ErrorCode]:
    """Query, inspect and build; return the codes of the errors, all of them typed."""
    codes = set()
    for action in (
        lambda: names_found(root, "planted"),
        lambda: status(context_for(root)),
        lambda: diagnose(context_for(root)),
        lambda: sync(root),
        lambda: names_found(root, "planted"),
    ):
        try:
            assert action() != ["a.py"], "the planted index was believed"
        except CodePlaneError as error:
            codes.add(error.code)
    return codes


def test_index_of_another_repository_is_rejected(root: Path, theirs: Path, tmp_path: Path) -> None:
    shutil.copytree(theirs / ".codeplane", root / ".codeplane")
    assert status(context_for(root)).state == "absent"
    assert use_everything(root) == set()
    assert names_found(root, "ours") == ["a.py"]
    with Indexer.open(options_for(root)) as indexer:
        assert logical_dump(indexer) == scratch_dump(root, tmp_path)


def test_index_swapped_in_later_is_rejected(root: Path, theirs: Path) -> None:
    """The user already has an index here, so its binding does not match the foreign one."""
    sync(root)
    shutil.rmtree(root / ".codeplane")
    shutil.copytree(theirs / ".codeplane", root / ".codeplane")
    assert use_everything(root) == set()
    assert names_found(root, "ours") == ["a.py"]


def test_planted_index_is_not_read_while_the_lock_is_held(root: Path, theirs: Path) -> None:
    shutil.copytree(theirs / ".codeplane", root / ".codeplane")
    child = start(
        root,
        """
        from codeplane.disk.locks import FileLock
        with FileLock(root / ".codeplane/lock"):
            print("held", flush=True)
            sys.stdin.readline()
        """,
    )
    assert child.stdout is not None and child.stdout.readline() == "held\n"
    with pytest.raises(CodePlaneError) as raised:
        names_found(root, "planted")
    assert raised.value.code is ErrorCode.NOT_READY
    child.communicate("\n", timeout=60)


def test_a_linked_state_directory_is_refused(root: Path, theirs: Path, outside: Path) -> None:
    for target in (theirs / ".codeplane", outside, Path("nowhere"), Path(".git")):
        (root / ".codeplane").symlink_to(target)
        before = contents(outside), contents(theirs)
        assert use_everything(root) == {ErrorCode.STATE_DIRECTORY_UNSAFE}
        with pytest.raises(CodePlaneError):
            clear(context_for(root), everything=True)
        assert (contents(outside), contents(theirs)) == before
        (root / ".codeplane").unlink()


def test_linked_generations_are_refused(root: Path, outside: Path) -> None:
    sync(root)
    shutil.rmtree(root / ".codeplane/generations")
    (root / ".codeplane/generations").symlink_to(outside)
    before = contents(outside)
    assert use_everything(root) == {ErrorCode.STATE_DIRECTORY_UNSAFE}
    assert contents(outside) == before


@pytest.mark.parametrize("part", ["generation", "index.db", "tantivy", "index.db-wal", "index.db-shm", "meta.json"])
def test_a_linked_part_of_a_generation_is_replaced(root: Path, outside: Path, part: str, tmp_path: Path) -> None:
    sync(root)
    (generation,) = (root / ".codeplane/generations").iterdir()
    path = {"generation": generation, "meta.json": generation / "tantivy/meta.json"}.get(part, generation / part)
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    target = {"generation": outside / "1", "tantivy": outside / "1/tantivy"}.get(part, outside / "1/index.db")
    path.symlink_to(target)
    before = contents(outside)
    assert use_everything(root) <= {ErrorCode.INDEX_CORRUPT}
    assert contents(outside) == before
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        assert logical_dump(indexer) == scratch_dump(root, tmp_path)


@pytest.mark.parametrize(
    "text", ["../../../outside\n", "/etc\n", "1/../1\n", "..\n", "1\n\n", "0\n", "1\0\n", "9" * 40]
)
def test_current_cannot_leave_the_state_directory(root: Path, outside: Path, text: str) -> None:
    sync(root)
    (root / ".codeplane/CURRENT").write_text(text)
    before = contents(outside)
    assert use_everything(root) <= {ErrorCode.INDEX_CORRUPT}
    assert names_found(root, "ours") == ["a.py"]
    assert contents(outside) == before


def _link(path: Path) -> None:
    path.symlink_to("/etc/passwd")


@pytest.mark.parametrize("name", ["CURRENT", "lock", ".gitignore", "index.db", "tantivy"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, _link])
@pytest.mark.timeout(30)
def test_special_files_do_not_block(root: Path, name: str, make: Callable[[Path], None]) -> None:
    sync(root)
    (generation,) = (root / ".codeplane/generations").iterdir()
    path = generation / name if name in ("index.db", "tantivy") else root / ".codeplane" / name
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
    make(path)
    passwd = Path("/etc/passwd").stat()
    codes = use_everything(root)
    if name == "lock" and make is not os.mkfifo:
        assert codes == {ErrorCode.STATE_DIRECTORY_UNSAFE}
    else:
        assert codes <= {ErrorCode.INDEX_CORRUPT}
        assert names_found(root, "ours") == ["a.py"]
    assert Path("/etc/passwd").stat().st_mtime_ns == passwd.st_mtime_ns


def test_fifo_lock_does_not_block(root: Path) -> None:
    sync(root)
    (root / ".codeplane/lock").unlink()
    os.mkfifo(root / ".codeplane/lock")
    with Indexer.open(options_for(root)):
        assert status(context_for(root)).lock_owner is None
        with pytest.raises(CodePlaneError) as raised:
            Indexer.open(options_for(root))
        assert raised.value.code is ErrorCode.INDEX_LOCKED


def test_index_is_private(root: Path) -> None:
    (root / ".codeplane").mkdir(mode=0o777)
    (root / ".codeplane").chmod(0o777)
    sync(root)
    write(root, "b.py", "def more():\n    return 1\n")
    sync(root)
    assert stat.S_IMODE((root / ".codeplane").stat().st_mode) == 0o700
    for path in (root / ".codeplane/generations").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    for path in (root.parent / "user-state").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o022 == 0, path


@pytest.mark.parametrize("text", [b"index:\n  workers: 1\n" + b"#" * 10**7, b"&a [*a, *a]\n" * 1000, b"\0" * 100])
def test_a_hostile_configuration_has_no_effect(root: Path, text: bytes) -> None:
    write(root, ".codeplane/config.yaml", text)
    config = merge([repository_layer(root)])
    assert config.index == Config().index
    assert [ignored.code for ignored in config.ignored] == [WarningCode.CONFIG_IGNORED]


def test_clear_follows_no_link(root: Path, outside: Path) -> None:
    sync(root)
    (root / ".codeplane/inner").symlink_to(outside)
    (generation,) = (root / ".codeplane/generations").iterdir()
    (generation / "deep").symlink_to(outside)
    before = contents(outside)
    clear(context_for(root), everything=False)
    assert contents(outside) == before
    sync(root)
    (root / ".codeplane/inner").symlink_to(outside)
    clear(context_for(root), everything=True)
    assert contents(outside) == before
    assert not (root / ".codeplane").exists()
    assert (root / "a.py").read_text() == OURS["a.py"]
