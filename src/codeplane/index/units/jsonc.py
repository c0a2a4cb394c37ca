"""JSON with comments and trailing commas, as plain JSON of the same length."""

from __future__ import annotations

import re

_TOKEN = re.compile(rb'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*|"|,(?=\s{0,1000}[}\]])')


def strip_comments(data: bytes) -> bytes:
    made = bytearray(data)
    position = 0
    while (found := _TOKEN.search(data, position)) is not None:
        start, end = found.span()
        if found[0] == b'"':
            # A string without an end: no JSON whatever follows.
            break
        if data.startswith(b"/*", start):
            close = data.find(b"*/", end)
            end = close + 2 if close >= 0 else len(data)
        if data[start : start + 1] != b'"':
            made[start:end] = b" " * (end - start)
        position = end
    return bytes(made)
