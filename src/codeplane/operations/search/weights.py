"""What each signal of the ranking is worth. Set on the development half of the data; `benchmarks` measures each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Weights:
    file: float = 1.0
    """BM25 of the whole file."""
    passage: float = 1.0
    """BM25 of its best passage."""
    second: float = 0.5
    """Share of the second best passage in the score of the file."""
    name: float = 0.6
    """Words of the query in the name of the definition."""
    exact: float = 9.0
    """The query is the name; half of it where the two are written otherwise."""
    ident: float = 1.5
    """An identifier in the query is the name, half of it where the two are written otherwise; or it names a line that
    the definition holds."""
    neighbours: float = 1.5
    """Words that follow each other in the query make up the name."""
    prefix: float = 4.0
    """The name begins with the query."""
    typo: float = 4.0
    """The name is the query but for a slip."""
    part: float = 2.5
    """The name has all words of the query."""
    inside: float = 1.5
    """The name has the query somewhere inside."""
    kind: float = 0.3
    """A definition that others hang on, a class rather than a field, among those of the same name."""
    path: float = 1.0
    """Words of the query in the path."""
    stem: float = 4.5
    """Words of the query make up the name of the file."""
    abbreviation: float = 2.5
    """The name of the file begins a word of the query."""
    mention: float = 8.0
    """The query names the path of the file."""
    phrase: float = 4.0
    """The query, or a stretch of it, stands there word for word."""
    title: float = 2.0
    """Factor on the terms of the first line of a long text."""
    again: float = 0.4
    """What it adds to a term of a long text that it occurs again."""
    roles: Mapping[str, float] = field(
        default_factory=lambda: {
            "test": 0.6,
            "fixture": 0.4,
            "docs": 0.6,
            "example": 0.7,
            "tool": 0.8,
            "generated": 0.5,
            "vendored": 0.5,
            "config": 0.7,
            "build": 0.8,
        }
    )
    """Factor on a file that is no source."""
    aside: float = 0.4
    """Factor on a passage in a module of tests within a file of the product."""
    changed: float = 1.10
    """Factor on a file that differs from HEAD."""


WEIGHTS = Weights()
