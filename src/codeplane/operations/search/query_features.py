"""Features of a query, which may be a question, a name or a pasted text: terms, names, paths. Reads no index."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import zip_longest

from codeplane.base.paths import basename
from codeplane.facts.words import STOP_WORDS, name_key, normalize_text, split_words, terms_of
from codeplane.query.text import terms_of_text

MAX_NAME_WORDS = 4
"""A query of more words is not treated as a spelled-out name."""
MAX_ASKING_WORDS = 12
"""A longer text that mentions tests is a report, not a request for tests."""
MAX_PATHS = 20
MAX_PATH_CHARS = 300
MAX_TEXT_CHARS = 100_000
MAX_NAMES = 200

_ADDRESS = re.compile(r"\b[a-z]+://\S+")
_SEPARATORS = re.compile(r"::|->|[.#/\\]")
_CALL = re.compile(r"\(\s*\)$|\(\.\.\.\)$")
_NAME = re.compile(r"[\w$]+(?:(?:::|->|[.#/\\])[\w$]+)*")
_BREAKS = re.compile(r"[\s\"'`<>()\[\]{},;|=*]+")
_LINE_NUMBER = re.compile(r":(\d+)(?::\d+)*:?$")
_LINE_IN_BRACKETS = re.compile(r"(\.[A-Za-z]\w{0,7})(?:\((\d{1,9})(?:,\d{1,9})*\)|:line (\d{1,9})\b)")
_LEADING_DOTS = re.compile(r"(?:\.{0,2}/)+")
_DRIVE = re.compile(r"[A-Za-z]:/")
_FILE_NAME = re.compile(r"\.?[\w+@-][\w.+@-]*\.[A-Za-z]\w{0,7}")
_MAX_DIGITS = 9
_ASKS_FOR_TESTS = re.compile(
    r"\b(?:unit|integration|regression)?\s*(?:tests?|specs?|fixtures?)\s+(?:for|of|that|covering|cases?|files?|which)\b"
    r"|\bunit tests?\b|\btested\b|^(?:tests?|specs?|fixtures?)\b|\btest_\w+",
    re.IGNORECASE,
)

_RUNS_TESTS = re.compile(
    r"\b(?:run|re-?run|execute|order|sort|skip|select|collect|discover)\w*\b.{0,40}\btests?\b", re.I
)
"""Describes what a test runner does, and does not ask for a test."""


class QueryShape(Enum):
    NAME = "name"
    """One identifier, plain or qualified."""
    WORDS = "words"
    """Few enough words to be a spelled-out name."""
    TEXT = "text"


class NameEvidence(Enum):
    """Why a part of the query may be a name."""

    WHOLE = "whole"
    """It is the whole query."""
    IDENTIFIER = "identifier"
    """It is written like an identifier."""
    NEIGHBOURS = "neighbours"
    """It joins adjacent words."""


@dataclass(frozen=True)
class QueryFeatures:
    text: str
    shape: QueryShape
    terms: dict[str, int]
    """Terms with their frequency."""
    words: tuple[str, ...]
    """Lower-case words without stop words."""
    names: dict[str, NameEvidence]
    """Keys of names that the query may mean."""
    identifiers: frozenset[str]
    """Identifiers among them, as written."""
    key: str
    """Key of the whole query as a name; empty for a text."""
    last: str
    """Last part of a qualified name, as written; the name itself if it is plain."""
    qualifiers: tuple[str, ...]
    """Keys of the parts before the last."""
    paths: tuple[str, ...]
    """Paths and file names that the text mentions."""
    lines: tuple[tuple[str, int], ...]
    """Paths that are mentioned with a line, and the line."""
    only_path: bool
    """True if the query is a single path."""
    title: frozenset[str]
    """Terms of the first line of a multi-line text."""
    asks_for_tests: bool


@lru_cache(maxsize=4)
def analyze_query(text: str) -> QueryFeatures:
    plain = text.strip()[:MAX_TEXT_CHARS]
    words = normalize_text(plain).split()
    name = _CALL.sub("", plain).strip("`'\" ")
    is_name = bool(_NAME.fullmatch(name)) and bool(words)
    shape = _shape(words, is_name)
    parts = [part for part in _SEPARATORS.split(name) if part] if is_name else []
    last = parts[-1] if parts else plain
    key = "" if shape is QueryShape.TEXT else name_key(last)
    identifiers = frozenset(filter(looks_like_identifier, words[:MAX_NAMES]))
    mentions = tuple(dict.fromkeys(_path_mentions(plain)))
    paths = tuple(dict.fromkeys(path for path, _ in mentions))[:MAX_PATHS]
    lines = tuple((path, line) for path, line in mentions if line and path in paths)[:MAX_PATHS]
    # A line number is not a term.
    numbers = {str(line) for _, line in lines}
    terms = _terms(plain)
    return QueryFeatures(
        text=plain,
        shape=shape,
        terms={term: count for term, count in terms.items() if term not in numbers},
        words=tuple(dict.fromkeys(word for word in map(str.lower, words) if word not in STOP_WORDS)),
        names=_names(words[:MAX_NAMES], identifiers, key),
        identifiers=identifiers,
        key=key,
        last=last,
        qualifiers=tuple(name_key(part) for part in parts[:-1]),
        paths=paths,
        lines=lines,
        only_path=len(paths) == 1 and len(plain.split()) == 1,
        title=_title_terms(plain),
        asks_for_tests=len(words) <= MAX_ASKING_WORDS and _asks_for_tests(plain[:500]),
    )


def _shape(words: Sequence[str], is_name: bool) -> QueryShape:
    if is_name:
        return QueryShape.NAME
    return QueryShape.WORDS if 0 < len(words) <= MAX_NAME_WORDS else QueryShape.TEXT


def _names(words: Sequence[str], identifiers: frozenset[str], key: str) -> dict[str, NameEvidence]:
    names: dict[str, NameEvidence] = {key: NameEvidence.WHOLE} if key else {}
    guesses = [(name_key(word), NameEvidence.IDENTIFIER) for word in words if word in identifiers]
    guesses += [(joined, NameEvidence.NEIGHBOURS) for joined in _neighbours([word.lower() for word in words])]
    for guess, evidence in guesses:
        if len(guess) > 2:
            names.setdefault(guess, evidence)
    return names


def _title_terms(text: str) -> frozenset[str]:
    title, newline, _ = text.partition("\n")
    return frozenset(terms_of_text(title)) if newline else frozenset()


def _asks_for_tests(text: str) -> bool:
    return _ASKS_FOR_TESTS.search(text) is not None and _RUNS_TESTS.search(text) is None


def _terms(text: str) -> dict[str, int]:
    """Return the terms; those of a pasted, multi-line text without URLs and numbers."""
    if "\n" not in text:
        return terms_of_text(text)
    return {term: count for term, count in terms_of_text(_ADDRESS.sub(" ", text)).items() if not term.isdigit()}


def looks_like_identifier(word: str) -> bool:
    """True if the word is only written in code."""
    return len(split_words(word)) > 1 or (not word.islower() and not word[0].isupper() and not word.isdigit())


def covered(name: str, terms: dict[str, int]) -> tuple[list[str], int]:
    """Return the terms of a name that the query has, and the number of its parts, without the name as a whole."""
    own = terms_of(name)
    parts = list(dict.fromkeys(own[1:] if len(own) > 1 else own))
    return [term for term in dict.fromkeys(own) if term in terms], max(1, len(parts))


def _neighbours(words: list[str]) -> Iterator[str]:
    """Yield keys of two or three adjacent words, also without a plural s."""
    for length in (2, 3):
        for start in range(len(words) - length + 1):
            run = words[start : start + length]
            if run[0] in STOP_WORDS or run[-1] in STOP_WORDS:
                continue
            key = name_key("".join(run))
            yield key
            if key.endswith("s"):
                yield key[:-1]


def _path_mentions(text: str) -> Iterator[tuple[str, int]]:
    """Yield everything that looks like a path or a file name, with its line number or 0, in linear time."""
    text = _LINE_IN_BRACKETS.sub(lambda found: f"{found[1]}:{found[2] or found[3]} ", text[:MAX_TEXT_CHARS])
    tokens = [token for token in _BREAKS.split(text) if token]
    for token, word, number in zip_longest(tokens, tokens[1:], tokens[2:], fillvalue=""):
        if not 3 < len(token) <= MAX_PATH_CHARS or "." not in token or "://" in token:
            continue
        stripped = token.rstrip(".:!?")
        line = _LINE_NUMBER.search(stripped)
        named = line[1] if line else number.rstrip(".:!?") if word == "line" else ""
        path = _LINE_NUMBER.sub("", stripped).replace("\\", "/")
        path = _DRIVE.sub("", path, count=1)
        path = path[dots.end() :] if (dots := _LEADING_DOTS.match(path)) else path
        if _FILE_NAME.fullmatch(basename(path)):
            yield path, int(named) if named.isdecimal() and len(named) <= _MAX_DIGITS else 0
