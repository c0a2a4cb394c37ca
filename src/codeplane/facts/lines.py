"""Conversion of byte offsets to lines and columns. Only LF ends a line, as in git and tree-sitter."""

from __future__ import annotations

import re
from bisect import bisect_right

_LINE_END = re.compile(b"\n")
_NEVER = 1 << 62


class Lines:
    """Line starts of one source; columns count characters."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.ascii = source.isascii()
        self.starts = [0]
        self.starts.extend([match.end() for match in _LINE_END.finditer(source)])
        self._counted = (0, 0)
        """An offset and its column: in a line of a megabyte, the next column is counted from there."""

    def position(self, offset: int) -> tuple[int, int]:
        """Return the 1-based line and 0-based column of a byte offset."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] if self.ascii else self.column(line, offset)

    def column(self, line: int, offset: int) -> int:
        start = self.starts[line - 1]
        if self.ascii:
            return offset - start
        counted, column = self._counted
        if not start <= counted <= offset:
            counted, column = start, 0
        column += len(self.source[counted:offset].decode("utf-8", "replace"))
        self._counted = (offset, column)
        return column

    def positions(self, offsets: list[int]) -> tuple[list[int], list[int]]:
        """Return lines and columns of ascending offsets, like `position` for each."""
        source, starts, count = self.source, self.starts, len(self.starts)
        lines: list[int] = []
        columns: list[int] = []
        line, start, following = 0, 0, 0
        plain = True
        for offset in offsets:
            if offset >= following:
                while offset >= following:
                    start = following
                    line += 1
                    following = starts[line] if line < count else _NEVER
                plain = self.ascii or source[start:following].isascii()
            lines.append(line)
            columns.append(offset - start if plain else self.column(line, offset))
        return lines, columns

    def text(self, line: int) -> bytes:
        """Return a line without its line ending."""
        start = self.starts[line - 1]
        end = self.starts[line] - 1 if line < len(self.starts) else len(self.source)
        return self.source[start:end].rstrip(b"\r")

    def span(self, start: int, end: int) -> tuple[int, int, int, int]:
        return (*self.position(start), *self.position(end))
