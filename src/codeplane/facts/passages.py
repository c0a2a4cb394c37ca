"""Searchable content of a file: its terms, and its passages.

A passage is a definition without nested definitions, or a run of lines between definitions. Each line belongs to one
passage. Small definitions without code, such as a field or a constant, leave their lines to the enclosing passage and
are found by name only. In a language without a grammar, lines that look like the head of a definition split the file;
these hints never become facts.

A term carries its weight in one of eight buckets: the BM25 term frequency for a text of that length, with a fixed
average length. A score therefore depends only on the file and on the number of files with the term, not on the history
of the index.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, chain, groupby
from operator import add
from typing import AnyStr, NamedTuple

from codeplane.base.paths import basename
from codeplane.facts.model import Def
from codeplane.facts.words import count_terms, normalize_text, terms_of, unique_words
from codeplane.languages.filters import code_extensions

PASSAGES_VERSION = "3"

LEVELS = 8
SATURATION = 1.2
LENGTH_SHARE = 0.5
FILE_TERMS = 1500.0
PASSAGE_TERMS = 60.0
"""Number of terms in a text of average length."""
MARK = "~"
"""Separator between a term and its bucket; no term contains it."""

GAP_LINES = 40
MAX_HINT_LINES = 80
MAX_COMMENT_LINES = 300
_MAX_LINE_CHARS = 300
_TEST_MODULES = ("tests", "test")
_MAJOR_LINES = 3
_MAJOR_KINDS = frozenset(
    {
        "class", "component", "constructor", "enum", "function", "impl", "interface", "macro", "message", "method",
        "module", "namespace", "object", "record", "rpc", "struct", "table", "trait", "type", "view",
    }
)  # fmt: skip
_DATA_KINDS = frozenset({"key", "selector"})
_MAX_DATA_NAMES = 60
"""Limit of small definitions in a data file that are found by name; the first ones are kept."""
_Span = tuple[int, int, int, str]
_COMMENT = ("//", "/*", "*", "#", "--", ";", "@", '"""', "'''", "%")


class Passage(NamedTuple):
    first: int
    last: int
    """Lines of the definition, including nested ones, or of the run."""
    definition: int
    """Ordinal of the definition; -1 for none."""
    name: str
    """Name as written; empty for a run of lines."""
    terms: str
    """Terms with their buckets, separated by spaces."""
    aside: bool = False
    """True for a test module inside a product file."""
    name_terms: str = ""
    """Terms of the name, separated by spaces."""


class Searchable(NamedTuple):
    terms: str = ""
    words: str = ""
    """Every identifier once, in lower case."""
    passages: Sequence[Passage] = ()


def read_searchable(source: bytes, definitions: Sequence[Def], *, hints: bool = False) -> Searchable:
    """Return terms and passages. `hints` also splits at lines that look like definitions, for unparsed text."""
    text = normalize_text(source)
    lines = _split_lines(text, "\n")
    offsets = [0, *accumulate(map(_WITH_END, map(len, lines)))]
    originals = _split_lines(source, b"\n") if hints or definitions else ()
    tests = [
        range(row.start_line, row.end_line + 1)
        for row in definitions
        if row.kind == "module" and row.name in _TEST_MODULES
    ]

    def aside(line: int) -> bool:
        return bool(tests) and any(line in lines for lines in tests)

    minor: list[Passage] = []
    spans: list[_Span] = []
    if hints:
        spans = list(_hinted(originals))
    for number, row in enumerate(definitions):
        if row.kind in _MAJOR_KINDS or row.end_line - row.start_line >= _MAJOR_LINES:
            spans.append((row.start_line, row.end_line, number, row.name))
        elif row.kind not in _DATA_KINDS or len(minor) < _MAX_DATA_NAMES:
            named = " ".join(terms_of(row.name))
            minor.append(Passage(row.start_line, row.end_line, number, row.name, "", aside(row.start_line), named))
    owners = _owners(len(lines), spans, originals) if spans else [-1] * (len(lines) + 1)
    pieces: dict[int, list[str]] = {}
    bounds: dict[int, tuple[int, int]] = {}
    for owner, first, last in _runs(owners):
        words = text[offsets[first - 1] : offsets[last]].split()
        if owner in pieces:
            pieces[owner] += words
        elif words:
            pieces[owner] = words
            bounds[owner] = (first, last)
    every: dict[str, int] = {}
    known = every.get
    passages = minor
    for owner, words in pieces.items():
        first, last = bounds[owner]
        number, name = -1, ""
        if owner >= 0:
            first, last, number, name = spans[owner]
        counts = count_terms(words)
        terms = _levelled(counts, PASSAGE_TERMS)
        for term, count in counts.items():
            every[term] = known(term, 0) + count
        if terms or name:
            named = " ".join(terms_of(name))
            passages.append(Passage(first, max(first, last), number, name, terms, aside(first), named))
    passages += [
        Passage(first, max(first, last), number, name, "", aside(first), " ".join(terms_of(name)))
        for index, (first, last, number, name) in enumerate(spans)
        if index not in pieces
    ]
    passages.sort()
    return Searchable(_levelled(every, FILE_TERMS), unique_words(chain.from_iterable(pieces.values())), passages)


def _split_lines(text: AnyStr, end: AnyStr) -> list[AnyStr]:
    """Return the lines; a line break at the end starts no further line."""
    lines = text.split(end)
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def may_define(path: str) -> bool:
    """True if a file that is not parsed is code, by its extension."""
    return f".{basename(path).rpartition('.')[2].lower()}" in code_extensions()


