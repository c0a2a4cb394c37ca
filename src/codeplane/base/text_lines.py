"""Lines of a text answer, and the three ways to print them: for agents, through a pipe, on a terminal.

A tool builds `TextLine` values; only the printer decides how they look. An agent reads `agent_text`: a path heads its
rows, and a row starts with its line number. A pipe gets `path:line:text`, as ripgrep prints it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from codeplane.base.paths import display

INDENT = "  "


class LineKind(StrEnum):
    HEADING = "heading"
    """A path that heads the rows below it."""
    MATCH = "match"
    """A line of source: its number, a tab, and the text as it is in the file."""
    SYMBOL = "symbol"
    """A definition, `41-58 signature`."""
    SOURCE = "source"
    """A line of a text that was read. An agent gets the line without its number."""
    DIFF = "diff"
    """A line of a unified diff."""
    CALL = "call"
    """A call site with its own path, `< path:line text`."""
    TEXT = "text"
    """Any other line of the answer."""
    NOTE = "note"
    """A line about the answer: a count, an omission, a warning or a hint. A pipe gets it on stderr."""


class TextLine(NamedTuple):
    kind: LineKind
    text: str
    """The complete line as an agent reads it."""
    path: str = ""
    line: int = 0
    """Line number that the row is about; 0 if it has none."""
    body: str = ""
    """Text after the line number."""


def heading(path: str, suffix: str = "") -> TextLine:
    return TextLine(LineKind.HEADING, f"{display(path)} {suffix}".rstrip(), path)


def match(path: str, line: int, text: str, suffix: str = "", depth: int = 0) -> TextLine:
    """Build a source line. `suffix` follows after two spaces, for a tier or the enclosing symbol."""
    body = f"{text}  {suffix}" if suffix else text
    return TextLine(LineKind.MATCH, f"{INDENT * depth}{line}\t{body}", path, line, body)


def symbol(path: str, first: int, last: int, signature: str, suffix: str = "", depth: int = 0) -> TextLine:
    span = f"{first}-{last}" if last > first else str(first)
    body = f"{signature}  {suffix}" if suffix else signature
    return TextLine(LineKind.SYMBOL, f"{INDENT * depth}{span} {body}", path, first, body)


def source(path: str, line: int, text: str, *, mark: bool = False) -> TextLine:
    """Build an unmodified line of a file; with `mark`, a line with its number precedes it."""
    return TextLine(LineKind.SOURCE, f"@@ {line} @@\n{text}" if mark else text, path, line, text)


def entry(path: str, words: str) -> TextLine:
    """Build a row about a file or directory; a pipe gets only its path."""
    return TextLine(LineKind.TEXT, words, path)


def diff(words: str) -> TextLine:
    return TextLine(LineKind.DIFF, words)


def text(words: str) -> TextLine:
    return TextLine(LineKind.TEXT, words)


def note(words: str) -> TextLine:
    return TextLine(LineKind.NOTE, words)


def agent_text(lines: Iterable[TextLine]) -> str:
    return "\n".join(line.text for line in lines)


def as_fields(lines: Sequence[TextLine]) -> list[list[object]]:
    """Return the lines as JSON values, for a process that prints them."""
    return [list(line) for line in lines]


def from_fields(fields: Iterable[Sequence[object]]) -> list[TextLine]:
    return [
        TextLine(LineKind(str(kind)), str(words), str(path), int(str(line)), str(body))
        for kind, words, path, line, body in fields
    ]


def table(rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset(), indent: str = "  ") -> list[str]:
    """Return columns two spaces apart; those in `right` are right-aligned."""
    if not rows:
        return []
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = (
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append((indent + "  ".join(cells)).rstrip())
    return lines


def plural(count: int, one: str, many: str = "") -> str:
    """Return `1 file` or `1,200 files`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
