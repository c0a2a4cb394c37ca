"""Shared by the JSON and TOML editors: syntax errors with a position, and edits of a text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class SyntaxProblem(Exception):
    """The text is invalid at this line and column."""

    def __init__(self, reason: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {reason}")
        self.reason = reason
        self.line = line
        self.column = column


class Unchangeable(Exception):
    """The text is valid, but our entry cannot be changed without touching something else."""


class Splice(NamedTuple):
    """Replace the text between `start` and `end`."""

    start: int
    end: int
    text: str


def splice(text: str, splices: Iterable[Splice]) -> str:
    """Apply all edits; positions refer to the original text. At the same position the earlier edit comes first."""
    parts, position = [], 0
    for edit in sorted(splices, key=lambda edit: (edit.start, edit.end)):
        parts += [text[position : edit.start], edit.text]
        position = edit.end
    return "".join([*parts, text[position:]])


def problem_at(text: str, position: int, reason: str) -> SyntaxProblem:
    line = text.count("\n", 0, position) + 1
    return SyntaxProblem(reason, line, position - text.rfind("\n", 0, position))


def newline_of(text: str) -> str:
    """Return the line ending of a text: that of its first line."""
    end = text.find("\n")
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"
