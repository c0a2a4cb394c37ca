"""Mutations racing with an editor that saves, and with directories replaced by links.

`CPL_ROUNDS=100000 CPL_SEED=1 pytest -m sweep -s tests/faults/test_edit_races.py -k editor`
`CPL_FLIPS=1000000 pytest -m sweep -s tests/faults/test_edit_races.py -k flips`
"""

from __future__ import annotations

import os
import random
import shutil
import threading
import time
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.disk.renames import exchange
from codeplane.edits.model import Edit
from codeplane.edits.undo_store import RetentionLimits
from support.edits import Bench, bench, create, sha, update

_CONFLICTS = {ErrorCode.EDIT_CONFLICT, ErrorCode.HASH_MISMATCH, ErrorCode.FILE_CHANGED, ErrorCode.FILE_NOT_FOUND}
_PATH_CODES = {ErrorCode.PATH_SYMLINK, ErrorCode.FILE_NOT_FOUND, ErrorCode.PATH_INVALID, ErrorCode.EDIT_NOT_FOUND}


class SavingEditor(threading.Thread):
    """Saves once a round, at a random moment."""

    def __init__(self, path: Path, seed: int, seconds: float) -> None:
        super().__init__(daemon=True)
        self._path = path
        self._seconds = seconds
        self._chance = random.Random(seed)
        self._go, self.saved = threading.Event(), threading.Event()
        self._content = b""
        self._ended = False

    def begin(self, content: bytes) -> None:
        self._content = content
        self.saved.clear()
        self._go.set()

    def end(self) -> None:
        self._ended = True
        self._go.set()
        self.join()

    def run(self) -> None:
        while True:
            self._go.wait()
            self._go.clear()
            if self._ended:
                return
            time.sleep(self._chance.random() * self._seconds)
            if self._chance.random() < 0.5:
                beside = self._path.with_name("#save#")
                beside.write_bytes(self._content)
                beside.rename(self._path)
            else:
                handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.write(handle, self._content)
                os.close(handle)
            self.saved.set()


def seconds_of_an_edit(opened: Bench) -> float:
    """Measure one edit, so that saves can be timed before, during and after it."""
    began = time.perf_counter()
    for number in range(5):
        opened.try_apply([create(f"alone/{number}.txt", "x\n")])
    return (time.perf_counter() - began) / 5


def race_with_editor(root: Path, rounds: int, seed: int) -> tuple[int, int]:
    """Return the rounds in which our edit came first, and those in which it was refused."""
    root.mkdir()
    path = root / "shared.txt"
    done = refused = 0
    with bench(root, limits=RetentionLimits(days=1, bytes=0)) as opened:
        editor = SavingEditor(path, seed, 3 * seconds_of_an_edit(opened))
        editor.start()
        for number in range(rounds):
            base = b"base %d\n" % number
            path.write_bytes(base)
            theirs = b"theirs %d\n" % number
            ours = Edit(RepoPath("shared.txt"), "update", content=f"ours {number}\n", expected_sha256=sha(base))
            editor.begin(theirs)
            try:
                opened.try_apply([ours, create(f"side/{number}.txt", "x\n")])
                done += 1
                assert (root / f"side/{number}.txt").exists()
            except CodePlaneError as error:
                assert error.code in _CONFLICTS, error.as_dict()
                refused += 1
                assert not (root / f"side/{number}.txt").exists(), "all or nothing"
            assert editor.saved.wait(20)
            # A save is unconditional, so it always wins, whichever came first.
            assert path.read_bytes() == theirs, f"round {number}: a save was lost"
            if number % 1000 == 999:
                shutil.rmtree(root / "side", ignore_errors=True)
    editor.end()
    return done, refused


def test_editor_saves_are_never_lost(tmp_path: Path) -> None:
    done, refused = race_with_editor(tmp_path / "root", 120, 5)
    assert done and refused, "both outcomes must occur, or this proves nothing"


@pytest.mark.sweep
@pytest.mark.timeout(7200)
def test_editor_saves_are_never_lost_in_many_rounds(tmp_path: Path) -> None:
    rounds, seed = int(os.environ.get("CPL_ROUNDS", "100000")), int(os.environ.get("CPL_SEED", "1"))
    done, refused = race_with_editor(tmp_path / "root", rounds, seed)
    print(f"seed {seed}, {rounds} rounds: {done} came first, {refused} were refused, 0 saves lost")
    assert min(done, refused) > rounds / 100


class Flipper(threading.Thread):
    """Replaces a directory by a link to one outside, and back, as fast as it can."""

    def __init__(self, root: Path, outside: Path, flips: int) -> None:
        super().__init__(daemon=True)
        self._root, self._outside = root, outside
        self.left = flips

    def run(self) -> None:
        os.symlink(self._outside, self._root / "link")
        handle = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY)
        try:
            while self.left > 0:
                exchange(handle, "d", handle, "link")
                self.left -= 1
        finally:
            os.close(handle)


def race_with_flips(tmp_path: Path, flips: int) -> tuple[int, int]:
    """Return the number of writes that succeeded and that were refused."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "d").mkdir(parents=True)
    outside.mkdir()
    (outside / "f0.txt").write_text("outside\n")
    (root / "d" / "f0.txt").write_text("inside\n")
    before = {entry.name: entry.read_bytes() for entry in outside.iterdir()}
    flipper = Flipper(root, outside, flips)
    done = refused = number = 0
    with bench(root, limits=RetentionLimits(days=1, bytes=0)) as opened:
        flipper.start()
        while flipper.is_alive():
            number += 1
            try:
                _write(opened, number)
                done += 1
            except CodePlaneError as error:
                assert error.code in _CONFLICTS | _PATH_CODES, error.as_dict()
                refused += 1
        flipper.join()
    assert {entry.name: entry.read_bytes() for entry in outside.iterdir()} == before, "nothing outside was touched"
    return done, refused


def _write(opened: Bench, number: int) -> None:
    if number % 2:
        opened.try_apply([create(f"d/n{number}.txt", "made\n")])
    else:
        words = ("inside", "within") if number % 4 else ("within", "inside")
        opened.try_apply([update("d/f0.txt", *words), create(f"d/new{number}/x.txt", "x\n")])


def test_flipping_link_is_not_followed(tmp_path: Path) -> None:
    done, refused = race_with_flips(tmp_path, 50_000)
    assert done and refused


@pytest.mark.sweep
@pytest.mark.timeout(7200)
def test_flipping_link_is_not_followed_in_many_flips(tmp_path: Path) -> None:
    flips = int(os.environ.get("CPL_FLIPS", "1000000"))
    done, refused = race_with_flips(tmp_path, flips)
    print(f"{flips} flips: {done} writes done, {refused} refused, none outside")
