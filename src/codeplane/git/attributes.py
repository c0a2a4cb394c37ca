"""What `.gitattributes` says of the role of a file: the attributes that GitHub's Linguist has made usual.

Patterns are matched as git matches them: a deeper file wins over those above it, a later line over an earlier one, and
a pattern that names a directory says nothing of what lies in it. The files come with the repository, so they are
bounded, and whatever they hold is an answer, never an exception. Macros are not known here. Does no I/O.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from codeplane.base.paths import RepoPath, basename
from codeplane.disk.ignore_patterns import PatternList

ATTRIBUTES_FILE = ".gitattributes"
MAX_ATTRIBUTES_BYTES = 256 * 1024
"""A larger file says nothing."""
MAX_LINE_BYTES = 2048
"""As for git itself: a longer line says nothing."""
MAX_STATEMENTS = 5000
"""Of one tree; those of deep directories are left out first."""

GENERATED = "linguist-generated"
VENDORED = "linguist-vendored"
DOCUMENTATION = "linguist-documentation"
_NAMES = (GENERATED, VENDORED, DOCUMENTATION)


class AttributeStatement(NamedTuple):
    """One attribute on one line."""

    pattern: str
    """Its bytes as characters of Latin-1."""
    attribute: str
    holds: bool | None
    """None where the line takes back what others say."""


class AttributeValue(NamedTuple):
    holds: bool
    evidence: str


FileAttributes = Mapping[str, AttributeValue]
"""By attribute, what is said of one path."""
NO_ATTRIBUTES: FileAttributes = {}


def is_attributes_file(path: str) -> bool:
    return path == ATTRIBUTES_FILE or path.endswith(f"/{ATTRIBUTES_FILE}")


def parse_attributes(data: bytes | None) -> tuple[AttributeStatement, ...]:
    """What one file says, in its order; nothing for one that cannot be read, or is too large."""
    if data is None or len(data) > MAX_ATTRIBUTES_BYTES or b"linguist-" not in data:
        return ()
    found: list[AttributeStatement] = []
    for line in data.removeprefix(b"\xef\xbb\xbf").splitlines():
        if b"linguist-" not in line or len(line) > MAX_LINE_BYTES:
            continue
        pattern, words = _split(line.strip(b" \t\r\0"))
        if not pattern:
            continue
        for word in words:
            name, equals, value = word.decode("ascii", "replace").partition("=")
            bare = name.lstrip("-!") if not equals else name
            if bare in _NAMES and len(name) - len(bare) <= 1:
                holds = None if name.startswith("!") else not name.startswith("-") and value != "false"
                found.append(AttributeStatement(pattern.decode("latin-1"), bare, holds))
    return tuple(found[:MAX_STATEMENTS])


class Attributes:
    """All that the attribute files of a tree say."""

    def __init__(self, files: Mapping[RepoPath, tuple[AttributeStatement, ...]]) -> None:
        room = MAX_STATEMENTS
        self.complete = sum(map(len, files.values())) <= room
        """Whether all statements count."""
        self._lists: dict[str, list[_Statements]] = {}
        for path in sorted(files, key=lambda path: (path.count("/"), path)):
            taken = files[path][:room]
            room -= len(taken)
            if taken:
                lists = [_Statements(path, name, [each for each in taken if each.attribute == name]) for name in _NAMES]
                self._lists[path[: -len(ATTRIBUTES_FILE)]] = [each for each in lists if each]

    def find(self, path: RepoPath) -> FileAttributes:
        if not self._lists:
            return NO_ATTRIBUTES
        found: dict[str, AttributeValue | None] = {}
        name = basename(path)
        end = len(path) - len(name)
        while True:
            for statements in self._lists.get(path[:end], ()):
                if statements.attribute not in found:
                    said = statements.find(path[end:], name)
                    if said is not _UNSAID:
                        found[statements.attribute] = said
            if not end:
                break
            end = path.rfind("/", 0, end - 1) + 1
        return {attribute: said for attribute, said in found.items() if said is not None}


_UNSAID = AttributeValue(False, "")


class _Statements:
    """Those of one file about one attribute."""

    def __init__(self, path: RepoPath, attribute: str, statements: Sequence[AttributeStatement]) -> None:
        self._held = [each.holds for each in statements]
        self._patterns = PatternList(_as_line(each.pattern.encode("latin-1")) for each in statements)
        self._path = path
        self.attribute = attribute

    def __len__(self) -> int:
        return len(self._held)

    def find(self, path: str, name: str) -> AttributeValue | None:
        """What the last line that matches says, `_UNSAID` where there is none."""
        pattern = self._patterns.find_last(os.fsencode(path), os.fsencode(name), is_directory=False)
        if pattern is None:
            return _UNSAID
        holds = self._held[pattern.line - 1]
        return None if holds is None else AttributeValue(holds, f"{self._path} {'' if holds else '-'}{self.attribute}")


_ESCAPES = {ord("t"): b"\t", ord("n"): b"\n", ord("r"): b"\r"}


def _split(line: bytes) -> tuple[bytes, list[bytes]]:
    """Pattern and attributes; no pattern where git takes the line for a comment, a macro or a mistake."""
    if line.startswith((b"#", b"!", b"[attr]")):
        return b"", []
    if not line.startswith(b'"'):
        pattern, *words = line.split()
        return pattern, words
    found, position = bytearray(), 1
    while position < len(line) and line[position] != 0x22:
        if line[position] == 0x5C:
            position += 1
            if position >= len(line) or 0x30 <= line[position] <= 0x39:
                return b"", []
            found += _ESCAPES.get(line[position], line[position : position + 1])
        else:
            found.append(line[position])
        position += 1
    if position >= len(line) or found.startswith(b"!"):
        return b"", []
    return bytes(found), line[position + 1 :].split()


def _as_line(pattern: bytes) -> bytes:
    """The pattern as a line of an ignore file."""
    if pattern.startswith(b"#"):
        pattern = b"\\" + pattern
    bare = pattern.rstrip(b" ")
    return bare + b"\\ " * (len(pattern) - len(bare))
