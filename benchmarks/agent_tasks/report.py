"""Tables, figures and transcripts of a run."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from benchmarks.agent_tasks.model import PLAIN_LANGUAGE
from benchmarks.agent_tasks.runner import Run, Side, Spent, TaskResult
from benchmarks.measure import Figure, Result, Table

MOST_TOTAL = 0.8
MOST_TASK = 1.2
MOST_PLAIN_LANGUAGE = 0.6
MOST_SEARCH = 450
MOST_EXACT_NAME = 120
MOST_EDIT = 60
MOST_CALL_GRAPH = 2.0
MOST_SCHEMA = 2000
MOST_INSTRUCTIONS = 300
_NAME = re.compile(r"[\w.:#$?!-]+")
_RANKED = (None, "auto", "symbol", "definitions")
_EXACT_NAME = "search, exact name"


def report(found: Run, tokenizer: str) -> Result:
    result = Result("agent_tasks", 1)
    results = found.results
    result.tables += [_tasks(results), _classes(results), _tools(results), _fixed(found)]
    result.figures += _figures(found)
    result.notes += [f"{result.task.name}: {name}: {problem}" for result, name, problem in _problems(results)]
    result.notes.append(f"tokens by {tokenizer}")
    result.data = _data(found)
    return result.finish()


def transcript(result: TaskResult) -> str:
    """Both sides of a task as the model saw them, one after the other."""
    task = result.task
    lines = [f"=== {task.name} ({task.kind}, {task.language}, {task.repository})", task.question]
    for title, side in (("codeplane", result.server), ("shell", result.shell)):
        verdict = "correct" if not side.problems else "; ".join(side.problems)
        lines.append(f"\n--- {title}: {side.tokens:,} tokens, {side.written:,} of them written; {verdict}")
        for step in side.steps:
            lines += [f"\n[{step.written} + {step.read}] {step.exchange.step.text}", step.exchange.output]
        if side.digest:
            lines.append(f"\ndiff {side.digest}")
    return "\n".join(lines)


def _tasks(results: Sequence[TaskResult]) -> Table:
    columns = ("task", "language", "calls", "ours", "commands", "rg", "ratio", "read only", "correct")
    return Table("tokens by task, written and read", columns, tuple(_task_row(result) for result in results))


def _task_row(result: TaskResult) -> tuple[str, ...]:
    ours, theirs = result.server, result.shell
    return (
        result.task.name,
        result.task.language,
        str(len(ours.steps)),
        f"{ours.tokens:,}",
        str(len(theirs.steps)),
        f"{theirs.tokens:,}",
        f"{result.ratio:.2f}",
        f"{ours.read / max(theirs.read, 1):.2f}",
        "yes" if result.correct else "NO",
    )


def _classes(results: Sequence[TaskResult]) -> Table:
    kinds = list(dict.fromkeys(result.task.kind for result in results))
    rows = [_class_row(kind, [result for result in results if result.task.kind == kind]) for kind in kinds]
    columns = ("class", "tasks", "ours", "rg", "ratio", "read only", "worst")
    return Table("by class", columns, (*rows, _class_row("all", results)))


def _class_row(title: str, results: Sequence[TaskResult]) -> tuple[str, ...]:
    return (
        title,
        str(len(results)),
        f"{_total(results, _server_tokens):,}",
        f"{_total(results, _shell_tokens):,}",
        f"{_ratio(results):.2f}",
        f"{_read_ratio(results):.2f}",
        f"{max(result.ratio for result in results):.2f}",
    )


def _tools(results: Sequence[TaskResult]) -> Table:
    rows = []
    for tool, steps in sorted(_answers(results).items()):
        sizes = [step.read for step in steps]
        counts = (statistics.median(sizes), max(sizes), sum(sizes), statistics.median(step.written for step in steps))
        rows.append((tool, str(len(steps)), *(f"{count:,.0f}" for count in counts)))
    columns = ("tool", "answers", "median", "largest", "all", "arguments, median")
    return Table("answers by tool, tokens", columns, tuple(rows))


def _fixed(found: Run) -> Table:
    rows = (("tools/list", f"{found.costs.tools:,}"), ("instructions", f"{found.costs.instructions:,}"))
    return Table("once for each conversation, not in the sums", ("", "tokens"), rows)


def _figures(found: Run) -> list[Figure]:
    results = found.results
    worst = max(results, key=lambda result: result.ratio)
    figures = [
        Figure("sum of tokens, ours / rg", _ratio(results), "×", MOST_TOTAL, f"read only {_read_ratio(results):.2f}×"),
        Figure("worst task, ours / rg", worst.ratio, "×", MOST_TASK, worst.task.name),
    ]
    if plain := [result for result in results if result.task.kind == PLAIN_LANGUAGE]:
        beside = f"{len(plain)} tasks, worst {max(result.ratio for result in plain):.2f}×"
        figures.append(Figure("plain-language tasks, ours / rg", _ratio(plain), "×", MOST_PLAIN_LANGUAGE, beside))
    answers = _answers(results)
    limits = {"search": MOST_SEARCH, _EXACT_NAME: MOST_EXACT_NAME, "write_source": MOST_EDIT}
    for tool, most in limits.items():
        if steps := [step for name, steps in answers.items() if _is_of(name, tool) for step in steps]:
            median = statistics.median(step.read for step in steps)
            figures.append(Figure(f"median answer of {tool}", median, "tokens", most, f"{len(steps)} answers"))
    if graphs := [step for step in answers.get("call_graph", ()) if step.named]:
        share = sum(step.read for step in graphs) / sum(step.named for step in graphs)
        worst_graph = max(step.read / step.named for step in graphs)
        beside = f"{len(graphs)} answers, worst {worst_graph:.2f}×"
        figures.append(Figure("call_graph / source lines it names", share, "×", MOST_CALL_GRAPH, beside))
    figures.append(Figure("schema of the tools", found.costs.tools, "tokens", MOST_SCHEMA, "tools/list, compact JSON"))
    figures.append(Figure("instructions", found.costs.instructions, "tokens", MOST_INSTRUCTIONS, "initialize"))
    wrong = [result for result in results if not result.correct]
    figures.append(Figure("tasks with a wrong end state", len(wrong), "", 0, f"{len(results)} tasks"))
    return figures


def _is_of(name: str, tool: str) -> bool:
    """An exact name is a search too."""
    return name == tool or (tool == "search" and name == _EXACT_NAME)


def _answers(results: Sequence[TaskResult]) -> dict[str, list[Spent]]:
    """Steps of our side by tool; searches for an exact name apart."""
    found: dict[str, list[Spent]] = {}
    for result in results:
        for step in result.server.steps:
            found.setdefault(_tool(step), []).append(step)
    return found


def _tool(spent: Spent) -> str:
    step = spent.exchange.step
    is_name = _NAME.fullmatch(str(step.arguments.get("query", "")))
    return _EXACT_NAME if step.tool == "search" and is_name and step.arguments.get("mode") in _RANKED else step.tool


def _problems(results: Sequence[TaskResult]) -> Iterator[tuple[TaskResult, str, str]]:
    for result in results:
        for name, side in (("ours", result.server), ("rg", result.shell)):
            for problem in side.problems:
                yield result, name, problem


def _ratio(results: Sequence[TaskResult]) -> float:
    return _total(results, _server_tokens) / _total(results, _shell_tokens)


def _read_ratio(results: Sequence[TaskResult]) -> float:
    return sum(result.server.read for result in results) / max(sum(result.shell.read for result in results), 1)


def _server_tokens(result: TaskResult) -> int:
    return result.server.tokens


def _shell_tokens(result: TaskResult) -> int:
    return result.shell.tokens


def _total(results: Sequence[TaskResult], tokens: Callable[[TaskResult], int]) -> int:
    return sum(tokens(result) for result in results)


def _data(found: Run) -> dict[str, Any]:
    return {
        "tasks": {
            result.task.name: {
                "class": result.task.kind,
                "language": result.task.language,
                "repository": result.task.repository,
                "ratio": result.ratio,
                "correct": result.correct,
                "ours": _side_data(result.server),
                "rg": _side_data(result.shell),
            }
            for result in found.results
        },
        "fixed": found.costs._asdict(),
    }


def _side_data(side: Side) -> dict[str, Any]:
    steps = [{"tool": step.exchange.step.tool, "written": step.written, "read": step.read} for step in side.steps]
    sums = {"tokens": side.tokens, "written": side.written, "read": side.read}
    return sums | {"steps": steps, "problems": side.problems}
