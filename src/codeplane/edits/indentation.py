"""Indentation: match texts that differ in indentation alone, and reindent text for a new place. Pure.

Indentation is the spaces and tabs at the start of a line. Blank lines have none: they match each other, and come out
empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

_BLANKS = " \t"
_DEFAULT_WIDTH = 4
_WIDTHS = (8, 4, 3, 2)
_NEARLY_ALL = 0.9
_MAX_SAMPLE = 2_000
"""Number of lines from which the indentation unit of a file is detected."""


class Shift(NamedTuple):
    """Maps the indentation of a source text to that of the lines it matched."""

    source: str
    """Common indentation of the source text."""
    actual: str
    """Common indentation of the lines in the file."""
    unit: str = ""
    """One level of indentation in the file; empty: deeper indentation is kept as it is."""
    width: int = 0
    """Number of characters of one level in the source text."""

    def apply(self, text: str) -> str | None:
        """Return the reindented text; None if a line is indented less than the file allows."""
        lines = [self._line(line) for line in text.split("\n")]
        return None if None in lines else "\n".join(line for line in lines if line is not None)

    def _line(self, line: str) -> str | None:
        body = line.lstrip(_BLANKS)
        if not body:
            return ""
        indent = line[: len(line) - len(body)]
        if indent.startswith(self.source):
            return self.actual + self._deeper(indent[len(self.source) :]) + body
        missing = self._deeper(self.source[len(indent) :])
        if not self.source.startswith(indent) or not self.actual.endswith(missing):
            return None
        return self.actual.removesuffix(missing) + body

    def _deeper(self, indent: str) -> str:
        if not self.unit:
            return indent
        levels, rest = divmod(len(indent), self.width)
        return self.unit * levels + " " * rest


def indent_of(line: str) -> str:
    return line[: len(line) - len(line.lstrip(_BLANKS))]


def without_indent(line: str) -> str:
    return line.lstrip(_BLANKS)


def common_indent(lines: Iterable[str]) -> str:
    """Return the common indentation of all lines that are not blank."""
    return _common_prefix([indent_of(line) for line in lines if line.strip(_BLANKS)])


def find_unit(lines: Sequence[str]) -> str:
    """Return one level of indentation of a file: a tab, some spaces, or empty if nothing is indented."""
    indents = [indent_of(line) for line in lines[:_MAX_SAMPLE] if line.strip(_BLANKS)]
    tabs = sum(indent.startswith("\t") for indent in indents)
    spaces = [len(indent) for indent in indents if indent.startswith(" ")]
    if tabs > len(spaces):
        return "\t"
    return " " * _level_width(spaces)


def find_shift(source: Sequence[str], actual: Sequence[str], unit: str) -> Shift | None:
    """Return the shift between two texts that are equal except for indentation; None if no shift maps one to the other.

    `unit` is one level of indentation in the file. Levels that do not occur in the texts are converted if the file is
    indented with tabs and the source text with spaces, or vice versa.
    """
    pairs = [
        (indent_of(one), indent_of(other)) for one, other in zip(source, actual, strict=True) if one.strip(_BLANKS)
    ]
    shift = Shift(_common_prefix([one for one, _ in pairs]), _common_prefix([other for _, other in pairs]))
    deeper = {(one[len(shift.source) :], other[len(shift.actual) :]) for one, other in pairs} - {("", "")}
    if not deeper:
        # The indentation at the place takes precedence over that of the file.
        tabs, spaces = shift.actual.startswith("\t"), shift.actual.startswith(" ")
        return shift._replace(unit="\t" if tabs else "" if spaces and unit == "\t" else unit)
    if all(one == other for one, other in deeper):
        return shift
    return _convert_levels(shift, deeper)


def _convert_levels(shift: Shift, deeper: set[tuple[str, str]]) -> Shift | None:
    """Return the shift between tabs and spaces, if all levels have the same ratio."""
    for char, other_char in ((" ", "\t"), ("\t", " ")):
        if all(set(one) == {char} and set(other) == {other_char} for one, other in deeper):
            ratios = {(len(one) / len(other)) for one, other in deeper}
            ratio = ratios.pop()
            if not ratios and char == " " and ratio.is_integer():
                return shift._replace(unit="\t", width=int(ratio))
            if not ratios and char == "\t" and (1 / ratio).is_integer():
                return shift._replace(unit=" " * int(1 / ratio), width=1)
    return None


def complete_shift(shift: Shift, text: str) -> Shift:
    """Complete a shift with unknown levels from the indentation of the new text."""
    if not shift.unit or shift.width:
        return shift
    deeper = [indent_of(line)[len(shift.source) :] for line in text.split("\n") if line.strip(_BLANKS)]
    used = set("".join(deeper))
    if used == {" "} and shift.unit == "\t" and (width := _level_width(map(len, deeper))):
        return shift._replace(width=width)
    if used == {"\t"} and shift.unit != "\t":
        return shift._replace(width=1)
    return shift._replace(unit="")


def reindent(text: str, indent: str, unit: str) -> str:
    """Return whole lines with the indentation of the place they are inserted at."""
    shift = complete_shift(Shift(common_indent(text.split("\n")), indent, unit), text)
    shifted = shift.apply(text)
    assert shifted is not None, "no line is indented less than the common indentation"
    return shifted


def _common_prefix(indents: Sequence[str]) -> str:
    """Return the longest common prefix."""
    if not indents:
        return ""
    low, high = min(indents), max(indents)
    length = next((at for at, (one, other) in enumerate(zip(low, high, strict=False)) if one != other), len(low))
    return low[:length]


def _level_width(widths: Iterable[int]) -> int:
    """Return the spaces of one level: the largest usual width that divides nearly all indentations; 0 without any.

    A single space is the alignment of a doc comment, not a level.
    """
    levels = [width for width in widths if width > 1]
    usual = (width for width in _WIDTHS if sum(level % width == 0 for level in levels) >= len(levels) * _NEARLY_ALL)
    return next(usual, _DEFAULT_WIDTH) if levels else 0
