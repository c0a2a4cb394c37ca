"""Mutations and recoveries killed at every step: all old or all new, nothing lost, no residue.

`pytest -m sweep -s tests/faults/test_edit_kills.py` kills at every step of mutations of 1, 5 and 20 files, at a sample
of the steps for 200 files, at every step of every recovery of 5 files, and with strace at every writing system call.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import codeplane
from support.edit_kills import Round
from support.edits import tree_of

_SEARCH = os.pathsep.join([str(Path(codeplane.__file__).parents[1]), str(Path(__file__).parents[1])])
_ENVIRONMENT = {**os.environ, "PYTHONPATH": _SEARCH}
_CALLS = [
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "openat",
    "renameat",
    "renameat2",
    "linkat",
    "unlink",
    "unlinkat",
    "mkdirat",
    "ftruncate",
]


def kill_sweep(base: Path, files: int, *options: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "support.edit_kills", str(base), str(files), *options]
    done = subprocess.run(command, env=_ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    print(f"{files} files {' '.join(options)}: {report}")
    assert report["problems"] == []
    return report


@pytest.mark.parametrize("no_exchange", ["0", "1"])
def test_kill_leaves_all_or_nothing(tmp_path: Path, no_exchange: str) -> None:
    report = kill_sweep(tmp_path, 5, f"no_exchange={no_exchange}", "every=4", "recoveries=1")
    assert report["kills"] >= 10
    assert report["torn_before"] > 0, "no kill hit the middle of a mutation, so this proves nothing"
    assert report["recovery_kills"] > 0


@pytest.mark.sweep
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("no_exchange", ["0", "1"])
@pytest.mark.parametrize("files", [1, 5, 20])
def test_every_step(tmp_path: Path, files: int, no_exchange: str) -> None:
    report = kill_sweep(tmp_path, files, f"no_exchange={no_exchange}", f"recoveries={-1 if files < 20 else 4}")
    assert report["kills"] > 10


@pytest.mark.sweep
@pytest.mark.timeout(3600)
def test_steps_of_a_large_mutation(tmp_path: Path) -> None:
    report = kill_sweep(tmp_path, 200, "every=13", "recoveries=2")
    assert report["torn_before"] > 10


_APPLY = """
import sys
from pathlib import Path
from support.edit_kills import apply_in
apply_in(Path(sys.argv[1]), int(sys.argv[2]), False, -1, Path(sys.argv[3]))()
"""
_RECOVER = """
import sys
from pathlib import Path
from support.edit_kills import recover_in
recover_in(Path(sys.argv[1]), False, -1)()
"""


@pytest.mark.sweep
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("call", _CALLS)
def test_every_system_call(tmp_path: Path, call: str) -> None:
    """Includes the calls of SQLite. Kills at reading calls are harmless."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("no strace here")
    trial = Round(tmp_path, 5, False)
    kills = torn = 0
    ended = False
    while not ended:
        root = trial.fresh()
        inject = f"inject={call}:signal=SIGKILL:when={kills + 1}"
        script = [sys.executable, "-c", _APPLY, str(root), "5", str(tmp_path / "told")]
        traced = [strace, "-f", "-qq", "-o", os.devnull, "-e", f"trace={call}", "-e", inject, *script]
        ended = subprocess.run(traced, env=_ENVIRONMENT, capture_output=True, check=False).returncode == 0
        kills += not ended
        torn += tree_of(root) not in (trial.old, trial.new)
        subprocess.run([sys.executable, "-c", _RECOVER, str(root)], env=_ENVIRONMENT, check=True)
        assert trial.check(root) == [], f"{call} {kills}"
    print(f"{call}: {kills} kills, {torn} torn before recovery")
