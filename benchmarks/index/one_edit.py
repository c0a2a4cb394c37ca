"""From an edit of one file to a correct answer, beside a bare walk and a look without a change.

    python -m benchmarks.index.one_edit REPOSITORY [--rounds N] [--pause SECONDS] [--json]

On a copy, with an indexer and a snapshot held open as a server holds them: a definition of a new name is
added to a file, and the clock runs until the snapshot, brought up to date, gives exactly that definition at
its place and no longer the one of the round before; then further until references can be asked for. Files of
the most frequent language: the median by size, the 90th percentile, the largest. `--pause 0` edits without a
break, so that files of the edits before are still too young to be trusted and are read again.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from benchmarks.index.stages import list_files
from benchmarks.measure import Figure, Result, Series, Table, amount, emit, parser, spread, timed
from benchmarks.trees import bare_walk, copy_repository, pruned_directories, scratch, settle

from codeplane.index.indexer import Indexer
from codeplane.index.options import IndexOptions
from codeplane.query.defs import list_defs_by_name
from codeplane.query.snapshot import Snapshot, open_current
from codeplane.store.records import FileState

MOST_SECONDS = 0.060
ROUNDS = 15
PAUSE_SECONDS = 2.2
TYPICAL = ("median", "90th percentile")
DEFINITIONS = {
    "python": "def {name}():\n    return 1\n",
    "javascript": "function {name}() {{ return 1; }}\n",
    "typescript": "function {name}() {{ return 1; }}\n",
    "tsx": "function {name}() {{ return 1; }}\n",
    "go": "func {name}() int {{ return 1 }}\n",
    "rust": "fn {name}() -> i32 {{ 1 }}\n",
    "java": "class {name} {{ }}\n",
}


class Edited(NamedTuple):
    label: str
    path: str
    language: str
    content: bytes


def main() -> int:
    arguments = parser(__doc__, ROUNDS)
    arguments.add_argument("repository", type=Path)
    arguments.add_argument("--pause", type=float, default=PAUSE_SECONDS, help=f"before each edit ({PAUSE_SECONDS})")
    given = arguments.parse_args()
    return emit(measure(given.repository, given.rounds, given.pause), given.json)


def measure(repository: Path, rounds: int, pause: float) -> Result:
    result = Result("one_edit", rounds)
    walks: list[float] = []
    looks: list[float] = []
    with scratch() as place:
        root = copy_repository(repository, place / "tree")
        with Indexer.open(IndexOptions(root, place / "state")) as indexer:
            known = indexer.sync().files
            files = choose(root)
            answers: dict[str, list[float]] = {file.label: [] for file in files}
            resolved: dict[str, list[float]] = {file.label: [] for file in files}
            pruned = pruned_directories(root)
            settle(root)
            indexer.sync()
            with open_current(indexer.state) as snapshot:
                for number in range(rounds):
                    turn = number % len(files)
                    for file in (*files[turn:], *files[:turn]):
                        time.sleep(pause)
                        # What is too young from the edit before is settled here, and not billed to the next.
                        indexer.sync()
                        looks.append(timed(indexer.sync_files))
                        walks.append(timed(lambda: bare_walk(root, pruned)))
                        answers[file.label].append(_edit(indexer, snapshot, root, file, number))
                        resolved[file.label].append(answers[file.label][-1] + timed(indexer.resolve))
    name = repository.resolve().name
    _report(result, name, known, files, answers, resolved, Series(tuple(walks)), Series(tuple(looks)))
    return result.finish()


def choose(root: Path) -> list[Edited]:
    """Files of the most frequent language, by their place in the order of sizes."""
    parsed = [row for row in list_files(root) if row[2] == FileState.INDEXED and row[1] in DEFINITIONS and row[3]]
    if not parsed:
        raise SystemExit("no file of the repository is parsed")
    language = Counter(row[1] for row in parsed).most_common(1)[0][0]
    assert language is not None
    ordered = sorted((size, path) for path, name, _, size in parsed if name == language)
    places = {TYPICAL[0]: 0.5, TYPICAL[1]: 0.9, "largest": 1.0}
    found = []
    for label, share in places.items():
        path = ordered[round(share * (len(ordered) - 1))][1]
        found.append(Edited(label, path, language, (root / path).read_bytes()))
    return found


def _edit(indexer: Indexer, snapshot: Snapshot, root: Path, file: Edited, number: int) -> float:
    """Seconds from the end of the write to the checked answer."""
    place = file.label.replace(" ", "_")
    name, before = (f"bench_{place}_{each}" for each in (number, number - 1))
    content = file.content if file.content.endswith(b"\n") else file.content + b"\n"
    line = content.count(b"\n") + 1
    (root / file.path).write_bytes(content + DEFINITIONS[file.language].format(name=name).encode())
    started = time.perf_counter()
    indexer.sync_files()
    snapshot.refresh()
    answer = list_defs_by_name(snapshot, name, 10)
    seconds = time.perf_counter() - started
    places = [(row.path, row.start_line) for row in answer.rows]
    if places != [(file.path, line)] or list_defs_by_name(snapshot, before, 10).total:
        raise RuntimeError(f"a wrong answer after the edit of {file.path}: {places}, expected line {line}")
    snapshot.release()
    return seconds


def _report(
    result: Result,
    name: str,
    known: int,
    files: list[Edited],
    answers: dict[str, list[float]],
    resolved: dict[str, list[float]],
    walks: Series,
    looks: Series,
) -> None:
    rows = []
    for file in files:
        series = Series(tuple(answers[file.label]))
        beyond = Series(tuple(value - walks.median for value in series.values))
        size = f"{len(file.content) / 1000:.1f} kB"
        rows.append((f"{file.label} file, {size}", *spread(series), *spread(beyond)))
        if file.label in TYPICAL:
            beside = f"{amount(series.median * 1000, 'ms')} beside a walk of {amount(walks.median * 1000, 'ms')}"
            result.figures.append(
                Figure(
                    f"edit to answer in {name}, {file.label} file, beyond the stat walk",
                    beyond.median * 1000,
                    "ms",
                    MOST_SECONDS * 1000,
                    beside,
                )
            )
    for file in files:
        rows.append((f"references after it, {file.label} file", *spread(Series(tuple(resolved[file.label]))), "", ""))
    rows.append(("look without a change", *spread(looks), "", ""))
    rows.append(("floor: scandir + lstat", *spread(walks), "", ""))
    columns = ("", "median", "p95", "beyond the walk", "p95")
    result.tables.append(Table(f"{name}: {known:,} files, every answer checked", columns, tuple(rows)))
    result.data = {
        "files": known,
        "edited": {file.label: {"path": file.path, "bytes": len(file.content)} for file in files},
        "answers": answers,
        "resolved": resolved,
        "walk": walks.values,
        "no_change": looks.values,
    }


if __name__ == "__main__":
    sys.exit(main())
