"""Results of the symbol resolver."""

from __future__ import annotations

from dataclasses import dataclass

from codeplane.query.relations import Symbol


@dataclass(frozen=True)
class SymbolsFound:
    symbols: tuple[Symbol, ...]
    """In the order of their paths and lines."""
    total: int
    """More than `symbols` where those were cut."""
    is_bare_name: bool = False
    """True if a plain name was written, which means all symbols of that name."""


@dataclass(frozen=True)
class AmbiguousSymbol:
    """Several symbols where one is needed."""

    written: str
    candidates: tuple[Symbol, ...]
    """The least nested first: they are meant more often."""
    total: int


@dataclass(frozen=True)
class SymbolNotFound:
    name: str
    """Written form without the file that it was looked up in."""
    parts: tuple[str, ...]
    scope: str = ""
    """File or directory that it was looked for in."""
    line: int | None = None
    """The line of `scope` that is in no symbol, where a position was written."""
    kind: str | None = None
    suggestions: tuple[str, ...] = ()
    """References of symbols that may have been meant, nearest first."""


Resolution = SymbolsFound | AmbiguousSymbol | SymbolNotFound
