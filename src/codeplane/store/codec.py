"""Encoding of paths, row ids and numbers for SQLite and Tantivy.

A path may contain bytes that are not UTF-8 (surrogate escapes), but both stores take only text. Such bytes are written
as characters of the last private plane, one per byte; a path that really contains such a character is written byte by
byte as well, so that nothing collides.
"""

from __future__ import annotations

import os
import re

from codeplane.base.paths import RepoPath

ORDINAL_BITS = 20
ORDINAL_MASK = (1 << ORDINAL_BITS) - 1

_PLANE = 0x10FF00
_UNSTORABLE = re.compile("[\udc80-\udcff\U0010ff80-\U0010ffff]")
_STORED = re.compile("[\U0010ff80-\U0010ffff]")


def row_id(file_id: int, ordinal: int) -> int:
    return file_id << ORDINAL_BITS | ordinal


def split_row_id(identity: int) -> tuple[int, int]:
    return identity >> ORDINAL_BITS, identity & ORDINAL_MASK


def row_range(file_id: int) -> tuple[int, int]:
    """Return the first and last possible row id of a file."""
    return file_id << ORDINAL_BITS, file_id << ORDINAL_BITS | ORDINAL_MASK


def path_to_text(path: str) -> str:
    if path.isascii():
        return path
    return _UNSTORABLE.sub(lambda found: "".join(chr(_PLANE + byte) for byte in os.fsencode(found[0])), path)


def path_from_text(text: str) -> RepoPath:
    if text.isascii():
        return RepoPath(text)
    raw = _STORED.sub(lambda found: chr(0xDC00 + ord(found[0]) - _PLANE), text)
    return RepoPath(raw.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape"))


def storable(text: str) -> str:
    """Return text with lone surrogates replaced: only paths must survive unchanged."""
    return text.encode("utf-8", "replace").decode("utf-8")


def signed64(value: int) -> int:
    """Wrap an unsigned 64-bit number, such as an inode, into the signed range of SQLite."""
    return value if -(1 << 63) <= value < 1 << 63 else (value + (1 << 63)) % (1 << 64) - (1 << 63)
