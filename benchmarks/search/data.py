"""Questions with known answers, and the trees that they are asked of.

A data folder holds `A.jsonl` … `S.jsonl` (rows with `id`, `repo`, `query`, `gold_files`, and spans where there are
any), `repos.json`, and `checkout.py` with `lib/evlib.py`, which say what belongs to a corpus. The source text is not in
it: it comes from bare clones, `MIRROR/<owner>+<name>/repo`. Of set A every question has a snapshot of its own; they
are written one over the other, oldest first, so that an index can follow. Nothing here knows who is asked.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from benchmarks.trees import SEED

SETS = ("A", "B", "C", "D", "S")
STATE_NAMES = (".codeplane",)
"""Index files in a tree, which a new snapshot must not touch."""


class Place(NamedTuple):
    """Location of a result; a whole file if it has no lines."""

    path: str
    start_line: int | None = None
    end_line: int | None = None


@dataclass(frozen=True)
class Question:
    id: str
    set: str
    repo: str
    commit: str
    query: str
    gold_files: frozenset[str]
    gold: tuple[Place, ...]
    """Spans, of the sets that have them."""
    kind: str
    root: str
    """The folder of the repository that is the corpus; empty for all of it."""
    symbols: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Set A: functions and types changed by the fix, by file, if known."""


