"""Replacing what a pattern matches: RE2, so that no pattern takes more than linear time. Pure.

A pattern means what it means to `search` with mode regex: `.` and `\\s` stay within a line, `^` and `$` are those of
lines, and one that asks for a line feed may match several lines. It minds case, unless it says `(?i)`. In the new
text `\\1` to `\\9` are groups, `\\0` is the match, `\\n` and `\\t` are a line feed and a tab, `\\\\` is a backslash.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from re2 import _re2

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.operations.search.regex_syntax import invalid, tokenize_regex

MAX_PATTERN_CHARS = 10_000
MAX_MEMORY = 8 * 1024 * 1024
"""Of one compiled pattern, its program and what it remembers while it runs."""
MAX_MATCHES = 100_000
"""In one file."""

_ANYWHERE = _re2.RE2.Anchor.UNANCHORED
_NOWHERE = (-1, -1)
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\"}


class Match(NamedTuple):
    """A match, by bytes of the text in UTF-8, and what takes its place."""

    begin: int
    end: int
    new: bytes


class Substitution:
    """A compiled pattern and the text that replaces its matches."""

    def __init__(self, pattern: str, new: str) -> None:
        """ARGUMENT_INVALID or PATTERN_UNSUPPORTED where either cannot be used."""
        self.pattern = pattern
        if not pattern or len(pattern) > MAX_PATTERN_CHARS:
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"the pattern has {len(pattern)} characters",
                expected=f"1 to {MAX_PATTERN_CHARS} characters",
                received=str(len(pattern)),
            )
        try:
            pattern.encode()
        except UnicodeEncodeError as error:
            raise invalid(pattern, error.start, "half of a character") from None
        tokens = tokenize_regex(pattern)
        options = _re2.RE2.Options()
        options.max_mem = MAX_MEMORY
        options.log_errors = False
        options.never_nl = not any(token.newline for token in tokens)
        self._compiled: Any = _re2.RE2(f"(?m){''.join(token.wide for token in tokens)}".encode(), options)
        if not self._compiled.ok():
            kind = self._compiled.error().decode("utf-8", "replace").partition(": ")[0]
            raise invalid(pattern, 0, display(kind))
        self._new = _parse_template(new, self._compiled.NumberOfCapturingGroups())

    @property
    def quoted(self) -> str:
        """The pattern as errors show it."""
        return f"'{display(self.pattern[:80])}'"

    def is_in(self, data: bytes) -> bool:
        span: tuple[int, int] = self._compiled.Match(_ANYWHERE, data, 0, len(data))[0]
        return span != _NOWHERE

    def find(self, data: bytes) -> Iterator[Match]:
        """Matches from left to right, none of which overlap. An empty one is allowed where a line starts or ends."""
        position, last_end = 0, -1
        while position <= len(data):
            spans = self._compiled.Match(_ANYWHERE, data, position, len(data))
            begin, end = spans[0]
            if begin < 0:
                return
            if end > begin:
                yield Match(begin, end, self._expand(data, spans))
                position = last_end = end
                continue
            # There is no line after the last line feed, and no match right behind another one.
            if begin != last_end and not (begin == len(data) and data[-1:] in (b"", b"\n")):
                self._require_edge(data, begin)
                yield Match(begin, end, self._expand(data, spans))
            position = _next_character(data, begin)

    def _expand(self, data: bytes, spans: Any) -> bytes:
        parts = (part if isinstance(part, bytes) else data[slice(*spans[part])] for part in self._new)
        # A group that took no part in the match is empty; its span is (-1, -1).
        return b"".join(parts)

    def _require_edge(self, data: bytes, at: int) -> None:
        is_start = not at or data[at - 1 : at] == b"\n"
        line = data.count(b"\n", 0, at) + 1
        if not is_start and at != len(data) and data[at : at + 1] != b"\n":
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"the pattern matches the empty text in line {line}",
                expected="a pattern that matches at least one character, or that stands at ^ or $",
                received=display(self.pattern[:80]),
            )


def _next_character(data: bytes, at: int) -> int:
    at += 1
    while at < len(data) and data[at] & 0xC0 == 0x80:
        at += 1
    return at


def _parse_template(new: str, groups: int) -> tuple[bytes | int, ...]:
    """Text and group numbers."""
    parts: list[bytes | int] = []
    position = 0
    while (at := new.find("\\", position)) >= 0:
        parts.append(_encode(new[position:at]))
        sign = new[at + 1 : at + 2]
        if sign.isascii() and sign.isdigit():
            if int(sign) > groups:
                raise _bad_template(f"\\{sign} is not a group of the pattern, which has {groups}", new, at)
            parts.append(int(sign))
        elif sign in _ESCAPES and sign:
            parts.append(_ESCAPES[sign].encode())
        else:
            raise _bad_template(f"'\\{display(sign)}' means nothing here; a backslash is written as '\\\\'", new, at)
        position = at + 2
    parts.append(_encode(new[position:]))
    return tuple(part for part in parts if part != b"")


def _encode(text: str) -> bytes:
    # Half of a character is found out when the file is encoded, and refused there.
    return text.encode("utf-8", "surrogatepass")


def _bad_template(message: str, new: str, at: int) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        message,
        expected=r"\0 to \9 for groups, \n, \t, and \\ for a backslash",
        received=display(new[at : at + 40]),
    )
