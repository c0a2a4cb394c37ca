"""Footprint of an index: idle memory, disk space, and memory to build a large index.

    python -m benchmarks.index.footprint REPOSITORY [--files 100000] [--rounds N] [--json]

Idle: a fresh process opens an existing index of a copy, looks, asks, and waits; then it edits one file,
which starts a parse worker, and waits again. Resident memory is summed over the process and its workers,
so pages that they share are counted for each. Large: that many small files, generated from a fixed
seed, indexed from nothing in a fresh process; `--files 0` leaves it out.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from benchmarks.index.one_edit import DEFINITIONS, Edited, choose
from benchmarks.measure import (
    MEGABYTE,
    Figure,
    Result,
    Series,
    Table,
    amount,
    emit,
    parser,
    resident,
    run_module,
    spread,
)
from benchmarks.trees import copy_repository, generate, scratch

from codeplane.index.options import IndexOptions

MOST_IDLE = 150.0
MOST_INDEX_RATIO = 3.0
MOST_PEAK = 1500.0
FILES = 100_000
ROUNDS = 3
_SETTLE_SECONDS = 0.5


def main() -> int:
    arguments = parser(__doc__, ROUNDS)
    arguments.add_argument("repository", type=Path)
    arguments.add_argument("--files", type=int, default=FILES, help=f"small files to generate ({FILES})")
    given = arguments.parse_args()
    return emit(measure(given.repository, given.files, given.rounds), given.json)


def measure(repository: Path, files: int, rounds: int) -> Result:
    result = Result("footprint", rounds)
    name = repository.resolve().name
    with scratch() as place:
        root = copy_repository(repository, place / "tree")
        built, _ = run_module("index.stages", "index", root, place)
        file = choose(root)[0]
        taken = [_idle(root, place / "state", file, number) for number in range(rounds)]
    rows = []
    for state in ("opened", "edited"):
        main_bytes = Series(tuple(float(each[state][0]) for each in taken))
        all_bytes = Series(tuple(float(sum(each[state])) for each in taken))
        workers = max(len(each[state]) for each in taken) - 1
        rows.append((f"{_WORDS[state]}: the process", *spread(main_bytes, "MB", 1 / MEGABYTE)))
        rows.append((f"{_WORDS[state]}: with its workers ({workers})", *spread(all_bytes, "MB", 1 / MEGABYTE)))
    edited = Series(tuple(float(sum(each["edited"])) for each in taken))
    empty = _empty()
    rows.append(("beside: an empty Python", amount(empty / MEGABYTE, "MB"), ""))
    result.tables.append(Table(f"{name}, {built['files']:,} files: idle memory", ("", "median", "p95"), tuple(rows)))
    beside = f"an empty Python has {amount(empty / MEGABYTE, 'MB')}"
    result.figures.append(
        Figure(f"idle memory with {name}, workers included", edited.median / MEGABYTE, "MB", MOST_IDLE, beside)
    )
    result.data = {"idle": taken, "empty": empty, "index": built}
    _size(result, name, built)
    if files:
        _large(result, files)
    return result.finish()


_WORDS = {"opened": "index opened", "edited": "after one edit"}


def _idle(root: Path, user_state: Path, file: Edited, number: int) -> dict[str, list[int]]:
    name = f"bench_idle_{number}"
    text = "\n" + DEFINITIONS[file.language].format(name=name)
    command = [sys.executable, "-m", "benchmarks.index.idle_process", str(root), str(user_state), file.path, name, text]
    found: dict[str, list[int]] = {}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None and child.stdout is not None
        for state in ("opened", "edited"):
            if child.stdout.readline().strip() != state:
                raise RuntimeError("the idle process failed")
            time.sleep(_SETTLE_SECONDS)
            found[state] = resident(child.pid)
            child.stdin.write("\n")
            child.stdin.flush()
    return found


def _empty() -> int:
    command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as child:
        time.sleep(_SETTLE_SECONDS)
        found = resident(child.pid)
        child.communicate()
    return sum(found)


def _size(result: Result, name: str, built: dict[str, int]) -> None:
    """Against the text that is searchable; files that are only recorded do not count."""
    cap = IndexOptions(Path(), Path()).cap_bytes(built["bytes"], built["files"])
    rows = (
        ("indexed text", amount(built["text_bytes"] / MEGABYTE, "MB")),
        ("index", amount(built["index_bytes"] / MEGABYTE, "MB")),
        ("index / text", amount(built["index_bytes"] / max(1, built["text_bytes"]), "×")),
        ("cap of the index", amount(cap / MEGABYTE, "MB")),
    )
    result.tables.append(Table(f"{name}: on disk", ("", "one round"), rows))
    result.figures.append(
        Figure(
            f"index of {name} / indexed text",
            built["index_bytes"] / max(1, built["text_bytes"]),
            "×",
            MOST_INDEX_RATIO,
            f"capped at {amount(cap / MEGABYTE, 'MB')}",
        )
    )


def _large(result: Result, files: int) -> None:
    with scratch() as place:
        root = generate(place / "tree", files)
        built, watched = run_module("index.stages", "index", root, place)
    cap = IndexOptions(Path(), Path()).cap_bytes(built["bytes"], built["files"])
    rows = (
        ("time", amount(built["seconds"], "s")),
        ("rate", amount(built["files"] / built["seconds"], "files/s")),
        ("peak memory, main + workers", amount(watched.peak_bytes / MEGABYTE, "MB")),
        ("processes", str(watched.processes)),
        ("text", amount(built["text_bytes"] / MEGABYTE, "MB")),
        ("index", amount(built["index_bytes"] / MEGABYTE, "MB")),
        ("cap of the index", amount(cap / MEGABYTE, "MB")),
        ("files left out at the cap", str(built["pending"])),
    )
    result.tables.append(Table(f"{built['files']:,} small generated files", ("", "one round"), rows))
    result.figures.append(
        Figure(
            f"peak memory to index {files:,} small files",
            watched.peak_bytes / MEGABYTE,
            "MB",
            MOST_PEAK,
            f"in {amount(built['seconds'], 's')}, {amount(built['files'] / built['seconds'], 'files/s')}",
        )
    )
    if built["pending"]:
        result.notes.append(f"{built['pending']} files were left out: the index reached its cap")
    result.data["large"] = built | {"peak_bytes": watched.peak_bytes}


if __name__ == "__main__":
    sys.exit(main())
