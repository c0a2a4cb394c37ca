"""Rounds, tables and targets, shared by the commands of this folder.

A time on a shared machine means nothing alone: what is compared runs in turn within the
same rounds, and every result carries the load of the machine before and after. Nothing
here knows what is measured.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

MEGABYTE = 1_000_000
_SAMPLE_SECONDS = 0.05
_LIST_SECONDS = 0.25
"""Looking for new descendants reads all of /proc; done at every sample, it would take a tenth of a core."""


@dataclass(frozen=True)
class Series:
    """One quantity over all rounds."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def p95(self) -> float:
        """By nearest rank: with fewer than 20 values it is the largest."""
        return sorted(self.values)[math.ceil(0.95 * len(self.values)) - 1]


@dataclass(frozen=True)
class Figure:
    """One line of the scorecard."""

    name: str
    value: float
    unit: str
    most: float
    """The target: the value must not exceed it."""
    beside: str
    """The floor or peer of the same run, in words."""

    @property
    def met(self) -> bool:
        return self.value <= self.most


@dataclass(frozen=True)
class Table:
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass
class Result:
    """Result of one command. `data` contains the raw numbers."""

    command: str
    rounds: int
    tables: list[Table] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    load_before: tuple[float, ...] = field(default_factory=os.getloadavg)
    load_after: tuple[float, ...] = ()

    def finish(self) -> Result:
        self.load_after = os.getloadavg()
        return self


def parser(doc: str | None, rounds: int) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--rounds", type=_positive, default=rounds, help=f"rounds to take ({rounds})")
    made.add_argument("--json", action="store_true", help="one line of JSON with every value")
    return made


def emit(result: Result, as_json: bool) -> int:
    """Print; the exit status says whether every target was met."""
    if as_json:
        print(json.dumps(as_document(result)))
    else:
        print(render(result))
    return 0 if all(figure.met for figure in result.figures) else 1


def as_document(result: Result) -> dict[str, Any]:
    document = asdict(result)
    del document["tables"]
    document["figures"] = [{**asdict(figure), "met": figure.met} for figure in result.figures]
    document["machine"] = machine()
    return document


def render(result: Result) -> str:
    lines = [f"{result.command}: {result.rounds} rounds, {machine()}"]
    lines.append(f"load {_load(result.load_before)} before, {_load(result.load_after)} after")
    for table in result.tables:
        lines += ["", table.title, *_aligned(table)]
    if result.figures:
        lines += ["", *_aligned(scorecard(result.figures))]
    lines += [f"note: {note}" for note in result.notes]
    return "\n".join(lines)


def scorecard(figures: Sequence[Figure]) -> Table:
    rows = tuple(
        (
            figure.name,
            amount(figure.value, figure.unit),
            f"≤ {amount(figure.most, figure.unit)}",
            "yes" if figure.met else "NO",
            figure.beside,
        )
        for figure in figures
    )
    return Table("figures", ("figure", "measured", "target", "met", "beside it, in the same run"), rows)


def as_markdown(table: Table) -> str:
    head = [f"| {' | '.join(table.columns)} |", f"|{'---|' * len(table.columns)}"]
    return "\n".join([*head, *(f"| {' | '.join(row)} |" for row in table.rows)])


def amount(value: float, unit: str) -> str:
    """With three digits or so; `×` stands behind a ratio, and the other units after a space."""
    digits = 0 if abs(value) >= 100 or value == int(value) else 1 if abs(value) >= 10 else 2
    text = f"{value:,.{digits}f}"
    return f"{text}×" if unit == "×" else f"{text} {unit}".rstrip()


def spread(series: Series, unit: str = "ms", scale: float = 1000.0) -> tuple[str, str]:
    """Median and p95 as cells; seconds become milliseconds unless told otherwise."""
    return amount(series.median * scale, unit), amount(series.p95 * scale, unit)


def machine() -> str:
    return f"{platform.system()} {platform.machine()}, {cores()} cores, Python {platform.python_version()}"


def cores() -> int:
    """Return the number of usable cores."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def interleaved(rounds: int, calls: Mapping[str, Callable[[], float]]) -> dict[str, Series]:
    """Each call gives its own time. One of each per round, starting with another one each time."""
    names = list(calls)
    found: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        turn = number % len(names)
        for name in (*names[turn:], *names[:turn]):
            found[name].append(calls[name]())
    return {name: Series(tuple(values)) for name, values in found.items()}


@dataclass(frozen=True)
class Finished:
    """A child that ran to its end."""

    output: str
    seconds: float
    peak_bytes: int
    """Largest sum, over the child and its descendants, of resident memory; pages that they share count for each."""
    processes: int


def run_child(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Finished:
    """Run a child that prints little, and watch its memory. RuntimeError when it fails."""
    started = time.perf_counter()
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=environment and {**os.environ, **environment}
    )
    watch = _MemoryWatch(child.pid)
    watch.start()
    output, _ = child.communicate()
    seconds = time.perf_counter() - started
    watch.stop()
    if child.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {child.returncode}")
    return Finished(output, seconds, watch.peak, watch.most)


def run_module(module: str, *arguments: str | Path) -> tuple[dict[str, Any], Finished]:
    """Run a module of this folder in a fresh interpreter; the last line that it prints is JSON."""
    finished = run_child([sys.executable, "-m", f"benchmarks.{module}", *map(str, arguments)])
    return json.loads(finished.output.splitlines()[-1]), finished


def resident(pid: int) -> list[int]:
    """Resident bytes of a process and of each of its descendants."""
    return _resident(_family(pid))


class _MemoryWatch(threading.Thread):
    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.peak = self.most = 0
        self._pid = pid
        self._stopped = threading.Event()

    def run(self) -> None:
        listed = -math.inf
        while not self._stopped.wait(_SAMPLE_SECONDS):
            now = time.monotonic()
            if now - listed >= _LIST_SECONDS:
                family, listed = _family(self._pid), now
            found = _resident(family)
            self.peak = max(self.peak, sum(found))
            self.most = max(self.most, len(found))

    def stop(self) -> None:
        self._stopped.set()
        self.join()


def _family(pid: int) -> list[Any]:
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    return []


def _resident(family: Sequence[Any]) -> list[int]:
    found = []
    for process in family:
        with suppress(psutil.Error):
            found.append(int(process.memory_info().rss))
    return found


def _aligned(table: Table) -> list[str]:
    """Columns as wide as their widest cell; the first to the left, as names are, the others to the right."""
    lines = [table.columns, *table.rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(table.columns))]
    return [
        "  ".join(
            cell.ljust(width) if column == 0 or column == len(widths) - 1 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def _load(load: Sequence[float]) -> str:
    return "/".join(f"{value:.2f}" for value in load)


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return value
