"""Tokens per search result by level of detail, and recall within the first tokens of an answer.

    python -m benchmarks.search.tokens DATA --mirror CLONES --work FOLDER [--sets A,B,C,D,S] [--sample 40] [--every N]
        [--json]

Asks the questions of `search.quality` of the same trees and indexes; `--every` takes each Nth of them. A token is four
characters. A result is one row of an answer as it is sent; `compact` and `context` are compared on the same rows. What
is found within the first 2,000 tokens is asked of sets A and B: which files with the answer are named in the rows that
lie within them. Beside it stands "grep then read": a list of the ten files that fit best by definition-aware grep, a
line each, then these files from their beginning, until the tokens are spent; a file counts once it is being read. The
list alone, which says little of what is in the files, is shown too.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.measure import Figure, Result, Table, emit
from benchmarks.search.bm25 import read
from benchmarks.search.codeplane_search import Ours
from benchmarks.search.data import SETS, Data, Place, Question
from benchmarks.search.grep import Grep
from benchmarks.search.quality import names_of

from codeplane.base.limits import CHARS_PER_TOKEN

MOST_TOKENS = {"location": 60, "signature": 120}
MOST_COMPACT = 0.20
FIRST_TOKENS = 2000
_RECALLED = ("A", "B")
_LISTED = 10
_LEVELS: Mapping[str, Mapping[str, object]] = {
    "location": {"detail_level": "location"},
    "signature": {},
    "context": {"detail_level": "context", "limit": 10},
    "compact": {"compact": True, "limit": 10},
}


@dataclass
class Spent:
    """Characters of all rows of one level."""

    rows: int = 0
    characters: int = 0
    answers: list[int] = field(default_factory=list)

    @property
    def tokens(self) -> float:
        return self.characters / CHARS_PER_TOKEN / max(self.rows, 1)


@dataclass
class Recall:
    """Share of the answer files that were seen, and how often at least one was."""

    shares: list[float] = field(default_factory=list)

    def add(self, question: Question, seen: set[str]) -> None:
        self.shares.append(len(question.gold_files & seen) / len(question.gold_files))

    @property
    def cells(self) -> tuple[str, str]:
        count = max(len(self.shares), 1)
        return f"{sum(self.shares) / count:.3f}", f"{sum(share > 0 for share in self.shares) / count:.3f}"


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--mirror", type=Path, required=True, metavar="CLONES")
    arguments.add_argument("--work", type=Path, required=True, metavar="FOLDER")
    arguments.add_argument("--sets", type=names_of(SETS), default=list(SETS), help="of A,B,C,D,S (all)")
    arguments.add_argument("--sample", type=int, help="rows of set A (all)")
    arguments.add_argument("--every", type=int, default=1, help="each Nth question of the other sets (1)")
    arguments.add_argument("--json", action="store_true", help="one line of JSON with every value")
    given = arguments.parse_args()
    data = Data(given.data.resolve(), given.mirror.resolve(), given.work.resolve())
    asked = {
        name: data.questions(name, given.sample) if name == "A" else data.questions(name)[:: given.every]
        for name in given.sets
    }
    return emit(measure(data, asked), given.json)


def measure(data: Data, asked: Mapping[str, Sequence[Question]]) -> Result:
    result = Result("search_tokens", 1)
    spent = {level: Spent() for level in _LEVELS}
    same = {"compact": 0, "context": 0}
    recalls: dict[str, dict[str, Recall]] = {}
    ours, grep = Ours(data.work), Grep()
    try:
        for name, questions in asked.items():
            for tree, group in data.trees(questions):
                ours.turn_to(tree)
                if name in _RECALLED:
                    grep.turn_to(tree)
                for question in group:
                    answers = {level: ours.send({"query": question.query, **more}) for level, more in _LEVELS.items()}
                    rows = {level: _rows(body) for level, body in answers.items()}
                    for level, texts in rows.items():
                        spent[level].rows += len(texts)
                        spent[level].characters += sum(map(len, texts))
                        spent[level].answers.append(len(answers[level].decode()))
                    both = min(len(rows[level]) for level in same)
                    for level in same:
                        same[level] += sum(len(text.encode()) for text in rows[level][:both])
                    if name in _RECALLED:
                        seen = recalls.setdefault(name, {})
                        for way, files in _seen(answers, grep.ask(question.query), tree).items():
                            seen.setdefault(way, Recall()).add(question, files)
    finally:
        ours.close()
    _report(result, spent, same, recalls)
    return result.finish()


def _rows(body: bytes) -> list[str]:
    return [json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in _results(body)]


def _results(body: bytes) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(body)["result"]["results"]
    return found


def _seen(answers: Mapping[str, bytes], grepped: Sequence[Place], tree: Path) -> dict[str, set[str]]:
    """Files by the way they came before the reader's eyes within the first tokens."""
    room = FIRST_TOKENS * CHARS_PER_TOKEN
    listed = grepped[:_LISTED]
    spent = sum(len(f"{place.path}:{place.start_line}:{_line(tree, place)}\n") for place in listed)
    begun: set[str] = set()
    for place in listed:
        if spent >= room:
            break
        begun.add(place.path)
        spent += len(read(tree / place.path))
    return {
        "search, default": _within(answers["signature"], room),
        "search, location": _within(answers["location"], room),
        "grep then read": begun,
        "the list of grep alone": {place.path for place in listed},
    }


def _within(body: bytes, room: int) -> set[str]:
    text = body.decode()
    end = text.find('"results":')
    found = set()
    for row in _results(body):
        written = json.dumps(row, separators=(",", ":"), ensure_ascii=False)
        end = text.find(written, end) + len(written)
        if end > room:
            break
        found.add(str(row["path"]))
    return found


def _line(tree: Path, place: Place) -> str:
    lines = read(tree / place.path).split("\n")
    return lines[(place.start_line or 1) - 1].strip()


def _report(
    result: Result, spent: Mapping[str, Spent], same: Mapping[str, int], recalls: Mapping[str, Mapping[str, Recall]]
) -> None:
    rows = []
    for level, found in spent.items():
        whole = sum(found.answers) / max(len(found.answers), 1) / CHARS_PER_TOKEN
        results = found.rows / max(len(found.answers), 1)
        rows.append((level, f"{found.tokens:.0f}", f"{results:.1f}", f"{whole:,.0f}"))
    columns = ("", "tokens a result", "results", "tokens of the answer")
    result.tables.append(Table("means over all questions", columns, tuple(rows)))
    for name, ways in recalls.items():
        table = tuple((way, *recall.cells) for way, recall in ways.items())
        title = f"set {name}: files with the answer within {FIRST_TOKENS:,} tokens"
        result.tables.append(Table(title, ("", "share of them", "at least one"), table))
    for level, most in MOST_TOKENS.items():
        result.figures.append(Figure(f"tokens a result, {level}", spent[level].tokens, "", most, ""))
    ratio = same["compact"] / max(same["context"], 1)
    result.figures.append(Figure("bytes of compact / of context", ratio, "×", MOST_COMPACT, "the same rows"))
    result.data = {
        "levels": {level: {"tokens": found.tokens, "rows": found.rows} for level, found in spent.items()},
        "compact_to_context": ratio,
        "recall": {name: {way: recall.cells for way, recall in ways.items()} for name, ways in recalls.items()},
    }


if __name__ == "__main__":
    sys.exit(main())
