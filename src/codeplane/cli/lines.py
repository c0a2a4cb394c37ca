"""Prints the lines of a text answer: in colour on a terminal, as `path:line:text` through a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from codeplane.base.paths import display
from codeplane.base.text_lines import LineKind, TextLine
from codeplane.cli.answer import FAILED, OK, Reply
from codeplane.cli.terminal import Style, columns, fit

Mark = Callable[[str], str]
"""Colours what matched in the text of a row."""

_TAB = "    "


def lines_reply(
    status: str, lines: Sequence[TextLine], warnings: Sequence[str] = (), mark: Mark = lambda text: text
) -> Reply:
    """The reply of a command that prints the text form of a tool."""
    code = OK if status == "ok" else FAILED
    if sys.stdout.isatty():
        style = Style.of(sys.stdout)
        shown = [_terminal_line(line, style, mark) for line in lines]
        return Reply(text="\n".join(shown), status=status, warnings=warnings, exit_code=code)
    rows = [_piped_line(line) for line in lines if not _is_aside(line)]
    notes = [line.text for line in lines if line.kind is LineKind.NOTE]
    return Reply(text="\n".join(rows), status=status, warnings=warnings, notes=notes, exit_code=code)


def _is_aside(line: TextLine) -> bool:
    return line.kind is LineKind.NOTE or line.kind is LineKind.HEADING


def _piped_line(line: TextLine) -> str:
    return f"{display(line.path)}:{line.line}:{line.body}" if line.line else line.text


def _terminal_line(line: TextLine, style: Style, mark: Mark) -> str:
    # Tabs would make the width of a line depend on where it starts.
    shown = fit(line.text.replace("\t", _TAB), columns())
    match line.kind:
        case LineKind.HEADING:
            return style.bold(shown)
        case LineKind.NOTE:
            return style.dim(shown)
        case LineKind.TEXT:
            return shown
        case LineKind.CALL:
            place, found, rest = shown.partition(f":{line.line} ")
            return style.green(place + found) + rest if found else shown
        case LineKind.MATCH | LineKind.SYMBOL | LineKind.SOURCE:
            label = shown[: len(shown) - len(shown.lstrip(" "))] + shown.lstrip(" ").partition(" ")[0]
            return style.green(label) + mark(shown[len(label) :])
