"""Literal occurrences of the query, such as a message copied from a log or a piece of code.

Only a phrase of several words, or one with punctuation, is searched, and it counts only if few files contain it; other
phrases add nothing to the ranking of words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from codeplane.base.paths import RepoPath
from codeplane.facts.words import STOP_WORDS
from codeplane.operations.search.fragments import fragments_of_text
from codeplane.operations.search.search_task import SearchSources
from codeplane.operations.search.text_search import TextQuery, find_text
from codeplane.query.text import list_candidate_files

MIN_WORDS = 3
MIN_CHARS = 12
MAX_CHARS = 200
"""A longer query is treated as a report, and not searched literally."""
MAX_PHRASES = 2
MAX_CANDIDATES = 500
"""Maximum candidate files; with more, the words are too common. A time limit would make results depend on load."""
MAX_FILES = 8
_PER_FILE = 2
_LITERAL_PER_FILE = 8

_WORD = re.compile(r"\w+")
_PUNCTUATION = re.compile(r"[^\w\s]")
_SENTENCE_END = re.compile(r"[.!?:]\s+|\n")
_VALUE = re.compile(r"[:'\"`<>{}$%\n]+|\s\d[\w.]*")
"""Delimiters of, or placeholders for, the variable parts of a message."""

PhraseLines = Mapping[RepoPath, Sequence[int]]
"""Lines that contain the phrase, by path."""
PathFilter = Callable[[str, str], bool]
"""Accepts a path and a language."""


def find_phrase(sources: SearchSources, text: str) -> PhraseLines:
    """Return the lines with the longest phrase of the text that some, but few, files contain."""
    return _first_found(sources, _phrases(text))


def find_literal(sources: SearchSources, text: str, accepts: PathFilter) -> PhraseLines:
    """Return the lines with the text, or else with its longest part or sentence that few files contain.

    Sentences are tried because programs concatenate messages from several literals.
    """
    sentences = [sentence.strip(" ,;.!?") for sentence in _SENTENCE_END.split(text.strip())]
    inner = sorted(filter(_is_specific, sentences), key=lambda phrase: (-len(phrase), phrase))
    phrases = dict.fromkeys([*_phrases(text), *inner[:MAX_PHRASES]]) if len(text) <= MAX_CHARS else ()
    return _first_found(sources, phrases, accepts, _LITERAL_PER_FILE)


def _first_found(
    sources: SearchSources,
    phrases: Iterable[str],
    accepts: PathFilter = lambda path, language: True,
    per_file: int = _PER_FILE,
) -> PhraseLines:
    return next(filter(None, (_find(sources, phrase, accepts, per_file) for phrase in phrases)), {})


def _find(sources: SearchSources, phrase: str, accepts: PathFilter, per_file: int) -> PhraseLines:
    candidates = list_candidate_files(sources.snapshot, fragments_of_text(phrase))
    if candidates is None or len(candidates) > MAX_CANDIDATES:
        return {}
    query = TextQuery(
        phrase,
        case_sensitive=False,
        file_filter=lambda row: bool(row.lexical) and accepts(row.path, row.language or ""),
        candidates=lambda *_: candidates,
        limit=(MAX_FILES + 1) * per_file,
        per_file=per_file,
    )
    found = find_text(sources, query)
    lines: dict[RepoPath, list[int]] = {}
    for path, match in found.rows if len(found.counts) <= MAX_FILES else ():
        lines.setdefault(path, []).append(match.line)
    return lines


def _phrases(text: str) -> list[str]:
    """Return the text itself, then the parts between its variable values, longer first."""
    text = text.strip()
    if not MIN_CHARS <= len(text) <= MAX_CHARS or "\n" in text:
        return []
    parts = [part.strip(" ,;.") for part in _VALUE.split(text)]
    whole = [text] if _is_specific(text) or _PUNCTUATION.search(text) else []
    inner = sorted(filter(_is_specific, parts), key=lambda part: (-len(part), part))
    return list(dict.fromkeys(whole + inner))[: 1 + MAX_PHRASES]


def _is_specific(text: str) -> bool:
    words = _WORD.findall(text)
    return len(text) >= MIN_CHARS and len(words) >= MIN_WORDS and any(word.lower() not in STOP_WORDS for word in words)
