"""Lines of working tree files, each file read once per search."""

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
"""Maximum lines of one result that are searched for evidence."""
MIN_EVIDENCE = 0.25
"""Minimum share of the query's idf that an evidence line must have."""
MIN_RARE = 0.7
"""Minimum idf, relative to the rarest term, of a term that makes a line evidence by itself."""
MAX_CACHED = 200
"""Files whose lines are cached."""


class FileLines:
    def __init__(self, root: Root) -> None:
        self._root = root
        self._lines: dict[str, list[str]] = {}

    def of(self, path: str) -> list[str]:
        if path not in self._lines:
            if len(self._lines) >= MAX_CACHED:
                self._lines.clear()
            with BulkReader(self._root) as texts:
                data = texts.read(path, MAX_LEXICAL_BYTES)
            text = None if isinstance(data, ReadFailure) else decode(data)
            lines = text.data.decode("utf-8", "replace").split("\n") if text is not None else []
            self._lines[path] = [line.rstrip("\r") for line in lines]
        return self._lines[path]

    def between(self, path: str, first: int, last: int) -> str:
        return "\n".join(self.of(path)[first - 1 : last])

    def evidence(self, path: str, first: int, last: int, idf: Mapping[str, int]) -> tuple[int, str]:
        """Return the line with the highest idf sum; (0, "") if no line has enough of it."""
        if not idf:
            return 0, ""
        span = self.of(path)[first - 1 : min(last, first + MAX_EVIDENCE_LINES)]
        found: dict[int, set[str]] = {}
        for match in _any_of(frozenset(idf)).finditer("\n".join(span).lower()):
            found.setdefault(match.start(), set()).add(match.group())
        ends = list(accumulate(len(line) + 1 for line in span))
        by_line: dict[int, set[str]] = {}
        for at, terms in found.items():
            by_line.setdefault(bisect_right(ends, at), set()).update(terms)
        rare = max(idf.values()) * MIN_RARE
        candidates = {
            number: terms
            for number, terms in by_line.items()
            if len(terms) > 1 or any(idf[term] >= rare for term in terms)
        }
        score = {number: sum(idf[term] for term in terms) for number, terms in candidates.items()}
        best = max(score, key=lambda number: (score[number], -number), default=None)
        if best is None or score[best] < sum(idf.values()) * MIN_EVIDENCE:
            return 0, ""
        return first + best, span[best]

    def best(self, path: str, first: int, last: int, idf: Mapping[str, int]) -> tuple[int, str]:
        """Return the line with the highest idf sum, the first of equals."""
        best, chosen = 0, (0, "")
        for number, line in enumerate(self.of(path)[first - 1 : last], first):
            terms = {term for word in normalize_text(line).split() for term in terms_of(word)}
            score = sum(idf.get(term, 0) for term in terms)
            if score > best:
                best, chosen = score, (number, line.strip())
        return chosen


@lru_cache(maxsize=8)
def _any_of(terms: frozenset[str]) -> re.Pattern[str]:
    """Compile an alternation with longer terms first, so that a term is not hidden by its prefix."""
    return re.compile("|".join(map(re.escape, sorted(terms, key=lambda term: (-len(term), term)))))
