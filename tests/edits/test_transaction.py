"""Transactions: metadata, rollback, and saves by another process in between."""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from codeplane.base.digests import digest_bytes
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.disk.renames import can_exchange, exchange, rename_new
from codeplane.disk.safe_open import Root
from codeplane.disk.write import NewFile, missing_directories, remove_directory
from codeplane.edits import file_state
from codeplane.edits import transaction as transactions
from codeplane.edits.journal import FileEntry, JournalEntry, parse_entry
from codeplane.edits.transaction import Transaction
from codeplane.edits.undo_store import list_stored, read_old
from support.edits import tree_of

ID = "m_0123456789abcdefghij"
BOTH = pytest.mark.parametrize("no_exchange", [False, True], ids=["exchange", "no exchange"])


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Root]:
    (tmp_path / "repo" / ".codeplane").mkdir(parents=True)
    with Root.open(tmp_path / "repo") as opened:
        yield opened


def entry_of(root: Root, files: dict[str, bytes | None]) -> tuple[JournalEntry, dict[RepoPath, NewFile]]:
    """Return a journal entry that turns the files into these contents (None: deleted)."""
    changes, contents = [], {}
    for number, (name, new) in enumerate(sorted(files.items())):
        path = RepoPath(name)
        there = root.path / name
        old = there.read_bytes() if there.exists() else None
        digests = [None if data is None else digest_bytes(data) for data in (old, new)]
        changes.append(FileEntry(path, digests[0], digests[1], str(number)))
        if new is not None:
            contents[path] = NewFile(new, path if old is not None else None)
    made = sorted({directory for change in changes for directory in missing_directories(root, change.path)})
    return JournalEntry(ID, tuple(changes), tuple(made)), contents


def run(root: Root, files: dict[str, bytes | None], *, no_exchange: bool, roll_back: bool = False) -> JournalEntry:
    entry, contents = entry_of(root, files)
    with Transaction(root, entry, no_exchange=no_exchange) as work:
        assert work.stage(contents) == ()
        work.apply()
        work.verify()
        if roll_back:
            assert work.roll_back() == ()
    return entry


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
def test_apply(root: Root, no_exchange: bool) -> None:
    mixed(root)
    entry = run(root, MIXED, no_exchange=no_exchange)
    files = {name: data for name, data in tree_of(root.path).items() if data is not None}
    assert files == {"a.txt": b"new", "new/deep/b.txt": b"made", "d/c.txt": b"c2", "other.txt": b"o"}
    stored = {file.path: read_old(root, ID, file, 100) for file in entry.files}
    assert {path: old and old.data for path, old in stored.items()} == {
        "a.txt": b"old",
        "d/c.txt": b"c1",
        "gone.txt": b"gone",
        "new/deep/b.txt": None,
    }


@BOTH
def test_roll_back(root: Root, no_exchange: bool) -> None:
    before = mixed(root)
    run(root, MIXED, no_exchange=no_exchange, roll_back=True)
    assert tree_of(root.path) == before
    assert list_stored(root) == {}


@BOTH
def test_rolling_back_a_staged_transaction_changes_nothing(root: Root, no_exchange: bool) -> None:
    before = mixed(root)
    entry, contents = entry_of(root, MIXED)
    with Transaction(root, entry, no_exchange=no_exchange) as work:
        work.stage(contents)
    with Transaction(root, parse_entry(entry.as_text()), no_exchange=no_exchange) as later:
        assert later.roll_back() == ()
        assert later.roll_back() == ()
    assert tree_of(root.path) == before


@BOTH
def test_mode_and_attributes_are_preserved(root: Root, no_exchange: bool) -> None:
    path = put(root, "run.sh", b"#!/bin/sh\n")
    path.chmod(0o4750)
    try:
        os.setxattr(path, "user.mark", b"yes")
    except OSError:
        pytest.skip("no extended attributes here")
    run(root, {"run.sh": b"#!/bin/bash\n"}, no_exchange=no_exchange)
    assert stat.S_IMODE(path.stat().st_mode) == 0o4750
    assert os.getxattr(path, "user.mark") == b"yes"


def test_setuid_bit_is_preserved_for_an_ordinary_user(root: Root) -> None:
    path = put(root, "run.sh", b"#!/bin/sh\n")
    if os.geteuid() == 0:
        os.chown(path, 65534, -1)
        os.chown(root.path, 65534, -1)
        os.chown(root.path / ".codeplane", 65534, -1)
    path.chmod(0o4750)
    entry, contents = entry_of(root, {"run.sh": b"#!/bin/bash\n"})
    was_root = os.geteuid() == 0
    try:
        if was_root:
            os.seteuid(65534)
        with Transaction(root, entry) as work:
            work.stage(contents)
            work.apply()
    finally:
        if was_root:
            os.seteuid(0)
    assert stat.S_IMODE(path.stat().st_mode) == 0o4750


