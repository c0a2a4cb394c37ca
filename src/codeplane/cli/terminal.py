"""Text for people: colours on a terminal, numbers, columns that line up, lines that fit."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from codeplane.base.paths import display

_UNITS = ("B", "KB", "MB", "GB", "TB")


@dataclass(frozen=True)
class Style:
    colour: bool = False

    @classmethod
    def of(cls, stream: TextIO) -> Style:
        wanted = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return cls(colour=wanted)

    def bold(self, text: str) -> str:
        return self._wrap("1", text)

    def dim(self, text: str) -> str:
        return self._wrap("2", text)

    def red(self, text: str) -> str:
        return self._wrap("31", text)

    def green(self, text: str) -> str:
        return self._wrap("32", text)

    def yellow(self, text: str) -> str:
        return self._wrap("33", text)

    def _wrap(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text


def columns(stream: TextIO | None = None) -> int:
    """Return the width of the terminal that `stream` writes to, stdout by default; unlimited for a pipe."""
    try:
        return max(40, os.get_terminal_size((stream or sys.stdout).fileno()).columns or 80)
    except (OSError, ValueError):
        return sys.maxsize


def number(value: int) -> str:
    return f"{value:,}"


def size(count: int) -> str:
    amount = float(count)
    for unit in _UNITS:
        if amount < 1000 or unit == _UNITS[-1]:
            break
        amount /= 1000
    return f"{count} B" if unit == "B" else f"{amount:.1f} {unit}"


def duration(seconds: float) -> str:
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def home_path(path: Path) -> str:
    """Return a path with `~` for the home directory."""
    home = Path("~").expanduser()
    return display(f"~/{path.relative_to(home)}" if path != home and path.is_relative_to(home) else str(path))


def fit(text: str, width: int) -> str:
    """Return `text` escaped and truncated to `width`."""
    text = display(text)
    return text if len(text) <= width else text[: max(0, width - 1)] + "…"


def wrapped(text: str, indent: str = "", first: str | None = None) -> list[str]:
    """Return `text` escaped and wrapped to the terminal. `first` replaces the indent of the first line."""
    width = columns()
    start, shown = indent if first is None else first, display(text)
    if len(start) + len(shown) <= width:
        return [start + shown]
    return textwrap.wrap(
        shown,
        width,
        initial_indent=start,
        subsequent_indent=indent,
        break_long_words=True,
        break_on_hyphens=False,
    )


def facts(rows: Iterable[tuple[str, str]], style: Style, indent: str = "  ") -> list[str]:
    """Return `label value` lines, values aligned and wrapped; rows without a value are left out."""
    kept = [(label, value) for label, value in rows if value]
    width = max((len(label) for label, _ in kept), default=0)
    lines = []
    for label, value in kept:
        start = len(indent) + width + 2
        first, *rest = wrapped(value, " " * start)
        lines += [f"{indent}{style.dim(label.ljust(width))}  {first[start:]}", *rest]
    return lines
