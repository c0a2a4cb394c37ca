"""Kill a batch at every step, damage a record of it, and start again; run as a program.

`python -m support.edit_damage DIRECTORY FILES DAMAGE [no_exchange=1] [every=N]` prints a report as JSON. A problem is a
batch that is neither applied nor rolled back while a changed file is not named.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from codeplane.disk.safe_open import Root
from codeplane.edits.recover import list_leftovers
from support.edit_kills import Round, forked
from support.edits import bench, tree_of, update


def _flip(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    if data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)


def _ledger_files(root: Path) -> list[Path]:
    return [path for path in sorted((root / ".codeplane").glob("ledger.db*")) if not path.name.endswith("-shm")]


def _staged(root: Path) -> list[Path]:
    return sorted(path for path in (root / ".codeplane" / "txn").glob("*/*") if path.name != "manifest")


def _flip_ledger(root: Path, chance: random.Random) -> None:
    _flip(chance.choice(_ledger_files(root)), chance)


def _delete_ledger(root: Path, chance: random.Random) -> None:
    for path in (root / ".codeplane").glob("ledger.db*"):
        path.unlink()


def _truncate_ledger(root: Path, chance: random.Random) -> None:
    path = chance.choice(_ledger_files(root))
    os.truncate(path, chance.randrange(path.stat().st_size + 1))


def _flip_manifest(root: Path, chance: random.Random) -> None:
    for path in (root / ".codeplane" / "txn").glob("*/manifest"):
        _flip(path, chance)


def _delete_manifest(root: Path, chance: random.Random) -> None:
    for path in (root / ".codeplane" / "txn").glob("*/manifest"):
        path.unlink()


def _flip_both(root: Path, chance: random.Random) -> None:
    _delete_ledger(root, chance)
    _flip_manifest(root, chance)


def _flip_staged(root: Path, chance: random.Random) -> None:
    if staged := _staged(root):
        _flip(chance.choice(staged), chance)


def _flip_staged_without_ledger(root: Path, chance: random.Random) -> None:
    _delete_ledger(root, chance)
    _flip_staged(root, chance)


DAMAGES: dict[str, Callable[[Path, random.Random], None]] = {
    "ledger-flipped": _flip_ledger,
    "ledger-deleted": _delete_ledger,
    "ledger-truncated": _truncate_ledger,
    "manifest-flipped": _flip_manifest,
    "manifest-deleted": _delete_manifest,
    "ledger-deleted-and-manifest-flipped": _flip_both,
    "staged-flipped": _flip_staged,
    "ledger-deleted-and-staged-flipped": _flip_staged_without_ledger,
}


def restart(root: Path, no_exchange: bool, report: Path) -> None:
    """Start again, write once, and report every file that an answer or a check names."""
    with Root.open(root) as opened:
        before = list_leftovers(opened, root / ".codeplane", "")
    (root / "probe.txt").write_text("one\n")
    with bench(root, no_exchange=no_exchange) as work:
        work.apply(update("probe.txt", "one\n", "two\n"))
        named = {path for mutation in work.ledger.take_rolled_back() for path in mutation.conflicts}
        health = {path for leftover in work.editor.leftovers for path in leftover.paths}
    (root / "probe.txt").unlink()
    with Root.open(root) as opened:
        after = {path for leftover in list_leftovers(opened, root / ".codeplane", "") for path in leftover.paths}
    found = {"before": sorted({path for leftover in before for path in leftover.paths})}
    report.write_text(json.dumps(found | {"named": sorted(named | health), "after": sorted(after)}))


def sweep(base: Path, count: int, damage: str, no_exchange: bool, every: int, seed: int) -> dict[str, Any]:
    chance = random.Random(seed)
    trial = Round(base, count, no_exchange)
    report: dict[str, Any] = {
        "kills": 0, "torn_before": 0, "all_old": 0, "all_new": 0, "in_doubt": 0, "named_by_doctor": 0, "problems": []
    }  # fmt: skip
    last = 1
    while True:
        root, torn, ended = trial.killed_at(last)
        if ended:
            return report
        told = (base / "told").exists()
        report["kills"] += 1
        report["torn_before"] += torn
        DAMAGES[damage](root, chance)
        assert forked(partial(restart, root, no_exchange, base / "report"))
        named = json.loads((base / "report").read_text())
        report["named_by_doctor"] += bool(named["before"])
        tree = tree_of(root)
        if tree == trial.new:
            report["all_new"] += 1
        elif tree == trial.old and not told:
            report["all_old"] += 1
        else:
            report["in_doubt"] += 1
            wrong = _differing(tree, trial.old, trial.new)
            if unnamed := wrong - set(named["named"]) or wrong - set(named["after"]):
                report["problems"].append(f"{last}: {sorted(unnamed)} are not named")
        last += every


def _differing(tree: dict[str, bytes | None], *wanted: dict[str, bytes | None]) -> set[str]:
    """Return the files that must be named: those that differ from the nearer of the two trees."""
    sets = [{name for name in tree.keys() | goal.keys() if tree.get(name) != goal.get(name)} for goal in wanted]
    files = [
        {name for name in names if any((goal.get(name) is not None) for goal in (tree, *wanted))} for names in sets
    ]
    return min(files, key=len)


if __name__ == "__main__":
    base, count, damage = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    options = dict(word.split("=") for word in sys.argv[4:])
    no_exchange, every = options.get("no_exchange") == "1", int(options.get("every", "1"))
    print(json.dumps(sweep(base, count, damage, no_exchange, every, int(options.get("seed", "1")))))
