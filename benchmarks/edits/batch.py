"""A batch of edits to the point from which it counts as done, beside as many plain atomic writes.

    python -m benchmarks.edits.batch [REPOSITORY] [--files 20] [--rounds N] [--json]

Both write the same files of one tree in turn, in one process. A plain write is a temporary file, an fsync and
a rename, each by itself: no digest is checked, nothing can be undone, and a kill leaves some of the files old. What
the index then takes to know of the files is measured beside it.
"""

from __future__ import annotations

import os
import sys
import time
from functools import partial
from pathlib import Path

from benchmarks.measure import Figure, Result, Series, Table, amount, emit, interleaved, parser, spread, timed
from benchmarks.trees import copy_repository, generate, scratch

from codeplane.base.digests import digest_bytes
from codeplane.base.paths import RepoPath
from codeplane.edits.journal import MutationJournal
from codeplane.edits.model import Edit
from codeplane.edits.mutation import Editor
from codeplane.edits.plan import PlanOptions, plan_edits
from codeplane.edits.recover import roll_back_interrupted
from codeplane.index.options import IndexOptions
from codeplane.ledger.events import Event
from codeplane.ledger.ledger import Ledger
from codeplane.store.layout import create_state
from codeplane.workspace.freshness import WorkspaceSettings
from codeplane.workspace.workspace import Workspace

MOST_RATIO = 1.5
FILES = 20
TREE_FILES = 1_000
ROUNDS = 40
_QUIET = WorkspaceSettings(watcher=False, background=False, prewarm=False)


def main() -> int:
    arguments = parser(__doc__, ROUNDS)
    arguments.add_argument("repository", nargs="?", type=Path)
    arguments.add_argument("--files", type=int, default=FILES, help=f"files of one batch ({FILES})")
    given = arguments.parse_args()
    return emit(measure(given.repository, given.files, given.rounds), given.json)


def measure(repository: Path | None, files: int, rounds: int) -> Result:
    result = Result("edit_batch", rounds)
    with scratch() as place:
        root = place / "tree"
        if repository is None:
            generate(root, TREE_FILES)
        else:
            copy_repository(repository, root)
        found = _run(root, place / "state", files, rounds)
    batch, plain, seen = found["batch"], found["plain"], found["seen"]
    ratio = Series(tuple(ours / bare for ours, bare in zip(batch.values, plain.values, strict=True)))
    rows = (
        (f"{files} files in one batch, until it is done", *spread(batch)),
        (f"floor: {files} plain atomic writes", *spread(plain)),
        ("ratio, round by round", *spread(ratio, "×", 1)),
        ("until the index knows them, besides", *spread(seen)),
    )
    result.tables.append(Table(f"{files} files", ("", "median", "p95"), rows))
    beside = f"{amount(batch.median * 1000, 'ms')} beside {amount(plain.median * 1000, 'ms')}"
    name = f"a batch of {files} files / as many plain atomic writes"
    result.figures.append(Figure(name, batch.median / plain.median, "×", MOST_RATIO, beside))
    result.data = {name: series.values for name, series in found.items()}
    return result.finish()


def _run(root: Path, user_state: Path, files: int, rounds: int) -> dict[str, Series]:
    paths = sorted(path.relative_to(root) for path in root.rglob("*.py") if path.is_file())[:files]
    state = create_state(root)
    ledger = Ledger.open(state.path, recover=partial(roll_back_interrupted, root))
    editor = Editor(root, ledger)
    options = PlanOptions(False, editor.explain_mismatch)
    seen: list[float] = []
    number = 0

    def batch() -> float:
        nonlocal number
        number += 1
        edits = [
            Edit(
                RepoPath(str(path)),
                "update",
                new_text=f"# edit {number}\n",
                start_line=1,
                end_line=1,
                expected_sha256=digest_bytes((root / path).read_bytes()),
            )
            for path in paths
        ]
        journal = MutationJournal(ledger, Event("write_source", "r_1"), time.monotonic())
        began = time.perf_counter()
        with editor.mutation([edit.path for edit in edits], journal, lambda: False) as mutation:
            delta = mutation.apply(plan_edits(mutation.root, edits, options))
        seconds = time.perf_counter() - began
        if delta.plan.stats.files != len(paths):
            raise RuntimeError("not the batch that was meant")
        seen.append(timed(lambda: workspace.read(lambda snapshot: snapshot.epoch.epoch, "strict")))
        return seconds

    def plain() -> float:
        nonlocal number
        number += 1
        texts = [(root / path).read_bytes().split(b"\n", 1)[1] for path in paths]
        began = time.perf_counter()
        for path, text in zip(paths, texts, strict=True):
            _write_plainly(root / path, b"# edit %d\n" % number + text)
        return time.perf_counter() - began

    with Workspace(IndexOptions(root, user_state), _QUIET) as workspace:
        workspace.sync()
        batch()
        plain()
        seen.clear()
        found = interleaved(rounds, {"batch": batch, "plain": plain})
    editor.close(5)
    ledger.close()
    return {**found, "seen": Series(tuple(seen))}


def _write_plainly(path: Path, data: bytes) -> None:
    beside = path.with_name(f".{path.name}.tmp")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    try:
        os.write(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)
    beside.rename(path)


if __name__ == "__main__":
    sys.exit(main())