@BOTH
def test_other_hard_links_keep_the_old_content(root: Root, no_exchange: bool) -> None:
    path = put(root, "a.txt", b"old")
    os.link(path, root.path.parent / "outside")
    run(root, {"a.txt": b"new"}, no_exchange=no_exchange)
    assert path.read_bytes() == b"new"
    assert (root.path.parent / "outside").read_bytes() == b"old"


@BOTH
def test_rollback_keeps_files_changed_since(root: Root, no_exchange: bool) -> None:
    mixed(root)
    entry, contents = entry_of(root, MIXED)
    with Transaction(root, entry, no_exchange=no_exchange) as work:
        work.stage(contents)
        work.apply()
        put(root, "a.txt", b"theirs")
        put(root, "gone.txt", b"theirs too")
        put(root, "new/deep/b.txt", b"edited")
        conflicts = work.roll_back()
    assert [(conflict.path, conflict.reason) for conflict in conflicts] == [
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
    saved = read_old(root, ID, entry.files[0], 100)
    assert saved is not None and saved.data == b"old", "the old content is still stored"


def _before_each(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Call `act` right before every exchange of names."""

    def raced(*args: object) -> None:
        act()
        exchange(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(transactions, "exchange", raced)


@pytest.mark.parametrize("saves", [1, 2, 3, 5])
@pytest.mark.parametrize("method", ["rename", "in place"])
def test_save_right_before_the_exchange_is_not_lost(
    root: Root, monkeypatch: pytest.MonkeyPatch, saves: int, method: str
) -> None:
    path = put(root, "a.txt", b"old")
    entry, contents = entry_of(root, {"a.txt": b"new"})
    done: list[bytes] = []

    def save() -> None:
        if len(done) < saves:
            done.append(b"save %d" % len(done))
            if method == "rename":
                beside = path.with_suffix(".tmp")
                beside.write_bytes(done[-1])
                beside.rename(path)
            else:
                path.write_bytes(done[-1])

    _before_each(monkeypatch, save)
    if method == "in place":
        # A lease would make the save wait; see `test_lease_makes_a_save_in_place_wait`.
        monkeypatch.setattr(file_state, "take_lease", lambda handle: False)
    with Transaction(root, entry) as work:
        work.stage(contents)
        with pytest.raises(CodePlaneError) as caught:
            work.apply()
        assert caught.value.code is ErrorCode.EDIT_CONFLICT
        assert caught.value.details["current_sha256"] == digest_bytes(done[-1])
        assert path.read_bytes() == done[-1]
        assert work.roll_back() == ()
    assert path.read_bytes() == done[-1]


def test_file_replaced_by_a_link_is_not_followed(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(root, "a.txt", b"old")
    outside = put(root, "../outside.txt", b"outside")
    entry, contents = entry_of(root, {"a.txt": b"new"})

    def swap() -> None:
        if not path.is_symlink():
            path.unlink()
            path.symlink_to(outside)

    _before_each(monkeypatch, swap)
    with Transaction(root, entry) as work:
        work.stage(contents)
        with pytest.raises(CodePlaneError) as caught:
            work.apply()
        assert caught.value.code is ErrorCode.EDIT_CONFLICT
        assert work.roll_back() == ()
    assert path.is_symlink()
    assert outside.read_bytes() == b"outside"


def test_lease_makes_a_save_in_place_wait(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(root, "a.txt", b"old")
    entry, contents = entry_of(root, {"a.txt": b"new"})
    seen: list[bytes] = []
    saver = threading.Thread(target=lambda: path.write_bytes(b"save"))

    def begin_save() -> None:
        if not saver.ident:
            saver.start()
            saver.join(0.1)
            seen.append(path.read_bytes())

    _before_each(monkeypatch, begin_save)
    with Transaction(root, entry) as work:
        work.stage(contents)
        with pytest.raises(CodePlaneError) as caught:
            work.apply()
        assert caught.value.code is ErrorCode.EDIT_CONFLICT
        saver.join()
        assert work.roll_back() == ()
    assert seen == [b"old"] and path.read_bytes() == b"save"


@BOTH
def test_file_open_for_writing_elsewhere_is_refused(root: Root, no_exchange: bool) -> None:
    path = put(root, "a.txt", b"old")
    entry, contents = entry_of(root, {"a.txt": b"new", "b.txt": b"new"})
    with path.open("r+b") as editor, Transaction(root, entry, no_exchange=no_exchange) as work:
        work.stage(contents)
        with pytest.raises(CodePlaneError, match="is open for writing in another process") as caught:
            work.apply()
        assert caught.value.code is ErrorCode.EDIT_CONFLICT
        assert work.roll_back() == ()
        editor.write(b"editor")
    assert path.read_bytes() == b"editor" and not (root.path / "b.txt").exists()


@BOTH
def test_write_to_the_old_file_is_a_conflict(root: Root, monkeypatch: pytest.MonkeyPatch, no_exchange: bool) -> None:
    path = put(root, "a.txt", b"old")
    entry, contents = entry_of(root, {"a.txt": b"new"})
    monkeypatch.setattr(file_state, "take_lease", lambda handle: False)
    with path.open("r+b") as editor, Transaction(root, entry, no_exchange=no_exchange) as work:
        work.stage(contents)
        work.apply()
        editor.write(b"editor")
        editor.flush()
        with pytest.raises(CodePlaneError) as caught:
            work.verify()
        assert caught.value.code is ErrorCode.EDIT_CONFLICT
        assert work.roll_back() == ()
    assert path.read_bytes() == b"editor"


def test_write_to_the_new_file_during_rollback_is_stored(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(root, "a.txt", b"old")
    entry, contents = entry_of(root, {"a.txt": b"new", "made/b.txt": b"new"})
    with Transaction(root, entry) as work:
        work.stage(contents)
        work.apply()
        with path.open("r+b") as editor:

            def save(opened: Root, directory: RepoPath) -> None:
                editor.write(b"editor")
                editor.flush()
                remove_directory(opened, directory)

            monkeypatch.setattr(transactions, "remove_directory", save)
            assert [conflict.path for conflict in work.roll_back()] == ["a.txt"]
    assert path.read_bytes() == b"old"
    assert [file.read_bytes() for file in (root.path / ".codeplane/txn" / ID).iterdir()].count(b"editor") == 1


@BOTH
def test_rollback_can_be_repeated_after_running_out_of_descriptors(
    root: Root, monkeypatch: pytest.MonkeyPatch, no_exchange: bool
) -> None:
    before = mixed(root)
    entry, contents = entry_of(root, MIXED)
    with Transaction(root, entry, no_exchange=no_exchange) as work:
        work.stage(contents)
        work.apply()

        def none_left(*_: object) -> None:
            raise OSError(errno.EMFILE, "none left")

        with monkeypatch.context() as patched:
            patched.setattr(transactions, "read_state", none_left)
            with pytest.raises(CodePlaneError) as caught:
                work.roll_back()
        assert caught.value.code is ErrorCode.TOO_BUSY
        assert work.roll_back() == ()
    assert tree_of(root.path) == before


@BOTH
def test_creation_does_not_replace_a_new_file(root: Root, no_exchange: bool) -> None:
    entry, contents = entry_of(root, {"n.txt": b"ours"})
    with Transaction(root, entry, no_exchange=no_exchange) as work:
        work.stage(contents)
        path = put(root, "n.txt", b"theirs")
        with pytest.raises(CodePlaneError) as caught:
            work.apply()
        assert caught.value.code is ErrorCode.EDIT_CONFLICT
        work.roll_back()
    assert path.read_bytes() == b"theirs"


@BOTH
def test_directory_replaced_by_a_link_is_not_followed(root: Root, no_exchange: bool) -> None:
    put(root, "d/a.txt", b"old")
    outside = root.path.parent / "outside"
    outside.mkdir()
    (outside / "a.txt").write_bytes(b"old")
    entry, contents = entry_of(root, {"d/a.txt": b"new", "d/b.txt": b"new"})
    with Transaction(root, entry, no_exchange=no_exchange) as work:
        work.stage(contents)
        (root.path / "d").rename(root.path / "moved")
        (root.path / "d").symlink_to(outside)
        with pytest.raises(CodePlaneError):
            work.apply()
        work.roll_back()
    assert {path.name: path.read_bytes() for path in outside.iterdir()} == {"a.txt": b"old"}
    assert (root.path / "moved" / "a.txt").read_bytes() == b"old"


def test_rename_new_never_replaces(root: Root) -> None:
    put(root, "a", b"a")
    put(root, "b", b"b")
    directory = root.open_directory("")
    try:
        assert can_exchange(directory)
        for no_exchange in (False, True):
            with pytest.raises(FileExistsError):
                rename_new(directory, "a", directory, "b", no_exchange=no_exchange)
            rename_new(directory, "a", directory, "c", no_exchange=no_exchange)
            rename_new(directory, "c", directory, "a", no_exchange=no_exchange)
    finally:
        os.close(directory)
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
def test_invalid_journal_entry_is_rejected(text: str) -> None:
    with pytest.raises(CodePlaneError) as caught:
        parse_entry(text)
    assert caught.value.code is ErrorCode.LEDGER_DAMAGED


def test_journal_entry_keeps_names_that_are_not_utf8() -> None:
    path = RepoPath("caf\udce9/ü\u2028.txt")
    entry = JournalEntry(ID, (FileEntry(path, digest_bytes(b"a"), None, "0"),), (RepoPath("x"),), {"key": "k"})
    assert parse_entry(entry.as_text()) == entry
    assert entry.as_text().isascii()
