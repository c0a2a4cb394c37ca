"""Ranked search of the working tree without an index: BM25 over words of each file, with its best line.

Two passes. The first counts the words of the query in every file of the scope, as substrings of the lower-case text;
the second reads the best files again for the line to show and for definitions. The work is bounded as in `disk_search`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import log
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import MAX_LEXICAL_BYTES
from codeplane.base.paths import basename
from codeplane.disk.bulk_read import BulkReader, ReadFailure
from codeplane.disk.encoding import decode
from codeplane.disk.safe_open import Root
from codeplane.facts.passages import defined_name
from codeplane.facts.words import STOP_WORDS, name_key, normalize_text, split_words, stem
from codeplane.operations.search.disk_search import WORK_LIMITS, ScopedFiles, WorkLimits
from codeplane.operations.search.file_scan import TIME_LIMIT
from codeplane.operations.search.filters import Filters
from codeplane.operations.search.matching import cut_around
from codeplane.operations.search.model import MAX_RANKED, NO_DEFINITION, Cancelled, Hit, SearchResult
from codeplane.operations.search.operators import ParsedQuery
from codeplane.operations.search.query_features import QueryFeatures, QueryShape, analyze_query
from codeplane.query.contents import BINARY
from codeplane.workspace.working_tree import TreeFile, TreeListing

MAX_WORDS = 24
"""Maximum words of a query that are searched."""
MAX_PHRASE_CHARS = 200
MAX_OCCURRENCES = 300
"""Maximum occurrences of one word per file that are considered for the best line."""

_IDENTIFIER_PREFIX = "="
"""Prefix of the term of a multi-word identifier, which is searched as a whole."""
_K1, _B = 1.2, 0.5
"""BM25 parameters. Length counts less than usual: a long code file is no less about its names."""
_NAME_WEIGHT, _FOLDER_WEIGHT = 2.0, 0.6
"""Weight of a word in the name of a file, and in the names of its folders."""
_PHRASE_WEIGHT = 3.0
"""Weight of the whole query as a literal."""
_DEFINITION_WEIGHT = 1.5
"""Weight of words in a name that a line seems to define."""
_EXACT_WEIGHT = 4.0
"""Weight of a definition with exactly the requested name."""
_MENTIONED = 1_000.0
"""Score of a file that the query names by its path."""
_MAX_DEFINITION_BYTES = 400
"""Maximum length of a line that may be a definition."""
_STATEMENTS = frozenset((b"with", b"elif", b"else", b"assert", b"await", b"yield", b"raise", b"del", b"not", b"import"))
"""Words that never start a definition."""
_CHECK_EVERY = 32
"""Files between two checks of the deadline."""


class _Word(NamedTuple):
    term: str
    forms: tuple[bytes, ...]
    """Lower-case search terms: the prefixes that inflected forms share."""


class _Query(NamedTuple):
    words: tuple[_Word, ...]
    phrase: bytes
    """The whole query in lower case; empty for a single word."""
    features: QueryFeatures


@dataclass
class _Candidate:
    file: TreeFile
    size: int
    counts: tuple[int, ...]
    """Number of occurrences of each word."""
    phrase: bool
    score: float = 0.0
    line: int = 0
    text: str = ""
    literal: bool = False
    """True if the line contains the query literally."""


class _Line(NamedTuple):
    weight: float
    number: int
    text: bytes
    boost: float
    """Boost for a definition on the line."""
    literal: bool


def rank_files(
    root: Root,
    tree: TreeListing,
    parsed: ParsedQuery,
    filters: Filters,
    cancelled: Cancelled | None = None,
    limits: WorkLimits = WORK_LIMITS,
) -> SearchResult:
    """Return the best matching files, at most MAX_RANKED."""
    query = _parse_query(parsed)
    files = ScopedFiles.of(tree, filters)
    # As with the index, larger files are not ranked.
    inside, left = files.take((file for file in files.inside if file.size <= MAX_LEXICAL_BYTES), limits)
    reader = _Reader(root, files, filters, cancelled, time.monotonic() + limits.seconds)
    candidates = _with_identifier(list(reader.search(inside, query)), query)
    if not candidates:
        outside, _ = files.take(files.outside, left)
        roles = Counter(found.file.role for found in reader.search(outside, query) if any(found.counts))
        return files.complete(SearchResult((), 0, outside_scope=dict(sorted(roles.items()))))
    weights = _idf(candidates, len(inside), len(query.words))
    average = sum(candidate.size for candidate in candidates) / len(candidates)
    for candidate in candidates:
        candidate.score = _score(candidate, query, weights, average)
    best = sorted(candidates, key=_order)[:MAX_RANKED]
    for candidate in best:
        if reader.is_late():
            break
        reader.show(candidate, query, weights)
    best.sort(key=_order)
    hits = tuple(_hit(candidate, best[0].score) for candidate in best)
    return files.complete(
        SearchResult(hits, len(hits), debug={"candidates": len(inside), "terms": _terms(query, weights)})
    )


class _Reader:
    def __init__(
        self, root: Root, files: ScopedFiles, filters: Filters, cancelled: Cancelled | None, deadline: float
    ) -> None:
        self._root = root
        self._files = files
        self._filters = filters
        self._cancelled = cancelled
        self._deadline = deadline

    def search(self, files: Sequence[TreeFile], query: _Query) -> Iterator[_Candidate]:
        """Yield files with a query word in their text or path that pass the filters."""
        with BulkReader(self._root) as texts:
            for number, file in enumerate(files):
                if number % _CHECK_EVERY == 0 and self.is_late():
                    self._files.unread |= dict.fromkeys((late.path for late in files[number:]), TIME_LIMIT)
                    return
                data = self._read(texts, file)
                if data is None or not self._accepts(data):
                    continue
                text = _lower(data)
                counts = tuple(sum(map(text.count, word.forms)) for word in query.words)
                if any(counts) or _is_named(file.path, query):
                    phrase = bool(query.phrase) and query.phrase in text
                    yield _Candidate(file, len(data), counts, phrase)

    def show(self, candidate: _Candidate, query: _Query, weights: Sequence[float]) -> None:
        """Find the line to show, and add the boost of a definition on it."""
        with BulkReader(self._root) as texts:
            data = self._read(texts, candidate.file)
        best = max(_lines(data, query, weights), key=lambda line: (line.weight, -line.number), default=None)
        if best is not None:
            candidate.line = best.number
            candidate.text = best.text.decode("utf-8", "replace").rstrip("\r")
            candidate.score += best.boost
            candidate.literal = best.literal

    def is_late(self) -> bool:
        if self._cancelled is not None and self._cancelled():
            raise CodePlaneError(ErrorCode.CANCELLED, "the call was cancelled")
        return time.monotonic() > self._deadline

    def _accepts(self, data: bytes) -> bool:
        return not self._filters.has_text_filters or self._filters.accepts_text(data.decode("utf-8", "replace"))

    def _read(self, texts: BulkReader, file: TreeFile) -> bytes | None:
        data = texts.read(file.path, MAX_LEXICAL_BYTES)
        if isinstance(data, ReadFailure):
            self._files.unread[file.path] = str(data.outcome)
            return None
        text = decode(data)
        if text is None:
            self._files.unread[file.path] = BINARY
        return text.data if text is not None else None


def _parse_query(parsed: ParsedQuery) -> _Query:
    features = analyze_query(parsed.text)
    identifiers = normalize_text(features.text).split()
    words: dict[str, _Word] = {}
    for identifier in (*identifiers, *parsed.must):
        for word in _words(identifier):
            words.setdefault(word.term, word)
    # Identifiers are most specific, so they are limited from a long text.
    limited = sorted(words.values(), key=lambda word: not word.term.startswith(_IDENTIFIER_PREFIX))[:MAX_WORDS]
    is_phrase = len(identifiers) > 1 and len(features.text) <= MAX_PHRASE_CHARS and "\n" not in features.text
    phrase = _lower(features.text.encode("utf-8", "replace")) if is_phrase else b""
    return _Query(tuple(limited), phrase, features)


def _words(identifier: str) -> Iterator[_Word]:
    """Yield the identifier as a whole, if it has several words, and its words."""
    whole, parts = identifier.lower().strip("_$"), split_words(identifier)
    if len(parts) > 1:
        yield _Word(_IDENTIFIER_PREFIX + whole, (whole.encode("utf-8", "replace"),))
    for part in parts:
        if len(part) > 1 and part not in STOP_WORDS:
            term = stem(part)
            # A stem is a prefix of all forms of a word, except that y becomes i.
            forms = (term, f"{term[:-1]}y") if term.endswith("i") and len(term) > 3 else (term,)
            yield _Word(term, tuple(form.encode("utf-8", "replace") for form in forms))


def _lower(data: bytes) -> bytes:
    return data.lower() if data.isascii() else data.decode("utf-8", "replace").lower().encode("utf-8", "replace")


def _is_named(path: str, query: _Query) -> bool:
    """True if the path contains a query word, or the query mentions the file."""
    stems = _stems(path)
    return _is_mentioned(path, query.features) or any(word.term in stems for word in query.words)


def _is_mentioned(path: str, features: QueryFeatures) -> bool:
    return any(path == mention or path.endswith(f"/{mention}") for mention in features.paths)


def _stems(path: str) -> frozenset[str]:
    return frozenset(stem(word) for part in normalize_text(path).split() for word in split_words(part))


def _with_identifier(candidates: list[_Candidate], query: _Query) -> list[_Candidate]:
    """For a name, return only files with the exact identifier, if there are any."""
    numbers = [number for number, word in enumerate(query.words) if word.term.startswith(_IDENTIFIER_PREFIX)]
    if query.features.shape is not QueryShape.NAME or not numbers:
        return candidates
    return [found for found in candidates if any(found.counts[number] for number in numbers)] or candidates


def _idf(candidates: Iterable[_Candidate], files: int, words: int) -> list[float]:
    """Inverse document frequency of each word, as in BM25."""
    frequency = [0] * words
    for candidate in candidates:
        for number, count in enumerate(candidate.counts):
            frequency[number] += bool(count)
    return [log(1 + (files - found + 0.5) / (found + 0.5)) for found in frequency]


def _score(candidate: _Candidate, query: _Query, weights: Sequence[float], average: float) -> float:
    length = _K1 * (1 - _B + _B * candidate.size / max(1.0, average))
    folder, _, name = candidate.file.path.rpartition("/")
    in_name, in_folder = _stems(name), _stems(folder)
    score = present = 0.0
    for word, count, weight in zip(query.words, candidate.counts, weights, strict=True):
        score += weight * count * (_K1 + 1) / (count + length)
        score += weight * (_NAME_WEIGHT if word.term in in_name else _FOLDER_WEIGHT if word.term in in_folder else 0.0)
        present += weight if count or word.term in in_name else 0.0
    # Prefer files with all words over files with many occurrences of one.
    score *= 0.5 + 0.5 * present / (sum(weights) or 1.0)
    score += _PHRASE_WEIGHT * max(weights, default=0.0) if candidate.phrase else 0.0
    return score + (_MENTIONED if _is_mentioned(candidate.file.path, query.features) else 0.0)


def _lines(data: bytes | None, query: _Query, weights: Sequence[float]) -> Iterator[_Line]:
    """Yield lines with words of the query."""
    text = _lower(data) if data is not None else b""
    if data is None or len(text) != len(data):
        # Some letters change length in lower case, so offsets differ.
        data = text
    found: dict[int, float] = {}
    phrase = set(_line_starts(text, query.phrase)) if query.phrase else set[int]()
    for word, weight in zip(query.words, weights, strict=True):
        for start in {start for form in word.forms for start in _line_starts(text, form)}:
            found[start] = found.get(start, 0.0) + weight
    heaviest = max(weights, default=0.0)
    number, before = 1, 0
    for start in sorted(found):
        number += data.count(b"\n", before, start)
        before = start
        end = data.find(b"\n", start)
        line = data[start : end if end >= 0 else len(data)]
        boost = _definition_boost(line, query, weights)
        weight = found[start] + boost + (_PHRASE_WEIGHT * heaviest if start in phrase else 0.0)
        yield _Line(weight, number, line, boost, start in phrase)


def _line_starts(text: bytes, form: bytes) -> Iterator[int]:
    """Yield the starts of lines that contain the text, each once, at most MAX_OCCURRENCES."""
    at = text.find(form)
    for _ in range(MAX_OCCURRENCES):
        if at < 0:
            return
        yield text.rfind(b"\n", 0, at) + 1
        end = text.find(b"\n", at)
        at = text.find(form, end) if end >= 0 else -1


def _definition_boost(line: bytes, query: _Query, weights: Sequence[float]) -> float:
    name = defined_name(line[:_MAX_DEFINITION_BYTES])
    if name is None or line.split(maxsplit=1)[0] in _STATEMENTS:
        return 0.0
    own = {_IDENTIFIER_PREFIX + name.lower().strip("_$"), *(stem(word) for word in split_words(name))}
    shared = sum(weight for word, weight in zip(query.words, weights, strict=True) if word.term in own)
    if query.features.key and name_key(name) == query.features.key:
        return _EXACT_WEIGHT * max(weights, default=0.0) + shared
    return _DEFINITION_WEIGHT * shared


def _order(candidate: _Candidate) -> tuple[float, str]:
    return -candidate.score, candidate.file.path


def _hit(candidate: _Candidate, best: float) -> Hit:
    file = candidate.file
    line = max(1, candidate.line)
    return Hit(
        path=file.path,
        line_start=line,
        line_end=line,
        kind=NO_DEFINITION if candidate.line else "file",
        name="" if candidate.line else basename(file.path),
        score=candidate.score / best if best else 0.0,
        match_line=candidate.line,
        snippet=cut_around(candidate.text, 1),
        language=file.language or "",
        role=file.role,
        literal=candidate.literal,
    )


def _terms(query: _Query, weights: Sequence[float]) -> dict[str, float]:
    terms = (word.term.removeprefix(_IDENTIFIER_PREFIX) for word in query.words)
    return {term: round(weight, 2) for term, weight in zip(terms, weights, strict=True)}
