"""Line endings of new text: those of the file, or of the lines that it replaces. Pure."""

from __future__ import annotations

import re

ENDINGS = {"lf": "\n", "crlf": "\r\n", "cr": "\r", "none": "\n"}

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def crlf_to_lf(text: str) -> str:
    return text.replace("\r\n", "\n")


def to_lf(text: str, line_ending: str) -> str:
    """Return the text with LF alone; a lone CR is an ending only in a file that ends its lines with CR."""
    plain = crlf_to_lf(text)
    return plain.replace("\r", "\n") if line_ending == "cr" else plain


def with_endings(text: str, line_ending: str) -> str:
    """Return the text with the line endings of a file; unchanged if the file has mixed endings."""
    if line_ending not in ENDINGS:
        return text
    plain = crlf_to_lf(text)
    return plain.replace("\n", ENDINGS[line_ending]) if line_ending in ("crlf", "cr") else plain


def with_final_newline(text: str, wanted: bool, line_ending: str) -> str:
    """Return the text with, or without, a line ending at its end."""
    if wanted:
        return text if not text or text.endswith(("\n", "\r")) else text + ENDINGS.get(line_ending, "\n")
    return text.removesuffix("\n").removesuffix("\r")


def ending_at(text: str, offset: int, line_ending: str) -> str:
    """Return the ending of the file; with mixed endings, that of the line at `offset`, or of the line before."""
    known = ENDINGS.get(line_ending)
    if known is not None:
        return known
    position = text.find("\n", offset)
    if position < 0:
        position = text.rfind("\n", 0, offset)
    return "\r\n" if position > 0 and text[position - 1] == "\r" else "\n"


def restore_endings(plain: str, text: str, begin: int, end: int, line_ending: str) -> str:
    """Return new text, given with LF alone, with the endings that belong in place of `text[begin:end]`.

    With mixed endings, an unchanged line keeps its ending, a changed line takes that of the line that it replaces,
    and an additional line takes that of the place.
    """
    if line_ending in ENDINGS:
        return plain.replace("\n", ENDINGS[line_ending])
    old, new = _LINE.findall(text[begin:end]), _LINE.findall(plain)
    same = [crlf_to_lf(before) == after for before, after in zip(old, new, strict=False)]
    head = next((number for number, is_same in enumerate(same) if not is_same), len(same))
    tail = 0
    while tail < len(same) - head and crlf_to_lf(old[-1 - tail]) == new[-1 - tail]:
        tail += 1
    replaced, ending = old[head : len(old) - tail], ending_at(text, begin, line_ending)
    result: list[str] = old[:head]
    for number, line in enumerate(new[head : len(new) - tail]):
        own = replaced[number] if number < len(replaced) and replaced[number].endswith("\n") else ending
        result.append(line[:-1] + ("\r\n" if own.endswith("\r\n") else "\n") if line.endswith("\n") else line)
    return "".join(result + old[len(old) - tail :])
