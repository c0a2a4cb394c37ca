"""Naive model of text edits: try every offset, apply one edit after the other.

It shares no code with what it is compared with. CR LF counts as one character. Text with another indentation is not
looked for here; the cases hold none.
"""

from __future__ import annotations

import random

from codeplane.edits.text_edit import Replacement

ENDING = {"lf": "\n", "crlf": "\r\n", "cr": "\r", "none": "\n"}


class Refused(Exception):
    """ambiguous, missing, overlap or invalid."""


def units_of(text: str) -> list[str]:
    found: list[str] = []
    for char in text:
        if char == "\n" and found and found[-1] == "\r":
            found[-1] = "\r\n"
        else:
            found.append(char)
    return found


def same(one: str, other: str, kind: str) -> bool:
    ends = ("\n", "\r\n", "\r") if kind == "cr" else ("\n", "\r\n")
    return one == other or (one in ends and other in ends)


def lines_of(units: list[str]) -> list[list[str]]:
    lines: list[list[str]] = []
    current: list[str] = []
    for unit in units:
        current.append(unit)
        if unit.endswith("\n"):
            lines.append(current)
            current = []
    return [*lines, current] if current else lines


def naive(text: str, edits: list[Replacement], kind: str) -> str:
    units = units_of(text)
    cuts = []
    for number, edit in enumerate(edits):
        for begin, end, whole, behind in _places(units, edit, kind):
            cuts.append((begin, end, number, _new(units, edit.new, begin, end, whole, behind, kind)))
    for at, one in enumerate(cuts):
        for other in cuts[at + 1 :]:
            if one[0] < other[1] and other[0] < one[1]:
                raise Refused("overlap")
            for empty, full in ((one, other), (other, one)):
                if empty[0] == empty[1] and full[0] < empty[0] < full[1]:
                    raise Refused("overlap")
    for begin, end, _, new in sorted(cuts, key=lambda cut: (cut[0], cut[1], cut[2]), reverse=True):
        units[begin:end] = [new]
    return "".join(units)


def _places(units: list[str], edit: Replacement, kind: str) -> list[tuple[int, int, bool, bool]]:
    """Return begin, end, True if it is lines, and True if it is after the last line."""
    lines = lines_of(units)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]
    if edit.expected is None:
        if edit.start is None:
            raise Refused("invalid")
        last = edit.start if edit.end is None else edit.end
        if not 1 <= edit.start <= len(lines) + 1 or not edit.start - 1 <= last <= len(lines):
            raise Refused("invalid")
        return [(starts[edit.start - 1], starts[last], True, edit.start == len(lines) + 1)]
    if edit.start is not None and edit.whole_lines:
        expected = _bare(edit.expected).split("\n")
        bare = [_bare("".join(line)) for line in lines]
        found = [at for at in range(len(bare)) if bare[at : at + len(expected)] == expected]
        named = edit.start - 1
        if named in found and (edit.end is None or edit.end == edit.start + len(expected) - 1):
            found = [named]
        at = _one(found)
        return [(starts[at], starts[at + len(expected)], True, False)]
    wanted = units_of(edit.expected)
    if not wanted or (edit.start is not None and edit.end is not None and edit.end < edit.start):
        raise Refused("invalid")
    found = [
        at
        for at in range(len(units) - len(wanted) + 1)
        if all(same(units[at + step], wanted[step], kind) for step in range(len(wanted)))
    ]
    if edit.replace_all:
        return _require_disjoint(found, len(wanted))
    if edit.start is not None:
        found = _nearest(units, found, len(wanted), edit.start, kind)
    at = _one(found)
    stop = at + len(wanted)
    if edit.end is None or not _is_whole(units, at, stop, "lf"):
        return [(at, stop, False, False)]
    first = max(number for number in range(len(lines)) if starts[number] <= at)
    last = max(number for number in range(len(lines)) if starts[number] < stop)
    return [(starts[first], starts[last + 1], True, False)]


def _require_disjoint(found: list[int], length: int) -> list[tuple[int, int, bool, bool]]:
    taken: list[tuple[int, int, bool, bool]] = []
    for at in found:
        if not taken or at >= taken[-1][1]:
            taken.append((at, at + length, False, False))
    if not taken:
        raise Refused("missing")
    return taken


def _nearest(units: list[str], found: list[int], length: int, line: int, kind: str) -> list[int]:
    """Return the matches in the line, or else the nearest; whole lines before parts of lines."""
    number = {at: 1 + sum(_ends(unit, kind) for unit in units[:at]) for at in found}
    whole = [at for at in found if _is_whole(units, at, at + length, kind)]
    here = [at for at in found if number[at] == line]
    if here:
        return [at for at in here if at in whole] or here
    candidates = whole or found
    least = min((abs(number[at] - line) for at in candidates), default=0)
    return [at for at in candidates if abs(number[at] - line) == least]


