"""Tasks as data: what is asked, the steps of both sides, and what proves that the task was done.

One YAML file per class of task lies in `tasks/`; `repositories.yaml` beside this module has the commit of each
repository. Loading checks every field, so that a misspelled one is an error and not a task that proves nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import yaml

FOLDER = Path(__file__).parent
SHELL = "bash"
EDIT = "edit"
PLAIN_LANGUAGE = "plain_language"
_REQUIRED = {"name", "repository", "language", "question", "calls", "commands"}
_OPTIONAL = {"evidence", "changes", "diff"}
_EDIT_FIELDS = {"path", "old_text", "new_text"}


class TaskError(Exception):
    """A task that is written wrongly, or a step of it that cannot be carried out."""


class Step(NamedTuple):
    """One call of an agent: a tool of the server, a shell command, or an edit as agents make it without a server."""

    tool: str
    arguments: Mapping[str, Any]

    @property
    def text(self) -> str:
        """Tool name and arguments, as the model writes them."""
        return f"{self.tool} {json.dumps(self.arguments, separators=(',', ':'), ensure_ascii=False)}"


class Task(NamedTuple):
    name: str
    kind: str
    repository: str
    """`owner/name` on GitHub."""
    language: str
    question: str
    calls: tuple[Step, ...]
    """Steps with the tools of the server."""
    commands: tuple[Step, ...]
    """Steps with a shell and a str_replace edit."""
    evidence: tuple[re.Pattern[str], ...]
    """Each must match somewhere in what the steps of a side printed."""
    changes: Mapping[str, tuple[int, int]]
    """Lines added and removed by path, of a task that changes files."""
    diff: str
    """First digits of the sha256 of the diff that both sides must leave behind; empty if nothing is changed."""


@dataclass(frozen=True)
class Repository:
    name: str
    commit: str

    @property
    def folder(self) -> str:
        return self.name.replace("/", "+")


def load_tasks(folder: Path = FOLDER / "tasks") -> list[Task]:
    """All tasks, by class and then in the order of the file."""
    found = [
        _task(row, file.stem)
        for file in sorted(folder.glob("*.yaml"))
        for row in yaml.safe_load(file.read_text(encoding="utf-8")) or ()
    ]
    names = [task.name for task in found]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise TaskError(f"tasks with the same name: {', '.join(repeated)}")
    return found


def load_repositories(file: Path = FOLDER / "repositories.yaml") -> dict[str, Repository]:
    rows: dict[str, str] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return {name: Repository(name, commit) for name, commit in rows.items()}


def _task(row: Mapping[str, Any], kind: str) -> Task:
    where = f"{kind}.yaml: {row.get('name', 'a task without a name')}"
    if missing := _REQUIRED - row.keys():
        raise TaskError(f"{where}: {', '.join(sorted(missing))} missing")
    if unknown := row.keys() - _REQUIRED - _OPTIONAL:
        raise TaskError(f"{where}: unknown field {', '.join(sorted(unknown))}")
    if not row.get("evidence") and not row.get("diff"):
        raise TaskError(f"{where}: neither evidence nor a diff, so nothing is checked")
    changes = {path: _lines(count, where) for path, count in (row.get("changes") or {}).items()}
    return Task(
        name=row["name"],
        kind=kind,
        repository=row["repository"],
        language=row["language"],
        question=row["question"],
        calls=tuple(_call(step, where) for step in row["calls"]),
        commands=tuple(_command(step, where) for step in row["commands"]),
        evidence=tuple(re.compile(pattern) for pattern in row.get("evidence") or ()),
        changes=changes,
        diff=str(row.get("diff") or ""),
    )


def _call(step: Any, where: str) -> Step:
    if not isinstance(step, dict) or len(step) != 1:
        raise TaskError(f"{where}: a call is one tool with its arguments, not {step!r}")
    ((tool, arguments),) = step.items()
    return Step(tool, arguments or {})


def _command(step: Any, where: str) -> Step:
    if isinstance(step, str):
        return Step(SHELL, {"command": step})
    made = _call(step, where)
    if made.tool != EDIT or made.arguments.keys() != _EDIT_FIELDS:
        raise TaskError(f"{where}: a command is a shell line or an edit with path, old_text and new_text")
    return made


def _lines(count: Any, where: str) -> tuple[int, int]:
    found = re.fullmatch(r"\+(\d+) -(\d+)", str(count))
    if found is None:
        raise TaskError(f"{where}: changed lines are written '+1 -1', not {count!r}")
    return int(found[1]), int(found[2])
