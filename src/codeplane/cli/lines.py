"""Print the lines of a text answer: in colour on a terminal, as `path:line:text` through a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from codeplane.base.paths import display
from codeplane.base.text_lines import LineKind, TextLine
from codeplane.cli.answer import FAILED, OK, Reply
from codeplane.cli.highlight import make_highlighter
from codeplane.cli.terminal import Style, columns, fit

Mark = Callable[[str], str]
"""Colours matches in the text of a row."""


def plain_mark(text: str) -> str:
    return text


_TAB = "    "


def lines_reply(status: str, lines: Sequence[TextLine], warnings: Sequence[str] = (), mark: Mark = plain_mark) -> Reply:
    """Return the reply of a command that prints the text form of a tool."""
    code = OK if status == "ok" else FAILED
    if sys.stdout.isatty():
        shown = terminal_lines(lines, Style.of(sys.stdout), mark)
        return Reply(text="\n".join(shown), status=status, warnings=warnings, exit_code=code)
    rows = [_piped_line(line) for line in lines if not _is_aside(line)]
    notes = [line.text for line in lines if line.kind is LineKind.NOTE]
    return Reply(text="\n".join(rows), status=status, warnings=warnings, notes=notes, exit_code=code)


def terminal_lines(lines: Sequence[TextLine], style: Style, mark: Mark = plain_mark) -> list[str]:
    numbers = [len(str(line.line)) for line in lines if line.kind is LineKind.SOURCE]
    sources = _SourcePrinter(style, max(numbers, default=0))
    return [
        sources.print(line) if line.kind is LineKind.SOURCE else _terminal_line(line, style, mark) for line in lines
    ]


def _is_aside(line: TextLine) -> bool:
    return line.kind is LineKind.NOTE or line.kind is LineKind.HEADING


def _piped_line(line: TextLine) -> str:
    if line.line:
        return f"{display(line.path)}:{line.line}:{line.body}"
    return display(line.path) if line.kind is LineKind.TEXT and line.path else line.text


def _terminal_line(line: TextLine, style: Style, mark: Mark) -> str:
    # Tabs would make the width of a line depend on where it starts.
    shown = fit(line.text.replace("\t", _TAB), columns())
    match line.kind:
        case LineKind.HEADING:
            return style.bold(shown)
        case LineKind.NOTE:
            return style.dim(shown)
        case LineKind.DIFF:
            colours = {"+": style.green, "-": style.red, "@": style.dim}
            return colours[shown[0]](shown) if shown[:1] in colours else shown
        case LineKind.CALL:
            label = shown[: len(shown) - len(shown.lstrip(" "))] + " ".join(shown.split()[:2])
            return style.green(label) + shown[len(label) :] if shown.startswith(label) else shown
        case LineKind.MATCH | LineKind.SYMBOL:
            label = shown[: len(shown) - len(shown.lstrip(" "))] + shown.lstrip(" ").partition(" ")[0]
            return style.green(label) + mark(shown[len(label) :])
        case _:
            return shown


class _SourcePrinter:
    """Prints lines of files with numbers and syntax colours, never truncated to the width of the terminal."""

    def __init__(self, style: Style, width: int) -> None:
        self._style = style
        self._width = width
        self._after: tuple[str, int] = ("", 0)
        self._highlight: Mark = plain_mark

    def print(self, line: TextLine) -> str:
        if (line.path, line.line) != self._after:
            # At the start of a passage, open strings and comments are unknown.
            self._highlight = make_highlighter(line.path, self._style)
        self._after = (line.path, line.line + 1)
        number = self._style.dim(str(line.line).rjust(self._width))
        return f"{number}  {self._highlight(display(line.body.replace(chr(9), _TAB)))}"