def _levelled(counts: Mapping[str, int], ordinary: float) -> str:
    marks = _marks(sum(counts.values()), ordinary)
    return " ".join(map(add, counts, map(marks.__getitem__, counts.values())))


_WITH_END = (1).__add__


class _Marks(dict[int, str]):
    """Bucket mark of a term by its number of occurrences, for texts of one length."""

    def __init__(self, length: int, ordinary: float) -> None:
        self._base = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length / ordinary)

    def __missing__(self, count: int) -> str:
        mark = self[count] = f"{MARK}{max(1, int(count / (count + self._base) * LEVELS + 0.5))}"
        return mark


_marks = lru_cache(maxsize=1 << 12)(_Marks)


def _owners(count: int, spans: Sequence[_Span], lines: Sequence[bytes]) -> list[int]:
    """Return the innermost span for each line, starting at line 1; -1 for none."""
    owners = [-1] * (count + 1)
    ordered = sorted(range(len(spans)), key=lambda index: (spans[index][0], -spans[index][1], index))
    for index in ordered:
        first, last = spans[index][0], min(max(spans[index][:2]), count)
        if first <= last:
            owners[first : last + 1] = [index] * (last - first + 1)
    for index in ordered:
        if spans[index][0] > count:
            break
        _take_comment(owners, index, spans[index][0], lines)
    return owners


def _take_comment(owners: list[int], index: int, first: int, lines: Sequence[bytes]) -> None:
    """Extend a definition to the comment directly above it."""
    line = first - 1
    around = owners[line] if line > 0 else index
    while line > 0 and first - line <= MAX_COMMENT_LINES and owners[line] == around != index:
        begins = lines[line - 1][:_MAX_LINE_CHARS].lstrip()
        if not begins.startswith(_COMMENT_BYTES):
            return
        owners[line] = index
        line -= 1


_COMMENT_BYTES = tuple(mark.encode() for mark in _COMMENT)


def _runs(owners: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield (owner, first line, last line) of consecutive lines; each run without an owner is an owner of its own."""
    line, stretch = 1, -1
    for owner, run in groupby(owners[1:]):
        following = line + len(list(run))
        if owner >= 0:
            yield owner, line, following - 1
        else:
            for first in range(line, following, GAP_LINES):
                yield stretch, first, min(first + GAP_LINES, following) - 1
                stretch -= 1
        line = following


def _hinted(lines: Sequence[bytes]) -> Iterator[_Span]:
    found = [
        (number, name)
        for number, line in enumerate(lines, 1)
        if len(line) <= _MAX_LINE_CHARS and (name := defined_name(line)) is not None
    ]
    followed = [*(first for first, _ in found), len(lines) + 1][1:]
    for (first, name), following in zip(found, followed, strict=True):
        yield first, min(following - 1, first + MAX_HINT_LINES), -1, name


def defined_name(line: bytes) -> str | None:
    """Return the name that a line seems to define, in any language; a heuristic."""
    text = line.decode("utf-8", "replace")
    match = _HINT.match(text)
    if match is None:
        return None
    name = next(group for group in match.groups() if group)
    return None if name in _STATEMENTS else name


_STATEMENTS = frozenset(
    {
        "if", "for", "while", "switch", "catch", "return", "sizeof", "foreach", "lock", "using", "elsif", "unless",
        "until", "rescue", "when", "and", "or", "not", "do",
    }
)  # fmt: skip
_HINT = re.compile(
    r"""[ \t]*
    (?:(?:pub(?:\([a-z]+\))?|public|private|protected|internal|static|abstract|final|sealed|partial|export|default|async
        |virtual|override|readonly|const|inline|constexpr|extern|unsafe|template[ ]*<[^>]*>|friend|typedef|explicit
        |open|data|suspend|case|local|[A-Z][A-Z0-9]*_[A-Z0-9_]+(?:\([^)]*\))?)[ \t]+)*
    (?:(?:class|struct|enum(?:[ ]+class)?|interface|trait|module|namespace|union|record|protocol|object|concept|type
        |def|defp|defmodule|defmacro|fn|func|fun|function|sub|procedure|macro|delegate|package|message|service|table)
        [ \t]+(?:self\.)?([A-Za-z_][\w?!]*)
      |\#[ \t]*define[ \t]+(\w+)
      |using[ \t]+(\w+)[ \t]*=
      |([A-Z][A-Z0-9_]+)[ \t]*=[^=]
      |const[ \t]+(\w+)[ \t]*=
      |(?!return\b|else\b|new\b|throw\b|case\b|goto\b|delete\b|using\b|await\b|if\b)
        (?:[A-Za-z_][\w:<>,\[\]*&?.\ ]*[\s*&>](?:\w+(?:<[\w, ]*>)?::)*|(?<![ \t])(?:\w+(?:<[\w, ]*>)?::)+)
        (~?[A-Za-z_]\w*)(?:<[\w, ]*>)?[ \t]*\((?:[^;]*$|[^;]*\)[^;]*(?:=>|\{))
      |(?:public|private|protected|internal)[ \t]+([A-Za-z_]\w*)[ \t]*\()
    """,
    re.VERBOSE,
)
"""Head of a definition in the many languages with C-like or ML-like keywords."""
