"""Definitions whose references are known, and the trees in which they are asked for.

A data folder holds `refs_<language>.jsonl`; a row has `repo`, `commit`, `lang`, `def`, `refs` (what two tools agree
on) and `contested` (what one of them says). `runtime_<language>.jsonl` has, for some of the same definitions,
attribute loads that were seen to reach them when tests ran (`runtime_refs`), and loads of the same name that reached
something else (`runtime_other`). Lines count from 1, columns from 0 in characters, in TypeScript in UTF-16 units. The
source text is not in it. Nothing here knows who is asked.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.references.strip_annotations import Blanked, strip_tree
from benchmarks.trees import commit_all, copy_repository

UTF16_LANGUAGES = ("typescript",)
_LEFT_OUT = (".git", ".codeplane")


class Position(NamedTuple):
    path: str
    line: int
    col: int


class Answer(NamedTuple):
    """One reference as a contender gives it."""

    path: str
    line: int
    col: int
    tier: str = ""
    """Empty for those who know no tiers."""

    @property
    def position(self) -> Position:
        return Position(self.path, self.line, self.col)


@dataclass(frozen=True)
class Definition:
    repo: str
    path: str
    line: int
    col: int
    name: str
    qualname: str
    kind: str

    @property
    def position(self) -> Position:
        return Position(self.path, self.line, self.col)


@dataclass(frozen=True)
class Truth:
    definition: Definition
    language: str
    commit: str
    agreed: frozenset[Position]
    contested: frozenset[Position]
    confirmed: frozenset[Position] = frozenset()
    """Seen to reach the definition at run time, whatever the tools say."""
    refuted: frozenset[Position] = frozenset()
    """Accesses of the same name that reached another definition at run time."""


def load(folder: Path) -> list[Truth]:
    """By file name, then in the order of the file."""
    confirmed: dict[Definition, tuple[frozenset[Position], frozenset[Position]]] = {}
    for row in _rows(folder, "runtime_*.jsonl"):
        confirmed[_definition(row)] = (_positions(row["runtime_refs"]), _positions(row["runtime_other"]))
    found = []
    for row in _rows(folder, "refs_*.jsonl"):
        definition = _definition(row)
        agreed, contested = _positions(row["refs"]), _positions(row.get("contested", ()))
        seen = confirmed.get(definition, (frozenset(), frozenset()))
        found.append(Truth(definition, row["lang"], row["commit"], agreed, contested, *seen))
    if not found:
        raise SystemExit(f"{folder} has no refs_*.jsonl with rows")
    return found


def describe_commit(repository: Path, commit: str) -> str | None:
    """Describe the difference if the rows were made for another commit of the repository."""
    head = _git(repository, "rev-parse", "HEAD")
    if head is None:
        return f"{repository.name} is no git repository: its commit could not be compared with {commit[:12]}"
    if head != commit:
        return f"{repository.name} is at {head[:12]}, the rows are of {commit[:12]}"
    if _git(repository, "status", "--porcelain", "--untracked-files=no"):
        return f"{repository.name} has edits that are not committed"
    return None


def copy_tree(source: Path, target: Path) -> Path:
    return copy_repository(source, target)


def copy_without_annotations(source: Path, target: Path) -> tuple[Path, Blanked]:
    shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns(*_LEFT_OUT))
    blanked = strip_tree(target)
    return commit_all(target), blanked


def without_blanked(truth: Truth, blanked: Blanked) -> Truth:
    """Drop references inside annotations, which were removed."""

    def left(positions: frozenset[Position]) -> frozenset[Position]:
        return frozenset(
            found
            for found in positions
            if not any(start <= found[1:] < end for start, end in blanked.get(found.path, ()))
        )

    return replace(
        truth,
        agreed=left(truth.agreed),
        contested=left(truth.contested),
        confirmed=left(truth.confirmed),
        refuted=left(truth.refuted),
    )


def in_utf16(tree: Path, answers: Iterable[Answer]) -> list[Answer]:
    """The same places, columns counted in UTF-16 units."""
    lines: dict[str, list[str]] = {}
    found = []
    for answer in answers:
        if answer.path not in lines:
            lines[answer.path] = (tree / answer.path).read_text("utf-8", "replace").split("\n")
        before = lines[answer.path][answer.line - 1][: answer.col]
        found.append(answer._replace(col=answer.col + sum(ord(char) > 0xFFFF for char in before)))
    return found


def _rows(folder: Path, pattern: str) -> Iterator[dict[str, Any]]:
    for file in sorted(folder.glob(pattern)):
        with open(file, encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines if line.strip())


def _definition(row: dict[str, Any]) -> Definition:
    return Definition(repo=row["repo"], **row["def"])


def _positions(rows: Iterable[dict[str, Any]]) -> frozenset[Position]:
    return frozenset(Position(row["path"], row["line"], row["col"]) for row in rows)


def _git(repository: Path, *arguments: str) -> str | None:
    done = subprocess.run(["git", *arguments], cwd=repository, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None
