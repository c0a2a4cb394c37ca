"""Batches on the disk: what files keep, what is undone, and what somebody else saves in between."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from codeplane.base.digests import digest_bytes
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.disk import transaction as transactions
from codeplane.disk.batch import Batch, Change, parse_batch
from codeplane.disk.kept import list_kept, read_saved
from codeplane.disk.renames import can_exchange, exchange, rename_new
from codeplane.disk.safe_open import Root
from codeplane.disk.transaction import Transaction
from codeplane.disk.writing import New, missing_folders, remove_folder
from support.edits import tree_of

ID = "m_0123456789abcdefghij"
BOTH = pytest.mark.parametrize("plain", [False, True], ids=["exchange", "plain"])


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Root]:
    (tmp_path / "repo" / ".codeplane").mkdir(parents=True)
    with Root.open(tmp_path / "repo") as opened:
        yield opened


def batch_of(root: Root, files: dict[str, bytes | None]) -> tuple[Batch, dict[RepoPath, New]]:
    """From what files become (None: nothing) to a batch on them as they are."""
    changes, contents = [], {}
    for number, (name, new) in enumerate(sorted(files.items())):
        path = RepoPath(name)
        there = root.path / name
        old = there.read_bytes() if there.exists() else None
        digests = [None if data is None else digest_bytes(data) for data in (old, new)]
        changes.append(Change(path, digests[0], digests[1], str(number)))
        if new is not None:
            contents[path] = New(new, path if old is not None else None)
    made = sorted({folder for change in changes for folder in missing_folders(root, change.path)})
    return Batch(ID, tuple(changes), tuple(made)), contents


def run(root: Root, files: dict[str, bytes | None], *, plain: bool, undo: bool = False) -> Batch:
    batch, contents = batch_of(root, files)
    with Transaction(root, batch, plain=plain) as work:
        assert work.stage(contents) == ()
        work.apply()
        work.verify()
        if undo:
            assert work.undo() == ()
    return batch


def put(root: Root, name: str, data: bytes) -> Path:
    path = root.path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


MIXED: dict[str, bytes | None] = {"a.txt": b"new", "new/deep/b.txt": b"made", "gone.txt": None, "d/c.txt": b"c2"}


def mixed(root: Root) -> dict[str, bytes | None]:
    for name, data in (("a.txt", b"old"), ("gone.txt", b"gone"), ("d/c.txt", b"c1"), ("other.txt", b"o")):
        put(root, name, data)
    return tree_of(root.path)


@BOTH
def test_all_of_it(root: Root, plain: bool) -> None:
    mixed(root)
    batch = run(root, MIXED, plain=plain)
    files = {name: data for name, data in tree_of(root.path).items() if data is not None}
    assert files == {"a.txt": b"new", "new/deep/b.txt": b"made", "d/c.txt": b"c2", "other.txt": b"o"}
    kept = {change.path: read_saved(root, ID, change, 100) for change in batch.changes}
    assert {path: saved and saved.data for path, saved in kept.items()} == {
        "a.txt": b"old",
        "d/c.txt": b"c1",
        "gone.txt": b"gone",
        "new/deep/b.txt": None,
    }


@BOTH
def test_none_of_it(root: Root, plain: bool) -> None:
    before = mixed(root)
    run(root, MIXED, plain=plain, undo=True)
    assert tree_of(root.path) == before
    assert list_kept(root) == {}


@BOTH
def test_what_was_staged_only_is_undone_by_leaving_it(root: Root, plain: bool) -> None:
    before = mixed(root)
    batch, contents = batch_of(root, MIXED)
    with Transaction(root, batch, plain=plain) as work:
        work.stage(contents)
    with Transaction(root, parse_batch(batch.as_text()), plain=plain) as later:
        assert later.undo() == ()
        assert later.undo() == ()
    assert tree_of(root.path) == before


@BOTH
def test_mode_and_attributes_stay(root: Root, plain: bool) -> None:
    path = put(root, "run.sh", b"#!/bin/sh\n")
    path.chmod(0o4750)
    try:
        os.setxattr(path, "user.mark", b"yes")
    except OSError:
        pytest.skip("no extended attributes here")
    run(root, {"run.sh": b"#!/bin/bash\n"}, plain=plain)
    assert stat.S_IMODE(path.stat().st_mode) == 0o4750
    assert os.getxattr(path, "user.mark") == b"yes"


def test_writing_as_an_ordinary_user_takes_no_bit_of_the_mode_away(root: Root) -> None:
    path = put(root, "run.sh", b"#!/bin/sh\n")
    if os.geteuid() == 0:
        os.chown(path, 65534, -1)
        os.chown(root.path, 65534, -1)
        os.chown(root.path / ".codeplane", 65534, -1)
    path.chmod(0o4750)
    batch, contents = batch_of(root, {"run.sh": b"#!/bin/bash\n"})
    was_root = os.geteuid() == 0
    try:
        if was_root:
            os.seteuid(65534)
        with Transaction(root, batch) as work:
            work.stage(contents)
            work.apply()
    finally:
        if was_root:
            os.seteuid(0)
    assert stat.S_IMODE(path.stat().st_mode) == 0o4750


@BOTH
def test_other_names_of_a_file_keep_the_old_one(root: Root, plain: bool) -> None:
    path = put(root, "a.txt", b"old")
    os.link(path, root.path.parent / "outside")
    run(root, {"a.txt": b"new"}, plain=plain)
    assert path.read_bytes() == b"new"
    assert (root.path.parent / "outside").read_bytes() == b"old"


@BOTH
def test_undoing_leaves_what_somebody_changed_since(root: Root, plain: bool) -> None:
    mixed(root)
    batch, contents = batch_of(root, MIXED)
    with Transaction(root, batch, plain=plain) as work:
        work.stage(contents)
        work.apply()
        put(root, "a.txt", b"theirs")
        put(root, "gone.txt", b"theirs too")
        put(root, "new/deep/b.txt", b"edited")
        left = work.undo()
    assert [(entry.path, entry.reason) for entry in left] == [
        ("a.txt", "changed"),
        ("gone.txt", "changed"),
        ("new/deep/b.txt", "changed"),
    ]
    files = {name: data for name, data in tree_of(root.path).items() if data is not None}
    assert files == {
        "a.txt": b"theirs",
        "gone.txt": b"theirs too",
        "new/deep/b.txt": b"edited",
        "d/c.txt": b"c1",
        "other.txt": b"o",
    }
    saved = read_saved(root, ID, batch.changes[0], 100)
    assert saved is not None and saved.data == b"old", "what it was is kept aside"


def _before_each(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Let somebody act in the last moment before names are exchanged."""

    def raced(*args: object) -> None:
        act()
        exchange(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(transactions, "exchange", raced)


@pytest.mark.parametrize("saves", [1, 2, 3, 5])
@pytest.mark.parametrize("how", ["rename", "in place"])
def test_a_save_in_the_last_moment_is_not_lost(
    root: Root, monkeypatch: pytest.MonkeyPatch, saves: int, how: str
) -> None:
    path = put(root, "a.txt", b"old")
    batch, contents = batch_of(root, {"a.txt": b"new"})
    done: list[bytes] = []

    def save() -> None:
        if len(done) < saves:
            done.append(b"save %d" % len(done))
            if how == "rename":
                beside = path.with_suffix(".tmp")
                beside.write_bytes(done[-1])
                beside.rename(path)
            else:
                path.write_bytes(done[-1])

    _before_each(monkeypatch, save)
    with Transaction(root, batch) as work:
        work.stage(contents)
        with pytest.raises(CodePlaneError) as caught:
            work.apply()
        assert caught.value.code is ErrorCode.EDIT_CONFLICT
        assert caught.value.details["current_sha256"] == digest_bytes(b"save 0")
        assert path.read_bytes() == done[-1]
        assert work.undo() == ()
    assert path.read_bytes() == done[-1]


def test_a_file_that_turns_into_something_else(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(root, "a.txt", b"old")
    outside = put(root, "../outside.txt", b"outside")
    batch, contents = batch_of(root, {"a.txt": b"new"})

    def swap() -> None:
        if not path.is_symlink():
            path.unlink()
            path.symlink_to(outside)

    _before_each(monkeypatch, swap)
    with Transaction(root, batch) as work:
        work.stage(contents)
        with pytest.raises(CodePlaneError) as caught:
            work.apply()
        assert caught.value.code is ErrorCode.EDIT_CONFLICT
        assert work.undo() == ()
    assert path.is_symlink()
    assert outside.read_bytes() == b"outside"


@BOTH
def test_a_write_into_the_old_file_is_noticed(root: Root, plain: bool) -> None:
    path = put(root, "a.txt", b"old")
    batch, contents = batch_of(root, {"a.txt": b"new"})
    with path.open("r+b") as editor, Transaction(root, batch, plain=plain) as work:
        work.stage(contents)
        work.apply()
        editor.write(b"editor")
        editor.flush()
        with pytest.raises(CodePlaneError) as caught:
            work.verify()
        assert caught.value.code is ErrorCode.EDIT_CONFLICT
        assert work.undo() == ()
    assert path.read_bytes() == b"editor"


def test_a_write_into_the_new_file_while_it_is_undone_is_kept_aside(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(root, "a.txt", b"old")
    batch, contents = batch_of(root, {"a.txt": b"new", "made/b.txt": b"new"})
    with Transaction(root, batch) as work:
        work.stage(contents)
        work.apply()
        with path.open("r+b") as editor:

            def save(opened: Root, folder: RepoPath) -> None:
                editor.write(b"editor")
                editor.flush()
                remove_folder(opened, folder)

            monkeypatch.setattr(transactions, "remove_folder", save)
            assert [left.path for left in work.undo()] == ["a.txt"]
    assert path.read_bytes() == b"old"
    assert [file.read_bytes() for file in (root.path / ".codeplane/txn" / ID).iterdir()].count(b"editor") == 1


@BOTH
def test_undoing_without_free_descriptors_says_so_and_can_be_done_again(
    root: Root, monkeypatch: pytest.MonkeyPatch, plain: bool
) -> None:
    before = mixed(root)
    batch, contents = batch_of(root, MIXED)
    with Transaction(root, batch, plain=plain) as work:
        work.stage(contents)
        work.apply()

        def none_left(*_: object) -> None:
            raise OSError(errno.EMFILE, "none left")

        with monkeypatch.context() as patched:
            patched.setattr(transactions, "_look", none_left)
            with pytest.raises(CodePlaneError) as caught:
                work.undo()
        assert caught.value.code is ErrorCode.TOO_BUSY
        assert work.undo() == ()
    assert tree_of(root.path) == before


@BOTH
def test_a_name_that_is_taken_meanwhile_is_left(root: Root, plain: bool) -> None:
    batch, contents = batch_of(root, {"n.txt": b"ours"})
    with Transaction(root, batch, plain=plain) as work:
        work.stage(contents)
        path = put(root, "n.txt", b"theirs")
        with pytest.raises(CodePlaneError) as caught:
            work.apply()
        assert caught.value.code is ErrorCode.EDIT_CONFLICT
        work.undo()
    assert path.read_bytes() == b"theirs"


@BOTH
def test_a_directory_that_becomes_a_link_is_not_followed(root: Root, plain: bool) -> None:
    put(root, "d/a.txt", b"old")
    outside = root.path.parent / "outside"
    outside.mkdir()
    (outside / "a.txt").write_bytes(b"old")
    batch, contents = batch_of(root, {"d/a.txt": b"new", "d/b.txt": b"new"})
    with Transaction(root, batch, plain=plain) as work:
        work.stage(contents)
        (root.path / "d").rename(root.path / "moved")
        (root.path / "d").symlink_to(outside)
        with pytest.raises(CodePlaneError):
            work.apply()
        work.undo()
    assert {path.name: path.read_bytes() for path in outside.iterdir()} == {"a.txt": b"old"}
    assert (root.path / "moved" / "a.txt").read_bytes() == b"old"


def test_the_plain_way_never_replaces_by_accident(root: Root) -> None:
    put(root, "a", b"a")
    put(root, "b", b"b")
    folder = root.open_directory("")
    try:
        assert can_exchange(folder)
        for plain in (False, True):
            with pytest.raises(FileExistsError):
                rename_new(folder, "a", folder, "b", plain=plain)
            rename_new(folder, "a", folder, "c", plain=plain)
            rename_new(folder, "c", folder, "a", plain=plain)
    finally:
        os.close(folder)
    assert tree_of(root.path) == {"a": b"a", "b": b"b"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"v":1}',
        '{"v":2,"mutation_id":"m_0123456789abcdefghij","changes":[],"made":[],"about":{}}',
        '{"v":1,"mutation_id":"../../x","changes":[],"made":[],"about":{}}',
        '{"v":1,"mutation_id":"m_0123456789abcdefghij","changes":[["a",null,null,"0"]],"made":[],"about":{}}',
        '{"v":1,"mutation_id":"m_0123456789abcdefghij","changes":[["a","x","y","../z"]],"made":[],"about":{}}',
    ],
)
def test_a_plan_that_is_none_of_ours(text: str) -> None:
    with pytest.raises(CodePlaneError) as caught:
        parse_batch(text)
    assert caught.value.code is ErrorCode.LEDGER_DAMAGED


def test_names_that_are_no_text_survive_in_a_plan() -> None:
    path = RepoPath("caf\udce9/ü\u2028.txt")
    batch = Batch(ID, (Change(path, digest_bytes(b"a"), None, "0"),), (RepoPath("x"),), {"key": "k"})
    assert parse_batch(batch.as_text()) == batch
    assert batch.as_text().isascii()
