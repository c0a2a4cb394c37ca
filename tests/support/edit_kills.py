"""Kill mutations, and recoveries, at the Nth step; run as a program.

`python -m support.edit_kills DIRECTORY FILES [no_exchange=1] [every=N]` forks a child for every step, so that none
pays for starting Python, and prints a report as JSON. Steps are the calls that change files or append rows; system
calls within SQLite are covered by the strace sweep.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from codeplane.disk import renames
from codeplane.edits.model import Edit
from codeplane.ledger.chain import verify_chain
from codeplane.ledger.file import LedgerFile
from support.edits import bench, create, delete, move, stored_in, tree_of, update

_STEPS = ("write", "fsync", "rename", "link", "unlink", "mkdir", "rmdir", "fchmod")


def files_of(count: int) -> dict[str, str]:
    return {f"d{number % 3}/f{number}.txt": f"old {number}\n" * 3 + f"end {number}\n" for number in range(count)}


def edits_of(count: int) -> list[Edit]:
    """Return updates, with every fifth file deleted or moved, and new files in new directories."""
    found: list[Edit] = []
    for number, path in enumerate(files_of(count)):
        if number % 5 == 3:
            found.append(delete(path))
        elif number % 5 == 4:
            found.append(move(path, f"moved/deep/f{number}.txt"))
        else:
            found.append(update(path, f"end {number}\n", f"new {number}\n"))
        if number % 5 == 2:
            found.append(create(f"made/n{number}.txt", f"made {number}\n"))
    return found


class Counted:
    """Counts the steps of this process and kills it at one of them."""

    def __init__(self, last: int) -> None:
        self.last = last
        self.done = 0

    def step(self) -> None:
        self.done += 1
        if self.done == self.last:
            os.kill(os.getpid(), signal.SIGKILL)

    def install(self) -> None:
        for name in _STEPS:
            setattr(os, name, self._wrapped(getattr(os, name)))
        opened = os.open

        def counted_open(path: Any, flags: int, *args: Any, **named: Any) -> int:
            if flags & os.O_CREAT:
                self.step()
            return opened(path, flags, *args, **named)

        os.open = counted_open
        renames._renameat2 = self._wrapped(renames._renameat2) if renames._renameat2 is not None else None
        append = LedgerFile.append

        def counted_append(file: LedgerFile, events: Any, *, durable: bool) -> list[int]:
            self.step()
            found = append(file, events, durable=durable)
            self.step()
            return found

        LedgerFile.append = counted_append  # type: ignore[method-assign, assignment]

    def _wrapped(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **named: Any) -> Any:
            self.step()
            return call(*args, **named)

        return counted


def forked(work: Callable[[], None]) -> bool:
    """Run in a child; True if it ended, False if it was killed."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return False
    assert os.WEXITSTATUS(status) == 0, "the child failed"
    return True


def apply_in(root: Path, count: int, no_exchange: bool, last: int, told: Path) -> Callable[[], None]:
    def work() -> None:
        with bench(root, no_exchange=no_exchange) as opened:
            counted = Counted(last)
            counted.install()
            opened.apply(*edits_of(count))
            counted.last = -1
            told.write_text("done")

    return work


def recover_in(root: Path, no_exchange: bool, last: int) -> Callable[[], None]:
    def work() -> None:
        Counted(last).install()
        with bench(root, no_exchange=no_exchange) as opened:
            opened.ledger.ensure_settled()

    return work


class Round:
    """One kill and its recovery."""

    def __init__(self, base: Path, count: int, no_exchange: bool) -> None:
        self.base, self.count, self.no_exchange = base, count, no_exchange
        template = base / "template"
        for path, text in files_of(count).items():
            (template / path).parent.mkdir(parents=True, exist_ok=True)
            (template / path).write_text(text)
        self.template = template
        self.old = tree_of(template)
        root = self.fresh()
        assert forked(apply_in(root, count, no_exchange, -1, base / "told"))
        self.new = tree_of(root)
        assert self.new != self.old

    def fresh(self) -> Path:
        root = self.base / "root"
        shutil.rmtree(root, ignore_errors=True)
        (self.base / "told").unlink(missing_ok=True)
        shutil.copytree(self.template, root)
        return root

    def killed_at(self, last: int) -> tuple[Path, bool, bool]:
        """Return the tree after a kill at a step, True if it was torn, and True if the child ended instead."""
        root = self.fresh()
        ended = forked(apply_in(root, self.count, self.no_exchange, last, self.base / "told"))
        return root, tree_of(root) not in (self.old, self.new), ended

    def check(self, root: Path) -> list[str]:
        found = tree_of(root)
        problems = []
        if found not in (self.old, self.new):
            problems.append("torn")
        if (self.base / "told").exists() and found != self.new:
            problems.append("lost")
        with bench(root, no_exchange=self.no_exchange) as opened:
            rows = opened.ledger.list_mutations(10)
        done = [row for row in rows if row.status == "ok"]
        if bool(done) != (found == self.new):
            problems.append("the ledger disagrees")
        if any(row.status is None for row in rows):
            problems.append("no outcome")
        if stored_in(root) != sorted(row.mutation_id for row in done):
            problems.append("residue")
        if not verify_chain(root / ".codeplane").is_intact:
            problems.append("broken chain")
        return problems


def sweep(base: Path, count: int, no_exchange: bool, recoveries: int, every: int, seed: int) -> dict[str, Any]:
    """Kill at every step (or every Nth), and at `recoveries` steps of each recovery (-1: all)."""
    chance = random.Random(seed)
    trial = Round(base, count, no_exchange)
    report: dict[str, Any] = {"kills": 0, "torn_before": 0, "recovery_kills": 0, "problems": []}
    last = 1
    while True:
        root, torn, ended = trial.killed_at(last)
        if ended:
            return report
        report["kills"] += 1
        report["torn_before"] += torn
        saved = base / "saved"
        copy(root, saved)
        for step in recovery_steps(chance, recoveries):
            copy(saved, root)
            if forked(recover_in(root, no_exchange, step)):
                break
            report["recovery_kills"] += 1
            assert forked(recover_in(root, no_exchange, -1))
            report["problems"] += [f"{last}/{step}: {problem}" for problem in trial.check(root)]
        copy(saved, root)
        assert forked(recover_in(root, no_exchange, -1))
        report["problems"] += [f"{last}: {problem}" for problem in trial.check(root)]
        last += every


def copy(source: Path, target: Path) -> None:
    """Copy with hard links: without exchange, a file may be left under two names."""
    shutil.rmtree(target, ignore_errors=True)
    subprocess.run(["cp", "-a", str(source), str(target)], check=True)


def recovery_steps(chance: random.Random, wanted: int) -> list[int]:
    if wanted < 0:
        return list(range(1, 10_000))
    return sorted(chance.sample(range(1, 40), wanted))


if __name__ == "__main__":
    base, count = Path(sys.argv[1]), int(sys.argv[2])
    options = dict(word.split("=") for word in sys.argv[3:])
    print(
        json.dumps(
            sweep(
                base,
                count,
                options.get("no_exchange") == "1",
                int(options.get("recoveries", "0")),
                int(options.get("every", "1")),
                int(options.get("seed", "1")),
            )
        )
    )
