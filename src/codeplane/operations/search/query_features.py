"""What a query in words, a name, or a pasted text asks for: terms, names, paths.

Nothing here looks at an index.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import zip_longest

from codeplane.base.paths import basename
from codeplane.facts.words import STOP_WORDS, name_key, normalize_text, split_words, terms_of
from codeplane.query.text import terms_of_text

MAX_NAME_WORDS = 4
"""A query of more words is not taken for the name of one thing."""
MAX_ASKING_WORDS = 12
"""A longer text that speaks of tests is a report, and does not ask for them."""
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
_HERE = re.compile(r"(?:\.{0,2}/)+")
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
"""Whoever says this speaks of what a runner does, not of a test."""


class QueryShape(Enum):
    NAME = "name"
    """One identifier, plain or qualified."""
    WORDS = "words"
    """So few words that they may be a name spelled out."""
    TEXT = "text"


class NameEvidence(Enum):
    WHOLE = "whole"
    IDENTIFIER = "identifier"
    NEIGHBOURS = "neighbours"


@dataclass(frozen=True)
class QueryFeatures:
    text: str
    shape: QueryShape
    terms: dict[str, int]
    """Terms with the number of times that each occurs."""
    words: tuple[str, ...]
    """Words in lower case, those that say nothing left out."""
    names: dict[str, NameEvidence]
    """Keys of names that the query may mean."""
    written: frozenset[str]
    """Those of them that are identifiers, as they are written."""
    key: str
    """Key of the whole query as a name; empty for a text."""
    last: str
    """The last part of a qualified name, as it is written; the name itself where it is plain."""
    qualifiers: tuple[str, ...]
    """Keys of the parts before the last."""
    paths: tuple[str, ...]
    """Paths and names of files that the text mentions."""
    lines: tuple[tuple[str, int], ...]
    """Those that it names a line of, with the line."""
    only_path: bool
    """It is one of these, and nothing else."""
    title: frozenset[str]
    """Terms of the first line of a text of several."""
    asks_for_tests: bool


@lru_cache(maxsize=4)
def analyze_query(text: str) -> QueryFeatures:
    plain = text.strip()[:MAX_TEXT_CHARS]
    identifiers = normalize_text(plain).split()
    name = _CALL.sub("", plain).strip("`'\" ")
    is_name = bool(_NAME.fullmatch(name)) and bool(identifiers)
    if is_name:
        shape = QueryShape.NAME
    elif 0 < len(identifiers) <= MAX_NAME_WORDS:
        shape = QueryShape.WORDS
    else:
        shape = QueryShape.TEXT
    parts = [part for part in _SEPARATORS.split(name) if part] if is_name else []
    words = tuple(dict.fromkeys(word for word in map(str.lower, identifiers) if word not in STOP_WORDS))
    names: dict[str, NameEvidence] = {}
    if shape is not QueryShape.TEXT:
        _put(names, name_key(parts[-1] if parts else plain), NameEvidence.WHOLE)
    written = frozenset(filter(looks_like_identifier, identifiers[:MAX_NAMES]))
    for identifier in identifiers[:MAX_NAMES]:
        if identifier in written:
            _put(names, name_key(identifier), NameEvidence.IDENTIFIER)
    for key in _neighbours([identifier.lower() for identifier in identifiers[:MAX_NAMES]]):
        _put(names, key, NameEvidence.NEIGHBOURS)
    mentions = tuple(dict.fromkeys(_mentions(plain)))
    paths = tuple(dict.fromkeys(path for path, _ in mentions))[:MAX_PATHS]
    lines = tuple((path, line) for path, line in mentions if line and path in paths)[:MAX_PATHS]
    # Where a line is known to be one, its number is no word.
    numbers = {str(line) for _, line in lines}
    terms = _terms(plain) if "\n" in plain else terms_of_text(plain)
    return QueryFeatures(
        text=plain,
        shape=shape,
        terms={term: count for term, count in terms.items() if term not in numbers},
        words=words,
        names=names,
        written=written,
        key="" if shape is QueryShape.TEXT else name_key(parts[-1] if parts else plain),
        last=parts[-1] if parts else plain,
        qualifiers=tuple(name_key(part) for part in parts[:-1]),
        paths=paths,
        lines=lines,
        only_path=len(paths) == 1 and len(plain.split()) == 1,
        title=frozenset(terms_of_text(plain.partition("\n")[0])) if "\n" in plain else frozenset(),
        asks_for_tests=len(identifiers) <= MAX_ASKING_WORDS and _asks_for_tests(plain[:500]),
    )


def _asks_for_tests(text: str) -> bool:
    return _ASKS_FOR_TESTS.search(text) is not None and _RUNS_TESTS.search(text) is None


def _terms(text: str) -> dict[str, int]:
    """Those of a pasted text, which has addresses, versions and line numbers that say nothing of the code."""
    return {term: count for term, count in terms_of_text(_ADDRESS.sub(" ", text)).items() if not term.isdigit()}


def looks_like_identifier(word: str) -> bool:
    """Whether nobody writes this word but in code."""
    return len(split_words(word)) > 1 or (not word.islower() and not word[0].isupper() and not word.isdigit())


def covered(name: str, terms: dict[str, int]) -> tuple[list[str], int]:
    """Terms of a name that the query has, and how many the name has in all; the name as a whole is none of them."""
    own = terms_of(name)
    parts = list(dict.fromkeys(own[1:] if len(own) > 1 else own))
    return [term for term in dict.fromkeys(own) if term in terms], max(1, len(parts))


def _put(names: dict[str, NameEvidence], key: str, evidence: NameEvidence) -> None:
    if key and (len(key) > 2 or evidence is NameEvidence.WHOLE):
        names.setdefault(key, evidence)


def _neighbours(words: list[str]) -> Iterator[str]:
    for length in (2, 3):
        for start in range(len(words) - length + 1):
            run = words[start : start + length]
            if run[0] in STOP_WORDS or run[-1] in STOP_WORDS:
                continue
            key = name_key("".join(run))
            yield key
            if key.endswith("s"):
                yield key[:-1]


def _mentions(text: str) -> Iterator[tuple[str, int]]:
    """Whatever looks like the path or the name of a file, with the line that is named of it, or 0.

    Token by token, so that no text takes long.
    """
    text = _LINE_IN_BRACKETS.sub(lambda found: f"{found[1]}:{found[2] or found[3]} ", text[:MAX_TEXT_CHARS])
    tokens = [token for token in _BREAKS.split(text) if token]
    for token, word, number in zip_longest(tokens, tokens[1:], tokens[2:], fillvalue=""):
        if not 3 < len(token) <= MAX_PATH_CHARS or "." not in token or "://" in token:
            continue
        bare = token.rstrip(".:!?")
        line = _LINE_NUMBER.search(bare)
        named = line[1] if line else number.rstrip(".:!?") if word == "line" else ""
        path = _LINE_NUMBER.sub("", bare).replace("\\", "/")
        path = _DRIVE.sub("", path, count=1)
        path = path[here.end() :] if (here := _HERE.match(path)) else path
        if _FILE_NAME.fullmatch(basename(path)):
            yield path, int(named) if named.isdecimal() and len(named) <= _MAX_DIGITS else 0
