"""Mutations racing with an editor that saves, and with directories replaced by links.

`CPL_ROUNDS=100000 CPL_SEED=1 pytest -m sweep -s tests/faults/test_edit_races.py -k editor`
`CPL_EDITS=10000 CPL_SEED=1 pytest -m sweep -s tests/faults/test_edit_races.py -k read_modify_write`
`CPL_FLIPS=1000000 pytest -m sweep -s tests/faults/test_edit_races.py -k flips`
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
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


_SAVE_PAUSE = 0.1
"""Longest pause between two saves: several edits fit between them, and one in a few meets a save."""

_SAVING_PROGRAM = """
import os, random, sys, time
path, style, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
chance, number, known = random.Random(seed), 0, set()
while not os.path.exists(path + ".stop"):
    with open(path) as file:
        text = file.read()
    seen = {line for line in text.splitlines() if line.startswith("edit")} - known
    if not text.endswith("\\n"):
        continue
    new = text + f"save{number}\\n"
    if style == "rename":
        with open(path + ".tmp", "w") as file:
            file.write(new)
        os.rename(path + ".tmp", path)
    elif style == "truncate":
        with open(path, "w") as file:
            file.write(new)
    elif style == "in place":
        with open(path, "r+") as file:
            text = file.read()
            seen |= {line for line in text.splitlines() if line.startswith("edit")} - known
            file.seek(0)
            file.write(text + f"save{number}\\n")
            file.truncate()
    elif style == "backup":
        os.rename(path, path + "~")
        with open(path, "w") as file:
            file.write(new)
    else:
        with open(path, "a") as file:
            file.write(f"save{number}\\n")
    print(number, *seen, flush=True)
    known |= seen
    number += 1
    time.sleep(chance.random() * float(sys.argv[4]))
"""
"""Reads the file, adds a line and saves it; prints each save and the edits that it saw first."""


def race_with_program(root: Path, style: str, edits: int, seed: int, pause: float) -> Counter[str]:
    """Edit a file beside a program that reads, modifies and saves it; count edits, saves and violations."""
    root.mkdir()
    path = root / "shared.txt"
    path.write_text("first\n")
    command = [sys.executable, "-c", _SAVING_PROGRAM, str(path), style, str(seed), str(pause)]
    log = root.with_suffix(".log")
    refused: set[str] = set()
    counts: Counter[str] = Counter()
    with (
        bench(root, limits=RetentionLimits(days=1, bytes=0)) as opened,
        log.open("w") as output,
        subprocess.Popen(command, stdout=output) as program,
    ):
        try:
            for number in range(edits):
                token = f"edit{number}"
                try:
                    opened.try_apply([update("shared.txt", "first\n", f"first\n{token}\n")])
                    counts["applied"] += 1
                except CodePlaneError as error:
                    assert error.code in _CONFLICTS | {ErrorCode.EDIT_NOT_FOUND}, error.as_dict()
                    refused.add(token)
                    counts["refused"] += 1
                    counts[error.code.name] += 1
                    # While the program has truncated the file, edits fail faster than it can write.
                    time.sleep(pause / 10)
        finally:
            path.with_name(path.name + ".stop").touch()
        assert program.wait(30) == 0
    lines = set(path.read_text().splitlines())
    for line in log.read_text().splitlines():
        save, *seen = line.split()
        counts["saves"] += 1
        counts["saves lost"] += f"save{save}" not in lines
        counts["refused edits seen"] += not refused.isdisjoint(seen)
    counts["refused edits left"] = len(refused & lines)
    return counts


@pytest.mark.parametrize("style", ["rename", "truncate", "append"])
def test_read_modify_write_program_loses_no_save(tmp_path: Path, style: str) -> None:
    counts = race_with_program(tmp_path / "root", style, 150, 3, _SAVE_PAUSE)
    assert counts["applied"] and counts["saves"], "both must happen, or this proves nothing"
    assert not counts["saves lost"] and not counts["refused edits seen"] and not counts["refused edits left"], counts


@pytest.mark.sweep
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("style", ["rename", "truncate", "append", "in place", "backup"])
def test_read_modify_write_program_loses_no_save_in_many_edits(tmp_path: Path, style: str) -> None:
    edits, seed = int(os.environ.get("CPL_EDITS", "10000")), int(os.environ.get("CPL_SEED", "1"))
    counts = race_with_program(tmp_path / "root", style, edits, seed, _SAVE_PAUSE)
    print(f"seed {seed}, {style}, {edits} edits: {dict(counts)}")
    assert counts["applied"] > 0.3 * edits, "most edits met a save, so this proves little"
    assert not counts["saves lost"] and not counts["refused edits seen"] and not counts["refused edits left"], counts


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
