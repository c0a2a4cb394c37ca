"""System calls that fail at the Nth step of a mutation: a clear error with nothing changed, or success.

`CPL_FAULTS=all pytest -m sweep -s tests/faults/test_edit_faults.py` fails every step in every way.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.disk import renames
from support.edit_kills import edits_of, files_of
from support.edits import bench, stored_in, tree_of

_STEPS = ("open", "read", "write", "fsync", "rename", "link", "unlink", "mkdir", "rmdir", "fchmod", "listdir")
_NUMBERS = (errno.ENOSPC, errno.EROFS, errno.EIO, errno.EACCES, errno.EMFILE, errno.EDQUOT, errno.ESTALE)
_CLEAR = {
    ErrorCode.NO_SPACE,
    ErrorCode.FILE_UNWRITABLE,
    ErrorCode.FILE_UNREADABLE,
    ErrorCode.TOO_BUSY,
    ErrorCode.RECOVERY_PENDING,
    ErrorCode.STATE_DIRECTORY_READ_ONLY,
    ErrorCode.FILE_CHANGED,
}


class Failing:
    """Fails the Nth step, or all steps from there on."""

    def __init__(self, at: int, number: int, persistent: bool) -> None:
        self.at, self.number, self.persistent = at, number, persistent
        self.done = 0

    def wrapped(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def step(*args: Any, **named: Any) -> Any:
            self.done += 1
            if self.done == self.at or (self.persistent and self.done > self.at):
                raise OSError(self.number, os.strerror(self.number))
            return call(*args, **named)

        return step

    def wrapped_rename(self, call: Callable[..., int]) -> Callable[..., int]:
        def step(*args: Any) -> int:
            self.done += 1
            if self.done == self.at or (self.persistent and self.done > self.at):
                ctypes.set_errno(self.number)
                return -1
            return call(*args)

        return step


@contextmanager
def failing(monkeypatch: pytest.MonkeyPatch, fault: Failing) -> Iterator[None]:
    with monkeypatch.context() as patched:
        for name in _STEPS:
            patched.setattr(os, name, fault.wrapped(getattr(os, name)))
        if renames._renameat2 is not None:
            patched.setattr(renames, "_renameat2", fault.wrapped_rename(renames._renameat2))
        yield


def fail_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, persistent: bool, first: int, every: int
) -> tuple[int, int]:
    """Return the number of failed steps, and how often the rollback had to wait for the fault to end."""
    root = tmp_path / "root"
    failed = pending = 0
    at = first
    while True:
        shutil.rmtree(root, ignore_errors=True)
        for path, text in files_of(5).items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        old = tree_of(root)
        with bench(root) as opened:
            fault = Failing(at, number, persistent)
            try:
                with failing(monkeypatch, fault):
                    opened.apply(*edits_of(5))
            except CodePlaneError as error:
                failed += 1
                assert error.code in _CLEAR, error.as_dict()
                if error.code is ErrorCode.RECOVERY_PENDING:
                    pending += 1
                else:
                    assert tree_of(root) == old, f"step {at}"
                opened.ledger.ensure_settled()
                assert tree_of(root) == old, f"step {at}"
            else:
                assert tree_of(root) != old
            rows = opened.ledger.list_mutations(10)
            assert all(row.status is not None for row in rows)
            done = [row.mutation_id for row in rows if row.status == "ok"]
            assert bool(done) == (tree_of(root) != old)
        with bench(root):
            assert stored_in(root) == done, f"step {at}: residue after the next start"
        if fault.done < at:
            return failed, pending
        at += every


@pytest.mark.parametrize("persistent", [False, True], ids=["once", "persistent"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES], ids=errno.errorcode.get)
def test_failing_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, persistent: bool) -> None:
    failed, pending = fail_everywhere(tmp_path, monkeypatch, number, persistent, 1 + number % 5, 11)
    assert failed > 3
    assert bool(pending) == persistent or not pending


@pytest.mark.sweep
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("persistent", [False, True], ids=["once", "persistent"])
@pytest.mark.parametrize("number", _NUMBERS, ids=errno.errorcode.get)
def test_every_failing_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, persistent: bool) -> None:
    failed, pending = fail_everywhere(tmp_path, monkeypatch, number, persistent, 1, 1)
    print(
        f"{errno.errorcode[number]} {'persistent' if persistent else 'once'}: {failed} steps failed, {pending} waited"
    )
    assert failed > 50
