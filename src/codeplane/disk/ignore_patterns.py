"""Patterns of ignore files, matched as git matches them (gitignore(5)), in time linear in the path.

A PatternList returns its last pattern that matches a path. Names, paths and extensions without wildcards are hash
lookups; the rest are regular expressions without backtracking (atomic groups), so no pattern can make a match slow.
Everything is bytes: in git, `?` matches one byte. Does no I/O.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator
from typing import NamedTuple

MAX_LINES = 100_000
MAX_PATTERN_BYTES = 4096
MAX_WILDCARD_PATTERNS = 1000
"""Limit for patterns that need a regular expression; real lists have dozens. The rest are skipped."""


class IgnorePattern(NamedTuple):
    line: int
    text: str
    """As written."""
    negated: bool
    directories_only: bool
    anchored: bool
    """Matched against the path relative to the list's directory, not against the name."""
    glob: bytes


class PatternList:
    """The patterns of one file. Later lines win over earlier ones."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._patterns: list[IgnorePattern] = []
        self._names: dict[bytes, _Last] = {}
        self._paths: dict[bytes, _Last] = {}
        self._extensions: dict[bytes, _Last] = {}
        name_globs: dict[tuple[bytes, bool], int] = {}
        path_globs: dict[tuple[bytes, bool], int] = {}
        for pattern in parse_lines(lines):
            position = len(self._patterns)
            glob = pattern.glob
            if not _has_special(glob):
                _put(self._paths if pattern.anchored else self._names, glob, pattern, position)
            elif not pattern.anchored and glob[:2] == b"*." and not _has_special(glob[1:]) and b"." not in glob[2:]:
                _put(self._extensions, glob[1:], pattern, position)
            else:
                globs = path_globs if pattern.anchored else name_globs
                # Among equal patterns only the last matters.
                globs.pop((glob, pattern.directories_only), None)
                globs[glob, pattern.directories_only] = position
            self._patterns.append(pattern)
        limit = MAX_WILDCARD_PATTERNS
        self.complete = len(name_globs) + len(path_globs) <= limit
        self._name_globs = _Globs(list(name_globs.items())[:limit], anchored=False)
        self._path_globs = _Globs(list(path_globs.items())[: max(0, limit - len(name_globs))], anchored=True)

    def __len__(self) -> int:
        return len(self._patterns)

    def find_last(self, path: bytes, name: bytes, *, is_directory: bool) -> IgnorePattern | None:
        """Return the last pattern that matches the path itself (relative to the list's directory), not a parent."""
        best = -1
        for table, key in ((self._names, name), (self._paths, path)):
            found = table.get(key)
            if found is not None:
                best = max(best, found.directory if is_directory else found.any)
        if self._extensions:
            dot = name.rfind(b".")
            found = self._extensions.get(name[dot:]) if dot >= 0 else None
            if found is not None:
                best = max(best, found.directory if is_directory else found.any)
        best = self._name_globs.find_last(name, best, is_directory=is_directory)
        best = self._path_globs.find_last(path, best, is_directory=is_directory)
        return self._patterns[best] if best >= 0 else None


def parse_lines(lines: Iterable[bytes]) -> Iterator[IgnorePattern]:
    for number, raw in enumerate(lines, start=1):
        if number > MAX_LINES:
            return
        line = raw[3:] if number == 1 and raw.startswith(b"\xef\xbb\xbf") else raw
        line = line.removesuffix(b"\n").removesuffix(b"\r").partition(b"\0")[0]
        if not line or line.startswith(b"#"):
            continue
        body = _trim_spaces(line)
        text = body.decode("utf-8", "surrogateescape")
        negated = body.startswith(b"!")
        if negated:
            body = body[1:]
        directories_only = body.endswith(b"/")
        if directories_only:
            body = body[:-1]
        anchored = b"/" in body
        if anchored:
            body = body.removeprefix(b"/")
        if body and len(body) <= MAX_PATTERN_BYTES:
            yield IgnorePattern(number, text, negated, directories_only, anchored, body)


def translate(glob: bytes, *, anchored: bool) -> bytes | None:
    """Return the expression for a glob, or None if git never matches it (an open bracket, a lone backslash)."""
    tokens = _tokenize(glob, anchored=anchored)
    if tokens is None:
        return None
    out: list[bytes] = []
    # Between two `**/` is a run of complete segments. Its first match is as good as any later one, because the
    # rest may skip any number of segments; so each run is an atomic group.
    runs = _split(tokens, _ANY_FOLDERS)
    for position, run in enumerate(runs):
        body = _translate_run(run)
        if position == 0:
            out.append(body)
        elif position == len(runs) - 1:
            out.append(rb"(?:.*/)?" + body)
        else:
            out.append(rb"(?>(?:.*?/)??" + body + rb")")
    return b"".join(out) + rb"\Z"


class _Last(NamedTuple):
    """Position of the last pattern for any entry, and of the last one for directories."""

    any: int
    directory: int


class _Globs:
    """Expressions behind one alternation, which rejects most paths with a single match."""

    def __init__(self, globs: list[tuple[tuple[bytes, bool], int]], *, anchored: bool) -> None:
        compiled: list[tuple[int, bool, re.Pattern[bytes]]] = []
        sources: list[bytes] = []
        for (glob, directories_only), position in globs:
            source = translate(glob, anchored=anchored)
            if source is not None:
                sources.append(source)
                compiled.append((position, directories_only, re.compile(source, re.DOTALL)))
        compiled.sort(key=lambda entry: -entry[0])
        self._compiled = compiled
        self._any = re.compile(b"|".join(sources), re.DOTALL) if sources else None

    def find_last(self, text: bytes, best: int, *, is_directory: bool) -> int:
        if self._any is None or self._any.match(text) is None:
            return best
        for position, directories_only, expression in self._compiled:
            if position < best:
                break
            if (is_directory or not directories_only) and expression.match(text):
                return position
        return best


def _put(table: dict[bytes, _Last], key: bytes, pattern: IgnorePattern, position: int) -> None:
    before = table.get(key)
    for_any = (before.any if before else -1) if pattern.directories_only else position
    table[key] = _Last(for_any, position)


def _trim_spaces(line: bytes) -> bytes:
    """Remove trailing spaces, except one after a backslash."""
    end = len(line)
    while end and line[end - 1] == 0x20:
        end -= 1
    if end == len(line):
        return line
    backslashes = end - len(line[:end].rstrip(b"\\"))
    return line[: end + 1] if backslashes % 2 else line[:end]


# A token is the expression for one byte, or one of these constants, which are not expressions.
_STAR = b"*"
_ANY_FOLDERS = b"**/"
_ANYTHING = b"**"
_SLASH = b"/"

_ANY_BYTE = rb"[^/]"
_SPECIAL = re.compile(rb"[*?\[\\]")


def _has_special(glob: bytes) -> bool:
    return _SPECIAL.search(glob) is not None


def _tokenize(glob: bytes, *, anchored: bool) -> list[bytes] | None:
    first_special = _SPECIAL.search(glob)
    # git compares the literal prefix of a path pattern separately, so it treats `**` after it as a leading one.
    literal_end = first_special.start() if anchored and first_special else 0
    tokens: list[bytes] = [re.escape(glob[i : i + 1]) for i in range(literal_end)]
    position = literal_end
    while position < len(glob):
        char = glob[position : position + 1]
        if char == b"*":
            end = len(glob) - len(glob[position:].lstrip(b"*"))
            opens = position == literal_end or glob[position - 1 : position] == _SLASH
            rest = glob[end : end + 2]
            if anchored and end - position >= 2 and opens and (rest == b"" or rest[:1] == _SLASH or rest == b"\\/"):
                if rest[:1] == _SLASH:
                    tokens.append(_ANY_FOLDERS)
                    end += 1
                elif rest:
                    # Before an escaped slash one folder is required, then any number.
                    tokens += [rb"(?>.*?/)", _ANY_FOLDERS]
                    end += 2
                else:
                    tokens.append(_ANYTHING)
            else:
                tokens.append(_STAR)
            position = end
        elif char == b"?":
            tokens.append(_ANY_BYTE)
            position += 1
        elif char == b"[":
            members, position = _parse_bracket(glob, position + 1)
            if members is None:
                return None
            tokens.append(_byte_class(members - {0x2F}))
        else:
            if char == b"\\":
                position += 1
                char = glob[position : position + 1]
                if not char:
                    return None
            tokens.append(re.escape(char))
            position += 1
    return tokens


def _translate_run(tokens: list[bytes]) -> bytes:
    return b"/".join(_translate_segment(segment) for segment in _split(tokens, _SLASH))


def _translate_segment(tokens: list[bytes]) -> bytes:
    """Translate fixed pieces with stars between them. All pieces except the last take their first match."""
    if tokens and tokens[-1] == _ANYTHING:
        return _translate_segment(tokens[:-1]) + rb".*"
    pieces = [b"".join(piece) for piece in _split(tokens, _STAR)]
    if len(pieces) == 1:
        return pieces[0]
    middle = b"".join(rb"(?>[^/]*?" + piece + rb")" for piece in pieces[1:-1] if piece)
    last = rb"[^/]*" + pieces[-1] if pieces[-1] else rb"[^/]*+"
    return pieces[0] + middle + last


def _split(tokens: list[bytes], separator: bytes) -> list[list[bytes]]:
    parts: list[list[bytes]] = [[]]
    for token in tokens:
        if token == separator:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _byte_class(members: set[int]) -> bytes:
    if not members:
        return rb"(?!)"
    return b"[" + b"".join(rb"\x%02x" % byte for byte in sorted(members)) + b"]"


def _members(chars: str) -> frozenset[int]:
    return frozenset(chars.encode("ascii"))


_CLASSES = {
    b"alnum": _members(string.ascii_letters + string.digits),
    b"alpha": _members(string.ascii_letters),
    b"blank": _members(" \t"),
    b"cntrl": frozenset(range(32)) | {127},
    b"digit": _members(string.digits),
    b"graph": frozenset(range(33, 127)),
    b"lower": _members(string.ascii_lowercase),
    b"print": frozenset(range(32, 127)),
    b"punct": _members(string.punctuation),
    b"space": _members(" \t\n\r\v\f"),
    b"upper": _members(string.ascii_uppercase),
    b"xdigit": _members(string.hexdigits),
}


def _parse_bracket(glob: bytes, position: int) -> tuple[set[int] | None, int]:
    """Parse the bracket expression whose content starts at `position`; return its members and its end."""
    never = (None, len(glob))
    negated = glob[position : position + 1] in (b"!", b"^")
    position += negated
    members: set[int] = set()
    previous = 0
    first = True
    while first or glob[position : position + 1] != b"]":
        first = False
        char = glob[position] if position < len(glob) else 0
        if not char:
            return never
        if char == 0x5C:
            position += 1
            if position >= len(glob):
                return never
            previous = glob[position]
            members.add(previous)
        elif char == 0x2D and previous and glob[position + 1 : position + 2] not in (b"", b"]"):
            position += 1
            if glob[position] == 0x5C:
                position += 1
                if position >= len(glob):
                    return never
            members.update(range(previous, glob[position] + 1))
            previous = 0
        elif char == 0x5B and glob[position + 1 : position + 2] == b":":
            end = glob.find(b"]", position + 2)
            if end < 0:
                return never
            if end - position < 3 or glob[end - 1] != 0x3A:
                # No ":]" follows: the bracket is an ordinary member.
                members.add(char)
                previous = char
            else:
                named = _CLASSES.get(glob[position + 2 : end - 1])
                if named is None:
                    return never
                members |= named
                previous = 0
                position = end
        else:
            members.add(char)
            previous = char
        position += 1
    return (set(range(1, 256)) - members if negated else members), position + 1
