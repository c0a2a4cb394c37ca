"""Rows for `benchmarks.references.quality` from a list of identifiers and their definitions.

    python -m benchmarks.references.truth.rows REPOSITORY IDENTIFIERS --language NAME [--sample N] > refs_NAME.jsonl

IDENTIFIERS are JSON lines with `path`, `line`, `col` and `target` (`path`, `line`, `col`, `name`, `qualname`,
`kind`), as `JavaReferences.java` prints them. A definition that nothing refers to is left out; of the others N are
taken, by a fixed seed. An identifier that resolves to several definitions of one kind, as a static import of overloads
does, is contested.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.trees import SEED

SAMPLE = 100
Row = dict[str, Any]
_Key = tuple[str, int, int, str]
"""Path, line, column and kind."""


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("repository", type=Path)
    arguments.add_argument("identifiers", type=Path)
    arguments.add_argument("--language", required=True, metavar="NAME")
    arguments.add_argument("--sample", type=int, default=SAMPLE, metavar="N", help=f"definitions to take ({SAMPLE})")
    given = arguments.parse_args()
    repository = given.repository.resolve()
    command = ["git", "rev-parse", "HEAD"]
    commit = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True).stdout.strip()
    with open(given.identifiers, encoding="utf-8") as lines:
        rows = gather(map(json.loads, lines))
    for row in draw(rows, given.sample):
        print(json.dumps({"repo": repository.name, "commit": commit, "lang": given.language, **row}))
    return 0


def gather(identifiers: Iterable[Row]) -> list[Row]:
    """A row for each definition that something refers to, in the order of their places."""
    targets: dict[_Key, Row] = {}
    places: dict[_Key, set[tuple[str, int, int]]] = {}
    meant: dict[tuple[str, int, int, str], set[_Key]] = {}
    for found in identifiers:
        target, place = found["target"], (found["path"], found["line"], found["col"])
        key = (target["path"], target["line"], target["col"], target["kind"])
        targets[key] = target
        places.setdefault(key, set()).add(place)
        meant.setdefault((*place, target["kind"]), set()).add(key)
    rows = []
    for key in sorted(targets):
        others = sorted(places[key] - {key[:3]})
        if others:
            sole = [place for place in others if len(meant[*place, key[3]]) == 1]
            shared = [place for place in others if len(meant[*place, key[3]]) > 1]
            rows.append({"def": targets[key], "refs": _as_rows(sole), "contested": _as_rows(shared)})
    return rows


def draw(rows: list[Row], count: int) -> list[Row]:
    """Always the same ones of the same rows, in their order."""
    chosen = random.Random(SEED).sample(range(len(rows)), min(count, len(rows)))
    return [rows[number] for number in sorted(chosen)]


def _as_rows(places: Iterable[tuple[str, int, int]]) -> list[Row]:
    return [{"path": path, "line": line, "col": col} for path, line, col in places]


if __name__ == "__main__":
    sys.exit(main())
