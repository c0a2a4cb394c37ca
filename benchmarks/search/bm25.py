"""The plainest peer that ranks: BM25 over whole files, in memory.

Words are identifiers, whole and in their parts; function words of English are left out of the query.
Files that did not change since the last tree are not read again.
"""

from __future__ import annotations

import heapq
import math
import os
import re
from collections import Counter
from pathlib import Path

from benchmarks.search.data import STATE_NAMES, Place

_K1 = 1.5
_B = 0.75
_KEPT = 100
_WORD = re.compile(r"[A-Za-z0-9_$]+")
_PART = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+|[A-Z]|[0-9]+")
_LONGEST = 64
_FUNCTION_WORDS = (
    "the this that these those an and or not but if of in on at to for from by with as is are was were be been it its "
    "we you they there here then than so when where what which who how why do does did can could should would will "
    "have has had into about"
)
STOP_WORDS = frozenset(_FUNCTION_WORDS.split())


class Bm25:
    """Ranks files; an answer has no lines."""

    def __init__(self) -> None:
        self._kept: dict[Path, dict[str, tuple[tuple[int, int], Counter[str]]]] = {}
        self._files: list[str] = []
        self._lengths: list[int] = []
        self._postings: dict[str, list[tuple[int, int]]] = {}

    def turn_to(self, tree: Path) -> None:
        before = self._kept.get(tree, {})
        # Trees come in turn: what was kept of another will not be asked for again.
        now: dict[str, tuple[tuple[int, int], Counter[str]]] = {}
        for path, file in files_under(tree):
            status = file.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            known = before.get(path)
            now[path] = known if known and known[0] == stamp else (stamp, Counter(words(read(file))))
        self._kept = {tree: now}
        self._files = list(now)
        self._lengths = [counts.total() for _, counts in now.values()]
        self._postings = {}
        for number, (_, counts) in enumerate(now.values()):
            for word, count in counts.items():
                self._postings.setdefault(word, []).append((number, count))

    def ask(self, query: str) -> list[Place]:
        total = len(self._files)
        mean = sum(self._lengths) / max(total, 1) or 1.0
        scores: dict[int, float] = {}
        for word, times in sorted(Counter(words(query, asked=True)).items()):
            postings = self._postings.get(word, [])
            weight = times * math.log(1 + (total - len(postings) + 0.5) / (len(postings) + 0.5))
            for number, count in postings:
                damped = count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * self._lengths[number] / mean))
                scores[number] = scores.get(number, 0.0) + weight * damped
        best = heapq.nsmallest(_KEPT, scores, key=lambda number: (-scores[number], self._files[number]))
        return [Place(self._files[number]) for number in best]

    def close(self) -> None:
        """Hold nothing that needs closing."""


def files_under(tree: Path) -> list[tuple[str, Path]]:
    """All files by their path, without what an index keeps."""
    found = []
    for directory, directories, names in os.walk(tree):
        directories[:] = [name for name in directories if name not in STATE_NAMES]
        found += [Path(directory, name) for name in names]
    return sorted((file.relative_to(tree).as_posix(), file) for file in found)


def read(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "replace")


def words(text: str, *, asked: bool = False) -> list[str]:
    """Every run of word characters, and the parts of those that have several; letters alone say nothing."""
    found = []
    for match in _WORD.finditer(text):
        whole = match.group().strip("_$")
        if len(whole) > _LONGEST:
            continue
        parts = _PART.findall(whole)
        found += [whole, *parts] if len(parts) > 1 else [whole]
    lowered = (word.lower() for word in found if len(word) > 1)
    return [word for word in lowered if not (asked and word in STOP_WORDS)]
