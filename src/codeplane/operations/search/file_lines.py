"""Lines of files of the working tree, each file read once in a search."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from functools import lru_cache
from itertools import accumulate

from codeplane.base.limits import MAX_LEXICAL_BYTES
from codeplane.disk.bulk_read import BulkReader, ReadFailure
from codeplane.disk.encoding import decode
from codeplane.disk.safe_open import Root
from codeplane.facts.words import normalize_text, terms_of

MAX_EVIDENCE_LINES = 1_000
"""Lines of one result that are searched for evidence."""
MIN_EVIDENCE = 0.25
"""Share of the weight of the query that a line needs to be shown as evidence."""
MIN_RARE = 0.7
"""Weight, beside the rarest term, of a term that makes a line worth showing by itself."""
MAX_HELD = 200
"""Files whose lines are kept."""


class FileLines:
    def __init__(self, root: Root) -> None:
        self._root = root
        self._lines: dict[str, list[str]] = {}

    def of(self, path: str) -> list[str]:
        if path not in self._lines:
            if len(self._lines) >= MAX_HELD:
                self._lines.clear()
            with BulkReader(self._root) as texts:
                data = texts.read(path, MAX_LEXICAL_BYTES)
            text = None if isinstance(data, ReadFailure) else decode(data)
            lines = text.data.decode("utf-8", "replace").split("\n") if text is not None else []
            self._lines[path] = [line.rstrip("\r") for line in lines]
        return self._lines[path]

    def between(self, path: str, first: int, last: int) -> str:
        return "\n".join(self.of(path)[first - 1 : last])

    def evidence(self, path: str, first: int, last: int, weights: Mapping[str, int]) -> tuple[int, str]:
        """The line with the rarest terms of the query; (0, "") where no line has a fair share of it."""
        if not weights:
            return 0, ""
        span = self.of(path)[first - 1 : min(last, first + MAX_EVIDENCE_LINES)]
        found: dict[int, set[str]] = {}
        for match in _any_of(frozenset(weights)).finditer("\n".join(span).lower()):
            found.setdefault(match.start(), set()).add(match.group())
        ends = list(accumulate(len(line) + 1 for line in span))
        by_line: dict[int, set[str]] = {}
        for at, terms in found.items():
            by_line.setdefault(bisect_right(ends, at), set()).update(terms)
        rare = max(weights.values()) * MIN_RARE
        telling = {
            number: terms
            for number, terms in by_line.items()
            if len(terms) > 1 or any(weights[term] >= rare for term in terms)
        }
        worth = {number: sum(weights[term] for term in terms) for number, terms in telling.items()}
        best = max(worth, key=lambda number: (worth[number], -number), default=None)
        if best is None or worth[best] < sum(weights.values()) * MIN_EVIDENCE:
            return 0, ""
        return first + best, span[best]

    def best(self, path: str, first: int, last: int, rarity: Mapping[str, int]) -> tuple[int, str]:
        """The line with the rarest terms, the first of equals."""
        best, chosen = 0, (0, "")
        for number, line in enumerate(self.of(path)[first - 1 : last], first):
            terms = {term for word in normalize_text(line).split() for term in terms_of(word)}
            worth = sum(rarity.get(term, 0) for term in terms)
            if worth > best:
                best, chosen = worth, (number, line.strip())
        return chosen


@lru_cache(maxsize=8)
def _any_of(terms: frozenset[str]) -> re.Pattern[str]:
    """Longer terms first, so that a term is not hidden by its own beginning."""
    return re.compile("|".join(map(re.escape, sorted(terms, key=lambda term: (-len(term), term)))))
