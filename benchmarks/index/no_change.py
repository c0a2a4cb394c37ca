"""A look that finds no change, beside a bare walk of the same tree.

    python -m benchmarks.index.no_change [REPOSITORY] [--files 10000] [--rounds N] [--json]

Without a repository, a tree is generated from a fixed seed. `Indexer.sync` and a scandir + lstat walk take
turns in one process, after every file has become old enough for its stat to be trusted. A sync that does
anything but look is an error.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.measure import Figure, Result, Series, Table, amount, emit, interleaved, parser, spread, timed
from benchmarks.trees import bare_walk, copy_repository, generate, pruned_directories, scratch, settle

from codeplane.index.indexer import Indexer
from codeplane.index.options import IndexOptions

MOST_RATIO = 1.5
FILES = 10_000
ROUNDS = 25


def main() -> int:
    arguments = parser(__doc__, ROUNDS)
    arguments.add_argument("repository", nargs="?", type=Path)
    arguments.add_argument("--files", type=int, default=FILES, help=f"files to generate ({FILES})")
    given = arguments.parse_args()
    return emit(measure(given.repository, given.files, given.rounds), given.json)


def measure(repository: Path | None, files: int, rounds: int) -> Result:
    result = Result("no_change", rounds)
    with scratch() as place:
        root = place / "tree"
        if repository is None:
            generate(root, files)
        else:
            copy_repository(repository, root)
        with Indexer.open(IndexOptions(root, place / "state")) as indexer:
            known = indexer.sync().files
            settle(root)
            # The first look after that reads once more what was too young when it was indexed.
            indexer.sync()
            pruned = pruned_directories(root)

            def look() -> None:
                report = indexer.sync()
                if report.decision != "fresh" or report.hashed or report.partial:
                    raise RuntimeError(f"not a look without a change: {report}")

            look()
            found = interleaved(
                rounds,
                {"sync": lambda: timed(look), "walk": lambda: timed(lambda: bare_walk(root, pruned))},
            )
    sync, walk = found["sync"], found["walk"]
    ratio = Series(tuple(ours / bare for ours, bare in zip(sync.values, walk.values, strict=True)))
    name = "generated files" if repository is None else f"files of {repository.resolve().name}"
    rows = (
        ("sync without a change", *spread(sync)),
        ("floor: scandir + lstat", *spread(walk)),
        ("ratio, round by round", *spread(ratio, "×", 1)),
    )
    result.tables.append(Table(f"{known:,} {name}", ("", "median", "p95"), rows))
    beside = f"{amount(sync.median * 1000, 'ms')} beside {amount(walk.median * 1000, 'ms')}"
    result.figures.append(
        Figure(f"no-change sync of {known:,} {name} / bare walk", sync.median / walk.median, "×", MOST_RATIO, beside)
    )
    result.data = {"files": known, "sync": sync.values, "walk": walk.values}
    return result.finish()


if __name__ == "__main__":
    sys.exit(main())
