"""Why a ranked result is one: the line of it that matches the query best, and lines that are the text of a message.

Only for the text form of an answer. The order of results changes only where a line contains the query as a message:
that line is what was asked for, whatever ranks above it and whatever the role of its file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.disk.safe_open import Root
from codeplane.operations.search.file_lines import FileLines
from codeplane.operations.search.filters import Filters
from codeplane.operations.search.model import Hit, SearchRequest
from codeplane.operations.search.phrases import find_literal
from codeplane.operations.search.query_features import QueryFeatures, QueryShape
from codeplane.operations.search.scan_cache import ScanCache
from codeplane.operations.search.templates import find_template
from codeplane.operations.search.text_search import NO_DEFINITION, with_enclosing
from codeplane.query.enclosing import find_enclosing
from codeplane.query.files import get_file
from codeplane.query.snapshot import Snapshot

MAX_TEMPLATE_HITS = 30
"""Results that are searched for a template of the query."""
MIN_MESSAGE_WORDS = 4
"""Words of a query that may be the text of a message."""
MAX_LITERAL = 12
"""Lines with the text of the query that are shown."""


def add_evidence(
    snapshot: Snapshot,
    root: Root,
    hits: Sequence[Hit],
    texts: FileLines,
    weights: Mapping[str, int],
    request: SearchRequest,
    question: QueryFeatures,
    filters: Filters,
    kept: ScanCache | None,
) -> tuple[Hit, ...]:
    """The results of the first page with the line that matches best, after the lines that are the query itself."""
    if not request.evidence or question.shape is QueryShape.NAME:
        # A name is matched by the signature, which is shown anyway.
        return tuple(hits)
    literal: list[Hit] = []
    # A line is of no kind, and has not the words that must be in a result.
    is_open = not request.kinds and not filters.reads_text
    if is_open and len(question.text.split()) >= MIN_MESSAGE_WORDS:
        places = find_literal(snapshot, root, question.text, filters.accepts_elsewhere, kept)
        quoted = _enclosed(snapshot, _message_lines(places, texts), texts)
        # Tests and docs quote messages; the code that prints one comes first, even if it has only the template.
        literal = [hit for hit in quoted if hit.role == "source"]
        literal = literal or _enclosed(snapshot, _template_lines(hits, texts, question), texts) or quoted
    shown = [_with_line(hit, texts, weights) for hit in hits[: request.limit]]
    return (*literal[:MAX_LITERAL], *shown, *hits[request.limit :])


class _Line(NamedTuple):
    path: RepoPath
    line: int


def _with_line(hit: Hit, texts: FileLines, weights: Mapping[str, int]) -> Hit:
    first = hit.line_start + 1 if hit.signature and hit.line_end > hit.line_start else hit.line_start
    line, text = texts.evidence(hit.path, first, hit.line_end, weights)
    return hit._replace(evidence_line=line, evidence=text)


def _message_lines(places: Mapping[RepoPath, Sequence[int]], texts: FileLines) -> list[_Line]:
    """Keep lines that seem to contain the query as a string literal."""
    return [
        _Line(path, line)
        for path, lines in places.items()
        for line in lines
        if any(quote in texts.between(path, line, line) for quote in "\"'`")
    ]


def _template_lines(hits: Sequence[Hit], texts: FileLines, question: QueryFeatures) -> list[_Line]:
    """Lines of results whose message, with its placeholders filled in, is the query; those with the longest text."""
    found: dict[_Line, int] = {}
    for hit in hits[:MAX_TEMPLATE_HITS]:
        match = find_template(texts.of(hit.path), hit.line_start, hit.line_end, question.text)
        if match is not None:
            found[_Line(hit.path, match.line)] = match.words
    longest = max(found.values(), default=0)
    return [place for place, words in found.items() if words == longest]


def _enclosed(snapshot: Snapshot, places: Sequence[_Line], texts: FileLines) -> list[Hit]:
    """The lines as results that know the definition around them: code first, then tests and the rest, by path."""
    by_path: dict[RepoPath, list[int]] = {}
    for place in sorted(places):
        by_path.setdefault(place.path, []).append(place.line)
    hits = list(_hits(snapshot, by_path, texts))
    return sorted(hits, key=lambda hit: (hit.role != "source", hit.path, hit.evidence_line))


def _hits(snapshot: Snapshot, by_path: Mapping[RepoPath, Sequence[int]], texts: FileLines) -> Iterator[Hit]:
    at = {path: [(line, _indentation(texts, path, line)) for line in lines] for path, lines in by_path.items()}
    for path, language, around in find_enclosing(snapshot, at):
        file = get_file(snapshot, path)
        for line, outer in zip(by_path[path], around, strict=True):
            words = texts.between(path, line, line)
            hit = Hit(path, line, line, NO_DEFINITION, "", language=language, role=file.role if file else "source")
            hit = hit if outer is None else with_enclosing(hit, outer)
            yield hit._replace(evidence_line=line, evidence=words, literal=True)


def _indentation(texts: FileLines, path: RepoPath, line: int) -> int:
    words = texts.between(path, line, line)
    return len(words) - len(words.lstrip())
