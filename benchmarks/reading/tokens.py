"""Tokens from the text of an issue to the function that its fix changed.

    python -m benchmarks.reading.tokens DATA --mirror CLONES --work FOLDER [--tasks 100] [--json]

DATA is a folder of questions as `search.quality` takes it; of set A those are asked whose changed functions are known,
always the same `--tasks` of them. A token is four characters, and every answer is paid for whole, as it is sent. Both
ways know the function when they see its name, and neither knows in which file it is:

- ours: `search` with the text of the issue. If the page names the function, `read` of that symbol. Otherwise
  `file_outline` of each file found, in their order, until one names it, then `read` of the symbol; an outline that was
  cut is followed to its end.
- grep: a list of the ten files that fit best by definition-aware grep, a line each; then these files whole, in their
  order, until one holds the function.

A way that has not met the function in ten files has lost it; what it spent until then is shown apart.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.measure import Figure, Result, Table, emit
from benchmarks.search.bm25 import read
from benchmarks.search.codeplane_search import Ours
from benchmarks.search.data import Data, Question
from benchmarks.search.grep import Grep

from codeplane.base.limits import CHARS_PER_TOKEN

TASKS = 100
FILES = 10
WORST = 10


class Way(NamedTuple):
    tokens: float
    steps: int
    """Calls, or files read after the list."""
    reached: bool


class Task(NamedTuple):
    id: str
    ours: Way
    grep: Way


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--mirror", type=Path, required=True, metavar="CLONES")
    arguments.add_argument("--work", type=Path, required=True, metavar="FOLDER")
    arguments.add_argument("--tasks", type=int, default=TASKS, help=f"tasks ({TASKS})")
    arguments.add_argument("--json", action="store_true", help="one line of JSON with every value")
    given = arguments.parse_args()
    data = Data(given.data.resolve(), given.mirror.resolve(), given.work.resolve())
    return emit(measure(data, given.tasks), given.json)


def measure(data: Data, count: int) -> Result:
    result = Result("reading_tokens", 1)
    questions = [question for question in data.questions("A") if any(map(_names, question.symbols.values()))]
    step = max(1, len(questions) // count)
    chosen = questions[::step][:count]
    tasks: list[Task] = []
    ours, grep = Ours(data.work), Grep()
    try:
        for tree, group in data.trees(chosen):
            ours.turn_to(tree)
            grep.turn_to(tree)
            tasks += [Task(question.id, _ask(ours, question), _grep(grep, tree, question)) for question in group]
    finally:
        ours.close()
    _report(result, tasks)
    return result.finish()


def _names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Without those that only the tool which made the list gave."""
    return tuple(name for name in names if "__anon" not in name)


def _ask(ours: Ours, question: Question) -> Way:
    wanted = {path: _names(names) for path, names in question.symbols.items()}
    body = ours.send({"query": question.query})
    spent, steps = _tokens(body), 1
    rows = json.loads(body)["result"]["results"]
    for row in rows:
        if _is_wanted(wanted, row["path"], str(row.get("symbol_ref", "")).partition("#")[2].rpartition("@")[0]):
            return Way(spent + _tokens(ours.send({"target": row["symbol_ref"]}, "read")), steps + 1, True)
    for path in list(dict.fromkeys(str(row["path"]) for row in rows))[:FILES]:
        call: dict[str, Any] | None = {"tool": "file_outline", "args": {"file": path}}
        while call is not None:
            body = ours.send(call["args"], call["tool"])
            spent, steps = spent + _tokens(body), steps + 1
            answer = json.loads(body)
            found = answer.get("result", {})
            named = (entry.rpartition("@") for entry in found.get("others", ()))
            for name, line in (*_outlined(found.get("symbols", ()), ""), *((name, line) for name, _, line in named)):
                if _is_wanted(wanted, path, name):
                    target = {"target": f"{path}#{name}@{line}"}
                    return Way(spent + _tokens(ours.send(target, "read")), steps + 1, True)
            hints = answer.get("hints", {})
            call = hints.get("next") or (hints.get("whole") if found.get("has_more") else None)
    return Way(spent, steps, False)


def _outlined(symbols: Any, around: str) -> Iterator[tuple[str, int | str]]:
    for symbol in symbols:
        name = f"{around}.{symbol['name']}" if around else str(symbol["name"])
        yield name, symbol["line_start"]
        yield from _outlined(symbol.get("children", ()), name)


def _is_wanted(wanted: Mapping[str, tuple[str, ...]], path: str, name: str) -> bool:
    """The same last name, within the same around it as far as both say so: tools differ in whether a package or a
    namespace is part of a name, which classes are, and in blanks."""
    ours = name.replace(" ", "").split(".")
    known = [one.replace(" ", "").split(".") for one in wanted.get(path, ())]
    return any(ours[-1] == one[-1] and (_is_part(one, ours) or _is_part(ours, one)) for one in known)


def _is_part(some: list[str], all_of_them: list[str]) -> bool:
    """True if the names are a subsequence of the others."""
    left = iter(all_of_them)
    return all(name in left for name in some)


def _grep(grep: Grep, tree: Path, question: Question) -> Way:
    places = grep.ask(question.query)[:FILES]
    spent = 0.0
    for place in places:
        line = read(tree / place.path).split("\n")[(place.start_line or 1) - 1].strip()
        spent += len(f"{place.path}:{place.start_line}:{line}\n") / CHARS_PER_TOKEN
    for number, place in enumerate(places, 1):
        spent += len(read(tree / place.path)) / CHARS_PER_TOKEN
        if _names(question.symbols.get(place.path, ())):
            return Way(spent, number + 1, True)
    return Way(spent, len(places) + 1, False)


def _tokens(body: bytes) -> float:
    return len(body.decode()) / CHARS_PER_TOKEN


def _report(result: Result, tasks: list[Task]) -> None:
    ways = {"search, outline, read": [task.ours for task in tasks], "grep, read whole": [task.grep for task in tasks]}
    rows = []
    for name, found in ways.items():
        reached = [way.tokens for way in found if way.reached]
        lost = [way.tokens for way in found if not way.reached]
        cells = (_median(reached), _median(lost), f"{statistics.median(way.steps for way in found):.0f}")
        rows.append((name, f"{len(reached)} of {len(found)}", *cells))
    columns = ("", "reached", "tokens, median", "wasted, median", "calls, median")
    result.tables.append(Table("to the function", columns, tuple(rows)))
    both = [task for task in tasks if task.ours.reached and task.grep.reached]
    share = _ratio([task.ours.tokens for task in both], [task.grep.tokens for task in both])
    worst = sorted(tasks, key=lambda task: (-task.ours.tokens, task.id))[:WORST]
    table = tuple((task.id, _cell(task.ours), str(task.ours.steps), _cell(task.grep)) for task in worst)
    result.tables.append(Table("the ten dearest of ours", ("task", "ours", "calls", "grep"), table))
    beside = f"{len(both)} tasks that both reach"
    result.figures.append(Figure("median tokens, ours / grep", share, "×", 1.0, beside))
    result.data = {task.id: {"ours": task.ours._asdict(), "grep": task.grep._asdict()} for task in sorted(tasks)}


def _median(values: list[float]) -> str:
    return f"{statistics.median(values):,.0f}" if values else "-"


def _ratio(ours: list[float], theirs: list[float]) -> float:
    return statistics.median(ours) / statistics.median(theirs) if ours else 0.0


def _cell(way: Way) -> str:
    return f"{way.tokens:,.0f}{'' if way.reached else ' (not reached)'}"


if __name__ == "__main__":
    sys.exit(main())
