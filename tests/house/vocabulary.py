"""Find words and patterns that the project's English avoids; `docs/glossary.md` has the terms to use instead."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

BANNED_OPENINGS = frozenset(
    {"What", "Whether", "Of", "How", "Where", "Which", "Who", "Whoever", "Whatever", "Whose", "Those", "Whom"}
)
"""Openings of a docstring that make the reader wait for the noun."""

BANNED_PROSE = (
    "anew",
    "beneath",
    "whoever",
    "whatever is",
    "somebody",
    "nobody",
    r"mend(?:s|ed|ing)?",
    "stands? for",
    "stood for",
    r"(?:is|are|was|were|be|been) told",
    "put by",
    "in vain",
    "but for",
    "gone on from",
    "of before",
    "called so",
    "head start",
    r"let go of",
    r"do(?:es|ne)? away with",
    r"names? no",
    r"(?:is|are) no (?:file|name|path|word|symbol|directory|text|number|object|list|program|link)s?",
    "way of the data",
    "taken apart",
    "takes? it apart",
    "at whose",
    "by and by",
)
BANNED_NAMES = frozenset(
    {"anew", "apart", "beneath", "condemn", "desk", "homes", "judged", "keeper", "mend", "mended", "mending", "shelf"}
    | {"sought", "spotting", "tongue", "unrestored", "whoever", "wish", "put_by", "head_start"}
)
"""Words of identifiers: `_read_wish`, `Keeper`, `mending.py`."""

ALLOWED_NAMES = frozenset({"shelf_bytes"})
"""Names that users write: a key of the configuration."""

_PROSE = re.compile(rf"\b(?:{'|'.join(BANNED_PROSE)})\b".replace(" ", r"\s+"), re.IGNORECASE)
_BREAK = re.compile(r"\n[ \t#]*")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


class Finding(NamedTuple):
    line: int
    text: str


def check_python(source: str) -> Iterator[Finding]:
    """Yield banned openings, prose and identifiers of a Python module."""
    tree = ast.parse(source)
    yield from (Finding(line, f"docstring opens with {word!r}") for line, word in _openings(tree))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT):
            yield from _check_prose(token.string, token.start[0])
        elif token.type == tokenize.NAME:
            yield from _check_name(token.string, token.start[0])


def check_text(text: str) -> Iterator[Finding]:
    """Yield banned prose of a document."""
    yield from _check_prose(text, 1)


def _openings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and first word of docstrings: those of modules, classes, functions and fields."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            word = re.match(r"\s*(\w+)", node.value.value)
            if word and word[1] in BANNED_OPENINGS:
                yield node.lineno, word[1]


def _check_prose(text: str, line: int) -> Iterator[Finding]:
    """Match over line breaks, and report the line where the match begins."""
    folded = _BREAK.sub(lambda found: " " * len(found[0]), text)
    for match in _PROSE.finditer(folded):
        yield Finding(line + text.count("\n", 0, match.start()), re.sub(r"\s+", " ", match[0]))


def _check_name(name: str, line: int) -> Iterator[Finding]:
    if name in ALLOWED_NAMES:
        return
    if not BANNED_NAMES.isdisjoint(word.lower() for word in _WORD.findall(name)) or name.lower() in BANNED_NAMES:
        yield Finding(line, f"name {name!r}")


def check_file_name(path: Path) -> Iterator[Finding]:
    yield from _check_name(path.stem, 0)
