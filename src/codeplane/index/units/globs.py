"""Glob patterns of workspaces, matched against directories. Patterns are untrusted, so the steps of a match are
counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

MAX_PATTERN_CHARS = 500
_MAX_ALTERNATIVES = 64
_MAGIC = frozenset("*?[{(")
_STAR = "**"
"""Any number of items: of segments in a pattern, of characters in a segment."""


class Unreadable(Exception):
    """An unsupported pattern. Never leaves this package."""


class Meter:
    """Remaining steps; negative once the limit is exceeded."""

    def __init__(self, steps: int) -> None:
        self.left = steps


class _Class(NamedTuple):
    """`[a-z]`, or any one character."""

    negated: bool
    ranges: tuple[tuple[str, str], ...]

    def takes(self, char: str) -> bool:
        return self.negated != any(first <= char <= last for first, last in self.ranges)


_ANY = _Class(True, ())

_Segment = tuple[str | _Class, ...]


def is_wild(pattern: str) -> bool:
    return not _MAGIC.isdisjoint(pattern)


def matches(pattern: str, path: str, meter: Meter) -> bool:
    """True if a pattern matches a whole directory path. Raises Unreadable.

    `*` and `?` stay within a segment, `**` matches any number of segments (`a/**` matches `a` too), `{a,b}` and
    `[a-z]` as usual. A star also matches names with a leading dot: packages are rarely hidden, and then on purpose.
    """
    meter.left -= 1
    if not is_wild(pattern):
        return pattern == path
    parts = path.split("/")

    def fits_segment(segment: str | _Segment, name: str) -> bool:
        return segment == name if isinstance(segment, str) else _fits(segment, name, _fits_char, meter)

    return any(_fits(segments, parts, fits_segment, meter) for segments in _compile(pattern))


def check(patterns: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the unusable patterns, each with the reason."""
    bad: list[tuple[str, str]] = []
    for pattern in patterns:
        try:
            _compile(pattern)
        except Unreadable as error:
            bad.append((pattern, str(error)))
    return tuple(bad)


@lru_cache(maxsize=4096)
def _compile(pattern: str) -> tuple[tuple[str | _Segment, ...], ...]:
    if len(pattern) > MAX_PATTERN_CHARS:
        raise Unreadable(f"is longer than {MAX_PATTERN_CHARS} characters")
    return tuple(tuple(map(_segment, each.split("/"))) for each in _expand(pattern))


def _fits(pattern: Sequence[Any], items: Sequence[str], fits: Callable[[Any, str], bool], meter: Meter) -> bool:
    """Match lazily; only the last star is extended on backtracking, so that matching takes quadratic time at most."""
    at = item = back = steps = 0
    star = -1
    while item < len(items):
        steps += 1
        if at < len(pattern) and pattern[at] == _STAR:
            star, back = at, item
            at += 1
        elif at < len(pattern) and fits(pattern[at], items[item]):
            at += 1
            item += 1
        elif star >= 0:
            back += 1
            at, item = star + 1, back
        else:
            break
    meter.left -= steps
    return item == len(items) and all(each == _STAR for each in pattern[at:])


def _fits_char(token: str | _Class, char: str) -> bool:
    return token == char if isinstance(token, str) else token.takes(char)


def _expand(pattern: str) -> list[str]:
    """Expand braces, the innermost first."""
    done: list[str] = []
    todo = [pattern]
    while todo:
        text = todo.pop()
        close = text.find("}")
        opening = text.rfind("{", 0, close) if close >= 0 else -1
        if opening < 0:
            done.append(text)
        else:
            parts = text[opening + 1 : close].split(",")
            todo += [f"{text[:opening]}{part}{text[close + 1 :]}" for part in parts]
        if len(todo) + len(done) > _MAX_ALTERNATIVES:
            raise Unreadable(f"has more than {_MAX_ALTERNATIVES} alternatives")
    return sorted(done)


def _segment(segment: str) -> str | _Segment:
    if segment == _STAR or not is_wild(segment):
        return segment
    made: list[str | _Class] = []
    position = 0
    while position < len(segment):
        char = segment[position]
        if segment[position + 1 : position + 2] == "(" and char in "?*+@!":
            raise Unreadable("uses an extended pattern, which is not supported")
        if char == "*":
            made.append(_STAR)
        elif char == "?":
            made.append(_ANY)
        elif char == "[" and (end := segment.find("]", position + 2)) > 0:
            made.append(_class(segment[position + 1 : end]))
            position = end
        else:
            made.append(char)
        position += 1
    return tuple(made)


def _class(body: str) -> _Class:
    negated = body[0] in "!^"
    body = body[negated:]
    ranges: list[tuple[str, str]] = []
    position = 0
    while position < len(body):
        first = body[position]
        is_range = body[position + 1 : position + 2] == "-" and position + 2 < len(body)
        ranges.append((first, body[position + 2] if is_range else first))
        position += 3 if is_range else 1
    return _Class(negated, tuple(ranges))
