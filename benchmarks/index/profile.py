"""Profile of a cold index: CPU time of each stage.

    python -m benchmarks.index.profile REPOSITORY [REPOSITORY ...] [--rounds N] [--json]

Each round indexes a copy of the repository from nothing in a fresh process, and then does the work of the parse workers
again in a single process, where it can be divided by stage and language. The first table adds up to the CPU time of all
processes. The second shows seconds by stage, and seconds for each megabyte beside those of Python. The clocks
themselves cost a few percent.
"""

from __future__ import annotations

import shutil
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measure import MEGABYTE, Result, Table, amount, emit, parser, run_module
from benchmarks.trees import copy_repository, scratch

ROUNDS = 3
_SHOWN_LANGUAGES = 6
_REFERENCE = "python"


def main() -> int:
    arguments = parser(__doc__, ROUNDS)
    arguments.add_argument("repositories", nargs="+", type=Path)
    given = arguments.parse_args()
    return emit(measure(given.repositories, given.rounds), given.json)


def measure(repositories: Sequence[Path], rounds: int) -> Result:
    result = Result("profile", rounds)
    for number, repository in enumerate(repositories):
        with scratch() as place:
            tree = copy_repository(repository, place / "tree")
            found = [_round(tree, place / f"round{each}") for each in range(rounds)]
        name = repository.resolve().name
        result.tables += [_build_table(name, found), _extract_table(name, found)]
        result.data[f"{number} {name}"] = found
    return result.finish()


def _round(tree: Path, place: Path) -> dict[str, Any]:
    place.mkdir()
    shutil.rmtree(tree / ".codeplane", ignore_errors=True)
    built, watched = run_module("index.profile_stages", "build", tree, place)
    extracted, _ = run_module("index.profile_stages", "extract", tree, place)
    return {"build": built, "extract": extracted, "peak_bytes": watched.peak_bytes}


def _build_table(name: str, found: Sequence[dict[str, Any]]) -> Table:
    builds = [each["build"] for each in found]
    stages = _medians([each["stages"] for each in builds])
    whole = statistics.median(each["cpu"] for each in builds)
    rows = [(stage, *_cells(seconds, whole)) for stage, seconds in _by_size(stages)]
    rows.append(("all", *_cells(whole, whole)))
    first = builds[0]
    title = (
        f"{name}: {first['files']:,} files, {first['bytes'] / MEGABYTE:.1f} MB, {first['references']:,} references;"
        f" {statistics.median(each['seconds'] for each in builds):.1f} s,"
        f" peak {statistics.median(each['peak_bytes'] for each in found) / MEGABYTE:.0f} MB"
    )
    return Table(title, ("stage", "CPU", "share"), tuple(rows))


def _extract_table(name: str, found: Sequence[dict[str, Any]]) -> Table:
    extracts = [each["extract"] for each in found]
    languages = extracts[0]["languages"]
    stages = {language: _medians([each["stages"][language] for each in extracts]) for language in extracts[0]["stages"]}
    taken = {language: sum(stages[language].values()) for language in languages}
    shown = sorted(languages, key=lambda language: (-taken[language], language))[:_SHOWN_LANGUAGES]
    total: dict[str, float] = {}
    for each in stages.values():
        for stage, seconds in each.items():
            total[stage] = total.get(stage, 0.0) + seconds
    whole = sum(total.values())
    rows = [
        (stage, *_cells(seconds, whole), *(amount(stages[language].get(stage, 0.0), "s") for language in shown))
        for stage, seconds in _by_size(total)
    ]
    rows.append(("all", *_cells(whole, whole), *(amount(taken[language], "s") for language in shown)))

    def cost(language: str) -> float:
        size: int = languages[language][1]
        return taken[language] * MEGABYTE / max(1, size)

    rows.append(_language_row("MB", shown, lambda language: amount(languages[language][1] / MEGABYTE, "")))
    rows.append(_language_row("seconds for each MB", shown, lambda language: amount(cost(language), "")))
    if _REFERENCE in languages:
        of_python = cost(_REFERENCE)
        rows.append(_language_row("beside Python", shown, lambda language: amount(cost(language) / of_python, "×")))
    columns = ("stage", "CPU", "share", *(language or "(text)" for language in shown))
    return Table(f"{name}: work of the parse workers", columns, tuple(rows))


def _language_row(label: str, languages: Sequence[str], cell: Callable[[str], str]) -> tuple[str, ...]:
    return (label, "", "", *map(cell, languages))


def _medians(rounds: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {stage: statistics.median(each.get(stage, 0.0) for each in rounds) for stage in rounds[0]}


def _by_size(stages: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(stages.items(), key=lambda item: (-item[1], item[0]))


def _cells(seconds: float, whole: float) -> tuple[str, str]:
    return amount(seconds, "s"), amount(100 * seconds / whole, "%")


if __name__ == "__main__":
    sys.exit(main())
