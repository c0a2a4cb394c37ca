"""Weights of the ranking signals. Tuned on development data; `benchmarks/search/ablation.py` measures each signal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Weights:
    file: float = 1.0
    """BM25 of the whole file."""
    passage: float = 1.0
    """BM25 of the best passage."""
    second: float = 0.5
    """Share of the second best passage."""
    name: float = 0.6
    """Query words in the name of the definition."""
    exact: float = 9.0
    """The query is the name; half of it in another style."""
    ident: float = 1.5
    """An identifier in the query is the name, half of it in another style; or a mentioned line is in the definition."""
    neighbours: float = 1.5
    """Adjacent words of the query form the name."""
    prefix: float = 4.0
    """The query is a prefix of the name."""
    typo: float = 4.0
    """The query is a misspelling of the name."""
    part: float = 2.5
    """The name has the words of the query."""
    inside: float = 1.5
    """The name contains the query."""
    kind: float = 0.3
    """A definition that holds code, such as a class rather than a field, among those of the same name."""
    path: float = 1.0
    """Query words in the path."""
    stem: float = 4.5
    """Query words in the file name."""
    abbreviation: float = 2.5
    """The file name abbreviates a word of the query."""
    mention: float = 8.0
    """The query mentions the path of the file."""
    phrase: float = 4.0
    """The query, or a part of it, occurs literally."""
    title: float = 2.0
    """Factor on terms in the first line of a multi-line query."""
    again: float = 0.4
    """Increase for repeated terms of a multi-line query."""
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
    """Factor on files by role, other than source."""
    aside: float = 0.4
    """Factor on a test module inside of a source file."""
    changed: float = 1.10
    """Factor on files that differ from HEAD."""


WEIGHTS = Weights()
