"""A batch of edits to the point from which it counts as done, beside as many plain atomic writes.

    python -m benchmarks.edit_batch [REPOSITORY] [--files 20] [--rounds N] [--json]

Both write the same files of one tree in turn, in one process. A plain write is a temporary file, an fsync and
a rename, each by itself: no digest is checked, nothing can be undone, and a kill leaves some of the files old. What
the index then takes to know of the files is measured beside it.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from benchmarks.measure import Figure, Result, Series, Table, amount, emit, interleaved, parser, spread, timed
from benchmarks.trees import copy_repository, generate, scratch

from codeplane.base.call_record import CallRecord
from codeplane.base.digests import digest_bytes
from codeplane.base.paths import RepoPath
from codeplane.disk.batch import Batch
from codeplane.index.options import IndexOptions
from codeplane.ledger.events import Event
from codeplane.ledger.ledger import Ledger
from codeplane.operations.editing.editor import AppliedEdit, Request
from codeplane.operations.editing.keeping import Room
from codeplane.operations.editing.model import Edit
from codeplane.operations.editing.opening import open_editor
from codeplane.operations.editing.planning import PlanOptions, plan_edits
from codeplane.operations.editing.recovering import undo_plan
from codeplane.store.layout import create_state
from codeplane.tasks.model import ANYWHERE
from codeplane.workspace.freshness import WorkspaceSettings
from codeplane.workspace.workspace import Workspace

MOST_RATIO = 1.5
FILES = 20
TREE_FILES = 1_000
ROUNDS = 40
_QUIET = WorkspaceSettings(watcher=False, background=False, prewarm=False)


class _Told:
    """The ledger as a call tells it of a change."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._intent = 0

    def ensure(self) -> None:
        self._ledger.ensure_settled()

    def begin(self, batch: Batch) -> None:
        record = CallRecord(mutation_id=batch.mutation_id, changed_paths=batch.paths)
        self._intent = self._ledger.intent(Event("write_source", "r_1", plan=batch.as_text(), record=record))

    def commit(self, record: CallRecord, answer_chars: int) -> None:
        self._ledger.commit(Event("write_source", "r_1", intent=self._intent, status="ok", record=record))

    def abandon(self) -> None:
        self._ledger.abandon(self._intent)


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
    ledger = Ledger.open(state.path, recover=lambda plan: undo_plan(root, plan))
    editor = open_editor(root, ledger, Room())
    options = PlanOptions(ANYWHERE, False, editor.explain)
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
        request = Request([edit.path for edit in edits], lambda opened: plan_edits(opened, edits, options))
        began = time.perf_counter()
        done = editor.apply(request, _Told(ledger), lambda: False)
        seconds = time.perf_counter() - began
        if not isinstance(done, AppliedEdit) or done.stats.files != len(paths):
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