def _is_whole(units: list[str], at: int, stop: int, kind: str) -> bool:
    starts = at == 0 or _ends(units[at - 1], kind)
    return starts and (stop == len(units) or _ends(units[stop - 1], kind) or _ends(units[stop], kind))


def _ends(unit: str, kind: str) -> bool:
    return unit.endswith("\n") or (kind == "cr" and unit == "\r")


def _one(found: list[int]) -> int:
    if len(found) != 1:
        raise Refused("ambiguous" if found else "missing")
    return found[0]


def _bare(text: str) -> str:
    return "".join("\n" if unit == "\r\n" else unit for unit in units_of(text)).removesuffix("\n")


def _by_line(old: list[list[str]], new: list[list[str]], ending: str) -> str:
    """Keep equal lines at both ends; every other line takes the ending of the line that it replaces."""
    front: list[list[str]] = []
    while old and new and _alike(old[0], new[0]):
        front.append(old[0])
        old, new = old[1:], new[1:]
    behind: list[list[str]] = []
    while old and new and _alike(old[-1], new[-1]):
        behind.insert(0, old[-1])
        old, new = old[:-1], new[:-1]
    for line in new:
        before, old = (old[0], old[1:]) if old else ([ending], [])
        own = before[-1] if before[-1].endswith("\n") else ending
        front.append([*line[:-1], own] if line[-1].endswith("\n") else line)
    return "".join("".join(line) for line in front + behind)


def _alike(one: list[str], other: list[str]) -> bool:
    return len(one) == len(other) and all(same(a, b, "mixed") for a, b in zip(one, other, strict=True))


def _new(units: list[str], new: str, begin: int, end: int, whole: bool, behind: bool, kind: str) -> str:
    ending = ENDING.get(kind)
    if ending is None:
        later = [unit for unit in units[begin:] if unit.endswith("\n")]
        earlier = [unit for unit in units[:begin] if unit.endswith("\n")]
        ending = later[0] if later else earlier[-1] if earlier else "\n"
    ends = ("\r\n", "\r") if kind == "cr" and whole else ("\r\n",)
    parts = "".join("\n" if unit in ends else unit for unit in units_of(new)).split("\n")
    if not whole or (behind and not units):
        if kind not in ENDING:
            return _by_line(lines_of(units[begin:end]), lines_of(units_of("\n".join(parts))), ending)
        return ending.join(parts)
    if new == "":
        return ""
    if parts[-1] == "":
        parts.pop()
    if behind:
        closed = units[-1] in ("\n", "\r\n", ending)
        return ("" if closed else ending) + ending.join(parts) + (ending if closed else "")
    closed = begin == end or units[end - 1] in ("\n", "\r\n", ending)
    if kind not in ENDING:
        text = "\n".join(parts) + ("\n" if closed else "")
        return _by_line(lines_of(units[begin:end]), lines_of(units_of(text)), ending)
    return ending.join(parts) + (ending if closed else "")


_WORDS = ("a", "a", "b", "ab", "", " ", "é", "x = 1", "\t", "\u2028", "\x0c")


def random_case(chance: random.Random) -> tuple[str, list[Replacement]]:
    """Return a small text, so that edits collide, and one to three edits of it."""
    kind = chance.choice(("\n", "\n", "\r\n", "\r", None))
    text = "".join(
        chance.choice(_WORDS) + (chance.choice(("\n", "\r\n", "\r")) if kind is None else kind)
        for _ in range(chance.randrange(0, 7))
    )
    if chance.random() < 0.3:
        text += chance.choice(_WORDS)
    return text, [_random_edit(text, chance) for _ in range(chance.choice((1, 1, 1, 2, 3)))]


def _random_edit(text: str, chance: random.Random) -> Replacement:
    new = chance.choice(("\n", "\r\n")).join(chance.choice(_WORDS) for _ in range(chance.randrange(0, 4)))
    new += chance.choice(("", "", "\n"))
    lines = lines_of(units_of(text))
    how = chance.randrange(3)
    if how == 0:
        start = chance.randrange(1, len(lines) + 3)
        return Replacement(new, None, start, chance.choice((None, start - 1, start, start + chance.randrange(3))))
    if how == 1:
        begin = chance.randrange(0, len(text) + 1)
        part = text[begin : begin + chance.randrange(1, 6)]
        expected = chance.choice((part, part.replace("\r\n", "\n"), "zz"))
        hint = chance.choice((None, None, chance.randrange(1, len(lines) + 3)))
        return Replacement(new, expected, hint, replace_all=hint is None and chance.random() < 0.3)
    first = chance.randrange(0, len(lines) + 1)
    block = "".join("".join(line) for line in lines[first : first + chance.randrange(1, 4)])
    said = max(1, first + 1 + chance.choice((0, 0, -1, 1, 2)))
    expected = chance.choice((block, block.removesuffix("\n"), block.replace("\r\n", "\n"), "zz"))
    end = chance.choice((None, None, said, said + 1))
    return Replacement(new, expected, said, end, whole_lines=chance.random() < 0.5)
