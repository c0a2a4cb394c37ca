"""Linguist attributes in `.gitattributes`: generated, vendored and documentation files.

Patterns match as in git (gitattributes(5)): deeper files override files above them, later lines override earlier ones,
and a pattern for a directory does not apply to its content. The files come with the repository, so they are bounded;
no content raises an exception. Macros are not supported. Does no I/O.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from codeplane.base.paths import RepoPath, basename
from codeplane.disk.ignore_patterns import PatternList

ATTRIBUTES_FILE = ".gitattributes"
MAX_ATTRIBUTES_BYTES = 256 * 1024
"""Larger files are ignored."""
MAX_LINE_BYTES = 2048
"""Longer lines are ignored, as in git."""
MAX_STATEMENTS = 5000
"""Limit per tree; statements of the deepest directories are skipped first."""

GENERATED = "linguist-generated"
VENDORED = "linguist-vendored"
DOCUMENTATION = "linguist-documentation"
_NAMES = (GENERATED, VENDORED, DOCUMENTATION)


class AttributeStatement(NamedTuple):
    """One attribute of one line."""

    pattern: str
    """Pattern bytes, decoded as Latin-1."""
    attribute: str
    holds: bool | None
    """None if the line resets the attribute (`!name`)."""


class AttributeValue(NamedTuple):
    holds: bool
    evidence: str


FileAttributes = Mapping[str, AttributeValue]
"""Attribute values of one path, by attribute name."""
NO_ATTRIBUTES: FileAttributes = {}


def is_attributes_file(path: str) -> bool:
    return path == ATTRIBUTES_FILE or path.endswith(f"/{ATTRIBUTES_FILE}")


def parse_attributes(data: bytes | None) -> tuple[AttributeStatement, ...]:
    """Parse an attributes file; empty if it is unreadable or too large."""
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
    """All attribute files of a tree."""

    def __init__(self, files: Mapping[RepoPath, tuple[AttributeStatement, ...]]) -> None:
        remaining = MAX_STATEMENTS
        self.complete = sum(map(len, files.values())) <= remaining
        """False if statements were skipped because of the limit."""
        self._lists: dict[str, list[_Statements]] = {}
        for path in sorted(files, key=lambda path: (path.count("/"), path)):
            statements = files[path][:remaining]
            remaining -= len(statements)
            if statements:
                lists = [
                    _Statements(path, name, [each for each in statements if each.attribute == name]) for name in _NAMES
                ]
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
                    value = statements.find(path[end:], name)
                    if value is not _NO_MATCH:
                        found[statements.attribute] = value
            if not end:
                break
            end = path.rfind("/", 0, end - 1) + 1
        return {attribute: value for attribute, value in found.items() if value is not None}


_NO_MATCH = AttributeValue(False, "")


class _Statements:
    """Statements of one file about one attribute."""

    def __init__(self, path: RepoPath, attribute: str, statements: Sequence[AttributeStatement]) -> None:
        self._held = [each.holds for each in statements]
        self._patterns = PatternList(_as_line(each.pattern.encode("latin-1")) for each in statements)
        self._path = path
        self.attribute = attribute

    def __len__(self) -> int:
        return len(self._held)

    def find(self, path: str, name: str) -> AttributeValue | None:
        """Return the value of the last matching line, `_NO_MATCH` if there is none."""
        pattern = self._patterns.find_last(os.fsencode(path), os.fsencode(name), is_directory=False)
        if pattern is None:
            return _NO_MATCH
        holds = self._held[pattern.line - 1]
        return None if holds is None else AttributeValue(holds, f"{self._path} {'' if holds else '-'}{self.attribute}")


_ESCAPES = {ord("t"): b"\t", ord("n"): b"\n", ord("r"): b"\r"}


def _split(line: bytes) -> tuple[bytes, list[bytes]]:
    """Split a line into pattern and attributes; the pattern is empty for comments, macros and invalid lines."""
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
    """Return the pattern as a line of an ignore file."""
    if pattern.startswith(b"#"):
        pattern = b"\\" + pattern
    bare = pattern.rstrip(b" ")
    return bare + b"\\ " * (len(pattern) - len(bare))
