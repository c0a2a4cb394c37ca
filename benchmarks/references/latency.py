"""Latency of one references query, compared with jedi and ty on the same tree.

    python -m benchmarks.references.latency REPOSITORY [REPOSITORY ...] --peer-folder FOLDER [--peers jedi,ty | none]
        [--rounds N] [--json]

Of each repository, N of its Python functions, classes and methods, drawn by a fixed seed from our index of a copy.
Each is asked of everybody before the next, starting with another contender each time; one question goes before and is
not counted. We are asked in this process, the others as processes that stay: what they take includes the way there
and back, a fraction of a millisecond. A file is opened for a language server before its question. How many references
each found in all stands beside the times, since a fast answer may be a short one.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.measure import Figure, Result, Series, Table, amount, emit, parser, spread
from benchmarks.references.codeplane_references import Ours
from benchmarks.references.data import Definition, copy_tree
from benchmarks.references.peers import TITLES, Contender, Ty, peers
from benchmarks.search.quality import names_of
from benchmarks.server.peers import PeerFailed
from benchmarks.trees import SEED, scratch

from codeplane.query.snapshot import Snapshot
from codeplane.store.codec import ORDINAL_BITS, path_from_text

MOST_SECONDS = 0.005
SAMPLE = 60
OURS = "ours"
_KINDS = ("function", "class", "method")


def main() -> int:
    arguments = parser(__doc__, SAMPLE)
    arguments.add_argument("repositories", nargs="+", type=Path)
    arguments.add_argument("--peers", type=names_of(tuple(TITLES)), default=list(TITLES), help="or none (all)")
    arguments.add_argument("--peer-folder", type=Path, help="where peers are, or are to be, installed")
    given = arguments.parse_args()
    if given.peers and given.peer_folder is None:
        arguments.error("--peers needs --peer-folder, or say --peers none")
    folder = given.peer_folder.resolve() if given.peer_folder else Path()
    asked = {name: start for name, start in peers(folder).items() if name in given.peers}
    return emit(measure(given.repositories, given.rounds, asked), given.json)


def measure(repositories: list[Path], rounds: int, beside: Mapping[str, Callable[[], Contender]]) -> Result:
    result = Result("references_latency", rounds)
    for repository in repositories:
        with scratch() as room:
            _measure_one(result, repository.resolve(), room, rounds, beside)
    return result.finish()


def _measure_one(
    result: Result, repository: Path, room: Path, rounds: int, beside: Mapping[str, Callable[[], Contender]]
) -> None:
    tree = copy_tree(repository, room / "tree")
    ours = Ours(room / "user")
    started: dict[str, Contender] = {OURS: ours}
    try:
        for name, start in beside.items():
            try:
                started[name] = start()
            except PeerFailed as error:
                result.notes.append(f"{TITLES[name]} could not be asked: {error}")
        for contender in started.values():
            contender.turn_to(tree)
        first, *drawn = ours.workspace.read(lambda snapshot: _drawn(snapshot, repository.name, rounds + 1)).value
        _open(started, [first, *drawn])
        for contender in started.values():
            contender.ask(first)
        taken, found = _ask(started, drawn)
    finally:
        for contender in started.values():
            contender.close()
    _report(result, repository.name, taken, found)


def _drawn(snapshot: Snapshot, repo: str, count: int) -> list[Definition]:
    """The same for the same tree."""
    marks = ", ".join("?" * len(_KINDS))
    rows = snapshot.reader.rows(
        "SELECT files.path, name_line, name_col, defs.name, qualified_name, kind FROM defs "
        f"JOIN files ON files.file_id = def_id >> {ORDINAL_BITS} "
        f"WHERE files.path LIKE '%.py' AND kind IN ({marks}) ORDER BY files.path, def_id",
        _KINDS,
    )
    if len(rows) < count:
        raise SystemExit(f"{repo} has {len(rows)} Python definitions, {count} are needed")
    chosen = random.Random(SEED).sample(rows, count)
    return [Definition(repo, path_from_text(str(path)), *more) for path, *more in chosen]


def _open(started: Mapping[str, Contender], definitions: list[Definition]) -> None:
    for contender in started.values():
        if isinstance(contender, Ty):
            for definition in definitions:
                contender.open(definition.path)


def _ask(started: Mapping[str, Contender], drawn: list[Definition]) -> tuple[dict[str, Series], dict[str, int]]:
    taken: dict[str, list[float]] = {name: [] for name in started}
    found = dict.fromkeys(started, 0)
    names = list(started)
    for number, definition in enumerate(drawn):
        turn = number % len(names)
        for name in (*names[turn:], *names[:turn]):
            begun = time.perf_counter()
            answers = started[name].ask(definition)
            taken[name].append(time.perf_counter() - begun)
            found[name] += len({answer.position for answer in answers} - {definition.position})
    return {name: Series(tuple(values)) for name, values in taken.items()}, found


def _report(result: Result, repo: str, taken: Mapping[str, Series], found: Mapping[str, int]) -> None:
    rows = tuple(
        (TITLES.get(name, "codeplane"), *spread(series), amount(max(series.values) * 1000, "ms"), str(found[name]))
        for name, series in taken.items()
    )
    columns = ("", "median", "p95", "max", "references in all")
    result.tables.append(Table(f"{repo}: references of one definition", columns, rows))
    beside = ", ".join(
        f"{TITLES[name]} {amount(series.p95 * 1000, 'ms')}" for name, series in taken.items() if name != OURS
    )
    result.figures.append(Figure(f"{repo}: p95", taken[OURS].p95 * 1000, "ms", MOST_SECONDS * 1000, beside))
    result.data[repo] = {"seconds": {name: series.values for name, series in taken.items()}, "found": dict(found)}


if __name__ == "__main__":
    sys.exit(main())
