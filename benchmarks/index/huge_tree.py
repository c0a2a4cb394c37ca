"""A tree of very many very small files: to index it, to look at it, to ask.

    python -m benchmarks.index.huge_tree [--files 1000000] [--directories 100000] [--rounds N] [--queries 50]
        [--tree FOLDER]

Files of ten bytes, a definition each, in directories that branch by ten; among them a directory of ten thousand files
and a chain of a thousand directories. Each stage runs in a fresh process: the index from nothing; looks that find
no change, in turn with a bare walk of the same tree; and queries to the index through the product's own search, without
a look at the tree. A tree that was made before is taken from FOLDER, or made there and left; else it is temporary.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import sys
import time
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.measure import (
    MEGABYTE,
    Figure,
    Result,
    Series,
    Table,
    amount,
    emit,
    interleaved,
    parser,
    resident,
    run_module,
    spread,
    timed,
)
from benchmarks.trees import SEED, bare_walk, pruned_directories, scratch, settle

from codeplane.config.model import Config
from codeplane.index.indexer import Indexer
from codeplane.index.options import IndexOptions
from codeplane.operations.context import Context
from codeplane.operations.init import initialize
from codeplane.operations.search.finder import Finder
from codeplane.operations.search.model import Mode, SearchRequest
from codeplane.query.snapshot import open_current
from codeplane.store.layout import open_state
from codeplane.store.state_files import STATE_NAME

FILES = 1_000_000
DIRECTORIES = 100_000
QUERIES = 50
ROUNDS = 5
MOST_RATIO = 1.5
MOST_PEAK = 2000.0
MOST_QUERY = 300.0
_BRANCHES = 10
_CROWD = 10_000
_CHAIN = 1_000
_MARK = "complete"
_MODES: tuple[Mode, ...] = ("symbol", "lexical", "regex", "auto")


def main() -> int:
    arguments = parser(__doc__, ROUNDS)
    arguments.add_argument("--files", type=int, default=FILES, help=f"files ({FILES:,})")
    arguments.add_argument("--directories", type=int, default=DIRECTORIES, help=f"directories ({DIRECTORIES:,})")
    arguments.add_argument("--queries", type=int, default=QUERIES, help=f"queries ({QUERIES})")
    arguments.add_argument("--tree", type=Path, metavar="FOLDER", help="where the tree is, or is to be made and left")
    given = arguments.parse_args()
    result = Result("huge_tree", given.rounds)
    with scratch() as place:
        root = make(given.tree.resolve() if given.tree else place / "made", given.files, given.directories)
        _measure(result, root, place, given.queries)
    return emit(result.finish(), given.json)


def make(place: Path, files: int, directories: int) -> Path:
    """The tree, unless it is there; a half-made one is made again. Any index of it is removed."""
    root, mark = place / "tree", place / _MARK
    wanted = f"{files} {directories}"
    if not mark.exists() or mark.read_text() != wanted:
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        _write(root, files, directories)
        mark.write_text(wanted)
    shutil.rmtree(root / STATE_NAME, ignore_errors=True)
    return root


def _write(root: Path, files: int, directories: int) -> None:
    chain = min(_CHAIN, directories // 10)
    crowd = min(_CROWD, files // 10)
    folders = [str(root)]
    for number in range(1, directories - chain):
        folders.append(f"{folders[(number - 1) // _BRANCHES]}/d{number % _BRANCHES}")
        Path(folders[-1]).mkdir()
    link = str(root)
    for _ in range(chain):
        link += "/c"
        Path(link).mkdir()
        folders.append(link)
    places = islice(cycle(folders), files - crowd)
    for number, folder in enumerate((*[folders[1]] * crowd, *places)):
        descriptor = os.open(f"{folder}/m{number:x}.py", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        os.write(descriptor, b"x%06d=1\n" % number)
        os.close(descriptor)


def _measure(result: Result, root: Path, place: Path, queries: int) -> None:
    built, watched = run_module("index.huge_tree", "build", root, place)
    looked, looking = run_module("index.huge_tree", "look", root, place, str(result.rounds))
    asked, _ = run_module("index.huge_tree", "ask", root, place, str(queries))
    sync, walk, times = (Series(tuple(values)) for values in (looked["sync"], looked["walk"], asked["seconds"]))
    worst = sorted(times.values)[max(0, -(-99 * len(times.values) // 100) - 1)]
    title = f"{built['files']:,} files"
    result.tables.append(
        Table(
            f"{title}: index from nothing",
            ("", "one round"),
            (
                ("time", amount(built["seconds"], "s")),
                ("rate", amount(built["files"] / built["seconds"], "files/s")),
                ("peak memory, main + workers", amount(watched.peak_bytes / MEGABYTE, "MB")),
                ("peak memory, main", amount(built["main_bytes"] / MEGABYTE, "MB")),
                ("peak memory, largest worker", amount(built["worker_bytes"] / MEGABYTE, "MB")),
                ("index", amount(built["index_bytes"] / MEGABYTE, "MB")),
                ("files left out", str(built["pending"])),
            ),
        )
    )
    rows = (
        ("sync without a change", *spread(sync, "s", 1)),
        ("floor: scandir + lstat", *spread(walk, "s", 1)),
        ("first look of a process", amount(looked["first"], "s"), ""),
        ("memory of the process that looks", amount(looked["resident"] / MEGABYTE, "MB"), ""),
        ("a query", *spread(times)),
    )
    result.tables.append(Table(f"{title}: looks and queries", ("", "median", "p95"), rows))
    peak = max(watched.peak_bytes, looking.peak_bytes) / MEGABYTE
    beside = f"{amount(sync.median, 's')} beside {amount(walk.median, 's')}"
    result.figures += [
        Figure(f"no-change sync of {title} / bare walk", sync.median / walk.median, "×", MOST_RATIO, beside),
        Figure(f"peak memory, index or look, {title}", peak, "MB", MOST_PEAK, f"init {amount(built['seconds'], 's')}"),
        Figure(f"p99 of {len(times.values)} queries, {title}", worst * 1000, "ms", MOST_QUERY, "the index alone"),
    ]
    if built["pending"]:
        result.notes.append(f"{built['pending']} files were left out: the index reached its cap")
    result.data = {"build": built | {"peak_bytes": watched.peak_bytes}, "look": looked, "ask": asked}


def _build(root: Path, place: Path) -> dict[str, Any]:
    started = time.perf_counter()
    report = initialize(Context(root, Config(), place / "state"))
    seconds = time.perf_counter() - started
    unit = 1 if sys.platform == "darwin" else 1024
    return {
        "seconds": seconds,
        "files": report.files,
        "pending": report.pending,
        "index_bytes": report.index_bytes,
        "main_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit,
        "worker_bytes": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit,
    }


def _look(root: Path, place: Path, rounds: str) -> dict[str, Any]:
    with Indexer.open(IndexOptions(root, place / "state")) as indexer:
        settle(root)
        first = timed(indexer.sync)
        indexer.sync()
        pruned = pruned_directories(root)

        def look() -> None:
            report = indexer.sync()
            if report.decision != "fresh" or report.hashed or report.partial:
                raise RuntimeError(f"not a look without a change: {report}")

        look()
        calls = {"sync": lambda: timed(look), "walk": lambda: timed(lambda: bare_walk(root, pruned))}
        found = interleaved(int(rounds), calls)
        held = sum(resident(os.getpid()))
    return {"first": first, "resident": held, **{name: series.values for name, series in found.items()}}


def _ask(root: Path, place: Path, queries: str) -> dict[str, Any]:
    """Names, their beginnings and patterns around them, drawn by a fixed seed; each must be found."""
    state = open_state(root)
    assert state is not None
    chance = Random(SEED)
    finder = Finder(root)
    seconds: list[float] = []
    with open_current(state) as snapshot:
        count = snapshot.reader.count("SELECT count(*) FROM files")
        for number, mode in zip(range(-len(_MODES), int(queries)), cycle(_MODES)):
            name = f"x{chance.randrange(count):06}"
            request = SearchRequest(rf"^{name}\b" if mode == "regex" else name, mode)
            started = time.perf_counter()
            found = finder.find(snapshot, request)
            # The first of each kind opens what the others use.
            if number >= 0:
                seconds.append(time.perf_counter() - started)
            if not found.hits:
                raise RuntimeError(f"{mode} {name} was not found")
    finder.close()
    return {"seconds": seconds}


_STAGES: dict[str, Callable[..., dict[str, Any]]] = {"build": _build, "look": _look, "ask": _ask}


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] in _STAGES:
        print(json.dumps(_STAGES[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]), *sys.argv[4:])))
        sys.exit(0)
    sys.exit(main())
