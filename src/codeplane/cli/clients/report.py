"""Presentation of planned and finished steps of 'cpl install' and 'cpl uninstall'."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence
from pathlib import Path

from codeplane.base.paths import display
from codeplane.cli.clients.model import Launch, Machine, connected, launched
from codeplane.cli.clients.plan import (
    FOREIGN,
    REFUSED,
    REPLACE,
    Step,
    read_text,
)
from codeplane.cli.errors import error_text
from codeplane.cli.terminal import Style, fit

_LINE = 200
"""Maximum line length of a diff: a file may be one long line with private data."""


_DONE = {"add": "added", "update": "updated", "replace": "replaced", "remove": "removed", "same": "unchanged"}


_STILL = {"absent": "not configured", "foreign": "not ours, kept", "refused": "not changed"}


def step_lines(steps: Sequence[Step], machine: Machine, style: Style, *, done: bool = False) -> list[str]:
    words = {step.path: (_DONE | _STILL)[step.action] if done else step.action for step in steps}
    if not done:
        words |= {step.path: (_DONE | _STILL)[step.action] for step in steps if not step.changes}
    first = max(len(word) for word in words.values())
    second = max(len(step.client.title) for step in steps)
    lines = []
    for step in steps:
        word = words[step.path].ljust(first)
        colour = style.green if step.changes else style.red if step.action == REFUSED else style.dim
        line = f"  {colour(word)}  {step.client.title.ljust(second)}  {style.dim(short_path(step.path, machine))}"
        if step.action in (REPLACE, FOREIGN):
            tense = "was" if done and step.changes else "now"
            line += "  " + style.yellow(f"{tense}: {describe_entry(step.existing)}")
        lines.append(line)
    return lines


def describe_entry(entry: object) -> str:
    """Return the command or URL of an entry; never its variables or headers, which may hold secrets."""
    started = launched(entry)
    if started:
        return fit(command_line(started), 80)
    address = connected(entry)
    return fit(address.partition("?")[0], 80) if address else "another entry"


def diff_lines(step: Step, machine: Machine, style: Style) -> list[str]:
    name = short_path(step.path, machine)
    lines = [style.bold(f"--- {name}"), style.bold(f"+++ {name}")]
    for line in _changes(step)[2:]:
        colour = {"+": style.green, "-": style.red, "@": style.dim}.get(line[:1], str)
        lines.append(colour(fit(line, _LINE)))
    return lines


def _changes(step: Step) -> list[str]:
    before = read_text(step.source)[1] if step.source else ""
    after = step.after.decode("utf-8").removeprefix("\ufeff")
    old, new = (text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else [] for text in (before, after))
    # One line of context only: the neighbours may contain keys.
    return list(difflib.unified_diff(old, new, str(step.path), str(step.path), n=1, lineterm=""))


def problem_lines(refused: Sequence[Step]) -> list[str]:
    style = Style.of(sys.stdout)
    return [error_text(step.problem, style) for step in refused if step.problem]


def step_record(step: Step, *, diff: bool = False, backup: Path | None = None) -> dict[str, object]:
    shown: dict[str, object] = {
        "client": step.client.name,
        "scope": step.scope.value,
        "path": str(step.path),
        "action": step.action,
    }
    if step.source and step.source.linked:
        shown["target"] = str(step.source.target)
    if step.action in (REPLACE, FOREIGN):
        shown["existing"] = describe_entry(step.existing)
    if diff and step.changes:
        shown["diff"] = "\n".join(fit(line, _LINE) for line in _changes(step))
    if backup:
        shown["backup"] = str(backup)
    if step.problem:
        shown["error"] = step.problem.as_dict()
    return shown


def command_line(start: Launch) -> str:
    return display(" ".join((start.command, *start.args)))


def short_path(path: Path, machine: Machine) -> str:
    if path.is_relative_to(machine.home) and path != machine.home:
        return display(f"~/{path.relative_to(machine.home)}")
    return display(str(path))
