"""Regular expression substitution with RE2, so that every pattern runs in linear time. Pure.

The syntax is that of `search` with mode regex: `.` and `\\s` do not match a line feed, `^` and `$` match at lines, and
a pattern with an explicit line feed may match several lines. Case-sensitive unless it starts with `(?i)`. In the new
text `\\1` to `\\9` are groups, `\\0` is the match, `\\n` and `\\t` are a line feed and a tab, `\\\\` is a backslash.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from re2 import _re2

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.edits.text_edit import PatternMatch
from codeplane.operations.search.regex_syntax import invalid, tokenize_regex

MAX_PATTERN_CHARS = 10_000
MAX_MEMORY = 8 * 1024 * 1024
"""Memory limit of one compiled pattern, including its DFA cache."""

_ANYWHERE = _re2.RE2.Anchor.UNANCHORED
_NOWHERE = (-1, -1)
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\"}


class Substitution:
    """A compiled pattern and the text that replaces its matches."""

    def __init__(self, pattern: str, new: str) -> None:
        """ARGUMENT_INVALID or PATTERN_UNSUPPORTED if the pattern or the new text is not valid."""
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
            raise invalid(pattern, error.start, "a lone surrogate") from None
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

    def find(self, data: bytes) -> Iterator[PatternMatch]:
        """Yield the matches from left to right, without overlaps. Empty matches are allowed at line ends only."""
        position, last_end = 0, -1
        while position <= len(data):
            spans = self._compiled.Match(_ANYWHERE, data, position, len(data))
            begin, end = spans[0]
            if begin < 0:
                return
            if end > begin:
                yield PatternMatch(begin, end, self._expand(data, spans))
                position = last_end = end
                continue
            # No line starts after the last line feed, and an empty match does not follow another match.
            if begin != last_end and not (begin == len(data) and data[-1:] in (b"", b"\n")):
                self._require_edge(data, begin)
                yield PatternMatch(begin, end, self._expand(data, spans))
            position = _next_character(data, begin)

    def _expand(self, data: bytes, spans: Any) -> bytes:
        parts = (part if isinstance(part, bytes) else data[slice(*spans[part])] for part in self._new)
        # The span of a group that did not participate is (-1, -1), an empty slice.
        return b"".join(parts)

    def _require_edge(self, data: bytes, at: int) -> None:
        is_start = not at or data[at - 1 : at] == b"\n"
        line = data.count(b"\n", 0, at) + 1
        if not is_start and at != len(data) and data[at : at + 1] != b"\n":
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"the pattern matches the empty text in line {line}",
                expected="a pattern that matches at least one character, or only at ^ or $",
                received=display(self.pattern[:80]),
            )


def _next_character(data: bytes, at: int) -> int:
    at += 1
    while at < len(data) and data[at] & 0xC0 == 0x80:
        at += 1
    return at


def _parse_template(new: str, groups: int) -> tuple[bytes | int, ...]:
    """Split the new text into literal bytes and group numbers."""
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
            raise _bad_template(f"'\\{display(sign)}' is not a known escape; write a backslash as '\\\\'", new, at)
        position = at + 2
    parts.append(_encode(new[position:]))
    return tuple(part for part in parts if part != b"")


def _encode(text: str) -> bytes:
    # A lone surrogate is refused later, when the file is encoded.
    return text.encode("utf-8", "surrogatepass")


def _bad_template(message: str, new: str, at: int) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        message,
        expected=r"\0 to \9 for groups, \n, \t, and \\ for a backslash",
        received=display(new[at : at + 40]),
    )
