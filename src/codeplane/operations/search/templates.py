"""Message templates: source lines whose string, with placeholders filled in, is the query.

`Cannot index array with string "name"` was printed by a line with `Cannot index %s with %s`. The literal parts of the
template must occur in the query in order, and make up most of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

MIN_LITERAL_WORDS = 3
MIN_LITERAL_SHARE = 0.3
"""Minimum share of the query's words that the literal parts must have."""
MAX_QUERY_CHARS = 400
MAX_LINES = 400
"""Maximum lines of one result that are searched."""

_STRINGS = re.compile(r'"((?:[^"\\]|\\.){8,300})"|\'((?:[^\'\\]|\\.){8,300})\'|`([^`]{8,300})`')
_PLACEHOLDER = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?[a-zA-Z]|%\{[^}]*\}|[$#]\{[^}]*\}|\{[^{}]*\}|\\[nrt]")
_WORDS = re.compile(r"\w+")


class TemplateMatch(NamedTuple):
    line: int
    words: int
    """Words of the query in the literal parts."""


def find_template(lines: Sequence[str], first: int, last: int, query: str) -> TemplateMatch | None:
    """Return the line with the longest template that the query fits; the first of equals."""
    if len(query) > MAX_QUERY_CHARS:
        return None
    words = len(_WORDS.findall(query))
    best: TemplateMatch | None = None
    for number, line in enumerate(lines[first - 1 : min(last, first + MAX_LINES)], first):
        for found in _STRINGS.finditer(line) if _PLACEHOLDER.search(line) else ():
            template = next(filter(None, found.groups()))
            literal = _literal_words(template, query, words) if _PLACEHOLDER.search(template) else 0
            if literal and (best is None or literal > best.words):
                best = TemplateMatch(number, literal)
    return best


def _literal_words(template: str, query: str, words: int) -> int:
    """Return the number of words in the literal parts; 0 if the query does not fit."""
    pieces = [piece for piece in _PLACEHOLDER.split(template) if piece.strip()]
    literal = sum(len(_WORDS.findall(piece)) for piece in pieces)
    if literal < MIN_LITERAL_WORDS or literal < words * MIN_LITERAL_SHARE:
        return 0
    at, lowered = 0, query.lower()
    for piece in (piece.strip().lower() for piece in pieces):
        found = lowered.find(piece, at)
        if found < 0:
            return 0
        at = found + len(piece)
    return literal
