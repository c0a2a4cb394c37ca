"""Run tasks on both sides, count tokens, and check the end state."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.agent_tasks import trees
from benchmarks.agent_tasks.model import Repository, Task
from benchmarks.agent_tasks.sides import Exchange, FixedCosts, fixed_costs, run_calls, run_commands, served

Count = Callable[[str], int]
_PLACE = re.compile(r"(?P<path>[^\s:]+):(?P<line>\d+)")
_ROW = re.compile(r"\s*[<>]?\s*(?P<line>\d+)[:\s]")


class Spent(NamedTuple):
    """One step with its tokens."""

    exchange: Exchange
    written: int
    read: int
    named: int
    """Tokens of the source lines that an answer of `call_graph` names; 0 for other tools."""


class Side(NamedTuple):
    steps: tuple[Spent, ...]
    problems: tuple[str, ...]
    """Difference from the expected end state; empty if there is none."""
    digest: str
    """Digest of the diff that the side left behind; empty without changes."""

    @property
    def written(self) -> int:
        return sum(step.written for step in self.steps)

    @property
    def read(self) -> int:
        return sum(step.read for step in self.steps)

    @property
    def tokens(self) -> int:
        return self.written + self.read


class TaskResult(NamedTuple):
    task: Task
    server: Side
    shell: Side

    @property
    def ratio(self) -> float:
        return self.server.tokens / self.shell.tokens

    @property
    def correct(self) -> bool:
        return not self.server.problems and not self.shell.problems


class Costs(NamedTuple):
    """Tokens of what a client puts before the model once."""

    tools: int
    instructions: int


class Run(NamedTuple):
    results: tuple[TaskResult, ...]
    costs: Costs


def run(tasks: Sequence[Task], repositories: Mapping[str, Repository], mirror: Path, work: Path, count: Count) -> Run:
    results: list[TaskResult] = []
    costs = Costs(0, 0)
    for name, group in _by_repository(tasks):
        tree = trees.check_out(repositories[name], mirror, work)
        with served(tree.server, work) as place:
            for task in group:
                server = _side(task, asyncio.run(run_calls(place, task.calls)), tree.server, count)
                shell = _side(task, run_commands(tree.shell, task.commands), tree.shell, count)
                results.append(TaskResult(task, server, shell))
            costs = _costs(asyncio.run(fixed_costs(place)), count)
    order = {task.name: number for number, task in enumerate(tasks)}
    return Run(tuple(sorted(results, key=lambda result: order[result.task.name])), costs)


def _by_repository(tasks: Iterable[Task]) -> Iterator[tuple[str, list[Task]]]:
    """Tasks that change files come last, so that the index is up to date for the others."""
    groups: dict[str, list[Task]] = {}
    for task in tasks:
        groups.setdefault(task.repository, []).append(task)
    for name, group in groups.items():
        yield name, sorted(group, key=lambda task: bool(task.diff))


def _side(task: Task, exchanges: Sequence[Exchange], tree: Path, count: Count) -> Side:
    steps = tuple(_spent(exchange, tree, count) for exchange in exchanges)
    printed = "\n".join(exchange.output for exchange in exchanges)
    problems = [f"not printed: {pattern.pattern}" for pattern in task.evidence if not pattern.search(printed)]
    problems += [f"failed: {exchange.step.text[:80]}" for exchange in exchanges if exchange.failed]
    text = trees.diff(tree)
    digest = trees.diff_digest(text) if text else ""
    if digest != task.diff:
        problems.append(f"the diff is {digest or 'empty'}, not {task.diff or 'empty'}")
    if (changed := trees.changed_lines(tree)) != task.changes:
        problems.append(f"changed lines: {_counts(changed)}; expected: {_counts(task.changes)}")
    if text:
        trees.reset(tree)
    return Side(steps, tuple(problems), digest)


def _spent(exchange: Exchange, tree: Path, count: Count) -> Spent:
    named = 0
    if exchange.step.tool == "call_graph" and not exchange.failed:
        named = sum(count(line.strip()) for line in named_lines(exchange.output, tree))
    return Spent(exchange, count(exchange.step.text), count(exchange.output), named)


def named_lines(answer: str, tree: Path) -> list[str]:
    """Source lines whose place an answer gives, each once: `path:line`, or a row under its path or directory."""
    places: dict[tuple[str, int], None] = {}
    directory = path = ""
    for row in answer.splitlines():
        words = row.split()
        head = words[0] if words else ""
        if len(words) == 1 and head.endswith("/") and (tree / head).is_dir():
            directory = head
        elif found := _places(row, tree, directory):
            places |= dict.fromkeys(found)
            path = found[-1][0]
        elif head and (tree / head).is_file():
            path = head
        elif path and (match := _ROW.match(row)):
            places[path, int(match["line"])] = None
    texts: dict[str, list[str]] = {}
    lines = []
    for file, number in places:
        if file not in texts:
            texts[file] = (tree / file).read_text(errors="replace").splitlines()
        lines += texts[file][number - 1 : number]
    return lines


def _places(row: str, tree: Path, directory: str) -> list[tuple[str, int]]:
    found = []
    for match in _PLACE.finditer(row):
        named = (match["path"], f"{directory}{match['path']}")
        found += [(path, int(match["line"])) for path in named if (tree / path).is_file()][:1]
    return found


def _costs(fixed: FixedCosts, count: Count) -> Costs:
    return Costs(count(fixed.tools), count(fixed.instructions))


def _counts(changes: Mapping[str, tuple[int, int]]) -> str:
    return ", ".join(f"{path} +{added} -{removed}" for path, (added, removed) in sorted(changes.items())) or "none"
