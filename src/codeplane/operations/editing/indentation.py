"""Indentation: whether two texts differ in nothing else, and giving a text the indentation of its new place. Pure.

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
"""Lines of a file from which its unit of indentation is told."""


class Shift(NamedTuple):
    """Turns the indentation of a given text into that of the lines it stands for."""

    given: str
    """Indentation that all lines of the given text share."""
    actual: str
    """Indentation that the lines of the file share."""
    unit: str = ""
    """One level of indentation in the file; empty: deeper indentation stays as it is given."""
    width: int = 0
    """Characters of the given text that are one level."""

    def apply(self, text: str) -> str | None:
        """The text with its indentation changed; None if a line is indented less than the file allows."""
        lines = [self._line(line) for line in text.split("\n")]
        return None if None in lines else "\n".join(line for line in lines if line is not None)

    def _line(self, line: str) -> str | None:
        body = line.lstrip(_BLANKS)
        if not body:
            return ""
        indent = line[: len(line) - len(body)]
        if indent.startswith(self.given):
            return self.actual + self._deeper(indent[len(self.given) :]) + body
        missing = self._deeper(self.given[len(indent) :])
        if not self.given.startswith(indent) or not self.actual.endswith(missing):
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
    """Indentation that all lines share, except blank ones."""
    return _shared([indent_of(line) for line in lines if line.strip(_BLANKS)])


def find_unit(lines: Sequence[str]) -> str:
    """One level of indentation in a file: a tab, some spaces, or empty if nothing is indented."""
    indents = [indent_of(line) for line in lines[:_MAX_SAMPLE] if line.strip(_BLANKS)]
    tabs = sum(indent.startswith("\t") for indent in indents)
    spaces = [len(indent) for indent in indents if indent.startswith(" ")]
    if tabs > len(spaces):
        return "\t"
    return " " * _level_width(spaces)


def find_shift(given: Sequence[str], actual: Sequence[str], unit: str) -> Shift | None:
    """How two texts that are equal but for their indentation relate; None where no rule leads from one to the other.

    `unit` is one level of indentation in the file. Levels that the texts do not show are converted if the file is
    indented with tabs and the given text with spaces, or the other way round.
    """
    pairs = [(indent_of(one), indent_of(other)) for one, other in zip(given, actual, strict=True) if one.strip(_BLANKS)]
    shift = Shift(_shared([one for one, _ in pairs]), _shared([other for _, other in pairs]))
    deeper = {(one[len(shift.given) :], other[len(shift.actual) :]) for one, other in pairs} - {("", "")}
    if not deeper:
        # The place itself tells more than the rest of the file.
        tabs, spaces = shift.actual.startswith("\t"), shift.actual.startswith(" ")
        return shift._replace(unit="\t" if tabs else "" if spaces and unit == "\t" else unit)
    if all(one == other for one, other in deeper):
        return shift
    for sign, other_sign in ((" ", "\t"), ("\t", " ")):
        if all(set(one) == {sign} and set(other) == {other_sign} for one, other in deeper):
            ratios = {(len(one) / len(other)) for one, other in deeper}
            ratio = ratios.pop()
            if not ratios and sign == " " and ratio.is_integer():
                return shift._replace(unit="\t", width=int(ratio))
            if not ratios and sign == "\t" and (1 / ratio).is_integer():
                return shift._replace(unit=" " * int(1 / ratio), width=1)
    return None


def complete_shift(shift: Shift, text: str) -> Shift:
    """A shift whose levels are known: those that no pair of lines showed are told from the new text."""
    if not shift.unit or shift.width:
        return shift
    deeper = [indent_of(line)[len(shift.given) :] for line in text.split("\n") if line.strip(_BLANKS)]
    used = set("".join(deeper))
    if used == {" "} and shift.unit == "\t" and (width := _level_width(map(len, deeper))):
        return shift._replace(width=width)
    if used == {"\t"} and shift.unit != "\t":
        return shift._replace(width=1)
    return shift._replace(unit="")


def reindent(text: str, indent: str, unit: str) -> str:
    """A text of whole lines with the indentation of the place that it goes to."""
    shift = complete_shift(Shift(common_indent(text.split("\n")), indent, unit), text)
    shifted = shift.apply(text)
    assert shifted is not None, "no line is indented less than what all lines share"
    return shifted


def _shared(indents: Sequence[str]) -> str:
    """The longest prefix of all."""
    if not indents:
        return ""
    low, high = min(indents), max(indents)
    length = next((at for at, (one, other) in enumerate(zip(low, high, strict=False)) if one != other), len(low))
    return low[:length]


def _level_width(widths: Iterable[int]) -> int:
    """Spaces of one level: the largest usual width that nearly all indentations are a multiple of; 0 if there are none.

    A single space is the alignment of a doc comment, and not a level.
    """
    levels = [width for width in widths if width > 1]
    usual = (width for width in _WIDTHS if sum(level % width == 0 for level in levels) >= len(levels) * _NEARLY_ALL)
    return next(usual, _DEFAULT_WIDTH) if levels else 0
