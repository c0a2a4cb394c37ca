"""Lines of files of the working tree, each file read once in a search."""

from __future__ import annotations

from collections.abc import Mapping

from codeplane.base.limits import MAX_LEXICAL_BYTES
from codeplane.disk.beneath import Root
from codeplane.disk.text import decode
from codeplane.disk.texts import Texts, Unread
from codeplane.facts.words import normalize_text, terms_of

MAX_HELD = 200
"""Files whose lines are kept."""


class Lines:
    def __init__(self, root: Root) -> None:
        self._root = root
        self._lines: dict[str, list[str]] = {}

    def of(self, path: str) -> list[str]:
        if path not in self._lines:
            if len(self._lines) >= MAX_HELD:
                self._lines.clear()
            with Texts(self._root) as texts:
                data = texts.read(path, MAX_LEXICAL_BYTES)
            text = None if isinstance(data, Unread) else decode(data)
            lines = text.data.decode("utf-8", "replace").split("\n") if text is not None else []
            self._lines[path] = [line.rstrip("\r") for line in lines]
        return self._lines[path]

    def between(self, path: str, first: int, last: int) -> str:
        return "\n".join(self.of(path)[first - 1 : last])

    def best(self, path: str, first: int, last: int, rarity: Mapping[str, int]) -> tuple[int, str]:
        """The line with the rarest terms, the first of equals."""
        best, chosen = 0, (0, "")
        for number, line in enumerate(self.of(path)[first - 1 : last], first):
            terms = {term for word in normalize_text(line).split() for term in terms_of(word)}
            worth = sum(rarity.get(term, 0) for term in terms)
            if worth > best:
                best, chosen = worth, (number, line.strip())
        return chosen
