"""After any sequence of changes from outside, the index equals one built from scratch.

The long version: `pytest -m sweep tests/index -k oracle` (steps by CPL_ORACLE_STEPS, seed by CPL_SEED).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from codeplane.index.indexer import Indexer
from support.external_editor import Outside
from support.repositories import logical_dump, make_repository, options_for, scratch_dump


def run_oracle(tmp_path: Path, seed: int, steps: int, compare_every: int) -> None:
    root = make_repository(tmp_path / "repo", {"pkg/alpha.py": "def alpha():\n    return 1\n", "README.md": "# Read\n"})
    outside = Outside(root, seed)
    history: list[str] = []
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        for number in range(steps):
            history.append(outside.step())
            indexer.sync()
            if number % compare_every == compare_every - 1:
                assert logical_dump(indexer) == scratch_dump(root, tmp_path), f"seed {seed}, after {history}"


@pytest.mark.parametrize("seed", range(4))
def test_random_changes(tmp_path: Path, seed: int) -> None:
    run_oracle(tmp_path, seed, steps=48, compare_every=8)


@pytest.mark.sweep
@pytest.mark.timeout(0)
def test_oracle_sweep(tmp_path: Path) -> None:
    steps = int(os.environ.get("CPL_ORACLE_STEPS", "10000"))
    seed = int(os.environ.get("CPL_SEED", "20261115"))
    print(f"seed {seed}, {steps} steps")
    for part in range(0, steps, 500):
        run_oracle(tmp_path / str(part), seed + part, min(500, steps - part), 1)