class Asked(NamedTuple):
    """A tree that is ready, and what is to be asked of it."""

    tree: Path
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class Data:
    folder: Path
    mirror: Path
    work: Path

    def questions(self, name: str, sample: int | None = None) -> list[Question]:
        """In the order of the file; `sample` is that many of them, always the same."""
        with open(self.folder / f"{name}.jsonl", encoding="utf-8") as lines:
            found = [_question(name, json.loads(line)) for line in lines if line.strip()]
        if sample is None or sample >= len(found):
            return found
        kept = set(random.Random(SEED).sample(range(len(found)), sample))
        return [question for number, question in enumerate(found) if number in kept]

    def trees(self, questions: Sequence[Question]) -> Iterator[Asked]:
        """Each tree once, with its questions; a tree of set A holds only until the next one is taken."""
        groups: dict[tuple[str, str, str], list[Question]] = {}
        for question in questions:
            groups.setdefault((question.set, question.repo, question.commit), []).append(question)
        pinned = {key: group for key, group in groups.items() if key[0] != "A"}
        for group in pinned.values():
            yield Asked(self._pinned_tree(group[0]), tuple(group))
        moving: dict[str, dict[str, list[Question]]] = {}
        for (name, repo, commit), group in groups.items():
            if name == "A":
                moving.setdefault(repo, {})[commit] = group
        for repo in sorted(moving):
            commits = _oldest_first(self._clone(repo), moving[repo])
            for commit in commits:
                yield Asked(self._snapshot(repo, commit), tuple(moving[repo][commit]))

    def _clone(self, repo: str) -> Path:
        return self.mirror / repo.replace("/", "+") / "repo"

    def _pinned_tree(self, question: Question) -> Path:
        name = question.repo.replace("/", "__")
        if question.set == "S":
            place = self.work / "corpora" / "S" / name
            if not place.exists():
                self._checkout(place, question.repo, question.commit, "OUT", "--root", question.root)
            return place
        base = self.work / "corpora" / "set"
        if not base.exists():
            self._checkout(base, "--set", str(self.folder), "OUT")
        return base / (f"{name}.stripped" if question.set == "C" else name)

    def _checkout(self, place: Path, *words: str) -> None:
        """Written beside its place first: what is there is whole."""
        partial = place.with_name(f"{place.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.parent.mkdir(parents=True, exist_ok=True)
        command = [
            sys.executable,
            str(self.folder / "checkout.py"),
            *(str(partial) if w == "OUT" else w for w in words),
        ]
        environment = {**os.environ, "EVAL_MIRROR": str(self.mirror.resolve()), "PYTHONDONTWRITEBYTECODE": "1"}
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        partial.rename(place)

    def _snapshot(self, repo: str, commit: str) -> Path:
        """Only what differs from the snapshot that lies there is written or removed."""
        place = self.work / "corpora" / "A" / repo.replace("/", "__")
        place.mkdir(parents=True, exist_ok=True)
        record = place.with_name(f"{place.name}.json")
        before: dict[str, str] = {}
        if record.exists():
            before = json.loads(record.read_text())
            # Without a record, whatever lies there is not trusted: so it is after an interruption.
            record.unlink()
        else:
            _empty(place)
        rules = _rules(self.folder)
        after = {
            path: blob
            for path, blob, size in _listed(self._clone(repo), commit)
            if rules.is_code(path) and size <= rules.MAX_BYTES
        }
        for path in before.keys() - after.keys():
            (place / path).unlink()
        changed = sorted(path for path, blob in after.items() if before.get(path) != blob)
        for path, content in zip(changed, _contents(self._clone(repo), [after[p] for p in changed]), strict=True):
            target = place / path
            _make_room(place, target)
            target.write_bytes(content)
        record.write_text(json.dumps(after))
        return place


def _question(name: str, row: dict[str, Any]) -> Question:
    spans = tuple(Place(g["path"], g["start_line"], g.get("end_line") or g["start_line"]) for g in row.get("gold", ()))
    commit = row.get("base_commit") or row["commit"]
    files = frozenset(row["gold_files"])
    symbols = {path: tuple(names) for path, names in (row.get("gold_symbols") or {}).items()}
    kind, root = row.get("kind", ""), row.get("root") or ""
    return Question(row["id"], name, row["repo"], commit, row["query"], files, spans, kind, root, symbols)


def _rules(folder: Path) -> ModuleType:
    """Load the corpus rules from the data folder."""
    spec = importlib.util.spec_from_file_location("search_data_rules", folder / "lib" / "evlib.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = written
    return module


def _oldest_first(clone: Path, commits: Iterable[str]) -> list[str]:
    """By the time of the commit, since neighbours in time differ least."""
    wanted = sorted(commits)
    words = ["git", "-C", str(clone), "log", "--no-walk=unsorted", "--format=%ct %H", *wanted]
    lines = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split("\n")
    times = {line.split()[1]: int(line.split()[0]) for line in lines if line}
    return sorted(wanted, key=lambda commit: (times[commit], commit))


def _listed(clone: Path, commit: str) -> Iterator[tuple[str, str, int]]:
    words = ["git", "-C", str(clone), "ls-tree", "-r", "-l", "-z", commit]
    for line in subprocess.run(words, check=True, capture_output=True).stdout.split(b"\0"):
        if line:
            head, path = line.split(b"\t", 1)
            mode, kind, blob, size = head.split()
            if kind == b"blob" and mode != b"120000":
                yield os.fsdecode(path), blob.decode(), int(size)


def _contents(clone: Path, blobs: Sequence[str]) -> Iterator[bytes]:
    words = ["git", "-C", str(clone), "cat-file", "--batch"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        for blob in blobs:
            process.stdin.write(f"{blob}\n".encode())
            process.stdin.flush()
            head = process.stdout.readline().split()
            if len(head) != 3:
                raise SystemExit(f"{clone} lacks {blob}")
            yield process.stdout.read(int(head[2]))
            process.stdout.read(1)
        process.stdin.close()


def _make_room(place: Path, target: Path) -> None:
    """A file may lie where a directory was, and a directory where a file was."""
    if target.is_dir():
        shutil.rmtree(target)
    for parent in target.parents:
        if parent == place:
            break
        if parent.is_file():
            parent.unlink()
    target.parent.mkdir(parents=True, exist_ok=True)


def _empty(place: Path) -> None:
    for entry in place.iterdir():
        if entry.name not in STATE_NAMES:
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
