"""Evidence for ranked results: the best matching line, and lines that contain the text of a message.

Only for the text form of an answer. The order of results changes only if a line contains the query as a message: that
line ranks first, whatever the role of its file.

A message may have been filled in: `Cannot index array with string "name"` was printed by a line with the template
`Cannot index %s with %s`. The literal parts of a template must occur in the query in order, and make up most of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.operations.search.file_lines import FileLines
from codeplane.operations.search.model import NO_DEFINITION, Hit
from codeplane.operations.search.phrases import find_literal
from codeplane.operations.search.query_features import QueryFeatures, QueryShape
from codeplane.operations.search.search_task import SearchTask
from codeplane.operations.search.text_search import with_enclosing
from codeplane.query.enclosing import find_enclosing
from codeplane.query.files import get_file
from codeplane.query.snapshot import Snapshot

MAX_TEMPLATE_HITS = 30
"""Results that are searched for a message template of the query."""
MIN_MESSAGE_WORDS = 4
"""Minimum words of a query that may be the text of a message."""
MAX_LITERAL = 12
"""Lines with the text of the query that are returned."""


def add_evidence(
    task: SearchTask, hits: Sequence[Hit], texts: FileLines, idf: Mapping[str, int], features: QueryFeatures
) -> tuple[Hit, ...]:
    """Prepend lines that contain the query as a message, and add the best line to the hits of the first page."""
    sources, request, _, filters = task
    if not request.evidence or features.shape is QueryShape.NAME:
        # A name is matched by the signature, which is shown anyway.
        return tuple(hits)
    literal: list[Hit] = []
    # A line has no kind, and not all `must:` words.
    is_unfiltered = not request.kinds and not filters.has_text_filters
    if is_unfiltered and len(features.text.split()) >= MIN_MESSAGE_WORDS:
        lines = find_literal(sources, features.text, filters.accepts_file)
        quoted = _enclosed(sources.snapshot, _message_lines(lines, texts), texts)
        # Tests and docs quote messages; the code that prints one comes first, even if it has only the template.
        literal = [hit for hit in quoted if hit.role == "source"]
        literal = literal or _enclosed(sources.snapshot, _template_lines(hits, texts, features), texts) or quoted
    shown = [_with_line(hit, texts, idf) for hit in hits[: request.limit]]
    return (*literal[:MAX_LITERAL], *shown, *hits[request.limit :])


class _Line(NamedTuple):
    path: RepoPath
    line: int


def _with_line(hit: Hit, texts: FileLines, idf: Mapping[str, int]) -> Hit:
    first = hit.line_start + 1 if hit.signature and hit.line_end > hit.line_start else hit.line_start
    line, text = texts.evidence(hit.path, first, hit.line_end, idf)
    return hit._replace(evidence_line=line, evidence=text)


def _message_lines(lines_by_path: Mapping[RepoPath, Sequence[int]], texts: FileLines) -> list[_Line]:
    """Keep lines that seem to contain the query as a string literal."""
    return [
        _Line(path, line)
        for path, lines in lines_by_path.items()
        for line in lines
        if any(quote in texts.between(path, line, line) for quote in "\"'`")
    ]


def _template_lines(hits: Sequence[Hit], texts: FileLines, features: QueryFeatures) -> list[_Line]:
    """Return lines with a message template that the query fits; those with the longest literal text."""
    found: dict[_Line, int] = {}
    for hit in hits[:MAX_TEMPLATE_HITS]:
        match = find_template(texts.of(hit.path), hit.line_start, hit.line_end, features.text)
        if match is not None:
            found[_Line(hit.path, match.line)] = match.words
    longest = max(found.values(), default=0)
    return [line for line, words in found.items() if words == longest]


def _enclosed(snapshot: Snapshot, lines: Sequence[_Line], texts: FileLines) -> list[Hit]:
    """Return lines as hits with their enclosing definition: source files first, then by path."""
    by_path: dict[RepoPath, list[int]] = {}
    for place in sorted(lines):
        by_path.setdefault(place.path, []).append(place.line)
    hits = list(_hits(snapshot, by_path, texts))
    return sorted(hits, key=lambda hit: (hit.role != "source", hit.path, hit.evidence_line))


def _hits(snapshot: Snapshot, by_path: Mapping[RepoPath, Sequence[int]], texts: FileLines) -> Iterator[Hit]:
    positions = {path: [(line, _indentation(texts, path, line)) for line in lines] for path, lines in by_path.items()}
    for path, language, definitions in find_enclosing(snapshot, positions):
        file = get_file(snapshot, path)
        for line, definition in zip(by_path[path], definitions, strict=True):
            hit = Hit(path, line, line, NO_DEFINITION, "", language=language, role=file.role if file else "source")
            hit = with_enclosing(hit, definition)
            yield hit._replace(evidence_line=line, evidence=texts.between(path, line, line), literal=True)


def _indentation(texts: FileLines, path: RepoPath, line: int) -> int:
    text = texts.between(path, line, line)
    return len(text) - len(text.lstrip())


MIN_LITERAL_WORDS = 3
MIN_LITERAL_SHARE = 0.3
"""Minimum share of the query's words that the literal parts must have."""
MAX_QUERY_CHARS = 400
MAX_LINES = 400
"""Maximum lines of one result that are searched."""

_STRINGS = re.compile(r'"((?:[^"\\]|\\.){8,300})"|\'((?:[^\'\\]|\\.){8,300})\'|`([^`]{8,300})`')
_PLACEHOLDER = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?[a-zA-Z]|%\{[^}]*\}|[$#]\{[^}]*\}|\{[^{}]*\}|\\[nrt]")
_WORDS = re.compile(r"\w+")


class TemplateMatch(NamedTuple):
    line: int
    words: int
    """Words of the query in the literal parts."""


def find_template(lines: Sequence[str], first: int, last: int, query: str) -> TemplateMatch | None:
    """Return the line with the longest template that the query fits; the first of equals."""
    if len(query) > MAX_QUERY_CHARS:
        return None
    words = len(_WORDS.findall(query))
    best: TemplateMatch | None = None
    for number, line in enumerate(lines[first - 1 : min(last, first + MAX_LINES)], first):
        for found in _STRINGS.finditer(line) if _PLACEHOLDER.search(line) else ():
            template = next(filter(None, found.groups()))
            literal = _literal_words(template, query, words) if _PLACEHOLDER.search(template) else 0
            if literal and (best is None or literal > best.words):
                best = TemplateMatch(number, literal)
    return best


def _literal_words(template: str, query: str, words: int) -> int:
    """Return the number of words in the literal parts; 0 if the query does not fit."""
    pieces = [piece for piece in _PLACEHOLDER.split(template) if piece.strip()]
    literal = sum(len(_WORDS.findall(piece)) for piece in pieces)
    if literal < MIN_LITERAL_WORDS or literal < words * MIN_LITERAL_SHARE:
        return 0
    at, lowered = 0, query.lower()
    for piece in (piece.strip().lower() for piece in pieces):
        found = lowered.find(piece, at)
        if found < 0:
            return 0
        at = found + len(piece)
    return literal
