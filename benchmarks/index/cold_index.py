"""A cold index beside its floor and beside universal-ctags.

    python -m benchmarks.index.cold_index REPOSITORY [REPOSITORY ...] [--rounds N] [--json]

Each round indexes a copy of the repository from nothing in a fresh process (file cache warm), then runs
each stage of the floor alone in a process of its own. The floor is the CPU time of these stages together,
divided by the cores: read + sha256, tree-sitter parse, inserting the same rows into SQLite and creating
the same indexes, adding the same documents to Tantivy. The ratio is our wall time to that floor.
A second table has the CPU time of the parse workers by language.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.index.stages import list_files
from benchmarks.measure import (
    MEGABYTE,
    Figure,
    Result,
    Series,
    Table,
    amount,
    emit,
    parser,
    run_module,
    spread,
    timed,
)
from benchmarks.trees import copy_repository, scratch

from codeplane.store.records import FileState

MOST_RATIO = 2.0
MOST_INDEX_RATIO = 3.0
ROUNDS = 5
FLOOR = ("read", "parse", "insert", "lexical")
_WORDS = {
    "read": "read + sha256",
    "parse": "tree-sitter parse",
    "insert": "SQLite, same rows",
    "lexical": "Tantivy, same documents",
}


def main() -> int:
    arguments = parser(__doc__, ROUNDS)
    arguments.add_argument("repositories", nargs="+", type=Path)
    given = arguments.parse_args()
    return emit(measure(given.repositories, given.rounds), given.json)


def measure(repositories: Sequence[Path], rounds: int) -> Result:
    result = Result("cold_index", rounds)
    with scratch() as place:
        trees: dict[str, Path] = {}
        for number, repository in enumerate(repositories):
            name = _unused(repository.resolve().name, trees)
            trees[name] = copy_repository(repository, place / f"tree{number}")
        taken: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for number in range(rounds):
            for name, tree in trees.items():
                taken[name].append(_round(tree, place / f"round{number}"))
    for name, found in taken.items():
        _report(result, name, found)
    return result.finish()


def _round(tree: Path, place: Path) -> dict[str, Any]:
    """One of each: the product first, since the floor is made of what it stored."""
    place.mkdir(exist_ok=True)
    shutil.rmtree(tree / ".codeplane", ignore_errors=True)
    ours, watched = run_module("index.stages", "index", tree, place)
    if ours["decision"] != "built" or ours["pending"]:
        raise RuntimeError(f"not a cold index: {ours['decision']}, {ours['pending']} files pending")
    found: dict[str, Any] = {"index": ours, "peak_bytes": watched.peak_bytes, "processes": watched.processes}
    for stage in (*FLOOR, "insert_plain", "walk", "extract"):
        found[stage], _ = run_module("index.stages", stage, tree, place)
    found["ctags"] = _ctags(tree)
    found["floor"] = sum(found[stage]["cpu"] for stage in FLOOR) / ours["cores"]
    packed, plain = found["insert"]["cpu"], found["insert_plain"]["cpu"]
    found["plain_floor"] = found["floor"] + (plain - packed) / ours["cores"]
    shutil.rmtree(place)
    return found


def _ctags(tree: Path) -> float | None:
    """Seconds that ctags takes for the files that we parse; None where it is not installed."""
    if shutil.which("ctags") is None:
        return None
    paths = "\n".join(path for path, _, state, _ in list_files(tree) if state == FileState.INDEXED)
    command = ["ctags", "-f", os.devnull, "-L", "-"]
    run = partial(subprocess.run, command, cwd=tree, check=True, input=paths, text=True, capture_output=True)
    return timed(run)


def _report(result: Result, name: str, found: list[dict[str, Any]]) -> None:
    def series(stage: str, key: str) -> Series:
        return Series(tuple(each[stage][key] for each in found))

    ours = found[0]["index"]
    wall, cpu = series("index", "seconds"), series("index", "cpu")
    floor = Series(tuple(each["floor"] for each in found))
    # Of each round by itself: both sides of a ratio had the same neighbours on the machine.
    ratio = Series(tuple(each["index"]["seconds"] / each["floor"] for each in found))
    plain_floor = Series(tuple(each["plain_floor"] for each in found))
    plain_ratio = Series(tuple(each["index"]["seconds"] / each["plain_floor"] for each in found))
    peak = Series(tuple(float(each["peak_bytes"]) for each in found))
    rows = [
        ("cold index, wall", *spread(wall, "s", 1)),
        ("cold index, CPU of all processes", *spread(cpu, "s", 1)),
        ("  of these, parse workers", *spread(series("index", "cpu_workers"), "s", 1)),
        *((f"  floor: {_WORDS[stage]}, CPU", *spread(series(stage, "cpu"), "s", 1)) for stage in FLOOR),
        (f"  floor: sum / {ours['cores']} cores", *spread(floor, "s", 1)),
        ("  wall / floor", *spread(ratio, "×", 1)),
        ("  floor that inserts a row for each reference", *spread(plain_floor, "s", 1)),
        ("  wall / that floor", *spread(plain_ratio, "×", 1)),
        ("  CPU / CPU of the floor", *spread(_over(cpu, floor, ours["cores"]), "×", 1)),
    ]
    if all(each["ctags"] is not None for each in found):
        rows.append(
            ("peer: ctags on the parsed files, wall", *spread(Series(tuple(each["ctags"] for each in found)), "s", 1))
        )
    rows += [
        ("peer: bare walk, wall", *spread(series("walk", "seconds"), "s", 1)),
        ("peak memory, main + workers", *spread(peak, "MB", 1 / MEGABYTE)),
    ]
    index_ratio = ours["index_bytes"] / max(1, ours["text_bytes"])
    title = (
        f"{name}: {ours['files']:,} files, {ours['bytes'] / MEGABYTE:.1f} MB"
        f" ({ours['parsed_files']:,} parsed, {ours['parsed_bytes'] / MEGABYTE:.1f} MB);"
        f" {ours['files'] / wall.median:,.0f} files/s, {ours['bytes'] / MEGABYTE / wall.median:.1f} MB/s;"
        f" {ours['definitions']:,} definitions, {ours['references']:,} references, {found[0]['insert']['rows']:,} rows;"
        f" index {ours['index_bytes'] / MEGABYTE:.1f} MB"
    )
    result.tables.append(Table(title, ("", "median", "p95"), tuple(rows)))
    result.tables.append(_by_language(name, found))
    beside = f"{amount(wall.median, 's')} beside a floor of {amount(floor.median, 's')}"
    result.figures += [
        Figure(f"cold index of {name}, wall / floor", ratio.median, "×", MOST_RATIO, beside),
        Figure(
            f"cold index of {name}, wall / floor with a row for each reference",
            plain_ratio.median,
            "×",
            MOST_RATIO,
            f"beside {amount(plain_floor.median, 's')}",
        ),
        Figure(
            f"index of {name} / indexed text",
            index_ratio,
            "×",
            MOST_INDEX_RATIO,
            f"{ours['index_bytes'] / MEGABYTE:.1f} MB of index, {ours['text_bytes'] / MEGABYTE:.1f} MB of text",
        ),
    ]
    result.data[name] = found


def _by_language(name: str, found: list[dict[str, Any]]) -> Table:
    """Measure the complete work of a parse worker by language: facts, words and the packed result."""
    languages = found[0]["extract"]["languages"]
    taken = {each: Series(tuple(one["extract"]["languages"][each][2] for one in found)) for each in languages}
    whole = sum(series.median for series in taken.values()) or 1.0
    rows = []
    for language in sorted(taken, key=lambda each: (-taken[each].median, each)):
        files, size, _ = languages[language]
        cpu = taken[language]
        rows.append(
            (
                language or "(text)",
                f"{files:,}",
                amount(size / MEGABYTE, "MB"),
                *spread(cpu, "s", 1),
                amount(size / MEGABYTE / max(cpu.median, 1e-6), "MB/s"),
                amount(100 * cpu.median / whole, "%"),
            )
        )
    columns = ("language", "files", "text", "CPU of workers", "p95", "speed", "share")
    return Table(f"{name}, by language", columns, tuple(rows))


def _over(cpu: Series, floor: Series, number: int) -> Series:
    return Series(tuple(one / (other * number) for one, other in zip(cpu.values, floor.values, strict=True)))


def _unused(name: str, taken: dict[str, Path]) -> str:
    return name if name not in taken else f"{name} ({len(taken) + 1})"


if __name__ == "__main__":
    sys.exit(main())
