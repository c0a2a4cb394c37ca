"""Texts of the files that a refactoring reads, with literals and comments masked for bracket matching."""

from __future__ import annotations

import re
from functools import cached_property

from codeplane.base.digests import Digest, digest_bytes
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.disk.encoding import decode
from codeplane.disk.safe_open import Root
from codeplane.edits.model import MAX_FILE_BYTES
from codeplane.languages.registry import detect
from codeplane.languages.spec import Language

_BLOCK = r"/\*[\s\S]*?(?:\*/|\Z)"
_TRIPLE = r'"""[\s\S]*?(?:"""|\Z)' + r"|'''[\s\S]*?(?:'''|\Z)"
_DOUBLE = r'"(?:\\.|[^"\\\n])*"?'
_SINGLE = r"'(?:\\.|[^'\\\n])*'"
_OPEN, _CLOSE = "([{", ")]}"
_NOT_NEWLINE = re.compile(r"[^\n]")
MAX_BRACKET_CHARS = 20_000
"""Characters that are searched for the bracket around a place"""


class FileText:
    """Decoded text of one file. Lines count from 1, columns from 0."""

    def __init__(self, path: RepoPath, data: bytes) -> None:
        self.path = path
        self.digest: Digest = digest_bytes(data)
        decoded = decode(data)
        self.text = decoded.data.decode("utf-8") if decoded is not None else ""
        self.lines = self.text.split("\n")

    @cached_property
    def language(self) -> Language | None:
        return detect(self.path, self.text[:2000].encode("utf-8"))

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self.lines:
            starts.append(starts[-1] + len(line) + 1)
        return starts

    @cached_property
    def masked(self) -> str:
        """The text with blanks in place of literals and comments; line ends stay."""
        comments = self.language.comments if self.language is not None else ()
        parts = [_BLOCK] if "/*" in comments else []
        parts += [_TRIPLE, _DOUBLE, _SINGLE]
        parts += [re.escape(mark) + r"[^\n]*" for mark in comments if mark != "/*"]
        return re.sub("|".join(parts), lambda found: _NOT_NEWLINE.sub(" ", found[0]), self.text)

    def has(self, line: int, column: int, name: str) -> bool:
        return 0 < line <= len(self.lines) and self.lines[line - 1].startswith(name, column)

    def offset(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column

    def place(self, offset: int) -> tuple[int, int]:
        line = self.text.count("\n", 0, offset)
        return line + 1, offset - self._starts[line]

    def opening(self, offset: int) -> int | None:
        """Return the offset of the bracket that is open at a place, or None."""
        depth = 0
        for at in range(offset - 1, max(-1, offset - MAX_BRACKET_CHARS), -1):
            character = self.masked[at]
            if character in _CLOSE:
                depth += 1
            elif character in _OPEN:
                if depth == 0:
                    return at
                depth -= 1
        return None

    def closing(self, opening: int) -> int:
        """Return the offset of the bracket that closes one, or of the end of the text."""
        depth = 0
        for at in range(opening, min(len(self.masked), opening + MAX_BRACKET_CHARS)):
            character = self.masked[at]
            depth += (character in _OPEN) - (character in _CLOSE)
            if depth == 0:
                return at
        return len(self.masked)

    def word_before(self, offset: int) -> tuple[str, int]:
        """Return the identifier that ends before an offset, and where it starts; spaces between are ignored."""
        end = offset
        while end > 0 and self.masked[end - 1].isspace():
            end -= 1
        start = end
        while start > 0 and (self.masked[start - 1].isalnum() or self.masked[start - 1] in "_$?!"):
            start -= 1
        return self.masked[start:end], start


class FileTexts:
    """Files of the working tree, each read once."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._texts: dict[RepoPath, FileText] = {}

    def read(self, path: RepoPath) -> FileText:
        if path not in self._texts:
            try:
                data = self._root.read_file(path, MAX_FILE_BYTES).data
            except CodePlaneError as error:
                if error.code is ErrorCode.FILE_NOT_FOUND:
                    raise stale_file(path) from None
                raise
            self._texts[path] = FileText(path, data)
        return self._texts[path]


def stale_file(path: RepoPath) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.INDEX_STALE,
        f"'{display(path)}' changed while the refactoring was planned",
        details={"stale_paths": [path]},
        remedy="Call it again.",
    )
