"""Find the lines of a file most similar to a text that is not in it, and diff the two. Pure.

Lines and words of the text vote for the places where they occur; the best places are then compared line by line. The
work is bounded for any input size.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

MAX_ROWS = 24
MAX_LINE_CHARS = 200
_MAX_LINES = 200
"""Maximum number of lines of the text that are compared."""
_MAX_WORDS = 64
_MAX_OCCURRENCES = 100
_MAX_PLACES = 8
_AROUND = 2
_MIN_SIMILARITY = 0.5
_WORD = re.compile(r"\w{3,}")
_SPACE = re.compile(r"\s+")


class Nearest(NamedTuple):
    first: int
    last: int
    """Line numbers, from 1."""
    excerpt: tuple[str, ...]
    """A diff: ` 41<tab>line` in both, `-<tab>line` in the text, `+42<tab>line` in the file."""
    same_words: bool
    """True if only white space differs."""


def find_nearest(text: str, lines: Sequence[str]) -> Nearest | None:
    """Return the most similar lines; None if nothing is similar enough."""
    wanted = text.strip("\n").split("\n")[:_MAX_LINES]
    votes = _votes(wanted, lines)
    best = max(
        ((_similarity(wanted, lines, at), -at) for at, _ in sorted(votes.most_common(_MAX_PLACES))), default=(0.0, 0)
    )
    if best[0] < _MIN_SIMILARITY:
        return None
    return _compare(wanted, lines, -best[1])


def _votes(wanted: Sequence[str], lines: Sequence[str]) -> Counter[int]:
    """Return votes by index of the first line; longer lines and longer, rarer words weigh more."""
    votes: Counter[int] = Counter()
    places: dict[str, list[int]] = {_bare(line): [] for line in wanted if line.strip()}
    for number, line in enumerate(lines):
        known = places.get(_bare(line)) if line else None
        if known is not None and len(known) < _MAX_OCCURRENCES:
            known.append(number)
    for at, line in enumerate(wanted):
        for number in places.get(_bare(line), ()):
            votes[number - at] += 4 * (1 + min(len(line.strip()), 40))
    words = {word: at for at, line in reversed(list(enumerate(wanted))) for word in _WORD.findall(line)}
    text = "\n".join(lines)
    starts = _starts(lines)
    for word in sorted(words, key=lambda word: (-len(word), word))[:_MAX_WORDS]:
        found = list(_occurrences(text, word))
        for offset in found:
            votes[bisect_right(starts, offset) - 1 - words[word]] += 1 + 4 * len(word) // len(found)
    return votes


def _starts(lines: Sequence[str]) -> list[int]:
    starts, position = [], 0
    for line in lines:
        starts.append(position)
        position += len(line) + 1
    return starts


def _occurrences(text: str, word: str) -> Iterator[int]:
    at = -1
    for _ in range(_MAX_OCCURRENCES):
        at = text.find(word, at + 1)
        if at < 0:
            return
        yield at


def _similarity(wanted: Sequence[str], lines: Sequence[str], place: int) -> float:
    """Return the similarity from 0 to 1, weighted by line length."""
    total = alike = 0.0
    for at, line in enumerate(wanted):
        own = line.strip()[:MAX_LINE_CHARS]
        if own:
            other = lines[place + at].strip()[:MAX_LINE_CHARS] if 0 <= place + at < len(lines) else ""
            total += len(own)
            alike += len(own) * (1.0 if own == other else SequenceMatcher(None, own, other, autojunk=False).ratio())
    return max(alike, _aligned(wanted, lines, place)) / total if total else 0.0


def _aligned(wanted: Sequence[str], lines: Sequence[str], place: int) -> int:
    """Return the number of characters in equal lines, aligned across inserted or deleted lines."""
    own = [line.strip()[:MAX_LINE_CHARS] for line in wanted]
    other = [line.strip()[:MAX_LINE_CHARS] for line in lines[max(0, place) : max(0, place + len(wanted) + _AROUND)]]
    blocks = SequenceMatcher(None, own, other, autojunk=False).get_matching_blocks()
    return sum(len(line) for start, _, size in blocks for line in own[start : start + size])


def _compare(wanted: Sequence[str], lines: Sequence[str], place: int) -> Nearest:
    first, last = max(0, place), min(len(lines), place + len(wanted))
    same_words = [_bare(line) for line in lines[first:last]] == [_bare(line) for line in wanted]
    begin = max(0, first - (0 if same_words else _AROUND))
    window = lines[begin : min(len(lines), last + (0 if same_words else _AROUND))]
    codes = SequenceMatcher(None, wanted, window, autojunk=False).get_opcodes()
    if codes[0][0] in ("insert", "replace"):
        codes[0] = (*codes[0][:3], max(codes[0][3], min(codes[0][4], first - begin)), codes[0][4])
    if codes[-1][0] in ("insert", "replace"):
        codes[-1] = (*codes[-1][:4], min(codes[-1][4], max(codes[-1][3], last - begin)))
    # Lines of the file before and after the place are not differences.
    codes = [code for code in codes if not (code[0] == "insert" and code[1] in (0, len(wanted)))]
    first, last = begin + codes[0][3], begin + codes[-1][4]
    return Nearest(first + 1, max(first + 1, last), tuple(_rows(codes, wanted, window, begin)), same_words)


def _rows(
    codes: Sequence[tuple[str, int, int, int, int]], wanted: Sequence[str], window: Sequence[str], begin: int
) -> Iterator[str]:
    """Yield the differing lines with one line of context around each block."""
    rows: list[str] = []
    for number, (tag, old_start, old_end, new_start, new_end) in enumerate(codes):
        if tag == "equal":
            shown = {new_end - 1} if number < len(codes) - 1 else set()
            shown |= {new_start} if number else set()
            rows += [f" {begin + at + 1}\t{_cut(window[at])}" for at in sorted(shown)]
        else:
            rows += [f"-\t{_cut(line)}" for line in wanted[old_start:old_end]]
            rows += [f"+{begin + at + 1}\t{_cut(window[at])}" for at in range(new_start, new_end)]
    yield from rows[:MAX_ROWS]
    if len(rows) > MAX_ROWS:
        yield f"{len(rows) - MAX_ROWS} more lines differ"


def _cut(line: str) -> str:
    return line if len(line) <= MAX_LINE_CHARS else line[: MAX_LINE_CHARS - 1] + "…"


def _bare(line: str) -> str:
    return _SPACE.sub("", line)
