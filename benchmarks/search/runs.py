"""Answers that were given already: one file per contender and set, a line per question.

A line is written when its answer is there, so that a run that was interrupted goes on where it
stopped. The name of a contender holds what its answers depend on.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.search.data import Data, Place, Question
from benchmarks.search.peers import Contender

Answers = dict[str, list[Place]]


def answers_of(
    data: Data, contender: str, start: Callable[[], Contender], name: str, questions: Sequence[Question]
) -> Answers:
    """Return stored and new answers; the contender is started only if some are missing."""
    kept = data.work / "runs" / contender / f"{name}.jsonl"
    found = _read(kept)
    missing = [question for question in questions if question.id not in found]
    if missing:
        kept.parent.mkdir(parents=True, exist_ok=True)
        _ask(data, contender, start, missing, kept, found)
    return {question.id: found[question.id] for question in questions}


def _ask(
    data: Data,
    contender: str,
    start: Callable[[], Contender],
    missing: Sequence[Question],
    kept: Path,
    found: Answers,
) -> None:
    asked, started = 0, time.monotonic()
    running = start()
    try:
        with open(kept, "a", encoding="utf-8") as lines:
            for tree, questions in data.trees(missing):
                running.turn_to(tree)
                for question in questions:
                    found[question.id] = ranked = running.ask(question.query)
                    rows = [dict(zip(Place._fields, place, strict=True)) for place in ranked]
                    lines.write(json.dumps({"id": question.id, "ranked": rows}) + "\n")
                lines.flush()
                asked += len(questions)
                _tell(f"{contender} {kept.stem}: {asked} of {len(missing)}, {time.monotonic() - started:.0f} s")
    finally:
        running.close()
        _tell("")


def _read(kept: Path) -> Answers:
    """A last line that was not finished is cut off, so that the next one starts on its own."""
    if not kept.exists():
        return {}
    whole = kept.read_bytes()
    end = whole.rfind(b"\n") + 1
    if end < len(whole):
        os.truncate(kept, end)
    rows = [json.loads(line) for line in whole[:end].splitlines()]
    return {row["id"]: [Place(**place) for place in row["ranked"]] for row in rows}


def _tell(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
