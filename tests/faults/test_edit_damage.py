"""A kill in a batch and damage to what records it: all old, all new, or the files in doubt are named.

`pytest -m sweep -s tests/faults/test_edit_damage.py` kills a batch of 20 files at every step, and damages each of the
records.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import codeplane
from codeplane.config.model import Config
from codeplane.operations.context import Context
from codeplane.operations.doctor import diagnose
from support.edit_damage import DAMAGES
from support.repositories import make_repository, options_for
from support.tooling import serving

_SEARCH = os.pathsep.join([str(Path(codeplane.__file__).parents[1]), str(Path(__file__).parents[1])])
_ENVIRONMENT = {**os.environ, "PYTHONPATH": _SEARCH}

_KILLED = """
import os, signal, sys
from pathlib import Path
from codeplane.edits.transaction import Transaction
from support.tooling import serving
root, count = Path(sys.argv[1]), int(sys.argv[2])
apply = Transaction._apply
applied = []

def apply_some(self, file, directory, name):
    if len(applied) == count:
        os.kill(os.getpid(), signal.SIGKILL)
    applied.append(name)
    apply(self, file, directory, name)

Transaction._apply = apply_some
edits = [
    {"path": f"f{number:02}.txt", "expected_content": "old", "new_content": "new"} for number in range(20)
]
with serving(root) as server:
    server.call("write_source", {"edits": edits})
"""
"""Serves a repository and dies when some of 20 files are exchanged."""


def damage_sweep(base: Path, files: int, damage: str, *options: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "support.edit_damage", str(base), str(files), damage, *options]
    done = subprocess.run(command, env=_ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    print(f"{files} files, {damage} {' '.join(options)}: {report}")
    assert report["problems"] == []
    return report


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_after_a_kill_is_never_silent(tmp_path: Path, damage: str) -> None:
    report = damage_sweep(tmp_path, 5, damage, "every=9")
    assert report["torn_before"] > 0, "no kill hit the middle of a batch, so this proves nothing"


@pytest.mark.sweep
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("no_exchange", ["0", "1"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_after_a_kill_at_every_step(tmp_path: Path, damage: str, no_exchange: str) -> None:
    report = damage_sweep(tmp_path, 20, damage, f"no_exchange={no_exchange}")
    assert report["torn_before"] > 10


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository in which a batch was killed after 8 of 20 files."""
    root = make_repository(tmp_path / "repo", {f"f{number:02}.txt": "old\n" for number in range(20)})
    command = [sys.executable, "-c", _KILLED, str(root), "8"]
    assert subprocess.run(command, env=_ENVIRONMENT, capture_output=True, check=False).returncode == -9
    assert contents(root).count("new\n") == 8
    return root


def contents(root: Path) -> list[str]:
    return [(root / f"f{number:02}.txt").read_text() for number in range(20)]


def unfinished(root: Path) -> list[tuple[str, ...]]:
    """Return the files of each unfinished write that doctor finds."""
    checks = diagnose(Context(root, Config(), options_for(root).user_state))
    return [check.about for check in checks if check.name == "writes" and not check.ok]


def delete_ledger(root: Path) -> None:
    for path in (root / ".codeplane").glob("ledger.db*"):
        path.unlink()


def truncate_ledger(root: Path) -> None:
    for path in (root / ".codeplane").glob("ledger.db*"):
        os.truncate(path, path.stat().st_size // 2)


@pytest.mark.parametrize("damage", [delete_ledger, truncate_ledger])
def test_lost_plan_is_recovered_from_the_staged_files(root: Path, damage: Callable[[Path], None]) -> None:
    damage(root)
    (files,) = unfinished(root)
    assert len(files) == 20
    with serving(root) as server:
        assert contents(root) == ["old\n"] * 20
        answer = server.call("write_source", {"edits": [{"path": "other.txt", "content": "x\n"}]})
        assert [notice["code"] for notice in answer["warnings"]] == ["EDIT_UNDONE"]
        assert "unfinished_writes" not in server.health()
    assert unfinished(root) == []


def test_damaged_plan_is_reported_until_its_directory_is_removed(root: Path) -> None:
    delete_ledger(root)
    (directory,) = (root / ".codeplane" / "txn").iterdir()
    manifest = directory / "manifest"
    data = bytearray(manifest.read_bytes())
    data[3] ^= 1
    manifest.write_bytes(data)
    names = [f"f{number:02}.txt" for number in range(20)]
    assert unfinished(root) == [tuple(names)]
    for _ in range(2):
        with serving(root) as server:
            (found,) = server.health()["unfinished_writes"]
            assert (found["mutation_id"], found["left"]) == (directory.name, names)
            answer = server.call("write_source", {"edits": [{"path": "other.txt", "content": "x\n"}]})
            (notice,) = answer.get("warnings", ())
            assert (notice["code"], notice["left"]) == ("WRITE_IN_DOUBT", names)
            (root / "other.txt").unlink()
    assert unfinished(root) == [tuple(names)]
    for path in directory.iterdir():
        path.unlink()
    directory.rmdir()
    with serving(root) as server:
        assert "unfinished_writes" not in server.health()
    assert unfinished(root) == []
